"""``harbor-conformance check``: audits job directories, offline, without running anything."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.check.findings import Severity
from conformance.check.places import Fetching, at_hand
from conformance.check.reading.limits import Limits
from conformance.check.report import INTERRUPTED, Checked, exit_code, many
from conformance.check.reporting import Shown, as_json, report_lines
from conformance.check.rules import rule_lines
from conformance.check.submissions.discovery import Found, JobPlace, find_jobs, submissions_of
from conformance.check.submissions.documents import leaderboard_json, submission_json
from conformance.check.submissions.ranking import leaderboards
from conformance.check.submissions.rollup import roll_ups
from conformance.check.submissions.text import roll_up_lines
from conformance.check.work import MOST_HELPERS, Terms, audited
from conformance.cli.check_explain import explanation_lines
from conformance.cli.check_options import (
    judging_options,
    reading_options,
    telling_options,
    working_options,
)
from conformance.cli.options import progress_bar, stderr_console
from conformance.judging.comparison import Level
from conformance.suite import clauses
from conformance.wire.writing import dumps
from conformance.workers import processors

if TYPE_CHECKING:
    from conformance.dataset.manifest import Manifest

__all__ = ["check"]


@click.command()
@click.argument("folders", metavar="JOB_DIR...", nargs=-1, required=True)
@judging_options
@reading_options
@working_options
@telling_options
def check(
    folders: tuple[str, ...],
    spec: str,
    level_name: str,
    results_only: bool,
    fail_on_name: str,
    dataset: Path | None,
    logs: tuple[str, ...],
    max_entries: int,
    factor: float,
    helpers: int | None,
    processes: int | None,
    scheduler: str | None,
    as_report: bool,
    findings: int,
    every: bool,
    order: str,
    explained: str | None,
) -> None:
    """Audits job directories as harbor, or any other runner, leaves them.

    Each trial's record is held to its reward files and to its schema; every counter, metric, pass@k
    and list of result.json is worked out from the trials; an outcome line in a log is held to the
    result. Nothing is run, and no link is followed.

    A finding is wrong (numbers contradict each other), differs (not what harbor writes), or a note.

    Exit codes: 0 no finding as grave as --fail-on says, 1 findings as grave, 2 a job could not be audited.
    """
    if logs and len(folders) > 1:
        raise click.UsageError("--log is for one job directory")
    level, fail_on = Level[level_name.upper()], Severity.named(fail_on_name)
    manifest = None
    if dataset is not None:
        from conformance.dataset.manifest import load_manifest  # slow to load

        manifest = load_manifest(dataset)
    limits = Limits(entries=max_entries).times(factor)
    helpers = min(processors() - 1, MOST_HELPERS) if helpers is None else helpers
    terms = Terms(level, limits, logs, results_only, helpers=helpers, manifest=manifest)
    statements = clauses.statements(spec)
    if explained is not None:
        with ExitStack() as places:
            asked = [job for folder in folders for job in _found(folder, folders, limits, places).jobs]
            for line in explanation_lines(explained, asked, terms, statements, as_report):
                click.echo(line)
        return
    with ExitStack() as places:
        jobs, found = _judged(folders, terms, processes, scheduler, places)
        rolled = roll_ups([job for job in jobs if job.submission], submissions_of(found))
    aside = [note for one in found for note in one.notes]
    if as_report:
        rolls = ([submission_json(one) for one in rolled], list(map(leaderboard_json, leaderboards(rolled))))
        click.echo(dumps(as_json(jobs, level, spec, statements, fail_on, *rolls, aside)), nl=False)
    else:
        shown = Shown(level, findings, every, stderr_console().width)
        notes = [f"note: {note}" for note in aside]
        told = [*roll_up_lines(rolled, order == "score"), *notes]
        told += [*_of_dataset(jobs, manifest, statements), *report_lines(jobs, shown, statements)]
        for line in told:
            click.echo(line)
    sys.exit(exit_code(jobs, fail_on))


def _found(location: str, locations: Sequence[str], limits: Limits, places: ExitStack) -> Found:
    """What is at one of the locations named, at hand until `places` are left."""
    folder = places.enter_context(at_hand(location, Fetching()))
    return find_jobs(location, folder, len(locations) == 1, limits)


def _judged(
    folders: Sequence[str], terms: Terms, processes: int | None, scheduler: str | None, places: ExitStack
) -> tuple[list[Checked], list[Found]]:
    """The jobs at the places named, audited as far as nobody ends it, and what was found there."""
    jobs: list[Checked] = []
    found: list[Found] = []
    asked: list[JobPlace] = []
    unseen = list(folders)
    try:
        while unseen:
            found.append(_found(unseen[0], folders, terms.limits, places))
            asked += found[-1].jobs
            del unseen[0]
        terms = replace(terms, rows=any(one.submissions for one in found))
        with progress_bar("trials", None) as bar:
            for job in audited(asked, terms, processes, scheduler, bar.tick):
                jobs.append(job)
                bar.describe(f"{len(jobs):,} of {many(len(asked), 'job')}, trials")
    except KeyboardInterrupt:  # what was found in the other jobs is not lost
        rest = asked[len(jobs) :]
        jobs += [Checked(place.name, None, INTERRUPTED, place.submission) for place in rest]
        jobs += [Checked(folder, None, INTERRUPTED) for folder in unseen]
    return jobs, found


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
