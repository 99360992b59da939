"""A spec's list of properties as a pytest File, its properties as Items."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from conformance.judging.verdict import Outcome
from conformance.properties import Property, load_properties
from conformance.pytest_plugin.session import SESSION
from conformance.report.environments import property_in_each, sent
from conformance.report.records import PropertyRecord
from conformance.wire.text import harmless

__all__ = ["PropertyFailure", "PropertyFile", "PropertyItem"]


class PropertyFailure(Exception):  # noqa: N818 - a failure of the runner, not an error of ours
    """A property does not hold; the message is the whole account."""


class PropertyFile(pytest.File):
    """The list of properties."""

    def collect(self) -> Iterator["PropertyItem"]:
        """One item per property."""
        for one in load_properties(self.config.stash[SESSION].spec):
            yield PropertyItem.from_parent(self, name=one.id, tried=one)


class PropertyItem(pytest.Item):
    """One property, tried with the runner under test."""

    def __init__(self, *, tried: Property, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.tried = tried
        self.record: PropertyRecord | None = None
        self.extra_keyword_matches.update(op.name for op in tried.ops)
        self.add_marker("conformance_properties")

    def runtest(self) -> None:
        """Tries it and turns the verdict into pytest's terms."""
        state = self.config.stash[SESSION]
        judged = state.properties.run(self.tried)
        self.record, verdict = judged.record, judged.verdict
        self.user_properties += [
            ("outcome", self.record.outcome),
            ("class", self.record.conformance_class),
            ("clause", self.record.clause),
            ("examples", self.record.examples),
        ]
        if verdict.outcome is Outcome.PASSED:
            return
        if verdict.outcome is Outcome.EXPECTED_FAILURE:
            pytest.xfail(harmless(f"known {verdict.actual}: {verdict.sentence}"))
        if verdict.outcome is Outcome.UNSUPPORTED and not verdict.demanded:
            pytest.skip(harmless(verdict.sentence))
        raise PropertyFailure(state.property_text(judged))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The account alone: the kit's own frames help nobody."""
        if isinstance(excinfo.value, PropertyFailure):
            return harmless(str(excinfo.value))
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the property is listed."""
        return self.path, None, self.name

    def attach(self, report: pytest.TestReport) -> None:
        """Lets the outcome travel with the report, also from an xdist worker."""
        if self.record is not None:
            report.__dict__["conformance_property"] = asdict(self.record)
            if self.record.environments is not None:
                each = property_in_each(self.record, self.tried.op.spec)
                report.__dict__["conformance_each"] = sent({self.record.id: each})
