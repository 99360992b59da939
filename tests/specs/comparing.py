"""A runner next to the reference on random inputs; faulty copies of the reference."""

import json
import subprocess
from collections import Counter

from conformance.drawing.source import Seeded
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.inputs import all_ops
from conformance.mistakes.plain import reference_answer
from conformance.registry.ops import OPS
from conformance.run.options import RunOptions
from conformance.runner.settings import Settings
from conformance.wire.messages import Refused

TIMEOUT = 300.0


def compared(spec, command, count, seed, **options):
    """The finished run of ``count`` inputs, made from scratch."""
    chosen = RunOptions(command="-", spec=spec, timeout=TIMEOUT, **options)
    run = Fuzz(Plan(chosen, Settings(command, spec, TIMEOUT), seed, all_ops(spec), [], None, count))
    run.run()
    return run


def answers(spec, counts, seed):
    """The reference's answers to as many random inputs of each op, with the op."""
    source = Seeded(seed)
    for op, count in counts.items():
        for _ in range(count):
            yield op, reference_answer(spec, op, OPS[op].draw(source))


def kinds(answered):
    """How often each error, or an answer with certain members, occurs."""
    found = Counter()
    for _, answer in answered:
        if isinstance(answer, Refused):
            found[answer.type] += 1
        else:
            results = answer.value.get("results", [answer.value])
            found.update(" ".join(sorted(result)) for result in results)
    return found


def ask(command, *lines):
    """What a program replies to lines on its standard input."""
    given = b"".join(line + b"\n" for line in lines)
    done = subprocess.run(command, input=given, capture_output=True, timeout=TIMEOUT, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
