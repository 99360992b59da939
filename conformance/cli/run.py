"""``harbor-conformance run``: the check without pytest."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from conformance import interrupts
from conformance.console.account import head_and_account
from conformance.console.options import COUNT, OUTPUT, option
from conformance.console.progress import progress_bar, slow_steps, stderr_console, steps
from conformance.console.run_options import known_failures_option, runner_options, shard_option
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.answers import with_short_answer
from conformance.outcomes.claims import exit_code
from conformance.outcomes.failure_text import failure_text
from conformance.outcomes.report import Report
from conformance.outcomes.running import close_run, open_run
from conformance.outcomes.transcript import write_result
from conformance.rephrasing.choosing import RECORDED_SEED, listed_seed
from conformance.run.options import RunOptions
from conformance.run.repeating import repeat_of
from conformance.suite import clauses
from conformance.suite.choosing import newer_than, nothing_has, select, with_preceding
from conformance.suite.vectors import Vector, load_checked, load_spec, unique
from conformance.wire.text import printable

__all__ = ["ask_and_close", "chosen_vectors", "run", "with_recorded_seed"]


def chosen_vectors(options: RunOptions) -> tuple[list[Vector], list[Vector]]:
    """All vectors, and those that the patterns choose; from the user's files if there are any.

    The first list always has the spec's own vectors: a run of some files is a filtered run. Vectors newer
    than ``--vectors-version`` are not chosen; those of other shards (``--shard``) are.

    Raises:
        VectorFileError: a file can't be used.
        click.UsageError: nothing is chosen, or a vector has no expected answer.
    """
    files, patterns = options.vector_files, options.patterns
    all_vectors = load_spec(options.spec, package=options.package)
    vectors = unique(vector for path in files for vector in load_checked(path)) if files else all_vectors
    all_vectors = unique((*all_vectors, *vectors))
    newer_ids = newer_than(options.vectors_version, all_vectors, options.spec)
    newer = [vector for vector in vectors if vector.id in newer_ids]
    vectors = [vector for vector in vectors if vector.id not in newer_ids]
    if options.in_order and options.preceding:
        raise click.UsageError("--in-order names every vector to ask, so --before can't be combined with it")
    if options.in_order:
        chosen = unique(vector for pattern in patterns for vector in select(vectors, [pattern]))
    else:
        chosen = with_preceding(vectors, select(vectors, patterns), options.preceding)
    if not chosen and not newer:
        raise click.UsageError(nothing_has(patterns[0] if patterns else "*", vectors))
    for pattern in patterns or ("*",):
        if not select(vectors, [pattern]):
            if since := {vector.since for vector in select(newer, [pattern])}:
                raise click.UsageError(
                    f"{printable(pattern)!r} came with vectors {', '.join(sorted(since))}, and "
                    f"--vectors-version is {options.vectors_version}"
                )
            raise click.UsageError(nothing_has(pattern, vectors))
    unanswered = next((vector.id for vector in chosen if vector.expected is None), None)
    if unanswered:
        raise click.UsageError(f"{unanswered} has no expected answer yet: run harbor-conformance kit regen")
    return all_vectors, chosen


def with_recorded_seed(options: RunOptions, known_failures: Path | None) -> RunOptions:
    """The options with the seed that a list of known failures records, unless the user gave one.

    Repeated runs of a commit then ask the same questions.
    """
    if options.again_seed is not None:
        return options
    listed = None if known_failures is None else listed_seed(known_failures)
    return replace(options, again_seed=RECORDED_SEED if listed is None else listed, again_as_of_all=True)


def ask_and_close(
    report: Report, chosen: list[Vector], *, judged: bool = True, hashed: bool = True
) -> dict[str, Any]:
    """Asks the vectors and ends the run (``close_run``), showing progress; returns the JSON report."""
    with progress_bar("vectors", len(chosen)) as bar:
        report.session.ask(chosen, bar.tick)
    with slow_steps() as show_step:
        return close_run(report, judged=judged, hashed=hashed, progress=show_step)


@click.command()
@runner_options
@shard_option
@known_failures_option
@option("--report FILE", "Write a JSON report.", OUTPUT)
@option("--failures N", "Show at most this many failures in full.", COUNT, default=20)
@option(
    "--before preceding N",
    "Also ask the N vectors before each chosen one.",
    COUNT,
    default=0,
    show_default=False,
)
@option("--in-order", "Ask in the order of the VECTOR arguments, not of the files.")
@option(
    "--again-seed SEED",
    "The seed that chooses and rephrases vectors; drawn and shown if not given. With VECTORs, these are "
    "rephrased.",
    COUNT,
)
@click.argument("patterns", nargs=-1, metavar="[VECTOR]...")
def run(options: RunOptions, failures: int) -> None:
    """Checks a runner and reports what it got wrong.

    VECTOR is a vector's id or a pattern with * and ?; by default all are asked.
    """
    all_vectors, selected = chosen_vectors(options)
    with steps() as show_step:
        report = open_run(options, all_vectors, show_step)
    session = report.session
    chosen = report.choose(selected)
    failed: list[tuple[Verdict, str]] = []
    count = 0

    def take(verdict: Verdict) -> None:
        nonlocal count
        report.take(verdict)
        if verdict.failed and verdict.outcome is not Outcome.NOT_RUN:
            count += 1
            if count <= failures:
                stderr = verdict.stderr or session.dispatcher.stderr_tail()
                failed.append((with_short_answer(verdict), stderr))

    session.take = take
    with interrupts.ending():
        document = ask_and_close(report, chosen, hashed=options.report is not None)
        unwritten = write_result(report, document)
    cut_short = session.interrupted is not None
    statements = clauses.statements(options.spec)
    for verdict, stderr in failed:
        repeat = repeat_of(session, verdict)
        text = failure_text(
            verdict,
            command=options.command,
            repeat=repeat.command,
            before=repeat.before,
            clauses=statements,
            stderr=stderr,
            likely=report.diagnosis.likely(verdict.vector.id) if report.diagnosis else None,
        )
        click.echo(text + "\n")
    if count > failures:
        summary = f"and {count - failures} more failures" if failures else f"{count} failures"
        click.echo(f"{summary} (--failures {count} shows them)\n")
    width, styled = stderr_console().width, sys.stdout is not None and sys.stdout.isatty()
    for line in head_and_account(document, report.diagnosis, width, styled=styled):
        click.echo(line)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    sys.exit(interrupts.exit_code() if cut_short or interrupts.taken() else exit_code(document))
