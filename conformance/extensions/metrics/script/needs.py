"""Finds out by experiments which trials a metric script needs, and which keys it reads.

The search starts with the user's settings, or with three trials with the key ``reward`` and values from 0 to
1. The script's error messages and its text suggest what to try; only runs decide.
"""

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.extensions.metrics.findings import Reads
from conformance.extensions.metrics.script.contrasts import Problems
from conformance.extensions.metrics.script.runs import ScriptRun, Shape, Trials, alike, shown
from conformance.extensions.metrics.script.session import ScriptSession, StoppedError, cause_of, differ
from conformance.option_names import metric_option

__all__ = ["Needs", "unread"]

Values = tuple[float, ...]
PLAIN: Values = (1.0, 0.0, 0.5)
LOW: Values = (0.25, 0.125, 0.125)
"""Values with another mean, median, minimum, maximum and another share above any threshold up to 1."""
_OTHERS: tuple[Values, ...] = (LOW, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.75, 0.0, 0.625))
_ALIEN = "unheard-of"
_INVENTED = ("reward", "quality", "speed", "style", "cost", "safety", "depth", "tone")
_COUNTS = (*range(1, 65), 72, 80, 96, 100, 128, 150, 200, 250, 256, 300, 500, 512, 1000)
_WHOLE = ((0, 1), (*range(1, 6),), (*range(1, 11),), (*range(101),))
_PARTS = ((0.125, 0.25, 0.5, 0.75, 1.0), (-1.0, -0.5, 0.0, 0.5, 1.0), ("0.0", "0.5", "1.0"))
_LEVELS: tuple[tuple[Any, ...], ...] = ((0.0, 1.0), *_WHOLE, (*map(float, range(101)),), *_PARTS)
_MOST_FAILURES, _MOST_TRIED = 8, 400
_LENGTHS = (130, 1100)
_NAMES_SHOWN = 6
_QUOTED = re.compile(r"""['"`]([^'"`\n]{1,64})['"`]""")
_NO_INPUT = re.compile(
    r"(SyntaxError|IndentationError|ImportError|ModuleNotFoundError)\b|not-(json|an-object)"
)


class Needs:
    """The results; the accepted trials are the asking's shape."""

    def __init__(self, session: ScriptSession, fixed: Sequence[str] = (), seconds: float = math.inf) -> None:
        """Runs the script several times, and sets the asking's shape to one that it accepts.

        The search ends after some ``seconds``, or if a run had to be stopped. Of ``keys``, ``trials`` and
        ``values``, those that are ``fixed`` are the user's, and stay.

        Raises:
            StoppedError: the first run had to be stopped.
            CannotTryError: it can't be run.
        """
        self._session, self._fixed, self._begin = session, fixed, session.shape
        self._candidates = [key for key in session.text.keys if key not in session.shape.keys]
        self.tried = 0
        """The number of lists tried."""
        self.reads: Reads | None = None
        """What it reads; None if unknown."""
        self.ignored = False
        """Whether rewards from 0 to 1 never affected the result, under any key."""
        self.only: tuple[Any, ...] = ()
        """The rewards that do affect the result, if those from 0 to 1 don't."""
        self.cut = False
        """Whether the search ended early."""
        self.stopped: ScriptRun | None = None
        """The run that had to be stopped, if any."""
        session.until = time.monotonic() + seconds
        self.first = self._run(session.shape)
        """The result for the initial trials."""
        self.works = cause_of(self.first) is None
        """Whether accepted trials were found."""
        try:
            self.works = self.works or self._find(self.first)
            if self.works:
                self._number_of_trials()
                if self._run(session.shape).usable:
                    self._what_it_reads()
                null = session.ask_quietly(session.each(1.0, None, 0.5))
                session.shape = replace(session.shape, nulls=cause_of(null) is None)
        except StoppedError:
            self.cut = True
            self.stopped = next((run for run in session.asked[-1:] if run.ended.stopped), None)
        finally:
            session.until = math.inf

    def _run(self, shape: Shape) -> ScriptRun:
        self.tried += 1
        return self._session.ask(_plain(shape))

    # Accepted trials: starting from each kind of failure, one thing is changed at a time

    def _find(self, first: ScriptRun) -> bool:
        if _NO_INPUT.search(str(cause_of(first))):
            return any(cause_of(self._run(replace(self._begin, count=count))) is None for count in (1, 130))
        failed, known, fallback = [(self._begin, first)], {cause_of(first)}, None
        for kind in ("", "keys", "values", "trials", "trials and keys"):
            waiting = failed[::-1]  # the last one got furthest
            for shape, outcome in waiting:
                shapes = [*self._hinted(shape, outcome), *self._changed(kind, shape)]
                for one in shapes[: max(0, _MOST_TRIED - self.tried)]:
                    came = self._run(one)
                    cause = cause_of(came)
                    if cause is None and self._matters(one, came):
                        self._session.shape = self._simplest(one)
                        return True
                    if cause is None:
                        fallback = fallback or one
                    elif cause not in known and len(failed) < _MOST_FAILURES:
                        known.add(cause)
                        failed.append((one, came))
                        waiting.append((one, came))
        self._session.shape = fallback or self._begin
        return fallback is not None

    def _matters(self, shape: Shape, outcome: ScriptRun) -> bool:
        """Whether rewards, of all keys or of one, affect its result for a working shape."""
        lists = [_plain(shape, values) for values in _OTHERS]
        for key in shape.keys[:4] if len(shape.pattern) == 1 else ():
            pairs = zip(_plain(shape), lists[0], strict=True)
            lists.append([{**(one or {}), key: (other or {})[key]} for one, other in pairs])
        return any(cause_of(run) is None and differ(outcome, run) for run in self._session.all(*lists))

    def _hinted(self, shape: Shape, outcome: ScriptRun) -> Iterator[Shape]:
        """The keys and numbers in its error messages."""
        messages = " ".join(why.partition(": ")[2] for rule, why in outcome.problems if rule == "exit-code")
        words = [word for word in dict.fromkeys(_QUOTED.findall(messages)) if word not in shape.keys]
        patterns = [(keys,) for word in words[:4] for keys in ((word,), (*shape.keys, word))]
        yield from self._having("keys", shape, patterns)
        numbers = {int(text) for text in re.findall(r"\b\d{1,4}\b", messages)} - {0, shape.count}
        yield from self._having("trials", shape, numbers)

    def _changed(self, kind: str, shape: Shape) -> Iterator[Shape]:
        """Shapes with one thing changed: keys, values, trials, or trials and keys."""
        text = self._session.text
        if kind == "keys":  # those in its text, together and alone; then any keys, together and in turn
            names = [key for key in self._candidates if key not in shape.keys]
            more = (*shape.keys, *(name for name in _INVENTED if name not in shape.keys))
            patterns = [(tuple(names),), ((*shape.keys, *names),)] if names else []
            patterns += [((name,),) for name in names[:6]]
            patterns += [(more[:number],) for number in range(2, len(_INVENTED) + 1)]
            yield from self._having(kind, shape, (*patterns, tuple((name,) for name in more[:3])))
        elif kind == "values":
            texts = (text.keys[:12],) if text.keys else ()
            yield from self._having(kind, shape, ({"": levels} for levels in (*_LEVELS, *texts)))
        elif kind == "trials":
            yield from self._having(kind, shape, dict.fromkeys((*text.numbers, *_COUNTS)))
        elif kind == "trials and keys":
            for one in self._having("trials", shape, text.numbers[:6]):
                yield from self._changed("keys", one)

    def _having(self, kind: str, shape: Shape, values: Iterable[Any]) -> Iterator[Shape]:
        """The shape with other keys, trials or values; what the user has fixed stays."""
        member = {"keys": "pattern", "trials": "count", "values": "levels"}[kind]
        yield from (replace(shape, **{member: value}) for value in values if kind not in self._fixed)

    def _simplest(self, shape: Shape) -> Shape:
        """The same shape with fewer keys, if it works with some of those in its text."""
        keys = shape.keys
        if len(keys) > 2 and all(key in self._candidates for key in keys):
            for part in (keys[: len(keys) // 2], keys[len(keys) // 2 :]):
                smaller = replace(shape, pattern=(part,))
                if cause_of(self._run(smaller)) is None:
                    return self._simplest(smaller)
        return shape

    def _number_of_trials(self) -> None:
        """Finds whether other numbers of trials work, or only multiples, or none."""
        shape = self._session.shape

        def works(count: int) -> bool:
            return cause_of(self._session.ask_quietly(_plain(replace(shape, count=count)))) is None

        if works(shape.count + 1) and works(130 + shape.count):
            step = None if shape.count <= len(PLAIN) or works(len(PLAIN)) else 1
        else:
            step = shape.count if works(2 * shape.count) and works(3 * shape.count) else 0
        self._session.shape = replace(shape, step=step)

    # The keys that it reads

    def _what_it_reads(self) -> None:
        """The keys that affect its result; if none does, the rewards that do."""
        session, keys = self._session, self._session.shape.keys
        base = dict.fromkeys(keys, PLAIN)
        plain = self._ran(base)
        reacting = tuple(key for key in keys if differ(plain, self._ran({**base, key: LOW})))
        if not reacting and any(differ(plain, self._ran(dict.fromkeys(keys, other))) for other in _OTHERS):
            reacting = keys
        others = [key for key in self._candidates if key not in keys]
        if not reacting:
            instead = self._influential_keys(others, {}) if keys == self._begin.keys else []
            if instead:
                self._take(instead)
                self._what_it_reads()
            else:
                self._find_values()
        elif len(session.shape.pattern) > 1:
            self.reads = Reads(reacting)
        elif not differ(plain, self._ran({**base, _ALIEN: LOW})):
            more = self._influential_keys(others, base)
            self._take([*keys, *more])
            self.reads = Reads((*reacting, *more))
        elif session.steady():
            alien, changed = self._ran({_ALIEN: PLAIN}), self._ran({_ALIEN: LOW})
            every = cause_of(alien) is None and differ(alien, changed)
            self.reads = Reads(() if every else reacting, every)

    def _find_values(self) -> None:
        """If no reward from 0 to 1 matters: finds rewards that do, and uses them from now on."""
        self.ignored = True
        shape, texts = self._session.shape, tuple(self._session.text.keys)
        if "values" in self._fixed:
            return
        for levels in (*(one for one in _LEVELS if one[-1] != 1), *([texts] if texts else [])):
            of = replace(shape, levels={"": levels})
            number = of.count if of.step == 0 else max(of.count, min(len(levels), 24))
            rising = (at / max(number - 1, 1) for at in range(number))
            lists = of.trials(*rising), of.trials(*[0.0] * number)
            high, low = self._session.all(*lists, quietly=True)
            if cause_of(high) is None and differ(high, low):
                self.only = levels
                if not isinstance(levels[0], str):
                    self._session.shape = of
                    self.reads = Reads(shape.keys)
                return

    def _take(self, keys: Sequence[str]) -> None:
        self._session.shape = replace(self._session.shape, pattern=(tuple(keys),))

    def _influential_keys(self, group: Sequence[str], base: Mapping[str, Values]) -> list[str]:
        """The keys that affect its result alone, or else those that do together."""

        def matter(keys: Sequence[str]) -> bool:
            one, other = (self._ran({**base, **dict.fromkeys(keys, values)}) for values in (PLAIN, LOW))
            return differ(one, other)

        if "keys" in self._fixed or not group or not matter(group):
            return []
        needed = list(group)
        for key in group:
            if len(needed) > 1 and matter(fewer := [name for name in needed if name != key]):
                needed = fewer
        return [key for key in group if matter([key])] or needed

    def _ran(self, values: Mapping[str, Values]) -> ScriptRun:
        """The result for trials with some values for each key, repeated."""
        shape = self._session.shape
        turns = shape.pattern if len(shape.pattern) > 1 else (tuple(values),)
        trials = [
            {key: shape.value(values[key][at % 3], key) for key in turns[at % len(turns)]}
            for at in range(max(shape.count, 1))
        ]
        return self._session.ask_quietly(trials)


def _plain(shape: Shape, values: Values = PLAIN) -> Trials:
    """A shape's number of trials, with different values."""
    return replace(shape, step=None).trials(*(values[at % len(values)] for at in range(shape.count)))


def unread(session: ScriptSession, needs: Needs, named: Sequence[str]) -> Problems:
    """The finding if no value of any key, or of a ``named`` one, matters."""
    base = session.ask(session.each(1.0, 0.0, 0.5))
    keys = session.shape.keys
    if not (needs.ignored or (named and set(keys).isdisjoint(named))):
        return
    lists = [session.each(1.0), session.each(1.0, session.null, 0.5)]
    lists += [session.each(*[value] * number) for number in _LENGTHS for value in (1.0, 0.25)]
    runs = [base, *session.all(*lists)]
    if not all(run.usable for run in runs):
        return
    names = [*keys, *(key for key in session.text.keys if key not in keys)]
    tried = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
    which = f"tried as keys: {tried}" if needs.ignored else f"it reads {', '.join(keys)}"
    ending = f"({which}; {metric_option('key')} NAME names others)."
    del session.asked[:]
    if needs.only and isinstance(needs.only[0], str):
        yield "constant", f"Only texts change its output, and rewards are numbers {ending}", base
    elif needs.only:
        plain = Shape(session.shape.pattern)
        lists = [plain.trials(*[value] * 3) for value in (1.0, math.nextafter(1, 2))]
        most, above = session.all(*lists, quietly=True)
        text = f"No reward from 0 to 1 changes its output; {', '.join(map(str, needs.only[:4]))}, … do"
        if differ(most, above):
            yield "constant", f"It counts only what is above 1: {text}.", most
        else:
            yield "rewards-unread", f"{text} ({metric_option('values')} names others).", base
    elif all(alike(base.value, run.value) for run in runs):
        text = f"It gave {shown(base.value)} for all trials and rewards"
        yield "constant", f"{text} {ending}", base
    elif not any(differ(*two) for two in ((runs[0], runs[2]), (runs[3], runs[4]), (runs[5], runs[6]))):
        yield "rewards-unread", f"Only the number of trials changed its output, and no reward {ending}", base
