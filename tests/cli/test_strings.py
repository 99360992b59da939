"""A shim that passes strings through, where harbor makes numbers of them."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

RUNNER = """
import json, sys

def reply(request):
    if request["op"] == "hello":
        return {"runner": "kept", "version": "0", "protocol": 1, "ops": ["parse_reward"], **HELLO}
    rewards = json.loads(request["input"]["files"]["reward.json"]["text"])
    return {"rewards": {key: ANSWER(value) for key, value in rewards.items()}}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "ok": reply(request)}), flush=True)
"""
FINITE = ("exponent", "float", "negative-exponent", "two-digits-and-point")
IDS = [f"harbor-0.13.1/reward/json-string-{name}" for name in FINITE]
NAN = "harbor-0.13.1/reward/json-string-nan"


@pytest.mark.parametrize(
    ("hello", "answer", "passing"),
    [
        ("{}", "lambda value: value", {NAN}),
        ("{}", "lambda value: {'string': value}", set()),
        ("{}", "float", set(IDS)),
        ("{'numbers': 'string'}", "lambda value: {'string': value}", set()),
        ("{'numbers': 'string'}", "lambda value: str(float(value))", set(IDS)),
    ],
)
def test_a_string_is_no_number_unless_it_was_said(
    cli: Any, tmp_path: Path, hello: str, answer: str, passing: set[str]
) -> None:
    runner, report = tmp_path / "kept.py", tmp_path / "report.json"
    text = RUNNER.replace("**HELLO", f"**{hello}").replace("ANSWER(value)", f"({answer})(value)")
    runner.write_text(text, encoding="utf-8")
    asked = [*IDS] if answer.endswith(("float", "str(float(value))")) else [*IDS, NAN]
    cli("run", "--runner", shlex.join([sys.executable, str(runner)]), "--report", report, *asked)
    results = {one["id"]: one for one in json.loads(report.read_text(encoding="utf-8"))["results"]}
    assert {key for key, one in results.items() if one["outcome"] == "passed"} == passing
    assert set(results) == set(asked)
    if answer == "lambda value: value":
        assert results[IDS[1]]["actual"] == {"ok": {"rewards": {"reward": {"string": "1.5"}}}}
        assert results[IDS[1]]["detail"] == 'at /rewards/reward: 1.5 expected, {"string": "1.5"} came'
