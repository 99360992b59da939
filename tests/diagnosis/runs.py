"""Runs made up in this process: the evidence that runners would leave behind.

python tests/diagnosis/runs.py --runs 200 --seed 1

draws so many sets of one to three known mistakes, diagnoses each and says whether a wrong name was given.
"""

import argparse
import functools
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from conformance.diagnosis import Diagnosis, Evidence, Kind, diagnose
from conformance.diagnosis.evidence import agree, expected_answer
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes, made
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused

Answering = Callable[[str, object], Ok | Refused | None]


@functools.cache
def vectors() -> tuple[Vector, ...]:
    return tuple(load_spec(DEFAULT_SPEC))


def of_ops(*ops: str) -> list[Vector]:
    return [vector for vector in vectors() if vector.op.name in ops]


def piece(vector: Vector, answer: Ok | Refused | None, level: Level = Level.BYTES) -> Evidence:
    """What one answer leaves behind; None is a crash."""
    expected = expected_answer(vector)
    if answer is not None and not agree(vector.op, answer, answer, level):
        answer = None  # no reply may hold it, such as an int of more than 4300 digits
    passed = answer is not None and agree(vector.op, expected, answer, level, vector.unordered)
    kept = None if passed else answer
    return Evidence(
        vector.id,
        vector.op,
        vector.input,
        expected,
        kept,
        vector.unordered,
        passed,
        vector.clause,
        vector.rule,
    )


def evidence_of(
    answering: Answering, asked: Iterable[Vector] | None = None, level: Level = Level.BYTES
) -> list[Evidence]:
    """The evidence that a runner would leave behind."""
    return [
        piece(vector, answering(vector.op.name, vector.input), level)
        for vector in (vectors() if asked is None else asked)
    ]


def evidence_where(
    asked: Iterable[Vector], change: Callable[[Ok | Refused, object], Ok | Refused | None]
) -> list[Evidence]:
    """The same of a runner that changes the answer due, knowing the input."""
    return [piece(vector, change(expected_answer(vector), vector.input)) for vector in asked]


def evidence_of_mistakes(*names: str, asked: Iterable[Vector] | None = None) -> list[Evidence]:
    return evidence_of(made(*(all_mistakes()[name] for name in names)).answer, asked)


def named(diagnosis: Diagnosis) -> set[str]:
    return {one.name for explanation in diagnosis.explanations for one in explanation.mistakes}


def covered(diagnosis: Diagnosis, *kinds: Kind) -> set[str]:
    """The failures in the lines of some kinds, of all where none is given."""
    return {key for line in diagnosis.lines if line.kind in (kinds or Kind) for key in line.keys}


def draws(count: int, seed: int, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Sets of one, two and three mistakes by turns."""
    chance = random.Random(seed)
    return [tuple(chance.sample(names, size)) for size in itertools.islice(itertools.cycle((1, 2, 3)), count)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, metavar="N", help="every Nth mistake alone instead of draws")
    options = parser.parse_args()
    names = list(all_mistakes(DEFAULT_SPEC))
    alone = [(name,) for name in names[:: options.every]] if options.every else []
    wrong, slowest = 0, 0.0
    counts: Counter[str] = Counter()
    for members in alone or draws(options.runs, options.seed, names):
        evidence = evidence_of_mistakes(*members)
        began = time.perf_counter()
        diagnosis = diagnose(evidence, Level.BYTES)
        slowest = max(slowest, time.perf_counter() - began)
        said = named(diagnosis)
        counts[f"{len(members)}: runs"] += 1
        counts[f"{len(members)}: all named"] += said == set(members)
        counts[f"{len(members)}: nothing named"] += not said
        counts[f"{len(members)}: something unexplained"] += bool(diagnosis.unexplained)
        if said != set(members):
            what = ", ".join(sorted(said)) or "nothing named"
            left = f"{len(diagnosis.unexplained)} of {diagnosis.total} unexplained"
            print(f"{'+'.join(members)}: {what}; {left}")
        for explanation in diagnosis.explanations:
            if not {one.name for one in explanation.mistakes} & set(members):
                wrong += 1
                print(f"WRONG {'+'.join(members)}: {explanation.names}")
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print(f"{len(names)} mistakes known, {wrong} wrong names; slowest {slowest:.2f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
