"""``harbor-conformance compare``: two submissions, task by task."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack

import click

from conformance.check.places import Fetching, shown
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked, many
from conformance.check.submissions.attempts import Submission
from conformance.check.submissions.comparison import CompareError, compared, counterparts
from conformance.check.submissions.comparison_report import comparison_json, comparison_lines
from conformance.check.submissions.discovery import Found
from conformance.check.submissions.metadata import read_metadata
from conformance.check.submissions.rollup import RollUp, roll_up
from conformance.check.work import MOST_HELPERS, Terms, audited
from conformance.cli.check_judging import Asked, found_at
from conformance.cli.options import progress_bar
from conformance.judging.comparison import Level
from conformance.wire.text import printable
from conformance.wire.writing import dumps
from conformance.workers import processors

__all__ = ["compare"]


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--key", metavar="NAME", help="The reward to compare, where trials have several.")
@click.option(
    "--unscored",
    type=click.Choice(["zero", "left-out"]),
    default="zero",
    show_default=True,
    help="What trials without a reward count.",
)
@click.option("--json", "as_report", is_flag=True, help="Print a JSON report and nothing else.")
@click.option("-v", "--all", "every", is_flag=True, help="List all tasks that differ, not only the first 20.")
@click.option(
    "--max-entries",
    type=click.IntRange(min=1),
    default=Limits().entries,
    show_default=True,
    help="The most entries that a job's directory may have.",
)
@click.option(
    "--jobs",
    "processes",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="Job directories audited at the same time, each by a process; as many as there are processors.",
)
@click.option("--offline", is_flag=True, help="Of what is elsewhere, read what the cache has of it.")
def compare(
    first: str,
    second: str,
    key: str | None,
    unscored: str,
    as_report: bool,
    every: bool,
    max_entries: int,
    processes: int | None,
    offline: bool,
) -> None:
    """Compares two submissions, folders of jobs or single jobs, task by task.

    They may be wherever `check` finds them: folders, archives, URLs.

    Which tasks only one has; each task's mean in both; the difference over the tasks that both have,
    with its spread. The jobs are audited first: what is wrong with them, `check` says.

    Exit codes: 0 compared, 2 could not be compared.
    """
    limits = Limits(entries=max_entries)
    terms = Terms(Level.VALUE, limits, rows=True, helpers=min(processors() - 1, MOST_HELPERS))
    with ExitStack() as places:
        asked = Asked((first, second), terms, processes, None, Fetching(offline, limits=limits))
        there = [_of_one(shown(location), found_at(location, asked, places)) for location in asked.locations]
        sides = _rolled(asked, there)
    found = [
        compared(one, other, key, unscored == "left-out") for one, other in counterparts(sides[0], sides[1])
    ]
    if as_report:
        click.echo(dumps(comparison_json(found, sides, unscored == "left-out")), nl=False)
    else:
        for line in comparison_lines(found, sides, None if every else 20):
            click.echo(line)
    sys.exit(0)


def _of_one(named: str, found: Found) -> Found:
    """What was found at a place, if it is one submission.

    Raises:
        CompareError: it is none, or several.
    """
    if found.jobs[0].problem is not None:
        raise CompareError(f"{printable(named)}: {found.jobs[0].problem}")
    if len(found.submissions) > 1:
        few = ", ".join(map(printable, list(found.submissions)[:3]))
        more = ", …" if len(found.submissions) > 3 else ""
        count = f"{len(found.submissions):,} submissions"
        raise CompareError(f"{printable(named)} holds {count}, name one of them: {few}{more}")
    return found


def _rolled(asked: Asked, there: Sequence[Found]) -> list[RollUp]:
    """The two submissions, their jobs audited."""
    places = [place for found in there for place in found.jobs]
    jobs: list[Checked] = []
    with progress_bar("trials", None) as bar:
        for job in audited(places, asked.terms, asked.processes, None, bar.tick):
            jobs.append(job)
            bar.describe(f"{len(jobs):,} of {many(len(places), 'job')}, trials")
    sides = []
    for location, found in zip(asked.locations, there, strict=True):
        submission = Submission(shown(location))
        for job in jobs[: len(found.jobs)]:
            submission.add(job)
        del jobs[: len(found.jobs)]
        submission.settle()
        if not submission.groups:
            problem = next((job.problem for job in submission.jobs if job.problem is not None), None)
            raise CompareError(f"{printable(submission.name)}: {problem or 'no trial has a record'}")
        folders = found.submissions.values()
        sides.append(roll_up(submission, [one for folder in folders for one in read_metadata(folder)]))
    return sides
