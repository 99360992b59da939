"""``harbor-conformance check``: audits job directories, offline, without running anything."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.check.places import Fetching, at_hand
from conformance.check.reading.limits import MOST_RAISED, Limits
from conformance.check.report import INTERRUPTED, Checked, as_json, exit_code, report_text, summary
from conformance.check.rules import rule_lines
from conformance.check.submissions.discovery import Found, JobPlace, find_jobs, submissions_of
from conformance.check.submissions.rollup import RollUp, roll_ups
from conformance.check.submissions.text import roll_up_lines
from conformance.check.trials.helpers import processors
from conformance.check.work import Terms, checked
from conformance.cli.options import progress_bar, stderr_console
from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.suite import clauses
from conformance.wire.writing import dumps
from conformance.workers import spread

if TYPE_CHECKING:
    from conformance.dataset.manifest import Manifest

__all__ = ["check"]

MOST_HELPERS = 7


@click.command()
@click.argument("folders", metavar="JOB_DIR...", nargs=-1, required=True)
@click.option(
    "--spec",
    type=click.Choice([DEFAULT_SPEC]),
    default=DEFAULT_SPEC,
    show_default=True,
    help="The spec to check against: only harbor has job directories.",
)
@click.option(
    "--level",
    "level_name",
    type=click.Choice([str(level) for level in Level if level]),
    default="bytes",
    show_default=True,
    help="How strictly files are compared.",
)
@click.option(
    "--dataset",
    type=click.Path(exists=True, path_type=Path),
    metavar="DIR",
    help="Hold the jobs to a dataset that `harbor-conformance dataset` wrote.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="FILE",
    help="Look for the outcome line in this file too; it must be there. One job only.",
)
@click.option("--json", "as_report", is_flag=True, help="Print a JSON report and nothing else.")
@click.option(
    "--findings",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="The most findings shown of each job.",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["name", "score"]),
    default="name",
    show_default=True,
    help="How a leaderboard is sorted.",
)
@click.option(
    "--max-entries",
    type=click.IntRange(min=1),
    default=Limits().entries,
    show_default=True,
    help="The most entries that a job's directory may have.",
)
@click.option(
    "--limits",
    "factor",
    type=click.FloatRange(min=0, min_open=True, max=MOST_RAISED),
    default=1.0,
    show_default=True,
    metavar="FACTOR",
    help="Multiply what may be read of a job: bytes, values, trials, rewards; 2 doubles all of it.",
)
@click.option(
    "--helpers",
    type=click.IntRange(min=0),
    default=None,
    metavar="N",
    help="Processes that help with a large job; as many as there are further processors, at most 7.",
)
def check(
    folders: tuple[str, ...],
    spec: str,
    level_name: str,
    dataset: Path | None,
    logs: tuple[str, ...],
    as_report: bool,
    findings: int,
    order: str,
    max_entries: int,
    factor: float,
    helpers: int | None,
) -> None:
    """Audits job directories as harbor 0.13.1, or any other runner, leaves them.

    Each trial's record is held to its reward files and to its schema; every counter, metric, pass@k
    and list of result.json is worked out from the trials; an outcome line in a log is held to the
    result. Nothing is run, nothing is fetched, and no link is followed.

    Exit codes: 0 no finding, 1 findings, 2 a job could not be audited.
    """
    if logs and len(folders) > 1:
        raise click.UsageError("--log is for one job directory")
    level = Level[level_name.upper()]
    manifest = None
    if dataset is not None:
        from conformance.dataset.manifest import load_manifest  # slow to load

        manifest = load_manifest(dataset)
    statements = clauses.statements(spec)
    limits = Limits(entries=max_entries).times(factor)
    helpers = min(processors() - 1, MOST_HELPERS) if helpers is None else helpers
    jobs: list[Checked] = []
    width = stderr_console().width
    found: list[Found] = []
    asked: list[JobPlace] = []
    rolled: list[RollUp] = []
    try:
        with progress_bar("trials", None) as bar, ExitStack() as places:
            for folder in folders:
                at = places.enter_context(at_hand(folder, Fetching()))
                found.append(find_jobs(folder, at, alone=len(folders) == 1, limits=limits))
            asked = [place for one in found for place in one.jobs]
            rows = any(one.submissions for one in found)
            terms = Terms(level, limits, logs, rows=rows, helpers=helpers, manifest=manifest)
            for job in spread(partial(checked, terms=terms, tick=bar.tick), asked):
                jobs.append(job)
                if not as_report:
                    for line in report_text(job, findings, statements):
                        bar.echo(line)
            rolled = roll_ups([job for job in jobs if job.submission], submissions_of(found))
    except KeyboardInterrupt:  # what was found in the other jobs is not lost
        jobs += [Checked(job.name, None, INTERRUPTED, job.submission) for job in asked[len(jobs) :]]
    if as_report:
        click.echo(dumps(as_json(jobs, level, spec, statements)), nl=False)
    else:
        notes = [f"note: {note}" for one in found for note in one.notes]
        told = [*roll_up_lines(rolled, width, order == "score"), *notes]
        for line in [*_of_dataset(jobs, manifest, statements), *told, *summary(jobs, level, width)]:
            click.echo(line)
    sys.exit(exit_code(jobs))


def _of_dataset(
    jobs: Sequence[Checked], manifest: "Manifest | None", statements: Mapping[str, str]
) -> Iterator[str]:
    """What `--dataset` adds: the findings by rule, and the datasets that no job ran."""
    if manifest is None:
        return
    audits = [job.audit for job in jobs if job.audit is not None]
    lines = rule_lines((finding for audit in audits for finding in audit.findings.ordered()), statements)
    if lines:
        yield from [*lines, ""]
    run = {name for audit in audits for name in audit.datasets}
    if missing := [expected.name for expected in manifest.datasets if expected.name not in run]:
        yield f"not run, and so not judged: {', '.join(missing)}"
        yield ""
