"""``harbor-conformance spec``: what changed from one release of harbor to another, and a spec made of it."""

import re
import secrets
import sys
from datetime import datetime, timezone
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance import __version__, interrupts
from conformance.console.options import spec_option
from conformance.console.progress import stderr_console, steps
from conformance.extensions.releases import text
from conformance.extensions.releases.adding import Adding, AddingError, added_lines, read_diff
from conformance.extensions.releases.changelog import problems, releases_of, rows_due, suite_of, table
from conformance.extensions.releases.engine import Comparison, NothingToAskError
from conformance.extensions.releases.report import DiffReport
from conformance.extensions.releases.subjects import SECONDS, hash_alike, side_of
from conformance.paths import DEFAULT_SPEC, checkout_root, spec_names
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.report.output import on_terminal
from conformance.report.writing import print_table, write_report
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import Vector, known_spec, load_spec
from conformance.wire.text import printable
from conformance.wire.writing import unwritten

__all__ = ["spec"]

_INPUTS = 4000
_WIDTH = 80
_THREE_NUMBERS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+", re.ASCII)

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group()
def spec() -> None:
    """Compares releases of harbor, and begins a spec for a new one."""


def _asked_of(name: str) -> tuple[list[str], list[Vector]]:
    """The specs of the same document, and all their vectors."""
    specs = [one.name for one in SPEC_TABLE.values() if one.document == SPEC_TABLE[name].document]
    return specs, [vector for one in specs for vector in load_spec(one)]


@spec.command()
@click.argument("old")
@click.argument("new")
@spec_option
@click.option(
    "--inputs",
    type=click.IntRange(min=0),
    default=_INPUTS,
    show_default=True,
    metavar="N",
    help="How many random inputs both are asked beside the vectors.",
)
@click.option("--seed", type=int, help="What these depend on; drawn and shown where it is not given.")
@click.option(
    "--runner-timeout",
    "timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long any one reply may take.",
)
@click.option("--json", "report_file", type=_FILE, metavar="FILE", help="Write a JSON report.")
@click.option("--markdown", "page_file", type=_FILE, metavar="FILE", help="Write the account as Markdown.")
def diff(
    old: str,
    new: str,
    spec: str,
    inputs: int,
    seed: int | None,
    timeout: float,
    report_file: Path | None,
    page_file: Path | None,
) -> None:
    """Asks two releases the same, and says what changed from OLD to NEW.

    Each is a release of harbor by its number (built on first use), `harbor:PATH` for a fork, or a runner
    command. Exit codes: 0 nothing differs, 1 something does, 2 it could not be tried.
    """
    specs, vectors = _asked_of(spec)
    hash_alike()
    with steps() as announce:
        sides = [side_of(one, spec, announce, timeout) for one in (old, new)]
    chosen = secrets.randbelow(10**6) if seed is None else seed
    comparison = Comparison(sides[0], sides[1], spec, vectors, ops_of(spec), chosen, inputs)
    report = DiffReport(comparison, specs, datetime.now(timezone.utc).isoformat())
    with interrupts.ending():
        _watched(report)
        failed = [write_report(report_file, report.as_json())]
        if page_file is not None:
            failed.append(unwritten(page_file, text.markdown_page(report)))
    _print(report)
    if said := [sentence for sentence in failed if sentence]:
        raise click.ClickException("; ".join(said))
    sys.exit(report.exit_code)


@spec.command()
@click.argument("release")
@click.option(
    "--base",
    default=DEFAULT_SPEC,
    show_default=True,
    metavar="SPEC",
    callback=lambda _, __, name: known_spec(name),
    help="The spec that the new one is a difference to.",
)
@click.option(
    "--from",
    "found",
    type=_FILE,
    metavar="FILE",
    help="A report of `spec diff --json`: what only random inputs show becomes new vectors.",
)
def add(release: str, base: str, found: Path | None) -> None:
    """Begins the spec of a new RELEASE as a difference to another, for a person to review.

    Locks and builds the release's environment, asks it every vector of the base, and writes what differs
    into the checkout. Nothing that exists is overwritten.
    """
    if not _THREE_NUMBERS.fullmatch(release):
        raise AddingError(f"{printable(release)!r} is no release: give its number, such as 0.25.0")
    with steps() as announce:
        adding = Adding(release, base, read_diff(found, release) if found else None, announce)
        adding.run()
    click.echo("\n".join(added_lines(adding)))


@spec.command()
def vectors() -> None:
    """Prints the table of vectors that is due in the CHANGELOG's newest section; exit 1 if it has another."""
    root = checkout_root()
    if root is None:
        raise click.ClickException("the CHANGELOG is in a checkout of the kit, and this is an installed one")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    suites = [suite_of(name) for name in spec_names()]
    found = problems(changelog, suites, __version__)
    if releases := releases_of(changelog):
        click.echo(table(rows_due(suites, releases)), nl=False)
    for problem in found:
        click.echo(f"CHANGELOG.md: {problem}", err=True)
    sys.exit(1 if found else 0)


def _watched(report: DiffReport) -> None:
    """Runs the comparison to its end, with a bar on a terminal."""
    one = report.comparison
    console = stderr_console()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not on_terminal(console),
        refresh_per_second=5,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task("starting", total=None)

    def tick() -> None:
        found = one.difference_count()
        bar.update(task, completed=one.asked.total(), total=one.total, description=f"{found:,} differ")

    def step(sentence: str) -> None:
        if bar.disable:
            click.echo(printable(sentence), err=True)
        else:
            bar.update(task, description=printable(sentence))

    one.on_tick, one.on_step = tick, step
    try:
        with interrupts.released(), bar:
            one.run()
    except (RunnerStartError, NothingToAskError) as error:
        report.problems.append(str(error))
    except KeyboardInterrupt:
        one.interrupted()
        report.interrupted = interrupts.exit_code()


def _print(report: DiffReport) -> None:
    for line in text.head(report):
        click.echo(line)
    if report.comparison.changes.found:
        click.echo()
        print_table(text.rules_table(report), _WIDTH)
        for line in text.examples(report):
            click.echo(line)
    if lines := text.reach_lines(report):
        click.echo()
        for line in lines:
            click.echo(line)
    click.echo()
    for sentence in [*report.comparison.cut, *report.problems]:
        click.echo(printable(sentence))
    click.echo(text.last_line(report))
