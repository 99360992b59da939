"""What changed from one report of ``run`` to another, of whatever kit, level, runner or release."""

from collections.abc import Mapping
from typing import Any

from conformance.publishing.blocks import Code, Line
from conformance.publishing.differences.runs.head import counts, facts, runs_side_by_side, verdict, warnings
from conformance.publishing.differences.runs.notes import cases, notes
from conformance.publishing.differences.runs.pairs import Runs
from conformance.publishing.differences.runs.parts import (
    classes,
    known,
    one_sided,
    otherwise,
    rules,
    vectors,
    worse,
)
from conformance.publishing.linking import linked
from conformance.publishing.model import Page

__all__ = ["difference"]


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: one contradicts itself, or they are of specs that have nothing in common.
    """
    runs = Runs.read(before, after)
    sections = (
        worse(runs),
        classes(runs),
        rules(runs),
        otherwise(runs),
        one_sided(runs),
        known(runs),
        runs_side_by_side(runs),
        vectors(runs),
    )
    return Page(
        kind="difference",
        title=_title(runs),
        verdict=verdict(runs),
        exit_code=int(bool(runs.worse) or runs.unjudged),
        facts=facts(runs),
        counts=counts(runs),
        unit="vectors",
        warnings=warnings(runs),
        sections=linked(section for section in sections if section is not None),
        badge=None,
        cases=cases(runs),
        notes=notes(runs),
    )


def _title(runs: Runs) -> Line:
    before, after = runs.before, runs.after
    if before.runner != after.runner:
        title: Line = ("From ", before.runner, " to ", after.runner)
    else:
        title = ("What changed for ", after.runner)
    if runs.one_spec:
        return (*title, " against ", Code(after.spec))
    return (*title, ", from ", Code(before.spec), " to ", Code(after.spec))
