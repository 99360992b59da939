"""Compares two commands on random inputs and all vectors of a spec; makes faulty copies of the reference."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import reference_impl
from conformance.drawing.source import Seeded
from conformance.judging.comparison import differences
from conformance.registry.ops import OPS
from conformance.runner.conversation import Conversation, Settings
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from conformance.wire.messages import Answer, Ok, Refused, Request

Command = tuple[str, ...]
REFERENCE: Command = (sys.executable, "-m", "reference_impl")
PACKAGE = Path(reference_impl.__file__).parent
CHUNK = 500
TIMEOUT = 300.0


def answers_agree(op: str, expected: Answer, actual: Answer) -> bool:
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        return not differences(OPS[op], expected.value, actual.value)
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return expected.type == actual.type
    return False


def differential(
    spec: str, commands: tuple[Command, Command], counts: Mapping[str, int], seed: int
) -> tuple[list[Any], list[tuple[str, Answer]]]:
    """The differences between two commands on random inputs of each op, and the first command's answers."""
    source = Seeded(seed)
    inputs = [(op, OPS[op].draw(source)) for op, count in counts.items() for _ in range(count)]
    talks = [Conversation(Settings(command, spec, timeout=TIMEOUT)) for command in commands]
    found: list[Any] = []
    answers: list[tuple[str, Answer]] = []
    try:
        for talk in talks:
            talk.start()
        for begin in range(0, len(inputs), CHUNK):
            batch = inputs[begin : begin + CHUNK]
            for op, value in batch:
                for talk in talks:
                    talk.submit(Request("", messages.encode_tail(op, value), messages.LARGE_LINE))
            for op, value in batch:
                expected, actual = (talk.next_reply().answer for talk in talks)
                answers.append((op, expected))
                if not answers_agree(op, expected, actual):
                    found.append((op, value, str(expected), str(actual)))
    finally:
        for talk in talks:
            talk.kill()
    return found, answers


def kinds(answers: list[tuple[str, Answer]]) -> Counter[str]:
    """How often each error, or an answer with certain members, occurs."""
    found: Counter[str] = Counter()
    for _, answer in answers:
        if isinstance(answer, Refused):
            found[answer.type] += 1
        elif isinstance(answer, Ok):
            for result in answer.value.get("results", [answer.value]):
                found[" ".join(sorted(result))] += 1
    return found


def failing(
    spec: str, command: Command = REFERENCE, folder: Path | None = None, *, spelled: bool = False
) -> list[str]:
    """The ids of a spec's vectors that a command answers incorrectly."""
    vectors = load_spec(spec)
    requests = [vector.request(numbers_as_strings=spelled).tail for vector in vectors]
    lines = b"".join(messages.request_line(index, tail) for index, tail in enumerate(requests))
    done = subprocess.run(command, input=lines, capture_output=True, cwd=folder, timeout=TIMEOUT, check=False)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(replies) == len(vectors), done.stderr.decode()
    failed = []
    for vector, reply in zip(vectors, replies, strict=True):
        assert vector.expected is not None
        if "ok" in vector.expected:
            right = "ok" in reply and not differences(vector.op, vector.expected["ok"], reply["ok"])
        else:
            right = "error" in reply and reply["error"]["type"] == vector.expected["error"]["type"]
        if not right:
            failed.append(vector.id)
    return failed


def changed_reference(folder: Path, file: str, old: str, new: str) -> Command:
    """The command of a copy of the reference in which one text is replaced by another."""
    copy = folder / "reference_impl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    start = f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); "
    return (sys.executable, "-c", start + 'runpy.run_module("reference_impl", run_name="__main__")')
