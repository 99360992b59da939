"""Which reward keys a metric script reads: found out by giving it others, and other values.

A key is read if its value, or that it is there, changes what the script gives. Which keys are worth a
try is told by the script's text and by what it says where it fails.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.metric.findings import Reads
from conformance.metric.script_asking import Asking, cause_of, differ
from conformance.metric.script_ran import Ran, Trials

__all__ = ["Found", "find_out"]

Values = tuple[float, float, float]
_PLAIN: Values = (1.0, 0.0, 0.5)
_LOW: Values = (0.25, 0.125, 0.125)
"""Another mean, median, minimum, maximum and another share above any threshold up to 1."""
_ODD: tuple[Values, ...] = ((100.0, 0.0, 50.0), (-1.0, 2.0, 5.0))
_ALIEN = "unheard-of"
_MOST_STEPS = 8
_MOST_ALONE = 4
_QUOTED = re.compile(r"""['"`]([^'"`\n]{1,64})['"`]""")
_NO_KEY = re.compile(r"(SyntaxError|IndentationError|ImportError|ModuleNotFoundError|NameError)\b")


@dataclass(frozen=True, slots=True)
class Found:
    """What was found out."""

    keys: tuple[str, ...]
    """The keys that trials should have."""
    reads: Reads | None = None
    """What the script reads; None where that is not known."""
    ignored: bool = False
    """Whether it gave the same whatever the rewards of its trials were."""


def find_out(asking: Asking, named: Sequence[str]) -> Found:
    """Runs the script some times, three for most.

    Raises:
        StoppedError: the script had to be stopped.
        CannotTryError: it can't be run.
    """
    return _Search(asking, tuple(named)).found()


class _Search:
    def __init__(self, asking: Asking, named: tuple[str, ...]) -> None:
        self._asking, self._named = asking, named
        self._candidates = [key for key in asking.text.keys if key not in named]

    def found(self) -> Found:
        named = self._named
        plain = self._run({}, named)
        if cause_of(plain) is not None:
            needed = self._needed(plain)
            if needed is None:
                return Found(named)
            named = self._reacting(needed) or needed
            plain = self._run({}, named)
            if cause_of(plain) is not None:
                named, plain = needed, self._run({}, needed)
        base = dict.fromkeys(named, _PLAIN)
        others = [key for key in self._candidates if key not in named]
        with_others = {**base, **dict.fromkeys([*others, _ALIEN], _LOW)}
        self._asking.foresee(*(_trials({**base, key: _LOW}) for key in named), _trials(with_others))
        reacting = self._reacting(named)
        if not reacting and not any(self._changes(dict.fromkeys(named, odd), plain) for odd in _ODD):
            return self._instead(named)
        if not self._changes(with_others, plain):
            return Found(named, Reads(reacting or named))
        if differ(self._run(with_others), self._asking.ask(_trials(with_others), again=True)):
            return Found(named)
        alone: list[dict[str, Values]] = [{**base, _ALIEN: _LOW}, {_ALIEN: _PLAIN}, {_ALIEN: _LOW}]
        self._asking.foresee(*map(_trials, alone))
        if not self._changes({**base, _ALIEN: _LOW}, plain):
            more = self._matter(
                others, lambda group: self._changes({**base, **dict.fromkeys(group, _LOW)}, plain)
            )
            return Found((*named, *more), Reads((*(reacting or named), *more)))
        alien = self._run({_ALIEN: _PLAIN})
        every = cause_of(alien) is None and self._changes({_ALIEN: _LOW}, alien)
        return Found(named, Reads(() if every else reacting or named, every))

    def _reacting(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The keys whose values matter beside the others."""
        base = dict.fromkeys(keys, _PLAIN)
        plain = self._run(base)
        return tuple(key for key in keys if self._changes({**base, key: _LOW}, plain))

    def _instead(self, named: tuple[str, ...]) -> Found:
        """Where no value of the given keys matters: others that do."""

        def matters(group: Sequence[str]) -> bool:
            return self._changes(dict.fromkeys(group, _LOW), self._run(dict.fromkeys(group, _PLAIN)))

        if self._candidates and matters(self._candidates):
            keys = tuple(self._matter(self._candidates, matters))
            return Found(keys, Reads(keys))
        return Found(named, ignored=True)

    def _matter(self, group: Sequence[str], matters: Callable[[Sequence[str]], bool]) -> list[str]:
        """The keys of a group that matters that do by themselves; all of it, where none does."""
        if len(group) == 1:
            return list(group)
        half = len(group) // 2
        found = [
            key
            for part in (group[:half], group[half:])
            if matters(part)
            for key in self._matter(part, matters)
        ]
        return found or list(group)

    def _needed(self, failed: Ran) -> tuple[str, ...] | None:
        """Keys with which the script does not fail; None where none were found."""
        if _NO_KEY.search(str(cause_of(failed))):
            return None
        if (keys := self._extended((), failed)) is not None:
            return keys
        if self._candidates and self._works(self._candidates):
            return tuple(self._enough(self._candidates))
        for key in self._candidates[:_MOST_ALONE]:
            if (keys := self._extended((key,), self._run({}, [key]))) is not None:
                return keys
        return None

    def _extended(self, keys: tuple[str, ...], ran: Ran) -> tuple[str, ...] | None:
        """Keys, and those that the script misses as it says; None where it fails with them too."""
        for _ in range(_MOST_STEPS):
            if keys and cause_of(ran) is None:
                return keys
            told = [word for word in _words(ran) if word not in keys]
            if not told:
                return None
            keys = (*keys, told[0])
            ran, before = self._run({}, keys), ran
            if cause_of(ran) == cause_of(before):
                return None
        return None

    def _enough(self, group: Sequence[str]) -> list[str]:
        """A part of a group of keys that the script works with."""
        half = len(group) // 2
        for part in (group[:half], group[half:]):
            if part and len(group) > 1 and self._works(part):
                return self._enough(part)
        return list(group)

    def _works(self, group: Sequence[str]) -> bool:
        return cause_of(self._run({}, group)) is None

    def _changes(self, values: dict[str, Values], than: Ran) -> bool:
        return differ(than, self._run(values))

    def _run(self, values: dict[str, Values], plain: Sequence[str] = ()) -> Ran:
        values = {**dict.fromkeys(plain, _PLAIN), **values}
        return self._asking.ask(_trials(values))


def _trials(values: Mapping[str, Values]) -> Trials:
    return [{key: value[index] for key, value in values.items()} for index in range(3)]


def _words(ran: Ran) -> Iterator[str]:
    """What the script quotes in its last words, which may be the key that it misses."""
    for rule, sentence in ran.problems:
        if rule == "exit-code":
            yield from _QUOTED.findall(sentence)
