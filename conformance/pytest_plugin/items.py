"""Collects vector files and lists of properties as pytest Files, vectors and properties as Items."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.judging.verdict import Outcome, Verdict
from conformance.properties import Property, load_properties
from conformance.pytest_plugin.session import SESSION
from conformance.suite.vectors import Vector, VectorFileError
from conformance.wire.text import harmless

__all__ = ["PropertyFile", "PropertyItem", "VectorFile", "VectorItem"]


class RunnerFailure(Exception):  # noqa: N818 - a failure of the runner, not an error of ours
    """A vector did not pass, or a property does not hold; the message is the whole text."""


class CheckItem(pytest.Item):
    """A vector or a property, checked with the runner under test."""

    def has_failed(self, verdict: Verdict, **properties: object) -> bool:
        """Whether the item must report a failure; records the verdict, and skips or xfails the item."""
        vector = verdict.vector
        self.user_properties += [
            ("outcome", str(verdict.outcome)),
            ("class", vector.conformance_class),
            ("clause", vector.clause),
            *properties.items(),
        ]
        if verdict.outcome in (Outcome.EXPECTED_FAILURE, Outcome.NOT_COUNTED):
            known = "known" if verdict.outcome is Outcome.EXPECTED_FAILURE else "new, not counted:"
            pytest.xfail(harmless(f"{known} {verdict.actual}: {verdict.sentence}"))
        if verdict.outcome is Outcome.UNSUPPORTED and not verdict.demanded:
            pytest.skip(harmless(verdict.sentence))
        return verdict.outcome is not Outcome.PASSED

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The text alone, without the kit's stack frames."""
        if isinstance(excinfo.value, RunnerFailure):
            return harmless(str(excinfo.value))
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """The location of the vector or property."""
        return self.path, None, self.name


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


class VectorItem(CheckItem):
    """One vector, asked of the runner under test."""

    def __init__(self, *, vector: Vector, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.vector = vector

    def runtest(self) -> None:
        """Gets the verdict on the vector, and on its rephrased version if it has one."""
        state = self.config.stash[SESSION]
        verdict = state.session.dispatcher.verdict(self.vector)
        again = state.session.rephrased_verdict(verdict)
        if self.has_failed(verdict, level=str(verdict.level or "none")):
            raise RunnerFailure(state.failure_text(verdict))
        if again is not None and again.failed and again.outcome is not Outcome.NOT_RUN:
            raise RunnerFailure(state.failure_text(again))


class PropertyFile(pytest.File):
    """The list of properties."""

    def collect(self) -> Iterator["PropertyItem"]:
        """One item per property."""
        for property_ in load_properties(self.config.stash[SESSION].spec):
            yield PropertyItem.from_parent(self, name=property_.id, tried=property_)


class PropertyItem(CheckItem):
    """One property, tried with the runner under test."""

    def __init__(self, *, tried: Property, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.tried = tried
        self.extra_keyword_matches.update(op.name for op in tried.ops)
        self.add_marker("conformance_properties")

    def runtest(self) -> None:
        """Tries the property."""
        state = self.config.stash[SESSION]
        judged = state.properties.run(self.tried)
        state.lines.append({"property": judged.record})
        if self.has_failed(judged.verdict, examples=judged.record["examples"]):
            raise RunnerFailure(state.property_text(judged))
