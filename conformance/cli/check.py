"""``harbor-conformance check``: audits jobs, wherever they are, without running anything."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.check.below import Below
from conformance.check.findings import Severity
from conformance.check.places import Fetching, PlaceError, shown
from conformance.check.places import forget as forget_place
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked, exit_code
from conformance.check.reporting import FEW, Shown, as_json, page_head, report_lines
from conformance.check.rules import rule_lines
from conformance.check.submissions.discovery import submissions_of
from conformance.check.submissions.documents import leaderboard_json, submissions_json
from conformance.check.submissions.ranking import leaderboards
from conformance.check.submissions.rollup import roll_ups
from conformance.check.submissions.text import roll_up_lines
from conformance.check.tables import Tables
from conformance.check.work import MOST_HELPERS, Terms
from conformance.cli.check_explain import explanation_lines
from conformance.cli.check_judging import Asked, found_at, judged
from conformance.cli.check_options import (
    judging_options,
    reading_options,
    telling_options,
    working_options,
)
from conformance.cli.options import text_width
from conformance.judging.comparison import Level
from conformance.suite import clauses
from conformance.wire.text import encodable
from conformance.wire.writing import dumps
from conformance.workers import processors

if TYPE_CHECKING:
    from conformance.check.manifest import Manifest

__all__ = ["check"]


@click.command()
@click.argument("locations", metavar="LOCATION...", nargs=-1, required=True)
@judging_options
@reading_options
@working_options
@telling_options
def check(
    locations: tuple[str, ...],
    spec: str,
    level_name: str,
    results_only: bool,
    fail_on_name: str,
    dataset: Path | None,
    logs: tuple[str, ...],
    max_entries: int,
    factor: float,
    offline: bool,
    connections: int,
    forget: bool,
    helpers: int | None,
    processes: int | None,
    scheduler: str | None,
    as_report: bool,
    findings: int,
    every: bool,
    order: str,
    explained: str | None,
    parquet: Path | None,
) -> None:
    """Audits job directories as harbor, or any other runner, leaves them.

    Each trial's record is held to its reward files and to its schema; every counter, metric, pass@k
    and list of result.json is worked out from the trials; an outcome line in a log is held to the
    result. Nothing is run, and no link is followed. A LOCATION is a job directory, or a folder of them;
    a zip or tar archive; or a URL of one of these: s3://, gs://, https://, hf://datasets/. What the audit
    reads of it is fetched into the cache.

    Folders of jobs are rolled up as submissions, several of them as a leaderboard; two are compared task
    by task by `harbor-conformance compare A B`.

    A finding is wrong (numbers contradict each other), differs (not what harbor writes), or a note.

    Exit codes: 0 no finding as grave as --fail-on says, 1 findings as grave, 2 a job could not be audited.
    """
    if forget:
        _forget(locations)
        return
    if logs and len(locations) > 1:
        raise click.UsageError("--log is for one job directory")
    level, fail_on = Level[level_name.upper()], Severity.named(fail_on_name)
    manifest = None
    if dataset is not None:
        from conformance.check.manifest import load_manifest  # slow to load

        manifest = load_manifest(dataset)
    limits = Limits(entries=max_entries).times(factor)
    helpers = min(processors() - 1, MOST_HELPERS) if helpers is None else helpers
    fetching = Fetching(offline, connections, limits)
    terms = Terms(
        level,
        limits,
        logs,
        results_only,
        parquet is not None or as_report,
        helpers=helpers,
        manifest=manifest,
        fetching=fetching,
    )
    asked = Asked(locations, terms, processes, scheduler, fetching)
    statements = clauses.statements(spec)
    with ExitStack() as places:
        if explained is not None:
            found_jobs = [job for location in locations for job in found_at(location, asked, places).jobs]
            for line in explanation_lines(explained, found_jobs, terms, statements, as_report):
                click.echo(line)
            return
        tables = None if parquet is None else places.enter_context(Tables(parquet))
        jobs, found = judged(asked, places, tables)
        rolled = roll_ups([job for job in jobs if job.submission], submissions_of(found))
    aside = [note for one in found for note in one.notes]
    if as_report:
        submissions, groups = submissions_json(rolled, roll_ups([job for job in jobs if not job.submission]))
        boards = list(map(leaderboard_json, leaderboards(rolled)))
        rolls = (submissions, boards, aside, _asked(logs, results_only, dataset), groups)
        click.echo(dumps(as_json(jobs, level, spec, statements, fail_on, *rolls)), nl=False)
    else:
        below = Below.of((job.path, job.submission) for job in jobs) if len(jobs) > FEW else Below()
        telling = Shown(level, findings, every, text_width(), below)
        notes = [f"note: {below.in_text(note)}" for note in aside]
        told = [*page_head(jobs, below), *roll_up_lines(rolled, order == "score", below, every), *notes]
        told += [*_of_dataset(jobs, manifest, statements), *report_lines(jobs, telling, statements)]
        for line in told:
            click.echo(line)
    if tables is not None and tables.unwritten:
        raise click.ClickException(tables.unwritten)
    sys.exit(exit_code(jobs, fail_on))


def _asked(logs: Sequence[str], results_only: bool, dataset: Path | None) -> dict[str, Any]:
    """What a report says of its options: what findings and their names hang on."""
    return {
        "logs": list(map(encodable, logs)),
        "results_only": results_only,
        "dataset": None if dataset is None else encodable(str(dataset)),
    }


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
