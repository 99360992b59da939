"""``check --explain``: one finding, and how the number comes about that it expects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import click

from conformance.check.explaining import AskedError, as_json, explained, lines, narrowed, wanted
from conformance.check.submissions.discovery import JobPlace
from conformance.check.work import Terms, audited, checked
from conformance.cli.options import progress_bar
from conformance.wire.writing import dumps

__all__ = ["explanation_lines"]


def explanation_lines(
    asked: str, places: Sequence[JobPlace], terms: Terms, statements: Mapping[str, str], as_report: bool
) -> Iterator[str]:
    """The explanation of what is asked for, in lines or as one JSON document.

    Raises:
        click.UsageError: there is nothing of that name, or more than one.
    """
    try:
        with progress_bar("trials", None) as bar:
            few = narrowed(asked, places)
            one = wanted(asked, few, audited(few, terms, tick=bar.tick))
            job = checked(one.place, replace(terms, keep_working=True), bar.tick)
    except AskedError as error:
        raise click.UsageError(str(error)) from None
    explanation = explained(one, job.audit, terms.limits, statements)
    if as_report:
        yield dumps(as_json(explanation)).rstrip("\n")
    else:
        yield from lines(explanation)
