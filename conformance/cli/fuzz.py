"""``harbor-conformance fuzz``: compares a runner with the reference on random inputs."""

import secrets
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from conformance import interrupts
from conformance.console.options import COUNT, NUMBER, OUTPUT, option
from conformance.console.progress import slow_steps, stderr_console, steps
from conformance.console.run_options import chosen_op, talk_options
from conformance.fuzz.causes import Cause
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.findings import Keeper
from conformance.fuzz.inputs import all_ops
from conformance.fuzz.progress import Progress
from conformance.fuzz.report import FuzzReport
from conformance.fuzz.shares import (
    MOST_JOBS,
    Order,
    Share,
    gather,
    job_counts,
    lost,
    orders,
    request_stop,
    run_job,
)
from conformance.oracle.commands import settings_of
from conformance.outcomes.failure_text import failure_text
from conformance.run.options import RunOptions, repeat_vector
from conformance.suite import clauses
from conformance.suite.vectors import load_spec
from conformance.wire.writing import write_report
from conformance.workers import spread

__all__ = ["fuzz"]

_SECONDS = 60.0
"""The default duration of a run."""
_END = 5.0
"""Seconds that stopped jobs have to report what they found."""


def _chosen_ops(names: str, spec: str) -> list[str]:
    chosen = [chosen_op(op.strip(), all_ops(spec), "--ops") for op in names.split(",") if op.strip()]
    return [op for op in all_ops(spec) if not chosen or op in chosen]


@click.command()
@talk_options
@option("--seed SEED", "The seed of the inputs; drawn and shown if not given.", int)
@option("--time seconds SECONDS", f"How long to run; {_SECONDS:g} if neither this nor --inputs is given.")
@option("--inputs N", "How many inputs to compare.", NUMBER)
@option("--ops X,Y", "Ask only these ops.", default="")
@option("--from-scratch", "Generate all inputs from scratch, none from a vector.")
@option("--out FILE", "Write counterexamples to this file, as vectors.", default=Path("counterexamples.json"))
@option("--json report FILE", "Write a JSON report.", OUTPUT)
@option("--failures N", "Show at most this many counterexamples in full.", COUNT, default=10)
@option(
    "--jobs N",
    "Processes, each with its own runner; with --seed S the first has the seed "
    f"{MOST_JOBS} S, the next the one after it.",
    click.IntRange(min=1, max=MOST_JOBS),
    default=1,
)
@option(
    "--scheduler ADDRESS",
    "Run the jobs on the workers of a Dask scheduler, such as tcp://host:8786. It must be trusted.",
)
def fuzz(
    options: RunOptions,
    seed: int | None,
    seconds: float | None,
    inputs: int | None,
    ops: str,
    from_scratch: bool,
    out: Path,
    failures: int,
    jobs: int,
    scheduler: str | None,
) -> None:
    """Compares a runner with the reference on random inputs, and stores what it gets wrong as vectors.

    The same seed gives the same inputs. Ctrl-C ends a run early and keeps what was found so far.
    """
    if seconds is None and inputs is None:
        seconds = _SECONDS
    if options.max_time is not None:
        seconds = options.max_time if seconds is None else min(seconds, options.max_time)
    with steps() as show_step:
        settings = settings_of(options, show_step)
    seed = secrets.randbelow(10**6) if seed is None else seed
    order = Order(options, seed, _chosen_ops(ops, options.spec), from_scratch, seconds, inputs)
    vectors = [] if from_scratch else load_spec(options.spec)
    run = Fuzz(Plan(options, settings, seed, order.ops, vectors, seconds, inputs))
    report = FuzzReport(run, Keeper(out, run), order=order)
    with interrupts.ending():
        if jobs == 1 and scheduler is None:
            count = _run_alone(run, report, failures)
        else:
            count = _run_jobs(orders(order, jobs), scheduler, report, failures)
        unwritten = write_report(options.report, report.as_json())
    for line in report.lines():
        click.echo(line)
    if count > failures:
        where = f": they are in {out}" if report.keeper.written else ""
        click.echo(f"{count - failures} counterexamples are not shown{where}")
    if unwritten_files := [sentence for sentence in (report.keeper.unwritten, unwritten) if sentence]:
        raise click.ClickException("; ".join(unwritten_files))
    sys.exit(report.exit_code)


def _run_alone(run: Fuzz, report: FuzzReport, failures: int) -> int:
    """Runs to the end, showing counterexamples as they are found; returns their number."""
    progress = Progress(stderr_console(), run)
    statements = clauses.statements(run.plan.options.spec)
    count, has_header = 0, False
    shown_causes: set[int] = set()

    def show_header() -> None:
        nonlocal has_header
        if not has_header and run.hello is not None:
            has_header = True
            progress.echo("\n".join(report.head()) + "\n")

    def on_tick() -> None:
        show_header()
        progress.tick()

    def on_cause(cause: Cause) -> None:
        nonlocal count
        show_header()
        report.keeper.write()
        if id(cause) not in shown_causes:  # it comes again once it is minimised
            shown_causes.add(id(cause))
            return
        count += 1
        if count <= failures:
            progress.echo(_counterexample(report, cause, statements))

    run.on_tick, run.on_cause = on_tick, on_cause
    try:
        report.run()
    finally:
        progress.stop()
    show_header()
    with steps() as show_step:
        report.conclude(show_step)
    return count


def _counterexample(report: FuzzReport, cause: Cause, statements: Mapping[str, str]) -> str:
    verdict, options = report.keeper.verdict(cause), report.fuzz.plan.options
    text = failure_text(
        verdict,
        command=options.command,
        repeat=repeat_vector(options, verdict.vector),
        clauses=statements,
        stderr=cause.shown.stderr,
    )
    return f"{text}\n"


def _run_jobs(jobs: Sequence[Order], scheduler: str | None, report: FuzzReport, failures: int) -> int:
    """Runs all jobs, then shows their findings; returns the number of counterexamples."""
    run, shares, began = report.fuzz, list[Share](), time.monotonic()
    until: float | None = None
    with tempfile.TemporaryDirectory() as folder, slow_steps() as show_step:
        if scheduler is None:
            jobs = [replace(order, folder=folder) for order in jobs]

        def tick() -> None:
            nonlocal until
            count, disagreements = job_counts(jobs)
            show_step(
                f"{time.monotonic() - began:.0f} s, {len(shares)} of {len(jobs)} jobs done, "
                f"{count:,} inputs compared, {disagreements:,} disagreements"
            )
            if interrupts.taken() is None:
                return
            request_stop(folder)
            until = until or time.monotonic() + _END
            if scheduler is not None or time.monotonic() > until:
                raise KeyboardInterrupt

        try:
            for _ in spread(
                *(run_job, jobs, len(jobs), scheduler), lost=lost, done=shares.append, tick=tick, tries=1
            ):
                pass
        except KeyboardInterrupt:
            stopped = len(jobs) - len(shares)
            report.problems.append(f"{stopped} of {len(jobs)} jobs were stopped, and their findings are lost")
    if interrupts.taken() is not None:
        report.interrupted = interrupts.exit_code()
    shares.sort(key=lambda share: share.seed)
    report.jobs = shares
    report.problems += gather(run, shares)
    if run.plan.seconds is not None:
        run.until = max(time.monotonic() + 1, began + run.plan.seconds)
    click.echo("\n".join(report.head()) + "\n")
    statements = clauses.statements(run.plan.options.spec)
    for cause in run.causes.found[:failures]:
        click.echo(_counterexample(report, cause, statements))
    with steps() as show_step:
        report.conclude(show_step)
    return len(run.causes.found)
