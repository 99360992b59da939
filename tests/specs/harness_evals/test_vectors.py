"""The vectors of harness-evals: the reference answers all of them, and wrong implementations do not."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import reference_impl
from conformance.judging.comparison import differences
from conformance.registry.ops import OPS
from conformance.suite.vectors import Vector, load_spec
from conformance.wire import messages

SPEC = "harness-evals"
REFERENCE = Path(reference_impl.__file__).parent
VECTORS = load_spec(SPEC)
TIMEOUT = 300.0


def failing(folder: Path, numbers_as_strings: bool = False) -> list[str]:
    """The ids that the reference in this folder does not answer as the package does."""
    requests = [vector.request(numbers_as_strings=numbers_as_strings).tail for vector in VECTORS]
    lines = b"".join(messages.request_line(index, tail) for index, tail in enumerate(requests))
    done = subprocess.run(
        [sys.executable, "-m", "reference_impl"],
        input=lines,
        capture_output=True,
        cwd=folder,
        timeout=TIMEOUT,
        check=False,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(replies) == len(VECTORS), done.stderr.decode()
    return [vector.id for vector, reply in zip(VECTORS, replies, strict=True) if not agrees(vector, reply)]


def agrees(vector: Vector, reply: dict[str, object]) -> bool:
    assert vector.expected is not None
    if "ok" in vector.expected:
        return "ok" in reply and not differences(vector.op, vector.expected["ok"], reply["ok"])
    error = reply.get("error")
    return isinstance(error, dict) and error["type"] == vector.expected["error"]["type"]


@pytest.mark.parametrize("numbers_as_strings", [False, True], ids=["json-numbers", "spelled"])
def test_the_reference_answers_all(numbers_as_strings: bool) -> None:
    assert failing(REFERENCE.parent, numbers_as_strings) == []


def test_every_op_has_vectors() -> None:
    asked = {vector.op.name for vector in VECTORS}
    assert asked == {name for name, op in OPS.items() if op.spec == SPEC}
    assert len(VECTORS) >= 150


MISTAKES = {
    "no tolerance": ("score", "TOLERANCE = 1e-6", "TOLERANCE = 0.0"),
    "a wider tolerance": ("score", "TOLERANCE = 1e-6", "TOLERANCE = 1.5e-6"),
    "a tolerance above alone": ("score", "not -TOLERANCE <= self.value", "not 0.0 <= self.value"),
    "greater for greater or equal": ("score", "self.value >= self.threshold", "self.value > self.threshold"),
    "passed before the value is moved": ("score", "self.value = clamp(self.value)", "pass"),
    "floats for ints": (
        "score",
        "        _demand_number(self.threshold)",
        "        self.value = float(self.value)\n        _demand_number(self.threshold)",
    ),
    "a NaN clamped to nothing": ("score", "value if value < 1.0 else 1.0", "1.0 if value > 1.0 else value"),
    "falsy members left out": ("score", "if value is not None}", "if value or name == 'passed'}"),
    "passed last": ("score", '            "passed": self.passed,\n', ""),
    "bools refused": (
        "score",
        "if not isinstance(value, int | float)",
        "if isinstance(value, bool) or not isinstance(value, int | float)",
    ),
    "a default dimension": ("metric", "if base is Base.SAFETY:", "if True:"),
    "unknown arguments refused": (
        "metric",
        "    k = arguments.get",
        "    if not arguments.keys() <= {'name', 'dimension', 'threshold', 'k'}:\n"
        "        raise TypeError\n    k = arguments.get",
    ),
    "stops caught": ("evaluate", "if type(error).__name__ in STOPS and not asynchronous:", "if False:"),
    "stops never caught": ("evaluate", "in STOPS and not asynchronous:", "in STOPS:"),
    "falsy results skipped": ("evaluate", "if score is None:", "if not score:"),
    "passed computed anew": (
        "evaluate",
        "        scores.append(score)",
        "        score.passed = score.value >= score.threshold\n        scores.append(score)",
    ),
    "the metric's dimension wins": (
        "evaluate",
        'score.metadata.setdefault("dimension", metric.dimension.value)',
        'score.metadata["dimension"] = metric.dimension.value',
    ),
    "a_measure never asked": ("evaluate", "if asynchronous and metric.a_measure else", "if False else"),
    "plain texts for dimensions": (
        "evaluate",
        'raise AttributeError("the metric\'s dimension is a text and no Dimension")',
        "return",
    ),
    "two runs demanded": ("reliability", "        if runs:\n", "        if runs and len(runs) > 1:\n"),
    "measure_runs always called": ("reliability", "        if runs:\n", "        if runs is not None:\n"),
    "latency in a straight line": ("operational", 'if kind.field == "latency_ms" else', "if False else"),
    "zero for missing": (
        "operational",
        "if given is None:\n        return _F",
        "if not given:\n        return _F",
    ),
    "negative amounts taken": ("operational", "    if amount < 0:\n        return _Found(0.0)\n", ""),
    "the mean of turns judged": (
        "operational",
        "0.0 if failed else",
        "0.0 if failed > len(latencies) / 2 else",
    ),
    "null for None": ("templates", '"None" if expected is None', '"null" if expected is None'),
    "a judge's null is none": ("templates", 'result.get("score", 0.0)', 'result.get("score") or 0.0'),
    "safety in quality": ("summary", "if name != SAFETY for score", "for score"),
    "safety without regard to case": (
        "summary",
        'score.metadata.get("dimension") or UNKNOWN',
        "str(score.metadata.get('dimension') or UNKNOWN).lower()",
    ),
    "safety of nothing is whole": ("summary", "if scores else 0.0", "if scores else 1.0"),
    "a plain sum": (
        "summary",
        "compensated_sum(values) /",
        "[t := 0.0, [t := t + v for v in values]][1][-1] /",
    ),
    "dimensions as they came": ("summary", "    known = [", "    return list(present)\n    known = ["),
    "four decimals throughout": ("summary", "round(whole.mean, 2)", "round(whole.mean, 4)"),
    "violations always told": (
        "summary",
        "if whole.is_safety and self.safety_violations:",
        "if whole.is_safety:",
    ),
    "raw Unicode": ("json_lines", "json.dumps(value)", "json.dumps(value, ensure_ascii=False)"),
    "sorted keys": ("json_lines", "json.dumps(value)", "json.dumps(value, sort_keys=True)"),
    "compact JSON": ("json_lines", "json.dumps(value)", "json.dumps(value, separators=(',', ':'))"),
    "id before golden_id": (
        "json_lines",
        'self.metadata.get("golden_id") or self.metadata.get("id")',
        'self.metadata.get("id") or self.metadata.get("golden_id")',
    ),
    "a summary of nothing": ("json_lines", "    if not records:\n        return None\n", ""),
    "times in UTC": ("described", 'given["created_at"]),', 'given["created_at"]).replace("+00:00", "Z"),'),
}
"""What a plausible wrong implementation does, as a change of the reference's text."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_implementation_is_caught(name: str, tmp_path: Path) -> None:
    module, old, new = MISTAKES[name]
    copy = tmp_path / "reference_impl"
    shutil.copytree(REFERENCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "harness_evals" / f"{module}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{module} has {text.count(old)} times: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert failing(tmp_path)
