"""``harbor-conformance check``: audits job directories, offline, without running anything."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.check.places import CONNECTIONS, Fetching, PlaceError, at_hand, shown
from conformance.check.places import forget as forget_place
from conformance.check.reading.limits import MOST_RAISED, Limits
from conformance.check.report import INTERRUPTED, Checked, as_json, exit_code, report_text, summary
from conformance.check.rules import rule_lines
from conformance.check.submissions.discovery import jobs_in
from conformance.check.trials.helpers import processors
from conformance.check.work import Terms, checked
from conformance.cli.options import progress_bar, slow_steps, stderr_console
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
@click.argument("folders", metavar="LOCATION...", nargs=-1, required=True)
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
@click.option("--offline", is_flag=True, help="Of what is elsewhere, read what the cache has of it.")
@click.option(
    "--connections",
    type=click.IntRange(min=1, max=256),
    default=CONNECTIONS,
    show_default=True,
    metavar="N",
    help="Files that are fetched at the same time.",
)
@click.option("--forget", is_flag=True, help="Remove what the cache has of the locations, and end.")
def check(
    folders: tuple[str, ...],
    spec: str,
    level_name: str,
    dataset: Path | None,
    logs: tuple[str, ...],
    as_report: bool,
    findings: int,
    max_entries: int,
    factor: float,
    helpers: int | None,
    offline: bool,
    connections: int,
    forget: bool,
) -> None:
    """Audits job directories as harbor 0.13.1, or any other runner, leaves them.

    Each trial's record is held to its reward files and to its schema; every counter, metric, pass@k
    and list of result.json is worked out from the trials; an outcome line in a log is held to the
    result. Nothing is run, and no link is followed. A LOCATION is a folder, a zip or tar archive, or a URL
    of one: s3://, gs://, https://, hf://datasets/; what the audit reads of it is fetched into the cache.

    Exit codes: 0 no finding, 1 findings, 2 a job could not be audited.
    """
    if forget:
        _forget(folders)
        return
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
    terms = Terms(level, limits, logs, helpers=helpers, manifest=manifest)
    try:
        with progress_bar("trials", None) as bar, ExitStack() as places:
            found, fetching = [], Fetching(offline, connections, limits)
            with slow_steps() as tell:
                for folder in folders:
                    try:
                        at = places.enter_context(at_hand(folder, fetching, tell))
                    except PlaceError as error:
                        jobs.append(Checked(shown(folder), None, str(error)))
                        if not as_report:
                            bar.echo(str(error))
                    else:
                        found += jobs_in(shown(folder), at)
            for job in spread(partial(checked, terms=terms, tick=bar.tick), found):
                jobs.append(job)
                if not as_report:
                    for line in report_text(job, findings, statements):
                        bar.echo(line)
    except KeyboardInterrupt:  # what was found in the other jobs is not lost
        jobs += [Checked(folder, None, INTERRUPTED) for folder in folders[len(jobs) :]]
    if as_report:
        click.echo(dumps(as_json(jobs, level, spec, statements)), nl=False)
    else:
        for line in [*_of_dataset(jobs, manifest, statements), *summary(jobs, level, width)]:
            click.echo(line)
    sys.exit(exit_code(jobs))


def _forget(locations: Sequence[str]) -> None:
    """What `--forget` does."""
    for location in locations:
        try:
            there = forget_place(location)
        except PlaceError as error:
            raise click.ClickException(str(error)) from None
        click.echo(f"{shown(location)}: {'removed from' if there else 'not in'} the cache")


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
