"""The page of a report of ``run``."""

from collections.abc import Mapping
from typing import Any

from conformance.publishing.blocks import Code
from conformance.publishing.kinds.runs.account import Run
from conformance.publishing.kinds.runs.badge import badge
from conformance.publishing.kinds.runs.beside import (
    asked_again,
    environment,
    how,
    problems,
    properties,
    unsupported,
)
from conformance.publishing.kinds.runs.cases import cases
from conformance.publishing.kinds.runs.classes import classes, todo
from conformance.publishing.kinds.runs.counting import counts
from conformance.publishing.kinds.runs.failures import failures
from conformance.publishing.kinds.runs.head import facts, verdict, warnings
from conformance.publishing.kinds.runs.known import known_failures
from conformance.publishing.kinds.runs.notes import notes
from conformance.publishing.kinds.runs.rules import rules, vectors
from conformance.publishing.model import Page

__all__ = ["page"]


def page(document: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the report contradicts itself.
    """
    run = Run.read(document)
    sections = (
        problems(run),
        classes(run),
        todo(run),
        failures(run),
        known_failures(run),
        unsupported(run),
        asked_again(run),
        properties(run),
        environment(run),
        rules(run),
        vectors(run),
        how(run),
    )
    return Page(
        kind="run",
        title=(run.runner, " against ", Code(run.spec)),
        verdict=verdict(run),
        exit_code=run.exit_code,
        facts=facts(run),
        counts=counts(run),
        unit="vectors",
        warnings=warnings(run),
        sections=tuple(section for section in sections if section is not None),
        badge=badge(run),
        cases=cases(run),
        notes=notes(run),
    )
