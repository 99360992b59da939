"""``harbor-conformance metric``, and the same in pytest."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from conformance.extensions.metrics import checker
from conformance.extensions.metrics.script import environment as script_environment
from conformance.oracle.python import OracleError
from tests.extensions.metrics.bodies import written

HERE = Path(__file__).parent
COMMANDS = yaml.safe_load((HERE / "commands.yaml").read_text("utf-8"))


def rows(table):
    """The rows of a table of commands."""
    slow = [pytest.mark.slow]
    return [pytest.param(row, id=row["says"], marks=slow * row.get("slow", False)) for row in COMMANDS[table]]


def words_of(row, document):
    return row["words"].replace("@script", str(document)).split()


@pytest.fixture
def reported(cli, faults):
    """Runs ``metric --json``; the report, which its schema accepts."""

    def run(*words):
        done = cli("metric", *words, "--json")
        report = json.loads(done.stdout)
        assert faults("metric-report", report) == []
        assert report["exit_code"] == done.returncode
        return report

    return run


@pytest.mark.slow
def test_advice_is_no_failure(cli, document) -> None:
    done = cli("metric", document, "--python", sys.executable, "--case", "one-key", "--case", "no-keys")
    assert (done.returncode, done.stderr) == (0, "")
    assert "advice other-shapes: A script may reject trials that it does not support" in done.stdout
    assert '    input   {}\n            {"reward": 1.0}\n' in done.stdout
    last = "metric.py: harbor-metric, 2 of 34 cases, 0 required, 0 documented, 1 advice: conforms\n"
    assert done.stdout.endswith(last)


@pytest.mark.usefixtures("in_process")
def test_a_finding_can_be_repeated(cli, tmp_path) -> None:
    path = written("wrong", "harbor-metric", "raises_on_null", tmp_path)
    first = cli("metric", path, "--python", sys.executable, "--case", "null-rewards", "--case", "all-null")
    assert first.returncode == 1
    assert "not run: " in first.stdout
    found = r"found   It exited with 1: AttributeError: .* \(raises_on_null\.py, line \d+\)\n"
    assert re.search(found, first.stdout)
    (command,) = (line.split(maxsplit=1)[1] for line in first.stdout.splitlines() if "repeat  " in line)
    program, *words = shlex.split(command)
    again = cli(*words)
    assert (program, again.returncode) == ("harbor-conformance", 1)
    assert "required exit-code" in again.stdout
    assert "1 of 34 cases, 1 required, 0 documented, 0 advice: does not conform" in again.stdout


@pytest.mark.usefixtures("in_process")
def test_the_report(reported, tmp_path) -> None:
    target = written("wrong", "harbor-metric", "raises_on_null", tmp_path)
    more = ("--case", "null-rewards", "--keep", tmp_path / "kept", "--report", tmp_path / "report.json")
    report = reported(target, "--python", sys.executable, *more)
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert (report["exit_code"], report["counts"]["required"]) == (1, 1)
    kept = Path(report["findings"][0]["file"])
    assert kept == tmp_path / "kept" / "null-rewards" / "rewards.jsonl"
    assert kept.read_text() == '{"reward": 1.0}\nnull\n{"reward": 0.5}\n'


@pytest.mark.usefixtures("in_process")
def test_the_report_of_a_class(reported, tmp_path) -> None:
    target = f"{written('wrong', 'evsys', 'keeps_state', tmp_path)}:Metric"
    report = reported(target, "--contract", "evsys", "--keep", tmp_path / "kept")
    assert report["reads"] is None or report["reads"]["every"] is False
    assert report["environment"].endswith("a stand-in for evsys_sdk")
    assert "repeats" in {finding["rule"] for finding in report["findings"]}
    assert json.loads(Path(report["findings"][0]["file"]).read_text())["rewards"]


@pytest.mark.parametrize("row", rows("command"))
def test_what_can_not_be_tried(cli, tmp_path, row, document) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "deep").write_text("[" * 100_000)
    content = row.get("data", b"")
    (tmp_path / "data").write_bytes(content.encode() if isinstance(content, str) else bytes(content))
    done = cli("metric", *words_of(row, document))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert row["says"] in done.stderr


@pytest.mark.slow
def test_a_missing_package_explains_itself(cli, reported, tmp_path) -> None:
    target = f"{written('right', 'harness-evals', 'exact', tmp_path)}:Metric"
    done = cli("metric", target, "--contract", "harness-evals", "--python", sys.executable)
    assert done.returncode == 2
    assert "harness-evals is not installed for" in done.stderr
    assert "--python oracle" in done.stderr
    report = reported(target, "--contract", "harness-evals")
    assert (report["exit_code"], report["findings"]) == (2, [])


@pytest.mark.slow
def test_no_uv(cli, monkeypatch, document) -> None:
    def nowhere():
        raise OracleError("not found")

    monkeypatch.setattr(script_environment, "find_uv", nowhere)
    monkeypatch.setattr(checker, "missing_protections", list)
    done = cli("metric", document)
    assert (done.returncode, done.stdout) == (2, "")
    assert "uv, which was not found" in done.stderr


@pytest.mark.oracle
def test_arguments_of_a_constructor(cli, tmp_path) -> None:
    path = written("right", "harness-evals", "quick", tmp_path)
    path.write_text(path.read_text().replace("max_value: float = 100.0", "max_value: float"))
    words = ("metric", "quick.py:Metric", "--contract", "harness-evals", "--python", "oracle", "--case")
    assert "needs max_value: give it with --arg max_value=JSON" in cli(*words, "class").stderr
    done = cli(*words, "full", "--arg", "max_value=200")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is not NAME=JSON" in cli(*words, "full", "--arg", "max_value=x y").stderr


@pytest.mark.usefixtures("in_process")
def test_keys_of_the_dataset(cli, tmp_path, document) -> None:
    body = document.read_text().replace(
        "rewards.extend(reward.values())", 'rewards.append(reward["accuracy"])'
    )
    (tmp_path / "metric.py").write_text(body.replace("# /// script", "#"))
    words = ("metric", "metric.py", "--python", sys.executable, "--case", "one-key")
    done = cli(*words)
    assert done.returncode == 0
    assert "note: It reads: accuracy. Its trials are made with --key accuracy." in done.stdout
    done = cli(*words, "--key", "reward")
    assert done.returncode == 1
    assert "KeyError: 'accuracy'" in done.stdout
    assert cli(*words, "--key", "accuracy").returncode == 0


@pytest.mark.usefixtures("in_process")
def test_a_script_that_fails_on_all_is_told_once(cli, reported, tmp_path) -> None:
    (tmp_path / "metric.py").write_text("# /// script\n# dependencies = []\n# ///\nimport no_such_module\n")
    report = reported("metric.py", "--report", "report.json", "--python", sys.executable)
    assert [(one["rule"], one["case"]) for one in report["findings"]] == [("exit-code", "one-key")]
    assert sum(one["not_run"] is not None for one in report["cases"]) == 32
    done = cli("metric", "metric.py", "--python", sys.executable, "--case", "long-options")
    assert done.returncode == 1
    assert "required exit-code" in done.stdout
    assert "long-options:" not in done.stdout


GUIDE = (HERE.parents[2] / "docs" / "checking-metrics.md").read_text("utf-8")
SIX = GUIDE.partition("```python six.py\n")[2].partition("```")[0]
LIKE_SIX = GUIDE.partition("`like.json` is `")[2].partition("`")[0]


SHOWN = [line for line in GUIDE.splitlines() if line.startswith("harbor-conformance metric six.py:Mine")]
LIKE = [line.replace("--trials 6 --values 3,7", "--like like.json") for line in SHOWN]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("line", ["harbor-conformance metric six.py:Mine --contract evsys", *SHOWN, *LIKE])
def test_a_metric_begins_from_what_it_is_made_for(reported, tmp_path, line) -> None:
    (tmp_path / "six.py").write_text(SIX)
    (tmp_path / "like.json").write_text(LIKE_SIX)
    words = shlex.split(line)[1:]
    report = reported(*words[1:])
    rule = "other-shapes" if words[4:] else "raises"
    assert rule in {one["rule"] for one in report["findings"]}
    assert report["exit_code"] == (rule == "raises")
    assert all(one["repeat"].endswith(shlex.join(words[4:])) for one in report["findings"])


METRIC, EVSYS = ("--conformance-metric",), ("--conformance-contract", "evsys")


def report_of(pytester, faults):
    report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    assert faults("metric-report", report) == []
    return report


def test_a_script_in_pytest(pytester, run_pytest, faults, document) -> None:
    words = (
        *("--conformance-metric-script", document, "--conformance-metric-python", sys.executable),
        *("-k", "one-key or no-keys or source", "--conformance-report", "report.json"),
    )
    refused = run_pytest(*words, "-n", "2")
    assert refused.ret == 4
    assert "in a single process: use -n 0" in refused.stderr.str()
    done = run_pytest("-rA", *words)
    assert done.ret == 0
    done.assert_outcomes(passed=3)
    for lines in COMMANDS["seen"]:
        done.stdout.fnmatch_lines(lines)
    report = report_of(pytester, faults)
    assert sorted(case["name"] for case in report["cases"]) == ["no-keys", "one-key", "source"]
    assert [(one["rule"], one["case"]) for one in report["findings"]] == [("other-shapes", "no-keys")]
    assert (report["exit_code"], report["problem"]) == (0, None)
    assert report["reads"] == {"names": [], "every": True}


def test_what_can_not_be_tried_is_in_the_report(pytester, run_pytest, faults) -> None:
    assert run_pytest(*METRIC, "no_such:C", *EVSYS, "--conformance-report", "report.json").ret == 2
    report = report_of(pytester, faults)
    assert report["exit_code"] == 2
    assert "ModuleNotFoundError" in report["problem"]


@pytest.mark.usefixtures("in_process")
def test_a_report_that_can_not_be_written(pytester, run_pytest) -> None:
    target = f"{written('right', 'evsys', 'spread', pytester.path)}:Metric"
    path = pytester.path / "no" / "report.json"
    done = run_pytest(*METRIC, target, *EVSYS, "--conformance-report", path)
    assert done.ret == 2
    unwritten = f"the report {path} can't be written: No such file or directory"
    done.stdout.fnmatch_lines(["*evsys, * cases, *: conforms", unwritten])


@pytest.mark.usefixtures("in_process")
def test_a_class_in_pytest(pytester, run_pytest) -> None:
    target = f"{written('wrong', 'evsys', 'raises_without_tasks', pytester.path)}:Metric"
    done = run_pytest("-rA", *METRIC, target, *EVSYS)
    done.assert_outcomes(passed=19, failed=1, skipped=1)  # the other case without samples raises alike
    done.stdout.fnmatch_lines(COMMANDS["failure"])


@pytest.mark.parametrize("row", rows("pytest"))
def test_what_can_not_be_tried_in_pytest(run_pytest, row, document) -> None:
    done = run_pytest(*words_of(row, document))
    assert done.ret == row["code"]
    assert row["says"] in done.stdout.str() + done.stderr.str()
