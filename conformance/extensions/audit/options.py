"""The options of ``check``, in the groups in which they are thought of."""

from pathlib import Path

import click

from conformance.console.options import FOLDER, jobs_option, level_option, with_options
from conformance.extensions.audit.findings import NEVER, Severity
from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.sources import CONNECTIONS
from conformance.paths import DEFAULT_SPEC
from conformance.wire.untrusted_files import MOST_RAISED

__all__ = ["check_options"]

_JUDGING = (
    click.option(
        "--spec",
        type=click.Choice([DEFAULT_SPEC]),
        default=DEFAULT_SPEC,
        show_default=True,
        help="The spec to check against: only harbor has job directories.",
    ),
    level_option,
    click.option(
        "--results-only",
        is_flag=True,
        help="Judge trials by their records, even where their reward files are there.",
    ),
    click.option(
        "--fail-on",
        "fail_on_name",
        type=click.Choice([*(str(severity) for severity in reversed(Severity)), NEVER]),
        default=str(Severity.DIFFERS),
        show_default=True,
        help="The least severity of a finding that makes the exit code 1.",
    ),
    click.option(
        "--dataset",
        type=click.Path(exists=True, path_type=Path),
        metavar="DIR",
        help="Hold the jobs to a dataset that `harbor-conformance dataset` wrote.",
    ),
)
_READING = (
    click.option(
        "--log",
        "logs",
        multiple=True,
        metavar="FILE",
        help="Look for the outcome line in this file too; it must be there. One job only.",
    ),
    click.option(
        "--max-entries",
        type=click.IntRange(min=1),
        default=Limits().entries,
        show_default=True,
        help="The most entries that a job's directory may have.",
    ),
    click.option(
        "--limits",
        "factor",
        type=click.FloatRange(min=0, min_open=True, max=MOST_RAISED),
        default=1.0,
        show_default=True,
        metavar="FACTOR",
        help="Multiply what may be read of a job: bytes, values, trials, rewards; 2 doubles all of it.",
    ),
    click.option("--offline", is_flag=True, help="Of what is elsewhere, read what the cache has of it."),
    click.option(
        "--connections",
        type=click.IntRange(min=1, max=256),
        default=CONNECTIONS,
        show_default=True,
        metavar="N",
        help="Files that are fetched at the same time.",
    ),
)
_WORKING = (
    jobs_option,
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Have the workers of a Dask scheduler audit them, such as tcp://host:8786. It must be trusted.",
    ),
)
_SHOWING = (
    click.option("--json", "as_report", is_flag=True, help="Print a JSON report and nothing else."),
    click.option(
        "--parquet",
        type=FOLDER,
        metavar="DIR",
        help="Write trials, findings, jobs and scores by other rules there as Parquet, for DuckDB.",
    ),
    click.option(
        "--findings",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Show the first N findings of each job in full, with the clause and the likely mistake.",
    ),
    click.option(
        "--sort",
        "order",
        type=click.Choice(["name", "score"]),
        default="score",
        show_default=True,
        help="How a leaderboard, folders of jobs side by side, is sorted.",
    ),
    click.option(
        "--under",
        multiple=True,
        metavar="SPEC",
        help="Compute the scores by other rules too: those of a release, harbor-0.25.0, or one that is "
        "proposed, such as rule:pass-at-1.",
    ),
    click.option(
        "--alias",
        "aliases",
        multiple=True,
        metavar="A=B",
        help="The dataset A is B: one table for both. Datasets with tasks in common are one without it.",
    ),
    click.option(
        "--aliases",
        "alias_file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Such aliases, one a line; # begins a comment.",
    ),
    click.option(
        "-v",
        "--all",
        "every",
        is_flag=True,
        help="Leave nothing out: clean jobs, each job's findings by kind, all submissions, all tasks.",
    ),
    click.option(
        "--explain",
        "explained",
        metavar="FINDING",
        help="Show how the number that one finding expects comes about. FINDING is its name in the report, "
        "or the beginning of it, or JOB:PLACE, where PLACE is a pointer into the job's result.json.",
    ),
)
_COMPARING = (
    click.option("--against", metavar="B", help="Compare the LOCATION with this submission, task by task."),
    click.option("--pair", is_flag=True, hidden=True),
    click.option("--key", metavar="NAME", help="With --against: the reward to compare, of several."),
    click.option(
        "--unscored",
        type=click.Choice(["zero", "left-out"]),
        default="zero",
        show_default=True,
        help="With --against: what trials without a reward count.",
    ),
)

check_options = with_options(*_JUDGING, *_READING, *_WORKING, *_SHOWING, *_COMPARING)
