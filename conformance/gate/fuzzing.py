"""Tests random inputs of operations whose vectors all passed."""

from collections.abc import Callable, Sequence
from pathlib import Path

from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.findings import Keeper
from conformance.fuzz.inputs import all_ops
from conformance.fuzz.report import FuzzReport
from conformance.fuzz.shares import MOST_JOBS
from conformance.judging.verdict import Outcome
from conformance.oracle.commands import settings_of
from conformance.outcomes.report import Report
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec

__all__ = ["fuzz", "fuzzable"]

_RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})


def fuzzable(report: Report) -> tuple[list[str], list[str]]:
    """Return the ops whose vectors all passed; and those with failures, where random inputs add nothing.

    Known failures count as failures, so that all shards of a run fuzz the same ops.
    """
    hello = report.session.hello
    named = hello.ops if hello is not None else frozenset[str]()
    wrong = {verdict.vector.op.name for verdict in report.verdicts.values() if verdict.outcome not in _RIGHT}
    wrong |= {verdict.vector.op.name for verdict in report.again.values() if verdict.failed}
    known = report.session.known
    if known is not None:
        wrong |= {vector.op.name for vector in report.every if known.mentions(vector.id)}
    offered = [op for op in all_ops(report.options.spec) if op in named]
    return [op for op in offered if op not in wrong], [op for op in offered if op in wrong]


def fuzz(
    options: RunOptions,
    ops: Sequence[str],
    *,
    seed: int,
    seconds: float,
    counterexamples: Path,
    tick: Callable[[str], None] = lambda _: None,
) -> FuzzReport:
    """Compare the runner with the reference for some time; findings are kept, even after a signal.

    Each shard has its own seed, like each job of ``fuzz --jobs``.

    Raises:
        CommandError, OracleError: the runner's command can't be built.
        OutFileError: the file for counterexamples can't be used.
    """
    if options.shard is not None:
        seed = MOST_JOBS * seed + options.shard[0] - 1
    plan = Plan(options, settings_of(options, tick), seed, ops, load_spec(options.spec), seconds, None)
    run = Fuzz(plan)
    report = FuzzReport(run, Keeper(counterexamples, run))
    run.on_tick = lambda: tick(f"fuzzed {run.compared:,} inputs, {run.disagreed.total():,} disagreements")
    run.on_cause = lambda _: report.keeper.write()
    report.run()
    report.conclude(tick)
    return report
