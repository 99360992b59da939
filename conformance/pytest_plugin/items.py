"""Vector files as pytest Files, vectors as Items."""

from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from conformance.diagnosis.evidence import answer_text
from conformance.judging.verdict import Outcome
from conformance.pytest_plugin.session import SESSION, ConformanceSession
from conformance.report.environments import Held, sent
from conformance.report.records import AgainRecord, Record
from conformance.run.asking_again import AskedAgain
from conformance.run.engine import each_record
from conformance.suite.vectors import Vector, VectorFileError
from conformance.wire.text import harmless

__all__ = ["VectorFailure", "VectorFile", "VectorItem"]

_MEMBERS = [member.name for member in fields(Record)]


class VectorFailure(Exception):  # noqa: N818 - a failure of the runner, not an error of ours
    """A vector did not pass; the message is the whole account."""


class VectorFile(pytest.File):
    """A vector file."""

    def collect(self) -> Iterator["VectorItem"]:
        """One item per vector.

        Raises:
            pytest.Collector.CollectError: the file can't be used.
        """
        try:
            vectors = self.config.stash[SESSION].load(self.path)
        except VectorFileError as error:
            raise self.CollectError(harmless(str(error))) from None
        for vector in vectors:
            if vector.id in self.config.stash[SESSION].newer:
                continue
            if vector.expected is None:
                sentence = f"{vector.id} has no expected answer yet: run harbor-conformance kit regen"
                raise self.CollectError(sentence)
            yield VectorItem.from_parent(self, name=vector.id, vector=vector)


class VectorItem(pytest.Item):
    """One vector, asked of the runner under test."""

    def __init__(self, *, vector: Vector, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.vector = vector
        self.record: Record | None = None
        self.again: AgainRecord | None = None
        """What became of it in other words, where it was asked again."""
        self.again_text = ""
        """The account of that, where it was unsupported."""
        self.each: dict[str, dict[str, Held]] = {}
        """What became of it in each environment, where that differs, by its id; also in other words."""
        self.answer: str | None = None
        """What was answered instead of the right thing, as text that travels."""

    def runtest(self) -> None:
        """Fetches the verdict and turns it into pytest's terms."""
        state = self.config.stash[SESSION]
        verdict = state.verdict(self.vector)
        self.record = Record.of(verdict)
        self.user_properties += [
            ("outcome", self.record.outcome),
            ("level", self.record.level or "none"),
            ("class", self.vector.conformance_class),
            ("clause", self.vector.clause),
        ]
        self.each[self.vector.id] = each_record(verdict)  # the end of the run decides
        if verdict.outcome is not Outcome.PASSED or verdict.each:
            self.answer = answer_text(verdict.answer) if verdict.kept else None
        if verdict.outcome is Outcome.PASSED:
            self._ask_again(state)
            return
        if verdict.outcome is Outcome.EXPECTED_FAILURE:
            pytest.xfail(harmless(f"known {verdict.actual}: {verdict.sentence}"))
        if verdict.outcome is Outcome.UNSUPPORTED and not verdict.demanded:
            pytest.skip(harmless(verdict.sentence))
        raise VectorFailure(state.failure_text(verdict))

    def _ask_again(self, state: ConformanceSession) -> None:
        """Asks it once more in other words, if it is one of those."""
        verdict = state.again(self.vector)
        if verdict is None:
            return
        assert isinstance(verdict.vector, AskedAgain)
        self.again = AgainRecord.of(verdict, self.vector.id, verdict.vector.changes)
        self.each[verdict.vector.id] = each_record(verdict)
        if self.again.failed:
            raise VectorFailure(state.failure_text(verdict))
        if verdict.outcome is Outcome.UNSUPPORTED:  # the end of the run decides
            self.again_text = state.failure_text(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The account alone: the kit's own frames help nobody."""
        if isinstance(excinfo.value, VectorFailure):
            return harmless(str(excinfo.value))
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the vector stands."""
        return self.path, None, self.name

    def attach(self, report: pytest.TestReport) -> None:
        """Lets the outcome travel with the report, also from an xdist worker."""
        if self.record is not None:
            report.__dict__["conformance"] = {name: getattr(self.record, name) for name in _MEMBERS}
            report.__dict__["conformance_answer"] = self.answer
            report.__dict__["conformance_each"] = sent(self.each)
        if self.again is not None:
            report.__dict__["conformance_again"] = asdict(self.again)
            report.__dict__["conformance_again_text"] = self.again_text
