"""``harbor-conformance fuzz``: a runner and the reference on random inputs, side by side."""

import secrets
import sys
from pathlib import Path

import click

from conformance import interrupts
from conformance.cli.options import stderr_console, steps, talk_options
from conformance.fuzz.causes import Cause
from conformance.fuzz.engine import Fuzz, FuzzError, Plan
from conformance.fuzz.findings import Keeper
from conformance.fuzz.inputs import all_ops
from conformance.fuzz.progress import Progress
from conformance.fuzz.report import FuzzReport
from conformance.report.failure_text import failure_text
from conformance.report.writing import write_report
from conformance.run.dispatcher import start_failure
from conformance.run.options import RunOptions, repeat_vector
from conformance.runner.conversation import RunnerStartError
from conformance.suite import clauses
from conformance.suite.vectors import Vector, load_spec, select

__all__ = ["fuzz"]

_SECONDS = 60.0
"""How long a run is where nobody says otherwise."""


def _chosen_ops(text: str, spec: str) -> list[str]:
    wanted = [op.strip() for op in text.split(",") if op.strip()]
    for op in wanted:
        if op not in all_ops(spec):
            raise click.UsageError(f"--ops: there is no op {op!r}; choose from {', '.join(all_ops(spec))}")
    return [op for op in all_ops(spec) if not wanted or op in wanted]


def _bases(spec: str, without: tuple[str, ...], from_scratch: bool) -> list[Vector]:
    if from_scratch:
        return []
    every = load_spec(spec)
    for pattern in without:
        if not select(every, [pattern]):
            raise click.UsageError(f"--without: no vector has the id {pattern!r}")
    left_out = {vector.id for vector in select(every, without)} if without else set()
    return [vector for vector in every if vector.id not in left_out]


@click.command()
@talk_options
@click.option("--seed", type=int, help="What the inputs depend on; drawn and shown where it is not given.")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help=f"How long to go on; {_SECONDS:g} where neither this nor --inputs is given.",
)
@click.option("--inputs", type=click.IntRange(min=1), metavar="N", help="How many inputs to compare.")
@click.option("--ops", default="", metavar="X,Y", help="Ask for these ops only.")
@click.option(
    "--without",
    multiple=True,
    metavar="VECTOR",
    help="Make no changes to these vectors: an id, or a pattern with * and ?.",
)
@click.option("--from-scratch", is_flag=True, help="Make all inputs from nothing, none from a vector.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("counterexamples.json"),
    show_default=True,
    metavar="FILE",
    help="Where counterexamples are written, as vectors.",
)
@click.option(
    "--json",
    "report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a JSON report.",
)
@click.option(
    "--failures",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="The most counterexamples shown in full.",
)
def fuzz(
    options: RunOptions,
    seed: int | None,
    seconds: float | None,
    inputs: int | None,
    ops: str,
    without: tuple[str, ...],
    from_scratch: bool,
    out: Path,
    failures: int,
) -> None:
    """Compares a runner with the reference on random inputs, and keeps what it gets wrong as vectors.

    The same seed gives the same inputs. Ctrl-C ends a run early; what was found until then is kept.
    """
    if seconds is None and inputs is None:
        seconds = _SECONDS
    if options.max_time is not None:
        seconds = options.max_time if seconds is None else min(seconds, options.max_time)
    with steps() as announce:
        settings = options.settings(announce)
    plan = Plan(
        options,
        settings,
        secrets.randbelow(10**6) if seed is None else seed,
        _chosen_ops(ops, options.spec),
        _bases(options.spec, without, from_scratch),
        seconds,
        inputs,
    )
    run = Fuzz(plan)
    report = FuzzReport(run, Keeper(out, run))
    with interrupts.ending():
        shown = _watched(run, report, failures)
        unwritten = write_report(options.report, report.as_json())
    for line in report.lines():
        click.echo(line)
    if shown > failures:
        where = f": they are in {out}" if report.keeper.written else ""
        click.echo(f"{shown - failures} counterexamples are not shown{where}")
    if said := [sentence for sentence in (report.keeper.unwritten, unwritten) if sentence]:
        raise click.ClickException("; ".join(said))
    sys.exit(report.exit_code)


def _watched(run: Fuzz, report: FuzzReport, failures: int) -> int:
    """Runs to its end, showing counterexamples as they are found; returns how many there were."""
    keeper, options = report.keeper, run.plan.options
    progress = Progress(stderr_console(), run)
    statements = clauses.statements(options.spec)
    shown, headed = 0, False
    seen: set[int] = set()

    def head() -> None:
        nonlocal headed
        if not headed and run.hello is not None:
            headed = True
            progress.echo("\n".join(report.head()) + "\n")

    def tick() -> None:
        head()
        progress.tick()

    def found(cause: Cause) -> None:
        nonlocal shown
        head()
        keeper.write()
        if id(cause) not in seen:  # it comes again when it was made small
            seen.add(id(cause))
            return
        shown += 1
        if shown <= failures:
            verdict = keeper.verdict(cause)
            progress.echo(
                failure_text(
                    verdict,
                    command=options.command,
                    repeat=repeat_vector(options, verdict.vector),
                    clauses=statements,
                    stderr=cause.shown.stderr,
                )
                + "\n"
            )

    run.on_tick, run.on_cause = tick, found
    try:
        with interrupts.released():
            run.run()
    except (RunnerStartError, FuzzError) as error:
        told = start_failure(error, options.command) if isinstance(error, RunnerStartError) else str(error)
        report.problems.append(told)
    except KeyboardInterrupt:
        report.interrupted = interrupts.exit_code()
    finally:
        progress.stop()
    head()
    keeper.write()
    if report.interrupted is not None:
        keeper.leave_out_the_diagnosis()
    elif run.causes.found:
        try:
            with interrupts.released(), steps() as announce:
                announce("looking for known mistakes that explain what was found")
                keeper.diagnose()
        except KeyboardInterrupt:
            report.interrupted = interrupts.exit_code()
        keeper.write()
    return shown
