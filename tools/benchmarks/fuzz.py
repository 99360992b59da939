"""Compares the speed of ``harbor-conformance fuzz`` with a bare loop: python -m tools.benchmarks.fuzz

Both talk with ``python -m reference_impl``, one after the other, so that a busy machine slows them alike:

- loop: pipes the same request bytes through the runner and reads the replies without looking at them;
- fuzz: draws the inputs, encodes them, works out the expected answers, asks and compares.

Everything runs on one core, the runner too, unless ``--cores`` says otherwise.
"""

import itertools
import os
import shlex
import statistics
import sys

from conformance.assessment.benchmarks import Figure
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.oracle.commands import settings_of
from conformance.paths import DEFAULT_SPEC
from conformance.run.options import RunOptions
from conformance.suite.vectors import Vector, load_spec
from conformance.wire import messages
from tools.benchmarks.measuring import REFERENCE, bare_loop, finish, options, table

INPUTS = {"type": int, "default": 4000, "help": "of each op and round; five times that mixed"}


def fuzz(ops: tuple[str, ...], vectors: list[Vector], count: int, seed: int) -> float:
    """Comparisons per second, from hello's reply to the last verdict."""
    chosen = RunOptions(command=shlex.join(REFERENCE), timeout=60.0)
    run = Fuzz(Plan(chosen, settings_of(chosen), seed, ops, vectors, None, count))
    run.run()
    if run.causes.count or run.compared != count:
        sys.exit(f"{run.compared} of {count} compared, {run.causes.count} disagreements")
    return run.compared / run.seconds


def main() -> None:
    chosen = options(__doc__, 3, {"--inputs": INPUTS, "--cores": {"type": int, "default": 1}})
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.cores])
    vectors = load_spec(DEFAULT_SPEC)
    cases = {"mixed": (all_ops(), 5 * chosen.inputs)} | {op: ((op,), chosen.inputs) for op in all_ops()}
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for seed in range(1, chosen.rounds + 1):
        for name, (ops, count) in cases.items():
            drawn = itertools.islice(Inputs(seed, ops, vectors), count)
            tails = [(one.number, messages.encode_tail(one.op, one.input)) for one in drawn]
            lines = [messages.request_line(number, tail) for number, tail in tails]
            bare = len(lines) / bare_loop(REFERENCE, lines).talk
            rates[name].append((bare, fuzz(ops, vectors, count, seed)))
    rows = {
        name: {
            "loop_per_second": statistics.median(bare for bare, _ in pairs),
            "fuzz_per_second": statistics.median(compared for _, compared in pairs),
            "fuzz_over_loop": statistics.median(compared / bare for bare, compared in pairs),
        }
        for name, pairs in rates.items()
    }
    mixed = rows["mixed"]
    figures = [
        Figure("mixed inputs compared", mixed["fuzz_per_second"], "a second", 3000, at_most=False),
        Figure("fuzz over loop, mixed inputs", mixed["fuzz_over_loop"], "times", 0.5, at_most=False),
    ]
    title = f"{chosen.cores} core, {chosen.rounds} rounds, {sys.version.split()[0]}"
    shown = table(title, "inputs", "loop a second", "fuzz a second", "fuzz / loop")
    for name, (loop, compared, share) in ((name, row.values()) for name, row in rows.items()):
        shown.add_row(name, f"{loop:,.0f}", f"{compared:,.0f}", f"{share:.2f}")
    more = {"rounds": chosen.rounds, "cores": chosen.cores, "rates": rows}
    finish(chosen, "fuzz", figures, more, shown)


if __name__ == "__main__":
    main()
