"""A spec's list of properties as a pytest File, its properties as Items."""

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from conformance.properties import Property, load_properties
from conformance.pytest_plugin.items import CheckItem, RunnerFailure
from conformance.pytest_plugin.session import SESSION

__all__ = ["PropertyFile", "PropertyItem"]


class PropertyFile(pytest.File):
    """The list of properties."""

    def collect(self) -> Iterator["PropertyItem"]:
        """One item per property."""
        for one in load_properties(self.config.stash[SESSION].spec):
            yield PropertyItem.from_parent(self, name=one.id, tried=one)


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
        state.lines.append({"property": asdict(judged.record)})
        if self.end(judged.verdict, examples=judged.record.examples):
            raise RunnerFailure(state.property_text(judged))
