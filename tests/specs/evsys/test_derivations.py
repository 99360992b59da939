"""EvSys has no package to install: two derivations answer and have to agree, with its source too.

``HARBOR_CONFORMANCE_EVSYS_SOURCE`` names the folder that holds the package ``evsys_sdk``, such as ``src``.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import reference_impl
from conformance.drawing.source import Seeded
from conformance.judging.comparison import differences
from conformance.oracle.of_specs import oracle_command
from conformance.oracle.regen import regenerate, sources
from conformance.registry.ops import OPS
from conformance.runner.conversation import Conversation, Settings
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from conformance.wire.messages import Answer, Ok, Refused, Request

SPEC = "evsys"
EVSYS_OPS = tuple(name for name, op in OPS.items() if op.spec == SPEC)
REFERENCE = (sys.executable, "-m", "reference_impl")
CHUNK = 500
TIMEOUT = 300.0


def same(op: str, expected: Answer, actual: Answer) -> bool:
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        return not differences(OPS[op], expected.value, actual.value)
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return expected.type == actual.type
    return False


def differential(command: tuple[str, ...], count: int, seed: int) -> tuple[list[Any], Counter[str]]:
    """What a command answers otherwise than the adapter, of ``count`` inputs of each op; kinds of answers."""
    source = Seeded(seed)
    inputs = [(op, OPS[op].draw(source)) for op in EVSYS_OPS for _ in range(count)]
    talks = [Conversation(Settings(each, SPEC, timeout=TIMEOUT)) for each in (oracle_command(SPEC), command)]
    found = []
    kinds: Counter[str] = Counter()
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
                kinds.update(kinds_of(expected))
                if not same(op, expected, actual):
                    found.append((op, value, str(expected), str(actual)))
    finally:
        for talk in talks:
            talk.kill()
    return found, kinds


def kinds_of(answer: Answer) -> list[str]:
    if isinstance(answer, Refused):
        return [answer.type]
    assert isinstance(answer, Ok)
    if "value" in answer.value:
        return ["value"]
    return [" ".join(sorted(result)) for result in answer.value["results"]]


@pytest.mark.oracle
def test_regen_finds_no_difference() -> None:
    result = regenerate(SPEC, sources(SPEC, print), check=True)
    assert result.asked == len(load_spec(SPEC))
    assert (result.changed, result.rewritten, result.lock_problems, result.left) == ([], [], [], {})


@pytest.mark.release
@pytest.mark.oracle
def test_the_derivations_agree_on_random_inputs() -> None:
    found, kinds = differential(REFERENCE, 3000, 11)
    assert found == []
    registry = {"", "error", "class", "built_in", "available error", "loaded skipped", "left_out values"}
    registry |= {"left_out score"}
    assert set(kinds) == {"value", "KeyError", "OverflowError"} | registry
    assert min(kinds.values()) > 20, kinds


MISTAKES = {
    "plain sums": ("metrics", "compensated_sum(values) /", "[t := 0, [t := t + v for v in values]][1][-1] /"),
    "ints made floats": ("metrics", "compensated_sum(values) /", "compensated_sum(map(float, values)) /"),
    "more than the threshold": ("metrics", "reward >= PASS", "reward > PASS"),
    "a first sample that is missing": ("metrics", "if len(rewards) > 0]", "]"),
    "the last samples": ("metrics", "rewards[:k]", "rewards[-k:]"),
    "the mean of tasks for pooled samples": (
        "metrics",
        "_mean([_passes(reward) for rewards in task_rewards for reward in rewards])",
        "_mean([_mean([_passes(reward) for reward in rewards]) for rewards in task_rewards])",
    ),
    "the class's own name": (
        "registry",
        'key = name or getattr(metric, "name", None)',
        'key = getattr(metric, "name", None) or name',
    ),
    "the last class wins": ("registry", "is not metric:", "is None:"),
    "the same class refused": (
        "registry",
        "self._classes.get(key, metric) is not metric",
        "key in self._classes",
    ),
    "keys as they came": ("registry", "sorted(self._classes)", "list(self._classes)"),
    "the walk ends": (
        "plugins",
        "skipped.append(entry_point.name)",
        "skipped.append(entry_point.name); break",
    ),
    "a failure without a message": ("operations", 'described["fails"] is not None', 'described["fails"]'),
    "one failure spoils all": ("benchmark", "left_out.append(name)", "return {}, list(names)"),
    "what is returned handed on": (
        "benchmark",
        "float(registry.get(name)().compute(tasks))",
        "registry.get(name)().compute(tasks)",
    ),
    "the empty key a key": ("registry", "name or getattr", "name if name is not None else getattr"),
    "the class's name left as it is": ("registry", "metric.name = key", "pass"),
    "no default metrics": ("benchmark", "in names or DEFAULT_METRICS", "in names"),
    "empty tasks counted": ("benchmark", "len(sampled(task_rewards))", "len(task_rewards)"),
    "empty tasks handed on": ("benchmark", "compute(tasks)", "compute(task_rewards)"),
    "look-ups of plugins ignored": ("operations", 'described.get("gets", ())', "()"),
}


@pytest.mark.release
@pytest.mark.oracle
@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_derivation_is_noticed(name: str, tmp_path: Path) -> None:
    """By the random inputs and by the vectors, each alone."""
    module, right, wrong = MISTAKES[name]
    command = mutant(tmp_path, module, right, wrong)
    assert differential(command, 400, 11)[0] != []
    assert failing(command) != []


@pytest.fixture
def executed() -> tuple[str, ...]:
    """The command that executes the SDK's source."""
    folder = os.environ.get("HARBOR_CONFORMANCE_EVSYS_SOURCE")
    if folder is None:
        pytest.skip("HARBOR_CONFORMANCE_EVSYS_SOURCE names no checkout of the SDK")
    *python, _ = oracle_command(SPEC)
    return (*python, str(Path(__file__).with_name("sdk_source.py")), folder)


@pytest.mark.release
@pytest.mark.oracle
def test_the_source_answers_as_the_derivations_do(executed: tuple[str, ...]) -> None:
    assert failing(executed) == []
    assert differential(executed, 3000, 12)[0] == []


def mutant(folder: Path, module: str, right: str, wrong: str) -> tuple[str, ...]:
    """The command of a copy of the reference in which a text stands for another."""
    package = Path(reference_impl.__file__).parent
    for path in package.rglob("*.py"):
        copy = folder / "reference_impl" / path.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        if path == package / "evsys" / f"{module}.py":
            assert right in text
            text = text.replace(right, wrong)
        copy.write_text(text, encoding="utf-8")
    start = f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); "
    return (sys.executable, "-c", start + 'runpy.run_module("reference_impl", run_name="__main__")')


def failing(command: tuple[str, ...]) -> list[str]:
    """The ids of the vectors that a command does not answer as they say."""
    vectors = load_spec(SPEC)
    lines = [messages.request_line(index, vector.request().tail) for index, vector in enumerate(vectors)]
    done = subprocess.run(command, input=b"".join(lines), capture_output=True, timeout=TIMEOUT, check=True)
    failed = []
    for vector, line in zip(vectors, done.stdout.splitlines(), strict=True):
        reply = json.loads(line)
        assert vector.expected is not None
        if "ok" in vector.expected and "ok" in reply:
            right = not differences(vector.op, vector.expected["ok"], reply["ok"])
        else:
            right = "error" in vector.expected and vector.expected["error"]["type"] == reply["error"]["type"]
        if not right:
            failed.append(vector.id)
    return failed


@pytest.mark.slow
def test_the_reference_answers_all() -> None:
    assert failing(REFERENCE) == []
