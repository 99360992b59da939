"""``harbor-conformance check``: audits local or remote jobs, or compares two submissions."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from conformance.console.options import COUNT, THERE, jobs_option, level_option, option, with_options
from conformance.console.progress import progress_bar
from conformance.extensions.audit.findings import Severity
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.report import INTERRUPTED, Options, exit_code
from conformance.extensions.audit.rules import rules_named
from conformance.extensions.audit.work import CheckRequest, audit_place
from conformance.judging.levels import Level
from conformance.paths import DEFAULT_SPEC
from conformance.wire.text import harmless, printable
from conformance.wire.untrusted_files import MOST_RAISED

if TYPE_CHECKING:
    from conformance.pages.model import Page

_EXISTING = click.Path(exists=True, path_type=Path)
check_options = with_options(
    option("--spec", "Only harbor has job directories.", click.Choice([DEFAULT_SPEC]), default=DEFAULT_SPEC),
    level_option,
    option(
        "--fail-on",
        "Exit with 1 if there is a finding of this severity or a higher one.",
        click.Choice(["wrong", "differs", "note", "never"]),
        default=str(Severity.DIFFERS),
    ),
    option(
        "--dataset DIR", "Compare the jobs with a dataset that `harbor-conformance dataset` wrote.", _EXISTING
    ),
    option("--log FILE...", "Compare the outcome line in this log with the result. One job only.", str),
    option(
        "--limits FACTOR",
        "Multiply the limits for a job (entries, bytes, values, trials, rewards) by this factor.",
        click.FloatRange(min=0, min_open=True, max=MOST_RAISED),
        default=1.0,
    ),
    option("--offline", "Read remote locations only from the cache."),
    jobs_option,
    option("--scheduler ADDRESS", "Audit on the workers of a trusted Dask scheduler, tcp://host:8786."),
    option("--json", "Print a JSON report and nothing else."),
    option("--parquet DIR", "Write trials, findings, jobs and scores by other rules as Parquet, for DuckDB."),
    option("--findings N", "Show the first N findings in full.", COUNT, default=10),
    option("--under SPEC...", "Compute the scores by other rules too: harbor-0.25.0, or rule:pass-at-1."),
    option(
        "--alias A=B...",
        "Treat dataset A as dataset B: one table for both. Datasets with the same tasks are joined anyway.",
    ),
    option("--aliases FILE", "Read aliases from this file, one per line; # begins a comment.", THERE),
    option("-v --all every", "Show everything: clean jobs, files by release, all scores, all tasks."),
    option(
        "--explain FINDING",
        "Show how a finding's expected number is computed. FINDING is its name in the report, the "
        "beginning of the name, or JOB:POINTER, a JSON pointer into the job's result.json.",
    ),
    option("--against B", "Compare the LOCATION with this submission, task by task."),
    option("--pair", "", hidden=True),
    option("--key NAME", "With --against: the reward to compare, if there are several."),
    option(
        "--unscored",
        "With --against: how trials without a reward count.",
        click.Choice(["zero", "left-out"]),
        default="zero",
    ),
)
_WITH_AGAINST = {
    *("locations", "pair", "against", "key", "unscored"),
    *("json", "every", "jobs", "offline", "under"),
}


@click.command()
@click.argument("locations", metavar="LOCATION...", nargs=-1, required=True)
@check_options
def check(**values: Any) -> None:
    """Audits job directories of harbor or any other runner.

    Checks each trial's record against its reward files and its schema, computes every counter, metric, pass@k
    and list of result.json from the trials, and compares the outcome line in the file that --log names with
    the result. Executes nothing and follows no links.

    A LOCATION is a job directory, a folder of jobs, a zip or tar archive of either, or a URL: s3://, gs://,
    hf://datasets/, or https:// for an archive. The files that the audit reads are fetched into the cache.

    A folder of jobs is a submission, and a folder of submissions is a leaderboard. --against compares two
    submissions or jobs: tasks that only one has, each task's mean in both, and the difference over the tasks
    that both have, with its spread; with --under, by other rules too.

    A finding is wrong (numbers contradict each other), differs (not what harbor writes), or a note.

    Exit codes: 0 no finding at or above --fail-on, or compared; 1 such findings; 2 a job could not be audited
    or compared.
    """
    args = SimpleNamespace(**values)
    limits = Limits().times(args.limits)
    rules = tuple(map(rules_named, dict.fromkeys(args.under)))
    sides = _compared_locations(args.locations, args.against, pair=args.pair)
    if sides:
        from conformance.extensions.audit.submissions.board_tables import comparison_page
        from conformance.extensions.audit.submissions.comparison import compared

        options = Options(Level.VALUE, limits, rows=True, under=rules)
        request = CheckRequest(sides, options, args.jobs, None, args.offline)
        compare = compared(request, args.key, args.unscored == "left-out")
        _show(compare, args.json, lambda: comparison_page(compare, args.every), args.every)
        return
    if args.log and len(args.locations) > 1:
        raise click.UsageError("--log is for one job directory")
    known = manifest = tables = None
    if args.alias or args.aliases is not None:
        from conformance.extensions.audit.submissions.ranking import read_aliases

        known = read_aliases(args.alias, [args.aliases.read_text(encoding="utf-8")] if args.aliases else ())
    if args.dataset is not None:
        from conformance.extensions.audit.against_dataset import load_manifest  # slow to load

        manifest = load_manifest(args.dataset)
    rows = args.parquet is not None or args.json
    options = Options(args.level, limits, args.log, rows=rows, manifest=manifest, under=rules)
    request = CheckRequest(args.locations, options, args.jobs, args.scheduler, args.offline)
    if args.explain is not None:
        if args.json:
            raise click.UsageError("--explain prints text, not JSON")
        _explain(args.explain, request, _statements(args.spec))
        return
    if args.parquet is not None:
        from conformance.extensions.audit.tables import Tables

        tables = Tables(args.parquet)
    audits, sources = request.judged()
    empty = not any(job.total or job.notes or job.trials for job in audits)
    if not args.json and empty and all(job.problem not in (None, INTERRUPTED) for job in audits):
        for text in (*(f"{job.path}: {job.problem}" for job in audits), *sources[0].notes):
            click.echo(harmless(printable(text)))
        sys.exit(2)
    from conformance.extensions.audit.page import page
    from conformance.extensions.audit.report import as_json
    from conformance.extensions.audit.submissions.ranking import benchmarks, leaderboards
    from conformance.extensions.audit.submissions.rollup import roll_ups

    fail_on, aside = Severity[args.fail_on.upper()], [note for source in sources for note in source.notes]
    metadata = {name: files for source in sources for name, files in source.submissions.items()}
    benchmark = benchmarks((row for job in audits for row in job.rows), known or {})
    every_one = roll_ups(audits, metadata, benchmark)
    rolled = [submission for submission in every_one if submission.is_folder]
    document = as_json(
        audits,
        _statements(args.spec) if any(job.total for job in audits) else {},
        fail_on,
        groups={entry.name: entry.document["groups"] for entry in every_one if not entry.is_folder},
        spec=args.spec,
        level=str(args.level),
        submissions=[submission.document for submission in rolled],
        leaderboards=leaderboards(rolled, known, rules),
        aside=aside,
        asked={"logs": args.log, "dataset": args.dataset and str(args.dataset)},
    )
    run = {name for job in audits for name in job.datasets}
    missing = [name for name in (manifest.datasets if manifest else ()) if name not in run]
    if missing and not args.json:
        document["aside"] = [*aside, f"datasets that no job ran: {', '.join(missing)}"]
    _show(document, args.json, lambda: page(document), args.every, failures=args.findings)
    if tables is not None and not any(job.problem == INTERRUPTED for job in audits):
        tables.write(audits)
    sys.exit(exit_code(audits, fail_on))


def _show(
    document: Mapping[str, Any], as_report: bool, page: Callable[[], "Page"], whole: bool, **options: int
) -> None:
    """Prints a document as JSON, or its page."""
    if as_report:
        from conformance.extensions.audit.report import encoded
        from conformance.wire.writing import dumps

        click.echo(dumps(encoded(document)), nl=False)
    else:
        from conformance.formats.text import echo_page  # slow to load

        echo_page(page(), whole=whole, option="--findings", **options)


def _statements(spec: str) -> Mapping[str, str]:
    """The statement of each clause."""
    from conformance.suite import clauses  # slow to load

    return clauses.statements(spec)


def _explain(name: str, request: CheckRequest, statements: Mapping[str, str]) -> None:
    """Explains a finding, and how its expected number is computed."""
    from conformance.extensions.audit import explain  # slow to load, and rarely needed

    jobs = [job for location in request.locations for job in request.find(location).jobs]
    with progress_bar("trials", None) as bar:
        options = replace(request.options, keep_computation=True)
        target = explain.find_target(name, jobs, lambda job_place: audit_place(job_place, options, bar.tick))
    click.echo("\n".join(explain.lines(target, statements)))


def _compared_locations(locations: Sequence[str], against: str | None, *, pair: bool) -> tuple[str, ...]:
    """The two submissions to compare; empty if the command does not compare."""
    context = click.get_current_context()
    source = context.get_parameter_source
    flags = {str(param.name): param.opts[0] for param in context.command.params}
    used = {name: flag for name, flag in flags.items() if source(name) is ParameterSource.COMMANDLINE}
    if against is None and not pair:
        if needs_against := sorted({"key", "unscored"} & used.keys()):
            raise click.UsageError(f"{used[needs_against[0]]} requires --against B")
        return ()
    sides = (*locations, *([] if against is None else [against]))
    if len(sides) != 2:
        raise click.UsageError("two submissions are compared: check A --against B")
    if conflicting := sorted(used[name] for name in used.keys() - _WITH_AGAINST):
        raise click.UsageError(
            f"{conflicting[0]} can't be combined with --against: to audit, run `check` without it"
        )
    return sides


def doctor_rows() -> Iterator[tuple[str, str, str]]:
    """The rows of `doctor` about the cache."""
    from conformance.extensions.audit.sources.cache import caches
    from conformance.oracle.building import folder_size

    for cache in caches():
        size = f"{folder_size(cache.root) / 2**20:.0f} MiB"
        yield "cache", "ok", f"{cache.where}, {size}: {cache.root}"
