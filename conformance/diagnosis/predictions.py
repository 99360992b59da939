"""What mistakes foretell, held to what the runner did.

For the spec's own vectors the answers are known beforehand (``foretold``); for other inputs, and for mistakes
made together where both show, a copy of the reference is asked, each question at most once.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from conformance.diagnosis.deviation import NOTHING, Deviation, Marks, deviations, marks
from conformance.diagnosis.evidence import Evidence, agree
from conformance.diagnosis.foretold import Foretold, foretold, question
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Ok, Refused

__all__ = ["Names", "Predictions"]

Names: TypeAlias = tuple[str, ...]
"""Mistakes made together, in the order in which they change the reference."""

_IMPOSSIBLE: Marks = {"": "these mistakes can't be made together"}
_MANY = 8
"""Failures with one and the same answer that make a runner suspect of giving it to everything."""
_ASKING_SECONDS = 2.0
"""Processor time for questions that nobody foretold, failures first: load must not change what is named."""


class Predictions:
    """The evidence, by index, and what mistakes alone or together answer to it."""

    def __init__(
        self,
        evidence: Sequence[Evidence],
        level: Level,
        mistakes: Mapping[str, Mistake],
        seconds: float = _ASKING_SECONDS,
    ) -> None:
        self.evidence = evidence
        self.mistakes = mistakes
        self.level = level
        self.failures: dict[str, list[int]] = defaultdict(list)
        """Wrong answers by op."""
        self.passes: dict[str, list[int]] = defaultdict(list)
        self.departures: dict[int, tuple[Deviation, ...]] = {}
        """Where each wrong answer departs from the expected one."""
        self.wrong: dict[int, Marks] = {}
        """The same as marks."""
        for index, item in enumerate(evidence):
            if item.passed:
                self.passes[item.op.name].append(index)
            elif item.actual is not None:
                found = deviations(item.op, item.expected, item.actual, level, item.unordered)
                if found:
                    self.failures[item.op.name].append(index)
                    self.departures[index] = found
                    self.wrong[index] = marks(found)
        self.ops = list(dict.fromkeys((*self.failures, *self.passes)))
        """The ops that the evidence is about."""
        self.mute = frozenset(op for op in self.ops if self._constant(op))
        """Those that are answered alike whatever is asked: they speak for and against nothing."""
        self.alone: dict[str, dict[int, Marks]] = defaultdict(dict)
        """The wrong answers of each mistake on its own."""
        self._together: dict[tuple[Names, int], Marks] = {}
        self._scratch = scratch(self.evidence[0].op.spec) if self.evidence else scratch()
        self._seconds = seconds
        self._ends = time.process_time() + seconds
        self._foretell()

    def together(self, names: Names, index: int) -> Marks:
        """The wrong answer of mistakes made together; empty where it is right."""
        touching = [name for name in names if index in self.alone[name]]
        if not touching:
            return NOTHING
        if len(touching) == 1:
            return self.alone[touching[0]][index]
        return self.asked(tuple(touching), index)

    def asked(self, names: Names, index: int) -> Marks:
        """The same, of mistakes of which none may be left out."""
        key = (names, index)
        if key not in self._together:
            self._together[key] = self._ask(names, index)
        return self._together[key]

    def _ask(self, names: Names, index: int) -> Marks:
        item = self.evidence[index]
        try:
            self._scratch.make(*(self.mistakes[name] for name in names))
        except Exception:  # one takes away what another changes
            return _IMPOSSIBLE
        answer = self._scratch.answer(item.op.name, item.input)
        return marks(deviations(item.op, item.expected, answer, self.level, item.unordered))

    def _foretell(self) -> None:
        """Notes what each mistake answers alone: from the memo, else by asking as long as there is time."""
        spec = next((item.op.spec for item in self.evidence), None)
        memo = foretold(spec) if spec is not None else Foretold({})
        new: list[int] = []
        old: list[int] = []
        for index, item in enumerate(self.evidence):
            if item.op.name in self.mute or item.op.name not in self._scratch.ops:
                continue
            key = question(item.op.name, item.input, item.expected, item.unordered)
            row = memo.rows.get(key)
            (new if row is None else old).append(index)
            for places, names in row or ():
                found = {
                    path: mark
                    for path, (level, mark) in places.items()
                    if level <= self.level and not _is_in(path, item.expected)
                }
                known = [name for name in names if name in self.mistakes]
                if not found or not known:
                    continue
                if index in self.wrong and self.level is not Level.BYTES:  # marks are of the bytes
                    found = self._ask((known[0],), index)
                if found:
                    for name in known:
                        self.alone[name][index] = found
        self._ask_new(new, self.mistakes.keys())
        self._ask_new(old, self.mistakes.keys() & memo.unknown)

    def _ask_new(self, new: Sequence[int], mistakes: Collection[str]) -> None:
        """Asks all these mistakes a little, then those that hit the rest; the others while there is time."""
        if not new or not mistakes:
            return
        failures = _spread([index for index in new if index in self.wrong])
        first, rest = failures[:_AT_ONCE], failures[_AT_ONCE:]
        self._ask_all(first, mistakes)
        hitting = self._hitting(mistakes)
        self._ends = max(self._ends, time.process_time() + self._seconds / 2)
        self._ask_all(rest, hitting)
        self._ask_all(rest, [name for name in mistakes if name not in hitting])
        self._ends = max(self._ends, time.process_time() + self._seconds / 2)
        passes = _spread([index for index in new if index not in self.wrong and self.evidence[index].passed])
        self._ask_all(passes, self._hitting(mistakes))

    def _hitting(self, mistakes: Collection[str]) -> list[str]:
        return sorted(name for name in mistakes if name in self.alone and self._hits(self.alone[name]))

    def _hits(self, said: Mapping[int, Marks]) -> bool:
        return any(
            self.wrong[index].get(path) == mark
            for index, found in said.items()
            if index in self.wrong
            for path, mark in found.items()
        )

    def _ask_all(self, indexes: Sequence[int], names: Iterable[str]) -> None:
        """Puts evidence to mistakes, one mistake after the other: to change one takes longer than to ask."""
        for start in range(0, len(indexes), _AT_ONCE):
            part = indexes[start : start + _AT_ONCE]
            called = {
                index: self._scratch.called(self.evidence[index].op.name, self.evidence[index].input)
                for index in part
            }
            for name in names:
                try:
                    footprint = self._scratch.footprint(self.mistakes[name])
                except Exception:  # it can't be made, here or at all
                    footprint = frozenset()
                for index in part:
                    if footprint is None or not footprint.isdisjoint(called[index]):
                        found = self._ask((name,), index)
                        if found:
                            self.alone[name][index] = found
                if time.process_time() > self._ends and start:
                    return

    def _constant(self, op: str) -> bool:
        """Whether the runner's answers to an op all look alike, though not all should."""
        failures, passes = self.failures[op], self.passes[op]
        if len(failures) < _MANY:
            return False
        answers = [self.evidence[index].actual for index in failures]
        answers += [self.evidence[index].expected for index in passes]
        first = answers[0]
        assert first is not None
        how = self.evidence[failures[0]].op
        if isinstance(first, Ok) and not all(isinstance(answer, Ok) for answer in answers):
            return False
        return all(answer is not None and agree(how, first, answer, Level.VALUE) for answer in answers)


def _is_in(path: str, expected: Ok | Refused) -> bool:
    """Whether a path leads into the member that the answer may lack, and lacks."""
    member = expected.left_out if isinstance(expected, Ok) else ""
    return bool(member) and path.startswith(f"/{member}") and path[len(member) + 1 :][:1] in ("", "/", "#")


_AT_ONCE = 12


def _spread(indexes: Sequence[int]) -> list[int]:
    """The same in another order, so that the first few are of all parts."""
    step = max(1, len(indexes) // _AT_ONCE)
    return [index for start in range(step) for index in indexes[start::step]]
