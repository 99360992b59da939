"""``harbor-conformance baseline``: creates or updates a list of known failures."""

import difflib
import sys
from dataclasses import replace
from pathlib import Path

import click

from conformance.baseline.listing import new_list
from conformance.baseline.today import Today, today_of, warnings_about
from conformance.baseline.updating import Updated, updated
from conformance.cli.run import chosen_vectors
from conformance.console.options import COUNT, OUTPUT, day_option, option
from conformance.console.progress import progress_bar, slow_steps, steps
from conformance.console.run_options import runner_options
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome
from conformance.outcomes.document import as_json
from conformance.outcomes.running import close_run, open_run
from conformance.outcomes.words import counted
from conformance.rephrasing.choosing import RECORDED_SEED, listed_seed
from conformance.run.flaky import Allowance
from conformance.run.options import RunOptions
from conformance.wire.text import printable
from conformance.wire.writing import CannotWriteError, unwritten, write_bytes

__all__ = ["baseline"]

_MOST_SHOWN = 20


@click.command()
@runner_options
@option("-o --output FILE", "Write a new list.", OUTPUT)
@option(
    "--update existing FILE",
    "Update this list: entries that still hold stay unchanged, with comments, reasons and dates.",
)
@option("--check --dry-run dry", "With --update, show what would change; exit 1 if anything would.")
@day_option
@option(
    "--again-seed SEED",
    "The seed that chooses the rephrased vectors.  "
    f"[default: what the list to be updated names, or {RECORDED_SEED}]",
    COUNT,
)
def baseline(
    options: RunOptions,
    output: Path | None,
    existing: Path | None,
    day: str,
    dry: bool,
) -> None:
    """Writes a list of known failures from what does not pass, or updates one.

    Exit codes: 0 done, or nothing to do; 1 --check found changes; 2 it could not be done.
    """
    if (output is None) == (existing is None):
        raise click.UsageError("give one of -o FILE (a new list) and --update FILE (an existing one)")
    if dry and existing is None:
        raise click.UsageError("--check requires --update")
    if existing is not None:
        KnownFailures.read(existing)  # refuse a malformed list before asking anything
    if options.again_seed is None:
        listed = None if existing is None else listed_seed(existing)
        options = replace(options, again_seed=RECORDED_SEED if listed is None else listed)
    today, remarks = _asked(options)
    if not any(outcome == Outcome.PASSED.value for outcome in today.outcomes.values()):
        raise click.ClickException("no vector passed, so a baseline would hide a runner that does not work")
    for remark in remarks:
        click.echo(printable(remark), err=True)
    if existing is not None:
        sys.exit(_update(existing, today, day, dry=dry))
    assert output is not None
    problem = unwritten(output, new_list(today, day))
    if problem is not None:
        raise click.ClickException(problem)
    count = counted(len(today.failing), "known failure")
    click.echo(f"{count} written to {output}; gate with --known-failures {output}")
    sys.exit(0)


def _asked(options: RunOptions) -> tuple[Today, list[str]]:
    """The runner's outcomes today, and the problems that no list can cover."""
    if options.max_failures is not None or options.max_time is not None:
        raise click.UsageError("a baseline needs every answer: remove --max-failures and --max-time")
    every, chosen = chosen_vectors(options)
    with steps() as report_step:
        report = open_run(options, every, report_step)
    # only a repeatable answer has a fingerprint
    report.session.dispatcher.allowance = Allowance(failures=len(every))
    report.choose(chosen)
    with progress_bar("vectors", len(chosen)) as bar:
        report.session.ask(chosen, bar.tick)
    with slow_steps() as say:
        document = close_run(report, judged=False, progress=say)
    if report.session.interrupted is not None:
        raise KeyboardInterrupt
    if report.session.could_not_try:
        raise click.ClickException(report.problems[0])
    document = as_json(report)
    return today_of(document, every, report.ids()), warnings_about(document)


def _update(path: Path, today: Today, day: str, *, dry: bool) -> int:
    """Updates a list, or shows what would change; returns the exit code."""
    KnownFailures.read(path)  # it may have been edited in the meantime
    before = path.read_bytes()
    found = updated(before, str(path), today, day)
    if dry:
        _show(path, before, found)
    elif found.content != before:
        try:
            write_bytes(path, found.content)
        except CannotWriteError as error:
            raise click.ClickException(str(error)) from None
    for what, sentences in (
        ("removed", found.removed),
        ("corrected", found.corrected),
        ("offers", found.offers),
    ):
        for sentence in sentences[:_MOST_SHOWN]:
            click.echo(f"{what}: {sentence}")
        if len(sentences) > _MOST_SHOWN:
            click.echo(f"{what}: and {len(sentences) - _MOST_SHOWN:,} more")
    if not found.changes:
        click.echo(f"{path} needs nothing: {found.sentence}")
        return 0
    click.echo(f"{path} {'would be' if dry else 'is'} up to date: {found.sentence}")
    return 1 if dry else 0


def _show(path: Path, before: bytes, found: Updated) -> None:
    """Prints the change as a diff."""
    old, new = (text.decode("utf-8-sig").split("\n") for text in (before, found.content))
    for line in difflib.unified_diff(old, new, str(path), str(path), lineterm="", n=1):
        click.echo(printable(line.rstrip("\r")))
