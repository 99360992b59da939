"""A run's findings, for the file of counterexamples, for people, and for the diagnosis."""

import contextlib
import itertools
import math
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from conformance.diagnosis.account import Diagnosis
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, evidence_of_verdict
from conformance.diagnosis.experiments import Ask
from conformance.errors import UserError
from conformance.fuzz.causes import Cause, Disagreement
from conformance.fuzz.engine import Fuzz
from conformance.fuzz.expected import parsed
from conformance.judging.verdict import Verdict, judge
from conformance.outcomes.answers import actual_json, asked_json, expected_json
from conformance.outcomes.experimenting import asking
from conformance.registry.ops import op_of
from conformance.run.options import RunOptions, repeat_file
from conformance.runner.conversation import Conversation
from conformance.runner.one_shot import OneShot, Talk
from conformance.suite.counterexamples import (
    counterexample,
    counterexample_id,
    is_counterexample_file,
    write_counterexamples,
)
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Reply
from conformance.wire.writing import CannotWriteError

__all__ = ["Keeper", "OutFileError", "evidence", "finding_id"]

_Item = TypeVar("_Item")
_FIRST_LOOK = 24
"""The number of answers for the first round of a diagnosis with limited time."""
_ASKING, _MOST_ASKING = 0.2, 5.0
"""The minimum and maximum seconds that it spends running known mistakes."""
_MORE = 4
"""The factor by which each round grows."""
_KEPT = 3
"""Counterexamples per cause in the file: the shrunk one, and others as found."""


class OutFileError(UserError):
    """The file for counterexamples can't be used; the message is one sentence."""


def finding_id(spec: str, disagreement: Disagreement) -> str:
    """The vector id of a disagreement's counterexample."""
    return counterexample_id(spec, disagreement.op, disagreement.input)


def evidence(fuzz: Fuzz) -> list[Evidence]:
    """Wrong answers alternating with a sample of right ones, so that any prefix has some of each."""
    spec = fuzz.plan.options.spec
    wrong = _interleave([[cause.shown, *cause.examples] for cause in fuzz.causes.found])
    right = _interleave(list(fuzz.sample.values()))
    by_key: dict[str, Evidence] = {}
    for failed, kept in itertools.zip_longest(wrong, right):
        if failed is not None:
            actual = failed.actual if isinstance(failed.actual, Ok | Refused) else None
            key = finding_id(spec, failed)
            by_key[key] = Evidence(
                key, op_of(spec, failed.op), failed.input, failed.expected, actual, failed.unordered, False
            )
        if kept is not None:
            drawn, expected = kept
            mine = parsed(expected)
            key, op = counterexample_id(spec, drawn.op, drawn.input), op_of(spec, drawn.op)
            free = op.free_order(drawn.input, mine)
            by_key.setdefault(key, Evidence(key, op, drawn.input, mine, None, free, True))
    return list(by_key.values())


def _interleave(lists: Sequence[Sequence[_Item]]) -> list[_Item]:
    """The first of each list, then the second of each, and so on."""
    rounds = itertools.zip_longest(*([(item,) for item in items] for items in lists), fillvalue=())
    return list(itertools.chain.from_iterable(itertools.chain.from_iterable(rounds)))


class Keeper:
    """Writes the findings as a vector file, rewritten whenever there are more."""

    def __init__(self, path: Path, fuzz: Fuzz) -> None:
        """Raises OutFileError if ``path`` is another file, or can't be written."""
        self.path = path
        self._fuzz = fuzz
        self._spec = fuzz.plan.options.spec
        self.diagnosis: Diagnosis | None = None
        self._answers_to_vectors: dict[str, list[Evidence]] = {}
        """The runner's answers to the vectors, by op."""
        self.written = 0
        """The number of counterexamples in the file."""
        self.unwritten: str | None = None
        """Why the file could not be written last time, in a sentence."""
        self.answers_used = self.answers_unused = 0
        """The number of answers that the diagnosis used, and of those that it had no time for."""
        if path.exists() and not is_counterexample_file(path):
            raise OutFileError(
                f"{path} is not a file of counterexamples, so it is not replaced: choose another --out"
            )
        if not path.absolute().parent.is_dir():
            raise OutFileError(f"{path} can't be written: its folder does not exist")

    def diagnose(self) -> None:
        """Finds the known mistakes that explain the findings, and records them in the file.

        It uses all stored answers, or as many as there is time for: first a few, then more and more, as long
        as the next round, judged by the previous one, would end in time.
        """
        answers, until = evidence(self._fuzz), self._fuzz.until
        count = len(answers) if until == math.inf else _FIRST_LOOK
        took = 0.0
        while self.answers_used < len(answers) and time.monotonic() + _MORE * took < until:
            began = time.monotonic()
            self.answers_used = min(count, len(answers))
            seconds = max(_ASKING, min(_MOST_ASKING, (until - began) / 3))
            self.diagnosis = self._diagnosed(answers[: self.answers_used], seconds)
            took = time.monotonic() - began
            count *= _MORE
        self.answers_unused = len(answers) - self.answers_used

    def _diagnosed(self, answers: Sequence[Evidence], seconds: float) -> Diagnosis:
        """Diagnoses some answers, starting from the runner's answers to the vectors of their ops."""
        plan = self._fuzz.plan
        failing = {item.op.name for item in answers if not item.passed}
        with asking(self._new_talk, seconds) as ask:
            for op in sorted(failing - self._answers_to_vectors.keys()):
                self._answers_to_vectors[op] = _answers_to_vectors(plan.vectors, op, plan.options, ask)
            both = [*itertools.chain(*(self._answers_to_vectors[op] for op in sorted(failing))), *answers]
            return diagnose(both, plan.options.level, ask=ask)

    def _new_talk(self) -> Talk:
        settings = self._fuzz.plan.settings
        return OneShot(settings) if self._fuzz.plan.options.oneshot else Conversation(settings)

    def leave_out_the_diagnosis(self) -> None:
        """Records that there was no time for the diagnosis."""
        self.answers_unused = len(evidence(self._fuzz)) - self.answers_used

    def cut(self) -> list[str]:
        """A sentence for each part that was cut short for lack of time."""
        fuzz, cuts = self._fuzz, []
        if fuzz.unanswered:
            cuts.append(f"{fuzz.unanswered} inputs were still unanswered, and are not counted")
        if fuzz.not_fully_shrunk:
            cuts.append(f"{fuzz.not_fully_shrunk} counterexamples may be larger than necessary")
        if self.answers_unused and self.answers_used:
            total = self.answers_used + self.answers_unused
            cuts.append(f"the diagnosis used {self.answers_used} of {total} answers")
        elif self.answers_unused:
            cuts.append("there was no diagnosis")
        return cuts

    def write(self) -> None:
        """Writes all counterexamples that repeat, replacing the whole file."""
        causes = [cause for cause in self._fuzz.causes.found if cause.repeats]
        vectors = [self._counterexample(item, cause) for cause in causes for item in self._to_write(cause)]
        self.unwritten = None
        if vectors:
            try:
                write_counterexamples(self.path, self._spec, vectors)
            except CannotWriteError as error:  # the search goes on, and the error is reported at the end
                self.unwritten = str(error)
                return
        elif self.written:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)
        self.written = len({vector.id for vector in vectors})

    @staticmethod
    def _to_write(cause: Cause) -> list[Disagreement]:
        examples = cause.examples[1:] if cause.smallest else cause.examples
        return [cause.shown, *(example for example in examples if example is not cause.shown)][:_KEPT]

    def likely(self, disagreement: Disagreement) -> str | None:
        """The likely mistake, once there is a diagnosis."""
        return self.diagnosis.likely(finding_id(self._spec, disagreement)) if self.diagnosis else None

    def account(self, cause: Cause) -> dict[str, Any]:
        """The members that describe a cause in words, in the form of the schema ``fuzz-report``."""
        verdict, options = self.verdict(cause), self._fuzz.plan.options
        vector = verdict.vector
        repeat = f"{repeat_file(options, self.path)} {shlex.quote(vector.id)}"
        todo = self.diagnosis.lines if self.diagnosis else ()
        return {
            "clause": vector.clause,
            "detail": verdict.sentence or None,
            "asked": asked_json(vector),
            "expected": expected_json(vector),
            "actual": actual_json(verdict.answer),
            "do": "; and ".join(line.do for line in todo if vector.id in line.keys) or None,
            "repeat": repeat if cause.repeats and self.written else None,
        }

    def _counterexample(self, disagreement: Disagreement, cause: Cause) -> Vector:
        source = f", {disagreement.base} changed" if disagreement.base else ""
        seed = self._fuzz.plan.seed if disagreement.seed is None else disagreement.seed
        note = f"Found by fuzz --seed {seed}, input {disagreement.number}{source}"
        if disagreement is cause.smallest:
            note += ", made small"
        return counterexample(
            *(self._spec, disagreement.op, disagreement.input, disagreement.expected),
            actual=disagreement.actual,
            likely=self.likely(disagreement),
            unordered=disagreement.unordered,
            note=note,
            path=self.path,
        )

    def verdict(self, cause: Cause) -> Verdict:
        """The judgement on a cause's counterexample, as ``run`` would give it."""
        vector = self._counterexample(cause.shown, cause)
        reply = Reply(vector.id, cause.shown.actual, 0.0, cause.shown.stderr)
        return judge(vector, reply, self._fuzz.plan.options.level)


def _answers_to_vectors(vectors: Sequence[Vector], op: str, options: RunOptions, ask: Ask) -> list[Evidence]:
    """The runner's answers to the vectors of an op."""
    mine = [vector for vector in vectors if vector.op.name == op]
    answers = zip(mine, ask(op, [vector.input for vector in mine]), strict=True)
    replies = ((vector, Reply(vector.id, answer, 0.0)) for vector, answer in answers if answer is not None)
    judged = (evidence_of_verdict(judge(vector, reply, options.level)) for vector, reply in replies)
    return [item for item in judged if item is not None]
