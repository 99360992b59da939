"""``harbor-conformance baseline``: creates or updates a list of known failures."""

import difflib
import sys
from pathlib import Path

import click

from conformance.baseline.listing import new_list
from conformance.baseline.today import Today, today_of, warnings_about
from conformance.baseline.updating import updated
from conformance.cli.run import ask_and_close, chosen_vectors, with_recorded_seed
from conformance.console.options import COUNT, OUTPUT, day_option, option
from conformance.console.progress import steps
from conformance.console.run_options import runner_options
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome
from conformance.outcomes.running import open_run
from conformance.outcomes.words import counted
from conformance.rephrasing.choosing import RECORDED_SEED
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
    f"[default: the seed in the list to be updated, or {RECORDED_SEED}]",
    COUNT,
)
def baseline(options: RunOptions, output: Path | None, existing: Path | None, day: str, dry: bool) -> None:
    """Writes a list of known failures from what does not pass, or updates one.

    Exit codes: 0 done, or nothing to do; 1 --check found changes; 2 could not be done.
    """
    if (output is None) == (existing is None):
        raise click.UsageError("give one of -o FILE (a new list) and --update FILE (an existing one)")
    if dry and existing is None:
        raise click.UsageError("--check requires --update")
    if existing is not None:
        KnownFailures.read(existing)  # refuse a malformed list before asking anything
    today, remarks = _run(with_recorded_seed(options, existing))
    if Outcome.PASSED.value not in today.outcomes.values():
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


def _run(options: RunOptions) -> tuple[Today, list[str]]:
    """Asks every vector; returns the outcomes, and warnings about what no list can cover."""
    if options.max_failures is not None or options.max_time is not None:
        raise click.UsageError("a baseline needs every answer: remove --max-failures and --max-time")
    all_vectors, chosen = chosen_vectors(options)
    with steps() as show_step:
        report = open_run(options, all_vectors, show_step)
    # only a repeatable answer has a fingerprint
    report.session.dispatcher.allowance = Allowance(failures=len(all_vectors))
    report.choose(chosen)
    document = ask_and_close(report, chosen, judged=False)
    if report.session.interrupted is not None:
        raise KeyboardInterrupt
    if report.session.could_not_try:
        raise click.ClickException(report.problems[0])
    return today_of(document, all_vectors, report.ids()), warnings_about(document)


def _update(path: Path, today: Today, day: str, *, dry: bool) -> int:
    """Updates a list, or shows what would change; returns the exit code."""
    KnownFailures.read(path)  # it may have been edited in the meantime
    before = path.read_bytes()
    update = updated(before, str(path), today, day)
    if dry:
        _print_diff(path, before, update.content)
    elif update.content != before:
        try:
            write_bytes(path, update.content)
        except CannotWriteError as error:
            raise click.ClickException(str(error)) from None
    lists = {"removed": update.removed, "corrected": update.corrected, "offers": update.offers}
    for label, sentences in lists.items():
        for sentence in sentences[:_MOST_SHOWN]:
            click.echo(f"{label}: {sentence}")
        if len(sentences) > _MOST_SHOWN:
            click.echo(f"{label}: and {len(sentences) - _MOST_SHOWN:,} more")
    if not update.changes:
        click.echo(f"{path} needs nothing: {update.sentence}")
        return 0
    click.echo(f"{path} {'would be' if dry else 'is'} up to date: {update.sentence}")
    return 1 if dry else 0


def _print_diff(path: Path, before: bytes, after: bytes) -> None:
    old, new = (text.decode("utf-8-sig").split("\n") for text in (before, after))
    for line in difflib.unified_diff(old, new, str(path), str(path), lineterm="", n=1):
        click.echo(printable(line.rstrip("\r")))
