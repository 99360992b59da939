"""Checks that two checkouts of the kit answer the same, for a change that must not change behaviour.

    python -m tools.differential.checkouts ../before . [--mistakes NAME …] [--keep FOLDER]

In each checkout every vector is answered by the reference and by every known mistake of its spec, and every
property is tried on the reference and on the mistakes of its op. Answers are hashed per vector, per mistake
and per property; what differs is listed. A checkout's own ``.venv`` runs it where there is one, else this
Python. Each checkout takes about ten minutes of processor time; both run side by side. With ``--keep`` the
results are stored as ``before.jsonl`` and ``after.jsonl``, and can replace a checkout next time.

Exit codes: 0 the same, 1 something differs, 2 a checkout could not be asked.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROBE = r'''
import hashlib, importlib, json, sys

def module(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            pass
    sys.exit("no module " + " or ".join(names))

ops = module("conformance.registry.ops", "conformance.ops")
vectors = module("conformance.suite.vectors", "conformance.vectors")
variant = module("conformance.mistakes.variant", "conformance.variant")
catalogue = module("conformance.mistakes.catalogue")
messages = module("conformance.wire.messages", "conformance.protocol")

def text(value):
    """Floats to the bit, the order of members, ints apart from floats."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(key) + ":" + text(item) for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return hex(value)  # of any size
    return repr(value)

def answer_text(answer):
    if isinstance(answer, messages.Ok):
        return "ok " + text(answer.value)
    return f"error {answer.type} {answer.reason_code}"

def hashed(lines):
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()[:16]

def say(kind, key, value):
    print(json.dumps([kind, key, value]), flush=True)

wanted = sys.argv[1:]
every = {spec: sorted(vectors.load_spec(spec), key=lambda one: one.id) for spec in ops.SPECS}
say("op", "all", sorted(ops.OPS))
reference = variant.Variant()
for spec, listed in every.items():
    for one in listed:
        meaning = text([one.op.name, one.rule, one.clause, one.input, one.expected, sorted(one.unordered)])
        say("vector", one.id, hashed([meaning, answer_text(reference.answer(one.op.name, one.input))]))
for name, one in sorted(catalogue.all_mistakes().items()):
    if wanted and name not in wanted:
        continue
    copy = catalogue.made(one)
    answers = (answer_text(copy.answer(each.op.name, each.input)) for each in every[one.spec])
    about = [one.says, one.op, one.clause, one.why, one.invited_by]
    say("mistake", name, hashed([text(about), *answers]))
if not wanted:
    listing = module("conformance.suite.properties", "conformance.properties.listing")
    checks = module("conformance.properties.registry").checks()
    trying = module("conformance.properties.trying")
    replies = module("conformance.runner.conversation", "conformance.conversation")
    properties_of = module("conformance.assessment.detection", "conformance.assessment.trying").properties_of

    def ask(op, given):
        return replies.Reply("", reference.answer(op, given), 0.0)

    for spec in ops.SPECS:
        listed = listing.load_properties(spec)
        of_ops = [properties_of(spec, op) for op in dict.fromkeys(one.op.name for one in listed)]
        tried = [one for found in of_ops for one in found]
        broken = {one.id: one.broken_by if hasattr(one, "broken_by") else one.broken for one in tried}
        for one in listed:
            check, seed = checks[one.slug], trying.seed_of(one.id, 0)
            trial = trying.try_property(check, ask, seed=seed, shrinking=False)
            say("property", one.id, [
                one.op.name, one.clause, one.rule, check.examples,
                "fails of the reference" if trial.failure else "holds of the reference",
                "broken by a known mistake" if broken[one.id] else "broken by no known mistake",
            ])
'''


def start(checkout: Path, mistakes: list[str], output: Path) -> "subprocess.Popen[bytes]":
    """Starts a checkout; its output goes to a file."""
    own = checkout / ".venv" / "bin" / "python"
    python = str(own.absolute()) if own.is_file() else sys.executable
    environment = os.environ | {"PYTHONPATH": str(checkout.resolve()), "PYTHONHASHSEED": "0"}
    with output.open("wb") as file:
        return subprocess.Popen(
            [python, "-X", "utf8", "-c", PROBE, *mistakes], cwd=checkout, env=environment, stdout=file
        )


def answers_of(output: Path) -> dict[tuple[str, str], Any]:
    lines = output.read_text(encoding="utf-8").splitlines()
    return {(kind, key): value for kind, key, value in map(json.loads, lines)}


def differences(before: dict[tuple[str, str], Any], after: dict[tuple[str, str], Any]) -> Iterator[str]:
    for kind, key in sorted({*before, *after}):
        if (kind, key) not in after:
            yield f"{kind} {key}: gone"
        elif (kind, key) not in before:
            yield f"{kind} {key}: new"
        elif before[kind, key] != after[kind, key]:
            yield f"{kind} {key}: {before[kind, key]} before, {after[kind, key]} after"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--mistakes", nargs="*", default=[], metavar="NAME", help="these, and no properties")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what each checkout said")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        outputs, running = [], []
        for name in ("before", "after"):
            given: Path = getattr(options, name)
            if given.is_file():
                outputs.append(given)
                continue
            if not (given / "conformance").is_dir():
                parser.error(f"{given} is not a checkout of the kit: it has no folder conformance")
            outputs.append(folder / f"{name}.jsonl")
            running.append(start(given, options.mistakes, outputs[-1]))
        codes = [process.wait() for process in running]
        if any(codes):
            print("a checkout could not be asked: see above", file=sys.stderr)
            return 2
        before, after = map(answers_of, outputs)
    found = list(differences(before, after))
    for kind in ("op", "vector", "mistake", "property"):
        count = sum(key[0] == kind for key in before)
        differ = sum(line.startswith(f"{kind} ") for line in found)
        print(f"{kind:<8}  {count:>5} before, {differ} differ")
    print(*found, sep="\n")
    print(f"{'the same' if not found else 'not the same'}, {time.monotonic() - began:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
