"""Compares the reference with the sources of the expected answers on inputs of the fuzzer.

python -m tools.differential.compare --inputs 200000 --seed 1
python -m tools.differential.compare --inputs 200000 --pythons python3.10 python3.11 python3.12 python3.13

The first puts every input to the reference and to its source (the real harbor, the decision table, the
document's program), both as runners, and compares the answers at level bytes; for a whole job also the line,
if the program is available. The second asks the reference alone, on several Pythons, and compares the bytes
of all replies. ``--ops`` draws only for the operations named; ``--spec`` takes another spec.
"""

import argparse
import collections
import hashlib
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from conformance.console.progress import progress_bar, steps
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.judging.comparison import differences
from conformance.oracle.regen import sources
from conformance.oracle.sources import Source
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.runner.conversation import Conversation, Settings
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from conformance.wire.messages import Answer, Ok, Refused, Request

CHUNK = 2000


def answers_agree(op: str, value: Any, expected: Answer, actual: Answer) -> bool:
    """Whether two answers agree at level bytes; key order is free where harbor takes it from a set."""
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        theirs = actual.value
        if op == "pipeline" and "line" not in expected.value:
            theirs = {"result.json": theirs.get("result.json")}
        return not differences(OPS[op], expected.value, theirs, OPS[op].free_key_order(value, expected.value))
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return (expected.type, expected.reason_code) == (actual.type, actual.reason_code)
    return False


def add_lines(
    talk: Conversation | None, inputs: list[tuple[str, Any]], answers: list[Answer]
) -> list[Answer]:
    """Completes harbor's answers to ``pipeline`` with the lines from the document's program."""
    if talk is None:
        return answers
    whole = [
        index for index, (op, _) in enumerate(inputs) if op == "pipeline" and isinstance(answers[index], Ok)
    ]
    for index in whole:
        tail = messages.encode_tail("outcome", answers[index].value)  # type: ignore[union-attr]
        talk.submit(Request("", tail, messages.LARGE_LINE))
    for index in whole:
        line = talk.next_reply().answer
        assert isinstance(line, Ok), line
        answers[index] = Ok(answers[index].value | line.value)  # type: ignore[union-attr]
    return answers


def differential(
    known: list[Source],
    count: int,
    seed: int,
    reference: tuple[str, ...] = (sys.executable, "-m", "reference_impl"),
    chosen: tuple[str, ...] = (),
    spec: str = DEFAULT_SPEC,
) -> list[dict[str, Any]]:
    """Puts ``count`` inputs to both sides; returns the disagreements."""
    by_op = {op: next((s for s in known if op in s.ops), known[-1]) for op in all_ops(spec)}
    talks = {
        source.provenance: Conversation(Settings(source.command, spec, timeout=60.0))
        for source in known
        if source.command
    }
    talks["reference"] = Conversation(Settings(reference, spec, timeout=60.0))
    ops = [op for op in all_ops(spec) if by_op[op].command and (not chosen or op in chosen)]
    program = by_op["outcome"]
    stream = iter(Inputs(seed, ops, load_spec(spec), spec))
    asked: collections.Counter[str] = collections.Counter()
    answers: collections.Counter[str] = collections.Counter()
    found: list[dict[str, Any]] = []
    try:
        for talk in talks.values():
            talk.start()
        with progress_bar("inputs", count) as bar:
            for begin in range(0, count, CHUNK):
                drawn = itertools.islice(stream, min(CHUNK, count - begin))
                inputs = [(one.op, one.input) for one in drawn]
                for op, value in inputs:
                    part = messages.encode_tail(OPS[op].oracle_op or op, value)
                    talks[by_op[op].provenance].submit(Request("", part, messages.LARGE_LINE))
                    tail = messages.encode_tail(op, value)
                    talks["reference"].submit(Request("", tail, messages.LARGE_LINE))
                expectations = [talks[by_op[op].provenance].next_reply().answer for op, _ in inputs]
                expectations = add_lines(talks.get(program.provenance), inputs, expectations)
                for (op, value), expected in zip(inputs, expectations, strict=True):
                    actual = talks["reference"].next_reply().answer
                    asked[op] += 1
                    answers["ok" if isinstance(expected, Ok) else getattr(expected, "type", "no answer")] += 1
                    if not answers_agree(op, value, expected, actual):
                        found.append(
                            {"op": op, "input": value, "expected": str(expected), "actual": str(actual)}
                        )
                    bar.tick()
    finally:
        for talk in talks.values():
            talk.kill()
    print(
        json.dumps({"asked": dict(sorted(asked.items())), "answers": dict(answers.most_common())}, indent=2)
    )
    return found


def across_pythons(
    pythons: list[str], count: int, seed: int, chosen: tuple[str, ...] = (), spec: str = DEFAULT_SPEC
) -> int:
    """Asks the reference on several Pythons; returns how many of them differ from the first."""
    inputs = Inputs(seed, chosen or all_ops(spec), load_spec(spec), spec)
    lines = [
        messages.request_line(one.number, messages.encode_tail(one.op, one.input))
        for one in itertools.islice(inputs, count)
    ]
    stream = messages.hello_line(spec) + b"".join(lines)
    digests = []
    for python in pythons:
        began = time.perf_counter()
        root = Path(__file__).resolve().parents[2]
        done = subprocess.run(
            [python, "-m", "reference_impl"],
            input=stream,
            stdout=subprocess.PIPE,
            cwd=root,
            check=True,
            timeout=1800,
        )
        replies = done.stdout.count(b"\n")
        digests.append(hashlib.sha256(done.stdout).hexdigest())
        print(f"{python}: {replies} replies, sha256 {digests[-1][:16]}, {time.perf_counter() - began:.1f} s")
    return sum(digest != digests[0] for digest in digests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--spec", choices=("harbor-0.13.1", "harbor-0.25.0"), default=DEFAULT_SPEC)
    parser.add_argument("--ops", nargs="+", metavar="OP", choices=sorted(all_ops()), default=[])
    options = parser.parse_args()
    if options.pythons:
        differ = across_pythons(
            options.pythons, options.inputs, options.seed, tuple(options.ops), options.spec
        )
        print(
            f"{options.inputs} inputs, seed {options.seed}: {differ} of {len(options.pythons)} Pythons differ"
        )
        sys.exit(1 if differ else 0)
    began = time.perf_counter()
    with steps() as show:
        known = sources(options.spec, show)
    found = differential(known, options.inputs, options.seed, chosen=tuple(options.ops), spec=options.spec)
    for disagreement in found[:20]:
        print(json.dumps(disagreement)[:1500])
    seconds = time.perf_counter() - began
    print(f"{options.inputs} inputs, seed {options.seed}: {len(found)} differences, {seconds:.0f} s")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
