"""The evidence of one op, and the reference's answers to it with some changes."""

import json
import marshal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import CodeType
from typing import Any

from conformance.deviations import Request
from conformance.deviations.deviation import RefuseError
from conformance.diagnosis.candidates import Candidate, Composition
from conformance.diagnosis.departures import Departure, Marks, departures, marks
from conformance.diagnosis.evidence import Evidence, agree
from conformance.diagnosis.known_answers import known_answers, question_digest
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level, Nature
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import decode_at, meant_at, spell_at
from conformance.wire.text import compact

__all__ = ["Case", "apply_change", "member_fault"]

_MANY = 8
"""The least number of failures with the same answer, shape or member that characterizes the runner."""
_FOREIGN = 3
"""The least number of missing members, and of unexpected ones, in an answer with a different shape."""
_MISS, _UNLIKE = 0.5, -0.3
"""The penalty for a member that is wrong in another way, and the lowest likeness."""
_IMPOSSIBLE = Refused("no answer", None)
_UNSENDABLE: Marks = {"": "no reply may hold this"}
_REMEMBERED = 20_000
_ANSWERED, _CHARACTERS, _COMPARED, _CHANGED, _KNOWN = 10.0, 30, 6.0, 3.0, 0.3
"""The work of: an answer of the reference (one more unit per so many characters of input), a comparison of
two answers, a change of a value, and a cached answer."""

_encode = json.JSONEncoder(separators=(",", ":")).encode

Answer = Ok | Refused


class Case:
    """One op's evidence. Requests are identified by their index in it."""

    def __init__(self, evidence: Sequence[Evidence], level: Level) -> None:
        self.evidence = evidence
        self.op = evidence[0].op
        self.level = level
        self.passes = [index for index, item in enumerate(evidence) if item.passed]
        self.departures: dict[int, tuple[Departure, ...]] = {}
        """The departures of each wrong answer from the expected one."""
        self.wrong: dict[int, Marks] = {}
        """The marks of each wrong answer."""
        for index, item in enumerate(evidence):
            if not item.passed and item.actual is not None:
                differences = departures(item.op, item.expected, item.actual, level, item.unordered)
                if differences:
                    self.departures[index], self.wrong[index] = differences, marks(differences)
        self.is_constant = self._is_constant()
        """Whether all answers are the same, so that they are no evidence for or against a change."""
        self.foreign = self._foreign_failures()
        """Failures whose answers have a different shape, which no change of the reference produces."""
        self._scratch = scratch(self.op.spec)
        self._mistake_marks: dict[int, Mapping[str, Marks] | None] = {}
        self._inputs: dict[tuple[Composition, int], Any] = {}
        self._answers_by_composition: dict[tuple[Composition, int], Answer] = {}
        self._answers: dict[tuple[str, tuple[str, ...]], Answer] = {}
        self._marks: dict[tuple[int, str], Marks] = {}
        self._predicted: dict[tuple[Composition, int], Marks] = {}
        self._called: dict[int, frozenset[CodeType]] = {}
        self._views: dict[tuple[Composition, int], Request] = {}
        self.work = 0.0
        """The work so far, in units of about ten microseconds. Work is counted rather than time, so that the
        result depends on neither load nor machine."""

    @cached_property
    def requests(self) -> list[Request]:
        """The requests, decoded."""
        return [Request(item.op, item.input, item.expected) for item in self.evidence]

    @cached_property
    def errors(self) -> frozenset[str]:
        """The error types that any request expects."""
        return frozenset(item.expected.type for item in self.evidence if isinstance(item.expected, Refused))

    @cached_property
    def sizes(self) -> list[int]:
        """The lengths of the inputs, in characters."""
        return [len(compact(item.input, 1 << 14)) for item in self.evidence]

    @cached_property
    def size(self) -> float:
        """The mean length of the inputs."""
        return sum(self.sizes) / len(self.sizes)

    def mistake_marks(self, index: int) -> Mapping[str, Marks] | None:
        """The marks of each known mistake that answers wrongly; None if the memo lacks the question."""
        if index not in self._mistake_marks:
            item = self.evidence[index]
            key = question_digest(item.op.name, item.input, item.expected, item.unordered)
            mistake_marks = known_answers(item.op.spec).rows.get(key)
            self._mistake_marks[index] = (
                None
                if mistake_marks is None
                else {
                    name: marks_
                    for places, names in mistake_marks
                    for marks_ in [{path: mark for path, (_, mark) in places.items()}]
                    for name in names
                }
            )
        return self._mistake_marks[index]

    @cached_property
    def usual_faults(self) -> frozenset[tuple[Nature | None, str]]:
        """The members that most wrong answers lack, or have unexpectedly."""
        answers = [
            differences
            for index, differences in self.departures.items()
            if isinstance(self.evidence[index].actual, Ok)
        ]
        counts = Counter(fault for differences in answers for fault in set(map(member_fault, differences)))
        least = max(_MANY, len(answers) / 2)
        kinds = (Nature.MISSING, Nature.EXTRA)
        return frozenset(fault for fault, count in counts.items() if fault[0] in kinds and count >= least)

    @cached_property
    def mistake_counts(self) -> tuple[Counter[str], Counter[str]]:
        """The number of failures, and of right answers, in which each known mistake would show."""
        wrong, right = (
            Counter(name for index in indexes for name in self.mistake_marks(index) or ())
            for indexes in (self.wrong, self.passes)
        )
        return wrong, right

    def has_stored_answer(self, mistake: str, index: int) -> bool:
        """Whether the memo has the answer of a mistake alone."""
        return (
            ":" not in mistake
            and self.mistake_marks(index) is not None
            and mistake not in known_answers(self.op.spec).unknown
        )

    def marks_alone(self, mistake: Mistake, index: int) -> Marks | None:
        """The marks of one mistake alone, from the memo; None if the memo lacks them."""
        if self.level is not Level.BYTES or not self.has_stored_answer(mistake.name, index):
            return None
        return (self.mistake_marks(index) or {}).get(mistake.name, {})

    def may_show(self, mistake: Mistake, index: int) -> bool:
        """Whether a mistake alone may change an answer: by the memo, or else by the functions called."""
        if self.has_stored_answer(mistake.name, index):
            return mistake.name in (self.mistake_marks(index) or ())
        try:
            footprint = self._scratch.footprint(mistake)
            if index not in self._called:
                self._called[index] = self._scratch.called(self.op.name, self.evidence[index].input)
        except Exception:  # it can't be made
            return False
        return footprint is None or not footprint.isdisjoint(self._called[index])

    def are_independent(self, candidate: Candidate, peers: Iterable[Candidate]) -> bool:
        """Whether changes replace different functions of the reference, so that order doesn't matter."""
        changes = [peer.made for peer in (candidate, *peers)]
        try:
            first, *more = [None if change is None else self._scratch.footprint(change) for change in changes]
        except Exception:  # a change can't be made
            return False
        return not more or (first is not None and not any(codes is None or first & codes for codes in more))

    def _foreign_failures(self) -> frozenset[int]:
        foreign = set()
        for index, several in self.departures.items():
            natures = [departure.nature for departure in several]
            missing, extra = natures.count(Nature.MISSING), natures.count(Nature.EXTRA)
            if min(missing, extra) >= _FOREIGN and 2 * (missing + extra) > len(natures):
                foreign.add(index)
        return frozenset(foreign if len(foreign) >= _MANY and 2 * len(foreign) > len(self.wrong) else ())

    def _is_constant(self) -> bool:
        if len(self.wrong) < _MANY:
            return False
        first, *answers = [self.evidence[index].actual for index in self.wrong]
        answers += [self.evidence[index].expected for index in self.passes]
        if first is None or (isinstance(first, Ok) and not all(isinstance(answer, Ok) for answer in answers)):
            return False
        return all(answer is not None and agree(self.op, first, answer, Level.VALUE) for answer in answers)

    def view(self, composition: Composition, index: int) -> Request:
        """The request after the input changes, with the answer of the changed reference."""
        if not composition:
            return self.requests[index]
        key = composition, index
        if key not in self._views:
            input_ = self.changed_input(tuple(change for change in composition if change.stage == 0), index)
            self._views[key] = self.requests[index].changed(input_, self.changed_answer(composition, index))
        return self._views[key]

    def changed_input(self, inputs: Composition, index: int, *, keep: bool = True) -> Any:
        """The decoded input after the input changes; a ``Refused`` if one of them refuses it."""
        if not inputs:
            return self.requests[index].input
        key = inputs, index
        if key in self._inputs:
            return self._inputs[key]
        before = self.changed_input(inputs[:-1], index)
        self.work += _CHANGED
        value = before if isinstance(before, Refused) else apply_change(inputs[-1], before)
        if keep:
            self._inputs[key] = value
        return value

    def changed_answer(self, composition: Composition, index: int, *, keep: bool = True) -> Answer:
        """The decoded answer of the reference with these changes, cached unless ``keep`` is false."""
        if not composition:
            return self.requests[index].expected
        key = composition, index
        if key in self._answers_by_composition:
            return self._answers_by_composition[key]
        last = composition[-1]
        if last.stage == 2:
            before = self.changed_answer(composition[:-1], index, keep=keep)
            self.work += _CHANGED
            answer: Answer = apply_change(last, before)
        else:
            inputs = tuple(change for change in composition if change.stage == 0)
            input_ = self.changed_input(inputs, index, keep=keep)
            mistakes = [change.made for change in composition if change.made is not None]
            answer = input_ if isinstance(input_, Refused) else self._reference(input_, mistakes, index)
        if keep:
            self._answers_by_composition[key] = answer
        return answer

    def _reference(self, value: Any, mistakes: Sequence[Mistake], index: int) -> Answer:
        request = self.requests[index]
        known = len(mistakes) < 2 or index not in self.wrong  # combined, they may do what none does alone
        if known and value is request.input and not any(self.may_show(change, index) for change in mistakes):
            return request.expected
        try:
            names = tuple(change.name for change in mistakes)
            if value is request.input:
                spelled, which = self.evidence[index].input, f"#{index}"
            else:
                spelled = spell_at(value, self.op.input_numbers, everything=False)
                which = _encode(spelled)
            key = (which, names)
            if key not in self._answers:
                self.work += _ANSWERED + self.sizes[index] / _CHARACTERS
                self._scratch.make(*mistakes)
                if len(self._answers) > _REMEMBERED:
                    self._answers.clear()
                if any(change.is_generated for change in mistakes):  # such a change may modify its arguments
                    spelled = marshal.loads(marshal.dumps(spelled))  # noqa: S302 - the kit wrote it
                answer = self._scratch.answer(self.op.name, spelled)
                if isinstance(answer, Ok):
                    answer = Ok(decode_at(answer.value, self.op.ok_numbers))
                elif value is not request.input and answer.type not in self.errors:
                    return _IMPOSSIBLE  # the reference fails on an input that no schema allows
                self._answers[key] = answer
        except Exception:  # one removes what another changes, or no request can have such an input
            return _IMPOSSIBLE
        return self._answers[key]

    def marks(self, index: int, answer: Answer) -> Marks:
        """The marks of a decoded answer."""
        if answer is self.requests[index].expected:
            return {}
        try:
            key = (index, repr(answer))
        except (ValueError, RecursionError):  # an int of more digits, or deeper, than any runner may answer
            return _UNSENDABLE
        if key not in self._marks:
            self.work += _COMPARED
            item = self.evidence[index]
            spelled = answer
            if isinstance(answer, Ok):
                value = spell_at(answer.value, self.op.ok_numbers, everything=False)
                spelled = Ok(meant_at(value, self.op.ok_numbers))
            differences = departures(self.op, item.expected, spelled, self.level, item.unordered)
            self._marks[key] = marks(differences)
        return self._marks[key]

    def predicted(self, composition: Composition, index: int) -> Marks:
        """The marks of the reference's answer with these changes; empty if it is as expected."""
        self.work += _KNOWN
        key = composition, index
        if key not in self._predicted:
            mistake = composition[0].mistake if len(composition) == 1 else None
            answer_marks = None if mistake is None else self.marks_alone(mistake, index)
            if answer_marks is None:
                answer_marks = self.marks(index, self.changed_answer(composition, index))
            self._predicted[key] = answer_marks
        return self._predicted[key]

    def likeness(self, index: int, answer_marks: Mapping[str, str]) -> float:
        """The likeness of an answer with these marks to a failure: 1 if it equals the runner's answer."""
        wrong = self.wrong[index]
        if answer_marks == wrong:
            return 1.0
        hits = sum(wrong.get(path) == mark for path, mark in answer_marks.items())
        misses = len(answer_marks) - hits
        return max(_UNLIKE, (hits - _MISS * misses) / len(wrong))


def member_fault(departure: Departure) -> tuple[Nature | None, str]:
    """The nature of a departure, and the name of its member."""
    return departure.nature, departure.path.rpartition("/")[2]


def apply_change(candidate: Candidate, value: Any) -> Any:
    """Apply a deviation to a decoded input or answer; return the same object if it has no effect."""
    assert candidate.deviation is not None
    try:
        return candidate.deviation.apply(value)
    except RefuseError as error:
        return error.refused
    except Exception:  # an earlier change gave the answer another shape
        return value
