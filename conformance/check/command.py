"""``harbor-conformance check``: audits jobs, wherever they are, or compares two submissions."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from conformance.check import explaining
from conformance.check.below import Below
from conformance.check.findings import Severity
from conformance.check.locations import Asked, audited_jobs, found_at, judged
from conformance.check.options import check_options
from conformance.check.places import Fetching, PlaceError, shown
from conformance.check.places import forget as forget_place
from conformance.check.places.mirror import mirrors
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked, exit_code
from conformance.check.reporting import FEW, Shown, as_json, page_head, report_lines
from conformance.check.rules import rule_lines
from conformance.check.submissions.attempts import Submission
from conformance.check.submissions.comparison import CompareError, compared, counterparts
from conformance.check.submissions.comparison_report import comparison_json, comparison_lines
from conformance.check.submissions.discovery import Found, submissions_of
from conformance.check.submissions.documents import leaderboard_json, submissions_json
from conformance.check.submissions.metadata import read_metadata
from conformance.check.submissions.ranking import leaderboards
from conformance.check.submissions.rollup import RollUp, roll_up, roll_ups
from conformance.check.submissions.text import roll_up_lines
from conformance.check.tables import Tables
from conformance.check.work import MOST_HELPERS, Terms, audited, checked
from conformance.console.progress import progress_bar, text_width
from conformance.judging.comparison import Level
from conformance.oracle.building import folder_size
from conformance.suite import clauses
from conformance.wire.text import encodable, printable
from conformance.wire.writing import dumps
from conformance.workers import processors

if TYPE_CHECKING:
    from conformance.check.manifest import Manifest

__all__ = ["check", "doctor_rows"]

_FEW_TASKS = 20
_WITH_AGAINST = {"locations", "pair", "against", "key", "unscored", "as_report", "every", "max_entries"}
_WITH_AGAINST |= {"jobs", "offline"}


@click.command()
@click.argument("locations", metavar="LOCATION...", nargs=-1, required=True)
@check_options
def check(
    locations: tuple[str, ...],
    spec: str,
    level: Level,
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
    jobs: int | None,
    scheduler: str | None,
    as_report: bool,
    findings: int,
    every: bool,
    order: str,
    explained: str | None,
    parquet: Path | None,
    against: str | None,
    pair: bool,
    key: str | None,
    unscored: str,
) -> None:
    """Audits job directories as harbor, or any other runner, leaves them.

    Each trial's record is held to its reward files and to its schema; every counter, metric, pass@k
    and list of result.json is worked out from the trials; an outcome line in a log is held to the
    result. Nothing is run, and no link is followed. A LOCATION is a job directory, or a folder of them;
    a zip or tar archive; or a URL of one of these: s3://, gs://, https://, hf://datasets/. What the audit
    reads of it is fetched into the cache.

    Folders of jobs are rolled up as submissions, several of them as a leaderboard. With --against, two
    submissions or jobs are compared: which tasks only one has, each task's mean in both, and the difference
    over the tasks that both have, with its spread.

    A finding is wrong (numbers contradict each other), differs (not what harbor writes), or a note.

    Exit codes: 0 no finding as grave as --fail-on says, or compared; 1 findings as grave; 2 a job could not
    be audited, or not compared.
    """
    if forget:
        _forget(locations)
        return
    helpers = min(processors() - 1, MOST_HELPERS) if helpers is None else helpers
    limits = Limits(entries=max_entries).times(factor)
    sides = _sides(locations, against, pair=pair)
    if sides:
        terms = Terms(Level.VALUE, limits, rows=True, helpers=helpers)
        asked = Asked(sides, terms, jobs, None, Fetching(offline, limits=limits))
        _compare(asked, key, unscored == "left-out", as_report, None if every else _FEW_TASKS)
        return
    if logs and len(locations) > 1:
        raise click.UsageError("--log is for one job directory")
    fail_on = Severity.named(fail_on_name)
    manifest = None
    if dataset is not None:
        from conformance.check.manifest import load_manifest  # slow to load

        manifest = load_manifest(dataset)
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
    asked = Asked(locations, terms, jobs, scheduler, fetching)
    statements = clauses.statements(spec)
    with ExitStack() as places:
        if explained is not None:
            _explain(explained, asked, places, statements, as_report)
            return
        tables = None if parquet is None else places.enter_context(Tables(parquet))
        audits, found = judged(asked, places, tables)
        rolled = roll_ups([job for job in audits if job.submission], submissions_of(found))
    remarks = [note for one in found for note in one.notes]
    if as_report:
        submissions, groups = submissions_json(
            rolled, roll_ups([job for job in audits if not job.submission])
        )
        boards = list(map(leaderboard_json, leaderboards(rolled)))
        options = {  # what findings and their names depend on
            "logs": list(map(encodable, logs)),
            "results_only": results_only,
            "dataset": None if dataset is None else encodable(str(dataset)),
        }
        rolls = (submissions, boards, remarks, options, groups)
        click.echo(dumps(as_json(audits, level, spec, statements, fail_on, *rolls)), nl=False)
    else:
        below = Below.of((job.path, job.submission) for job in audits) if len(audits) > FEW else Below()
        shown_as = Shown(level, findings, every, text_width(), below)
        lines = [*page_head(audits, below), *roll_up_lines(rolled, order == "score", below, every)]
        lines += [f"note: {below.in_text(note)}" for note in remarks]
        lines += [*_of_dataset(audits, manifest, statements), *report_lines(audits, shown_as, statements)]
        for line in lines:
            click.echo(line)
    if tables is not None and tables.unwritten:
        raise click.ClickException(tables.unwritten)
    sys.exit(exit_code(audits, fail_on))


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


def _explain(
    name: str, asked: Asked, places: ExitStack, statements: Mapping[str, str], as_report: bool
) -> None:
    """Prints one finding, and how the number comes about that it expects."""
    terms = asked.terms
    jobs = [job for location in asked.locations for job in found_at(location, asked, places).jobs]
    try:
        with progress_bar("trials", None) as bar:
            few = explaining.narrowed(name, jobs)
            one = explaining.wanted(name, few, audited(few, terms, tick=bar.tick))
            job = checked(one.place, replace(terms, keep_working=True), bar.tick)
    except explaining.AskedError as error:
        raise click.UsageError(str(error)) from None
    explanation = explaining.explained(one, job.audit, terms.limits, statements)
    if as_report:
        click.echo(dumps(explaining.as_json(explanation)), nl=False)
    else:
        for line in explaining.lines(explanation):
            click.echo(line)


def _sides(locations: Sequence[str], against: str | None, *, pair: bool) -> tuple[str, ...]:
    """The two submissions to be compared; none where nothing is."""
    context = click.get_current_context()
    given = {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }
    if against is None and not pair:
        if alone := sorted({"key", "unscored"} & given.keys()):
            raise click.UsageError(f"{given[alone[0]]} goes with --against B")
        return ()
    sides = (*locations, *([] if against is None else [against]))
    if len(sides) != 2:
        raise click.UsageError("two submissions are compared: check A --against B")
    if others := sorted(given[name] for name in given.keys() - _WITH_AGAINST):
        raise click.UsageError(f"{others[0]} does not go with --against: the audit is `check` without it")
    return sides


def _compare(asked: Asked, key: str | None, left_out: bool, as_report: bool, most: int | None) -> None:
    """Prints the comparison of two submissions."""
    with ExitStack() as places:
        there = [_of_one(shown(location), found_at(location, asked, places)) for location in asked.locations]
        sides = _rolled(asked, there)
    found = [compared(one, other, key, left_out) for one, other in counterparts(sides[0], sides[1])]
    if as_report:
        click.echo(dumps(comparison_json(found, sides, left_out)), nl=False)
    else:
        for line in comparison_lines(found, sides, most):
            click.echo(line)


def _of_one(name: str, found: Found) -> Found:
    """What was found at a location, if it is one submission.

    Raises:
        CompareError: it is none, or several.
    """
    if found.jobs[0].problem is not None:
        raise CompareError(f"{printable(name)}: {found.jobs[0].problem}")
    if len(found.submissions) > 1:
        few = ", ".join(map(printable, list(found.submissions)[:3]))
        more = ", …" if len(found.submissions) > 3 else ""
        count = f"{len(found.submissions):,} submissions"
        raise CompareError(f"{printable(name)} holds {count}, name one of them: {few}{more}")
    return found


def _rolled(asked: Asked, there: Sequence[Found]) -> list[RollUp]:
    """The two submissions, their jobs audited."""
    places = [place for found in there for place in found.jobs]
    jobs = list(audited_jobs(places, asked.terms, asked))
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


def doctor_rows() -> Iterator[tuple[str, str, str]]:
    """What `doctor` shows of the cache."""
    for mirror in mirrors():
        size = f"{folder_size(mirror.root) / 2**20:.0f} MiB"
        yield "place", "ok", f"{mirror.where}, {size} (check --forget removes it): {mirror.root}"
