"""How fast ``harbor-conformance fuzz`` compares, beside a bare loop: python tests/benchmarks/fuzz.py

Both talk with ``python -m reference_impl``, one after the other, so that a busy machine slows them alike:

- loop: pipes the same request bytes through the runner and reads the replies without looking at them;
- fuzz: draws the inputs, encodes them, works out the expected answers, asks and compares.

Each figure is told beside its aim. Everything runs on one core, the runner too, unless ``--cores`` says
otherwise.
"""

import argparse
import itertools
import os
import shlex
import statistics
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from shared.bare_loop import REFERENCE, bare_loop

from conformance.assessment.benchmarks import Figure, write_benchmark
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.paths import DEFAULT_SPEC
from conformance.run.options import RunOptions
from conformance.suite.vectors import Vector, load_spec
from conformance.wire import messages


def fuzz(ops: tuple[str, ...], vectors: list[Vector], count: int, seed: int) -> float:
    """Comparisons per second, from hello's reply to the last verdict."""
    options = RunOptions(command=shlex.join(REFERENCE), timeout=60.0)
    run = Fuzz(Plan(options, options.settings(), seed, ops, vectors, None, count))
    run.run()
    if run.causes.count or run.compared != count:
        sys.exit(f"{run.compared} of {count} compared, {run.causes.count} disagreements")
    return run.compared / run.seconds


def main() -> None:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--inputs", type=int, default=4000, help="of each op and round; five times that mixed"
    )
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and rates there too")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    vectors = load_spec(DEFAULT_SPEC)
    cases = {"mixed": (all_ops(), 5 * options.inputs)} | {op: ((op,), options.inputs) for op in all_ops()}
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for seed in range(1, options.rounds + 1):
        for name, (ops, count) in cases.items():
            lines = [
                messages.request_line(one.number, messages.encode_tail(one.op, one.input))
                for one in itertools.islice(Inputs(seed, ops, vectors), count)
            ]
            rates[name].append(
                (len(lines) / bare_loop(REFERENCE, lines).talk, fuzz(ops, vectors, count, seed))
            )
    rows = {
        name: {
            "loop_per_second": statistics.median(bare for bare, _ in pairs),
            "fuzz_per_second": statistics.median(compared for _, compared in pairs),
            "fuzz_over_loop": statistics.median(compared / bare for bare, compared in pairs),
        }
        for name, pairs in rates.items()
    }
    figures = [
        Figure("mixed inputs compared", rows["mixed"]["fuzz_per_second"], "a second", 3000, at_most=False),
        Figure("fuzz over loop, mixed inputs", rows["mixed"]["fuzz_over_loop"], "times", 0.5, at_most=False),
    ]
    if options.json:
        more = {"rounds": options.rounds, "cores": options.cores, "rates": rows}
        write_benchmark(options.json, "fuzz", figures, more)
    table = Table(title=f"{options.cores} core, {options.rounds} rounds, {sys.version.split()[0]}")
    for column in ("inputs", "loop a second", "fuzz a second", "fuzz / loop"):
        table.add_column(column, justify="left" if column == "inputs" else "right")
    for name, row in rows.items():
        table.add_row(
            name,
            f"{row['loop_per_second']:,.0f}",
            f"{row['fuzz_per_second']:,.0f}",
            f"{row['fuzz_over_loop']:.2f}",
        )
    console = Console(highlight=False)
    console.print(table)
    for figure in figures:
        console.print(figure.line())


if __name__ == "__main__":
    main()
