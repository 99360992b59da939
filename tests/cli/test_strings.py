"""A shim that passes strings through, where harbor makes numbers of them."""

import json
import re
import shlex
import sys

import pytest

from tests.reports import results

pytestmark = pytest.mark.slow

RUNNER = """
import json
from conformance.shim import serve

def parse_reward(files):
    rewards = json.loads(files["reward.json"]["text"])
    return {"rewards": {key: (ANSWER)(value) for key, value in rewards.items()}}

serve(parse_reward, name="kept", string_numbers=STRINGS)
"""
FINITE = ("exponent", "float", "negative-exponent", "two-digits-and-point")
IDS = [f"harbor-0.13.1/reward/json-string-{name}" for name in FINITE]
NAN = "harbor-0.13.1/reward/json-string-nan"


@pytest.mark.parametrize(
    ("strings", "answer", "passing"),
    [
        (False, "lambda value: value", {NAN}),
        (False, "lambda value: {'string': value}", set()),
        (False, "float", set(IDS)),
        (True, "lambda value: {'string': value}", set()),
        (True, "lambda value: str(float(value))", set(IDS)),
    ],
)
def test_a_string_is_no_number_unless_it_was_said(cli, tmp_path, strings, answer, passing) -> None:
    runner, report = tmp_path / "kept.py", tmp_path / "report.json"
    runner.write_text(RUNNER.replace("STRINGS", str(strings)).replace("ANSWER", answer), "utf-8")
    asked = [*IDS] if answer.endswith(("float", "str(float(value))")) else [*IDS, NAN]
    cli("run", "--runner", shlex.join([sys.executable, str(runner)]), "--report", report, *asked)
    found = {one["id"]: one for one in results(json.loads(report.read_text("utf-8")))}
    assert {key for key, one in found.items() if one["outcome"] == "passed"} == passing
    assert set(found) == set(asked)
    if answer == "lambda value: value":
        assert found[IDS[1]]["actual"] == {"ok": {"rewards": {"reward": {"string": "1.5"}}}}
        assert found[IDS[1]]["detail"] == 'at /rewards/reward: expected 1.5, got {"string": "1.5"}'


SPELLING = """
import reference_impl.runner.serving as runner

honest = runner._answer

def answer(request):
    said = honest(request)
    if request["op"] == "pass_at_k" and "4" in said.get("ok", {}):
        values = said["ok"] | {"4": said["ok"]["4"] + 0.5, "11": 1}
        return {"ok": {key: {"string": "5.0"} if key == "8" else repr(one) for key, one in values.items()}}
    return said

runner._answer = answer
runner.HELLO["numbers"] = "string"
runner.main()
"""


def test_only_what_differs_is_shown_as_a_difference_where_numbers_are_sent_as_strings(cli, tmp_path) -> None:
    """In the log, in the report, on its page and in what fuzz finds; a string that is no number stays."""
    runner, report = tmp_path / "spelling.py", tmp_path / "report.json"
    runner.write_text(SPELLING, "utf-8")
    command = shlex.join([sys.executable, str(runner)])
    log = cli("run", "--runner", command, "--report", report, "harbor-0.13.1/pass_at_k/attempts-010")
    (one,) = json.loads(report.read_text("utf-8"))["results"]
    wrong = {"4": 0.5, "8": {"string": "5.0"}, "11": 1}
    assert json.dumps(one["actual"]["ok"]) == json.dumps(one["expected"]["ok"] | wrong)
    page = tmp_path / "page.txt"
    cli("report", report, "--all", "--output", page)
    differing = """- "4": 0.0|+ "4": 0.5|- "8": 0.0|+ "8": {|+  "string": "5.0"|+ }|+ "11": 1"""
    for text in (log.stdout, page.read_text("utf-8")):
        assert "|".join(re.findall(r"^ *([-+] .*)$", text, re.MULTILINE)).rstrip() == differing
    fuzzed = cli("fuzz", "--runner", command, "--ops", "pass_at_k", "--seed", 1, "--inputs", 20).stdout
    assert '+ "4": ' in fuzzed
    assert '+ "2": ' not in fuzzed
    assert '"2": "' not in fuzzed
