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
from tools.benchmarks.measuring import REFERENCE, bare_loop, parse_options, report_figures

INPUTS = {"type": int, "default": 20_000, "help": "of each round"}


def fuzz(ops: tuple[str, ...], vectors: list[Vector], count: int, seed: int) -> float:
    """Comparisons per second, from hello's reply to the last verdict."""
    chosen = RunOptions(command=shlex.join(REFERENCE), timeout=60.0)
    run = Fuzz(Plan(chosen, settings_of(chosen), seed, ops, vectors, None, count))
    run.run()
    if run.causes.count or run.compared != count:
        sys.exit(f"{run.compared} of {count} compared, {run.causes.count} disagreements")
    return run.compared / run.seconds


def main() -> None:
    chosen = parse_options(__doc__, 3, {"--inputs": INPUTS, "--cores": {"type": int, "default": 1}})
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.cores])
    vectors = load_spec(DEFAULT_SPEC)
    pairs = []
    for seed in range(1, chosen.rounds + 1):
        drawn = itertools.islice(Inputs(seed, all_ops(), vectors), chosen.inputs)
        tails = [(request.number, messages.encode_tail(request.op, request.input)) for request in drawn]
        lines = [messages.request_line(number, tail) for number, tail in tails]
        bare = len(lines) / bare_loop(REFERENCE, lines).talk
        pairs.append((bare, fuzz(all_ops(), vectors, chosen.inputs, seed)))
    compared = statistics.median(rate for _, rate in pairs)
    share = statistics.median(rate / bare for bare, rate in pairs)
    figures = [
        Figure("mixed inputs compared", compared, "a second", 3000, at_most=False),
        Figure("fuzz over loop, mixed inputs", share, "times", 0.5, at_most=False),
    ]
    more = {"rounds": chosen.rounds, "cores": chosen.cores, "rates": pairs}
    report_figures(chosen, "fuzz", figures, more)


if __name__ == "__main__":
    main()
