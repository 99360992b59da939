"""The walk of docs/first-runner.md: each step changes first.py as printed there, and asks it again."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WALK = (ROOT / "docs" / "first-runner.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^## (\d+)\. [^\n]*: (\d+) failures become (\d+)\n.*?^```text\n(.*?)^```\n.*?^```diff\n(.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)


def changed(program, diff):
    """The program with each hunk's old lines replaced by its new ones."""
    for hunk in diff.split("@@\n"):
        lines = [line or " " for line in hunk.splitlines()]
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        assert program.count(old) == 1, hunk
        program = program.replace(old, new)
    return program


@pytest.mark.slow
def test_each_line_mends_what_the_walk_says(cli, tmp_path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```python first.py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert program is not None
    text, path, report = program.group(1), tmp_path / "first.py", tmp_path / "report.json"

    def ask():
        path.write_text(text, encoding="utf-8")
        done = cli(
            *("run", "--runner", f"{sys.executable} {path}", "--failures", 0, "--report", report),
            "harbor-0.13.1/aggregation/*",
        )
        told = json.loads(report.read_text(encoding="utf-8"))
        failures = told["diagnosis"]["failures"] if told["diagnosis"] else 0
        assert done.returncode == (1 if failures else 0)
        return failures, done.stdout

    failures, printed = ask()
    steps = STEP.findall(WALK)
    numbers = range(1, 1 + len(re.findall("^```diff", WALK, re.M)))
    assert [int(number) for number, *_ in steps] == list(numbers)
    shown = re.findall(r"^```text\n(To fix.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    for line in shown[0].splitlines():
        assert line.removesuffix("…") in printed, "the README shows another list"
    for number, before, after, line, diff in steps:
        assert failures == int(before), number
        for quoted in line.splitlines():
            assert quoted.removesuffix("…") in printed, f"step {number}: {quoted}: {printed}"
        text = changed(text, diff)
        failures, printed = ask()
        assert failures == int(after), number
    assert failures == 0
