"""Deviations that no catalogue knows, learned from the answers.

Each is a template whose parameters are read off the failures and which is then held to all evidence, passes
too: "every error is answered with …", "gives ints as floats", "sorts keys", "leaves out …". Where a template
does not hold everywhere, words are looked for that say where it does (``features``).
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.diagnosis.deviation import Deviation
from conformance.diagnosis.effects import KEYS, ORDERS, UNCHANGED, VALUES, Effect
from conformance.diagnosis.evidence import agree
from conformance.diagnosis.features import ERROR_DUE, features, files, name_of, parsed
from conformance.diagnosis.places import place
from conformance.diagnosis.predictions import Predictions
from conformance.judging.comparison import Level, Nature, nodes, show
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import spell, strings_kept_at
from conformance.wire.text import shortened

__all__ = ["Learned", "learn"]

_FEW_AGAINST = 0.05
"""Of what shows a deviation, how much may speak against it."""
_FEW_THIRD = 0.25
"""Of what shows it, how much may be wrong in another way."""
_LEAST = 2
"""Failures that a deviation must show in: of one, anything can be learned."""
_CONDITIONS = 3
"""The most conditions joined by "or"."""
_TELLING = 0.95
"""Of an op's evidence, the share from which on a feature tells nothing."""
_PAIRED = 24
"""The most features that are tried in pairs."""
_TRIED = 12
"""Departures on which a change is tried before it is held to all evidence."""
_QUOTED = 80
"""The longest answer quoted."""
_LISTED = 6
"""The most keys listed."""
_LAST_BITS = 4
"""Units in the last place within which two floats differ only by the way they were computed."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One deviation, and the failures that it accounts for; numbers are indexes of evidence."""

    says: str
    """What the runner does, as a clause without its subject."""
    mend: str
    """What to do about it."""
    ops: tuple[str, ...]
    covers: Mapping[int, frozenset[str]]
    """By failure, the paths of what it accounts for."""
    against: frozenset[int]
    """Where it would show, and the runner is right, or wrong in another way."""
    foretells: bool = True
    """Whether it says which answer comes, not only which does not."""
    where: str = ""
    """The words for where it shows, as far as it does not show everywhere."""


@dataclass(slots=True)
class _Tally:
    """A template held to the evidence."""

    covers: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    against: set[int] = field(default_factory=set)
    third: set[int] = field(default_factory=set)
    ops: set[str] = field(default_factory=set)

    def add(self, other: "_Tally") -> None:
        for index, paths in other.covers.items():
            self.covers[index] |= paths
        self.against |= other.against
        self.third |= other.third
        self.ops |= other.ops

    @property
    def holds(self) -> bool:
        shown = len(self.covers)
        return bool(
            shown
            and len(self.against) <= _FEW_AGAINST * shown
            and len(self.third - self.covers.keys()) <= _FEW_THIRD * shown
        )


@dataclass(frozen=True, slots=True)
class _Node:
    """A value that is due somewhere, and what came."""

    index: int
    path: str
    due: Any
    came: Any
    """``UNCHANGED`` where it came as it is due."""
    deviation: Deviation | None


def learn(predictions: Predictions) -> list[Learned]:
    """All deviations that the evidence bears out, those of most failures first; they may overlap."""
    learner = _Learner(predictions)
    found = [one for one in learner.all() if len(one.covers) >= _LEAST]
    return sorted(found, key=lambda one: (-len(one.covers), len(one.against), one.says))


class _Learner:
    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self._evidence = predictions.evidence
        self._op = {index: item.op.name for index, item in enumerate(predictions.evidence)}
        self._features: dict[int, frozenset[str]] = {}
        self._telling_of: dict[str, frozenset[str]] = {}
        self._nodes: dict[str, dict[str, list[_Node]]] = {
            op: self._nodes_of(op) for op in predictions.failures
        }

    def all(self) -> Iterator[Learned]:
        yield from self._whole_answers()
        yield from self._as_parsed()
        yield from self._changed(VALUES, self._values)
        yield from self._changed(ORDERS, self._orders)
        yield from self._changed(KEYS, self._keys)
        yield from self._constants()
        yield from self._members()
        yield from self._last_bits()

    def _nodes_of(self, op: str) -> dict[str, list[_Node]]:
        """What is due, by place, in the places where some answer departs."""
        wanted = {
            place(op, one.path)
            for index in self._predictions.failures[op]
            for one in self._predictions.departures[index]
            if one.nature is not None
        }
        wanted |= {where.rpartition("/")[0] for where in wanted}
        found: dict[str, list[_Node]] = defaultdict(list)
        for index in (*self._predictions.failures[op], *self._predictions.passes[op]):
            item = self._evidence[index]
            wrong = self._predictions.wrong.get(index, {})
            if not isinstance(item.expected, Ok) or (
                "" in wrong and self._predictions.departures[index][0].nature is None
            ):
                continue
            by_path = {one.path: one for one in self._predictions.departures.get(index, ())}
            try:
                every = list(nodes(item.op, item.expected.value))
            except (ValueError, RecursionError):
                continue
            for path, due in every:
                where = place(op, path)
                if where not in wanted:
                    continue
                one = by_path.get(path)
                if (
                    one is None
                    and wrong
                    and any(
                        path.startswith(f"{other}/") and by_path[other].nature is not Nature.ORDER
                        for other in wrong
                    )
                ):
                    continue  # hidden by what departs above it
                found[where].append(_Node(index, path, due, UNCHANGED if one is None else one.actual, one))
        return found

    # Conditions

    def _of(self, index: int) -> frozenset[str]:
        if index not in self._features:
            try:
                self._features[index] = features(self._evidence[index])
            except RecursionError:
                self._features[index] = frozenset()
        return self._features[index]

    def _where(
        self, shown: Collection[int], right: Collection[int], other: Collection[int]
    ) -> list[tuple[str, set[int], set[int]]]:
        """Words for where something shows: each with the failures and the contradictions that it takes in."""
        left = set(shown)
        found: list[tuple[str, set[int], set[int]]] = []
        while left and len(found) < _CONDITIONS:
            best = self._best(left, set(shown), right, other)
            if best is None:
                break
            words, taken, against = best
            found.append((words, taken, against))
            left -= taken
        return found

    def _telling(self, op: str) -> frozenset[str]:
        """The features that tell evidence of an op apart: what is said of nearly all tells nothing."""
        if op not in self._telling_of:
            every = (*self._predictions.failures[op], *self._predictions.passes[op])
            said = Counter(one for index in every for one in self._of(index))
            self._telling_of[op] = frozenset(
                one for one, count in said.items() if count < _TELLING * len(every)
            )
        return self._telling_of[op]

    def _best(
        self, left: set[int], shown: set[int], right: Collection[int], other: Collection[int]
    ) -> tuple[str, set[int], set[int]] | None:
        by_feature: dict[str, set[int]] = defaultdict(set)
        for index in left:
            for one in self._of(index) & self._telling(self._op[index]):
                by_feature[one].add(index)
        least = min(_LEAST, len(shown))
        ranked = sorted(by_feature, key=lambda one: (-len(by_feature[one]), len(one), one))
        ranked = [one for one in ranked if len(by_feature[one]) >= least]
        candidates: list[tuple[tuple[str, ...], set[int]]] = [((one,), by_feature[one]) for one in ranked]
        top = ranked[:_PAIRED]
        candidates += [
            ((one, another), by_feature[one] & by_feature[another])
            for place_, one in enumerate(top)
            for another in top[place_ + 1 :]
        ]
        best: tuple[float, str, set[int], set[int]] | None = None
        for words, taken in candidates:
            if len(taken) < least or (best is not None and len(taken) <= best[0]):
                continue
            whole = set(words)
            against = {index for index in right if whole <= self._of(index)}
            if len(against) > _FEW_AGAINST * len(taken):
                continue
            third = sum(1 for index in other if whole <= self._of(index))
            if third > _FEW_THIRD * len(taken):
                continue
            worth = len(taken) - len(against) - 0.5 * third - 0.1 * (len(words) - 1)
            if best is None or worth > best[0]:
                best = worth, " and ".join(words), taken, against
        return None if best is None else best[1:]

    # Answers as a whole

    def _whole_answers(self) -> Iterator[Learned]:
        """One answer given wherever something holds: an error, or a value in the place of an error."""
        for op, failures in self._predictions.failures.items():
            if op in self._predictions.mute:
                first = self._evidence[failures[0]].actual
                assert first is not None
                yield Learned(
                    f"answers {_quoted(first)} to everything",
                    "answer what is asked",
                    (op,),
                    {index: frozenset(self._predictions.wrong[index]) for index in failures},
                    frozenset(),
                )
                continue
            by_answer: dict[str, list[int]] = defaultdict(list)
            for index in failures:
                one = self._predictions.departures[index][0]
                if one.nature is None:
                    by_answer[one.mark].append(index)
            for shown in by_answer.values():
                if len(shown) >= _LEAST:
                    yield from self._one_answer(op, shown)
            accepted = [
                index
                for index in failures
                if isinstance(self._evidence[index].expected, Refused)
                and isinstance(self._evidence[index].actual, Ok)
            ]
            if len(accepted) >= _LEAST:
                yield from self._accepts(op, accepted)

    def _one_answer(self, op: str, shown: Sequence[int]) -> Iterator[Learned]:
        answer = self._evidence[shown[0]].actual
        assert answer is not None
        how = self._evidence[shown[0]].op
        right = [
            index
            for index in self._predictions.passes[op]
            if not agree(how, self._evidence[index].expected, answer, Level.VALUE)
        ]
        mine = set(shown)
        other = [index for index in self._predictions.failures[op] if index not in mine]
        found = self._where(shown, right, other)
        if not found:
            return
        everywhere = [index for index in right if isinstance(self._evidence[index].expected, Refused)]
        errors = all(isinstance(self._evidence[index].expected, Refused) for index in shown)
        if errors and not everywhere:
            found = [(ERROR_DUE, mine, set())]
        refused = isinstance(answer, Refused)
        what = (
            f"answers with the error {name_of(answer)}"
            if isinstance(answer, Refused)
            else f"answers {_quoted(answer)}"
        )
        where = " or ".join(words for words, _, _ in found)
        if refused:
            mend = "answer what is due: the value where there is one, else the error by its name"
        else:
            mend = "refuse with the error that is due instead of answering a value"
        yield self._learned(what, mend, op, found, where)

    def _accepts(self, op: str, shown: Sequence[int]) -> Iterator[Learned]:
        right = [
            index
            for index in self._predictions.passes[op]
            if isinstance(self._evidence[index].expected, Refused)
        ]
        mine = set(shown)
        other = [
            index
            for index in self._predictions.failures[op]
            if index not in mine and isinstance(self._evidence[index].expected, Refused)
        ]
        found = self._where(shown, right, other)
        if len(right) <= _FEW_AGAINST * len(shown) and len(other) <= _FEW_THIRD * len(shown):
            found = [(ERROR_DUE, mine, set(right))]
        if found:
            where = " or ".join(
                words if words.endswith("is due") else f"{words} and {ERROR_DUE}" for words, _, _ in found
            )
            mend = "refuse it with the error that is due"
            yield replace(self._learned("answers a value", mend, op, found, where), foretells=False)

    def _learned(
        self, says: str, mend: str, op: str, found: Sequence[tuple[str, set[int], set[int]]], where: str
    ) -> Learned:
        covers = {index: frozenset({""}) for _, taken, _ in found for index in taken}
        against = frozenset(index for _, _, wrongly in found for index in wrongly)
        return Learned(says, mend, (op,), covers, against, where=where)

    def _as_parsed(self) -> Iterator[Learned]:
        """A file of the input comes back as Python's json reads it."""
        for op, failures in self._predictions.failures.items():
            if op in self._predictions.mute:
                continue
            wanted: Counter[tuple[str, str]] = Counter()
            for index in failures:
                actual = self._evidence[index].actual
                if isinstance(actual, Ok):
                    for name, value in _read(self._evidence[index].input):
                        wanted.update(
                            (name, key) for key, came in actual.value.items() if _alike(value, came)
                        )
            for (name, key), count in wanted.most_common(2):
                if count < _LEAST:
                    continue
                tally = _Tally(ops={op})
                for index in (*failures, *self._predictions.passes[op]):
                    item = self._evidence[index]
                    said = dict(_read(item.input))
                    if name not in said:
                        continue
                    foretold = Ok(strings_kept_at({key: said[name]}, item.op.ok_numbers))
                    answer = item.actual if index in self._predictions.wrong else item.expected
                    assert answer is not None
                    if agree(item.op, foretold, answer, self._predictions.level, item.unordered):
                        if index in self._predictions.wrong:
                            tally.covers[index] |= set(self._predictions.wrong[index])
                    elif index in self._predictions.wrong:
                        tally.third.add(index)
                    else:
                        tally.against.add(index)
                if tally.holds:
                    yield self._made(
                        f"gives {name} as it is parsed: no value in it is checked or converted",
                        "check and convert every value, as the clauses on values say",
                        tally,
                    )

    # Changes of values, keys, orders

    def _changed(
        self, effects: Iterable[Effect], held: Callable[[Effect, str, list[_Node]], _Tally]
    ) -> Iterator[Learned]:
        for effect in effects:
            whole = _Tally()
            for op, places in self._nodes.items():
                if op in self._predictions.mute:
                    continue
                there = _Tally(ops={op})
                for every in places.values():
                    tally = held(effect, op, every)
                    if tally.holds:
                        there.add(tally)
                    elif tally.covers:
                        yield from self._conditional(effect, op, tally)
                if there.covers:
                    whole.add(there)
            if whole.holds:
                yield self._made(effect.says, effect.mend, whole)

    def _conditional(self, effect: Effect, op: str, tally: _Tally) -> Iterator[Learned]:
        if len(tally.covers) < _LEAST:
            return
        found = self._where(tally.covers, tally.against, tally.third - tally.covers.keys())
        taken = {index for _, some, _ in found for index in some}
        if len(taken) >= _LEAST:
            where = " or ".join(words for words, _, _ in found)
            against = frozenset(index for _, _, wrongly in found for index in wrongly)
            covers = {index: frozenset(tally.covers[index]) for index in taken}
            yield Learned(effect.says, effect.mend, (op,), covers, against, where=where)

    def _made(self, says: str, mend: str, tally: _Tally) -> Learned:
        covers = {index: frozenset(paths) for index, paths in tally.covers.items()}
        return Learned(
            says,
            mend,
            tuple(sorted(tally.ops)),
            covers,
            frozenset(tally.against | tally.third - covers.keys()),
        )

    def _values(self, effect: Effect, op: str, every: list[_Node]) -> _Tally:
        return self._held(effect.change, op, every)

    def _held(self, change: Callable[[Any], Any], op: str, every: Sequence[_Node]) -> _Tally:
        tally = _Tally(ops={op})
        wrong = [
            one
            for one in every
            if one.deviation is not None and one.deviation.nature in (Nature.VALUE, Nature.LENGTH)
        ]
        some = wrong[:: max(1, len(wrong) // _TRIED)]
        if not any(_same(change(one.due), one.came) for one in some):
            return tally
        for one in every:
            foretold = change(one.due)
            if foretold is UNCHANGED or _same(foretold, one.due):
                continue
            if one.came is UNCHANGED:
                tally.against.add(one.index)
            elif one.deviation is not None and one.deviation.nature is Nature.MISSING:
                continue  # what is not there says nothing of what it would have been
            elif _same(foretold, one.came):
                tally.covers[one.index].add(one.path)
                tally.covers[one.index] |= {
                    path for path in self._predictions.wrong[one.index] if path.startswith(f"{one.path}/")
                }
            else:
                tally.third.add(one.index)
        return tally

    def _orders(self, effect: Effect, op: str, every: list[_Node]) -> _Tally:
        tally = _Tally(ops={op})
        wrong = [one for one in every if one.deviation is not None and one.deviation.nature is Nature.ORDER]
        if not any(effect.change(one.deviation.expected) == one.came for one in wrong if one.deviation):
            return tally
        for one in every:
            if not isinstance(one.due, dict):
                continue
            keys = list(one.due)
            foretold = effect.change(keys)
            if foretold == keys:
                continue
            if one.came is UNCHANGED:
                if one.path not in self._evidence[one.index].unordered:
                    tally.against.add(one.index)
            elif foretold == one.came:
                tally.covers[one.index].add(one.path)
            elif one.deviation is not None and one.deviation.nature is Nature.ORDER:
                tally.third.add(one.index)
        return tally

    def _keys(self, effect: Effect, op: str, every: list[_Node]) -> _Tally:
        """Keys that are data, spelled otherwise: one is missing, another has come in its place."""
        tally = _Tally(ops={op})
        if not every or not any(
            one.deviation is not None and one.deviation.nature is Nature.MISSING for one in every
        ):
            return tally
        for one in every:
            parent, _, key = one.path.rpartition("/")
            foretold = effect.change(key)
            if foretold is UNCHANGED or foretold == key:
                continue
            if one.deviation is None:
                tally.against.add(one.index)
            elif one.deviation.nature is Nature.MISSING:
                new = f"{parent}/{foretold}"
                wrong = self._predictions.wrong[one.index]
                if new in wrong or any(new == path for path in wrong):
                    tally.covers[one.index] |= {one.path, new}
                else:
                    tally.third.add(one.index)
        return tally

    def _constants(self) -> Iterator[Learned]:
        """Always the same in some place, or always the same for one thing that is due."""
        for op, places in self._nodes.items():
            if op in self._predictions.mute:
                continue
            for where, every in places.items():
                came = Counter(
                    _text(one.came)
                    for one in every
                    if one.deviation is not None and one.deviation.nature in (Nature.VALUE, Nature.LENGTH)
                )
                for text, count in came.most_common(3):
                    if count < _LEAST:
                        continue
                    value = next(
                        one.came for one in every if one.deviation is not None and _text(one.came) == text
                    )
                    dues = Counter(
                        _text(one.due)
                        for one in every
                        if one.deviation is not None and _text(one.came) == text
                    )
                    tally = self._held(_always(value), op, every)
                    name = where.rpartition("/")[2] or where
                    what = f"gives {shortened(show(value), _QUOTED)}"
                    at = "" if name == "*" else f" for {name}"
                    mend = "give what is due there"
                    if tally.holds and len(dues) > 1:
                        yield self._made(f"always {what}{at}", mend, tally)
                        continue
                    for due, times in dues.most_common(2):
                        if times >= _LEAST:
                            only = self._held(_always(value, due), op, every)
                            instead = f"{what}{at} where {shortened(due, _QUOTED)} is due"
                            if only.holds:
                                yield self._made(instead, mend, only)
                            else:
                                yield from self._conditional(
                                    Effect(instead, mend, _always(value, due)), op, only
                                )
                    if len(dues) > 1:
                        yield from self._conditional(Effect(f"{what}{at}", mend, _always(value)), op, tally)

    # Members

    def _members(self) -> Iterator[Learned]:
        """Members that are never there, or always are, though harbor has them, or has not."""
        for op, failures in self._predictions.failures.items():
            if op in self._predictions.mute:
                continue
            missing: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
            extra: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
            paths: dict[tuple[int, str], set[str]] = defaultdict(set)
            for index in failures:
                for one in self._predictions.departures[index]:
                    if one.nature not in (Nature.MISSING, Nature.EXTRA):
                        continue
                    parent, _, key = one.path.rpartition("/")
                    where = place(op, parent)
                    group = missing if one.nature is Nature.MISSING else extra
                    group[where][key].add(index)
                    paths[index, f"{where}/{key}"].add(one.path)
            tally, gone, new = _Tally(ops={op}), [], []
            there = self._there(op, set(missing) | set(extra))
            data = {
                where
                for where, found in there.items()
                if any(place(op, f"{where}/{key}").endswith("*") for due in found.values() for key in due)
            }
            for where, keys in missing.items():
                for key, shown in keys.items():
                    if len(shown) < _LEAST or where in data:
                        continue
                    kept = {index for index, found in there[where].items() if key in found} - shown
                    if len(kept & set(self._predictions.passes[op])) > _FEW_AGAINST * len(shown):
                        continue
                    gone.append(key)
                    tally.against |= {index for index in kept if self._evidence[index].passed}
                    for index in shown:
                        tally.covers[index] |= paths[index, f"{where}/{key}"]
            for where, keys in extra.items():
                for key, shown in keys.items():
                    if len(shown) < _LEAST or where in data:
                        continue
                    without = {index for index in there[where] if self._evidence[index].passed}
                    if len(without) > _FEW_AGAINST * len(shown):
                        continue
                    new.append(key)
                    tally.against |= without
                    for index in shown:
                        tally.covers[index] |= paths[index, f"{where}/{key}"]
            if gone or new:
                says = " and ".join(
                    [
                        *([f"leaves out {_listed(gone)}"] if gone else []),
                        *([f"has {_listed(new)} besides"] if new else []),
                    ]
                )
                yield self._made(says, "give exactly the members that are due", tally)
            yield from self._only_kept(op, missing, paths, there)
            yield from self._too_few_keys(op, paths, there)

    def _there(self, op: str, wanted: set[str]) -> dict[str, dict[int, set[str]]]:
        """By place and evidence, the keys that are due there."""
        found: dict[str, dict[int, set[str]]] = {where: {} for where in wanted}
        for where in wanted:
            for one in self._nodes[op].get(where, ()):
                if isinstance(one.due, dict):
                    found[where].setdefault(one.index, set()).update(one.due)
        return found

    def _too_few_keys(
        self,
        op: str,
        paths: Mapping[tuple[int, str], set[str]],
        there: Mapping[str, Mapping[int, set[str]]],
    ) -> Iterator[Learned]:
        """Where keys are data, one comes, whatever it is called, though several are due."""
        for where, due in there.items():
            if not all(place(op, f"{where}/{key}").endswith("*") for keys in due.values() for key in keys):
                continue
            tally, named = _Tally(ops={op}), Counter[str]()
            for index, keys in due.items():
                if len(keys) < _LEAST:
                    continue
                lost = {key for key in keys if paths.get((index, f"{where}/{key}"))}
                new = {
                    key.rpartition("/")[2]
                    for (other, key) in paths
                    if other == index and key.rpartition("/")[0] == where
                } - keys
                if self._evidence[index].passed:
                    tally.against.add(index)
                elif len(keys - lost) + len(new) == 1:
                    for key in (*lost, *new):
                        tally.covers[index] |= paths[index, f"{where}/{key}"]
                    named.update(new or keys - lost)
                else:
                    tally.third.add(index)
            if tally.holds:
                names = _listed([key for key, _ in named.most_common()])
                says = f"gives one key ({names}) where several are due"
                made = self._made(says, "give a value for each key that is due", tally)
                yield replace(made, foretells=False)

    def _only_kept(
        self,
        op: str,
        missing: Mapping[str, Mapping[str, set[int]]],
        paths: Mapping[tuple[int, str], set[str]],
        there: Mapping[str, Mapping[int, set[str]]],
    ) -> Iterator[Learned]:
        """Of keys that are data, only one is kept."""
        for where, keys in missing.items():
            if not all(place(op, f"{where}/{key}").endswith("*") for key in keys):
                continue
            lost: dict[int, set[str]] = defaultdict(set)
            for key, shown in keys.items():
                for index in shown:
                    lost[index].add(key)
            kept = Counter(key for index, due in there[where].items() for key in due - lost.get(index, set()))
            for key, _ in kept.most_common(1):
                tally = _Tally(ops={op})
                for index, due in there[where].items():
                    others = due - {key}
                    if not others or key not in due:
                        continue
                    if others == lost.get(index, set()) - {key}:
                        for other in others:
                            tally.covers[index] |= paths[index, f"{where}/{other}"]
                    elif self._evidence[index].passed:
                        tally.against.add(index)
                    else:
                        tally.third.add(index)
                data = place(op, f"{where}/{key}").endswith("*")
                if tally.holds and data and len(keys) > 1:
                    yield self._made(
                        f"keeps only the key {show(key)} where there is one", "keep all keys", tally
                    )

    def _last_bits(self) -> Iterator[Learned]:
        """Floats that are nearly right: it can be said what they are, not which will come."""
        tally = _Tally()
        for op, failures in self._predictions.failures.items():
            for index in failures:
                for one in self._predictions.departures[index]:
                    if _nearly(one.expected, one.actual):
                        tally.covers[index].add(one.path)
                        tally.ops.add(op)
        if tally.covers:
            made = self._made(
                "gives floats of which only the last bits differ",
                "add up as CPython 3.12 does (a compensated sum), in the same order, and divide last",
                tally,
            )
            yield replace(made, foretells=False)


def _always(value: Any, due: str | None = None) -> Callable[[Any], Any]:
    def change(expected: Any) -> Any:
        return value if due is None or _text(expected) == due else UNCHANGED

    return change


def _nearly(due: Any, came: Any) -> bool:
    if not (
        isinstance(due, float) and isinstance(came, float) and math.isfinite(due) and math.isfinite(came)
    ):
        return False
    return due != came and abs(due - came) <= _LAST_BITS * math.ulp(due)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same, kinds of number and signs of zero included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (
            one != one and other != other
        )
    if isinstance(one, dict | list):
        return _text(one) == _text(other)
    return bool(one == other)


def _text(value: Any) -> str:
    try:
        return json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} beyond showing"


def _quoted(answer: Ok | Refused) -> str:
    if isinstance(answer, Refused):
        return f"the error {name_of(answer)}"
    return shortened(show(answer.value), _QUOTED)


def _listed(keys: Sequence[str]) -> str:
    shown = [shortened(key, 40) for key in dict.fromkeys(keys)]
    more = len(shown) - _LISTED
    return ", ".join(shown[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _read(given: Any) -> Iterator[tuple[str, Any]]:
    for name, content in files(given):
        try:
            yield name, _spelled(parsed(content))
        except (ValueError, RecursionError):
            continue


def _spelled(value: Any) -> Any:
    """As a message has it: numbers that are not finite are spelled."""
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return spell(value) if isinstance(value, float) and not math.isfinite(value) else value


def _alike(value: Any, came: Any) -> bool:
    try:
        return _same(value, came)
    except RecursionError:
        return False
