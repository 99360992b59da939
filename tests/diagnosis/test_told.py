"""Where the known mistake behind failures is told: `run`, pytest, reports, `mistakes`, `mistake:NAME`."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.comparison import Level
from conformance.judging.verdict import judge
from conformance.mistakes import all_mistakes
from conformance.outcomes.failure_text import failure_text, with_likely
from conformance.wire.messages import Ok, Reply
from tests.diagnosis import runs

pytestmark = pytest.mark.slow

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
SPEC = "harbor-0.13.1"
NAIVE = "sums are added left to right without compensation"
LIKELY = f"likely:   {NAIVE} (mistake naive-sum)"
SUMS = f"{SPEC}/aggregation/sum-*"


def test_a_known_mistake_stands_in_the_account_instead_of_a_hint(vectors: Any) -> None:
    given = {"metric": "sum", "rewards": [{"r": 0.1}] * 3}
    [vector] = vectors.load(vectors.entry("tenths", "aggregate", given, {"sum": 0.30000000000000004}))
    verdict = judge(vector, Reply(vector.id, Ok({"sum": 0.3}), 0.1), Level.BYTES)
    without, told = (
        failure_text(verdict, command="r", repeat="again", clauses={}, likely=likely)
        for likely in (None, "it is known")
    )
    assert "\nhint:     the answer differs only in the last bits\n" in without
    assert "\nlikely:   it is known\n" in told
    assert "hint:" not in told
    assert with_likely(without, "it is known") == told
    assert with_likely("crash: x\nwhy: y", "it is known") == "crash: x\nwhy: y"


def test_run_tells_the_mistake(cli: Cli, tmp_path: Path, faults: Any) -> None:
    known = tmp_path / "known.txt"  # excuses a runner; what it does there is wrong all the same
    known.write_text(f"{SUMS} mismatch\n", encoding="utf-8")
    done = cli("run", "--runner", "mistake:naive-sum", SUMS, "--known-failures", known)
    assert (done.returncode, f"{NAIVE.capitalize()} (naive-sum)." in done.stdout) == (0, True)
    report = tmp_path / "report.json"
    done = cli("run", "--runner", "mistake:naive-sum", SUMS, "--failures", 2, "--report", report)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count(LIKELY) == 2
    [total] = re.findall(r"^To fix \((\d+) failures, explained ones first\):$", done.stdout, re.MULTILINE)
    shown = rf"^1  {total} failures   certain \(tested on \d+ new inputs\)\n   {NAIVE.capitalize()} "
    assert re.search(shown, done.stdout, re.MULTILINE)
    assert "\n2  " not in done.stdout
    document = json.loads(report.read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    diagnosis = document["diagnosis"]
    failed = [each["id"] for each in document["results"] if each["outcome"] == "mismatch"]
    assert [each["failures"] for each in diagnosis["explanations"]] == [failed]
    assert diagnosis["explanations"][0]["mistakes"][0]["name"] == "naive-sum"
    assert (diagnosis["failures"], diagnosis["unexplained"]) == (len(failed), [])
    [todo] = diagnosis["todo"]
    assert (todo["kind"], todo["certain"], todo["failures"]) == ("mistake", True, failed)
    assert todo["mistakes"] == [["naive-sum"]]


def test_a_run_without_a_wrong_answer_names_no_mistake(
    cli: Cli, vectors: Any, hostile_text: Any, faults: Any
) -> None:
    path = vectors.several(3)
    report = path.with_name("report.json")
    for behaviour, listed in ((("correct",), 0), (("exit", "v1"), 1)):
        done = cli("run", "--vectors", path, "--runner", hostile_text(path, *behaviour), "--report", report)
        assert "known mistake" not in done.stdout
        assert done.stdout.count("To fix (1 failure") == listed
        document = json.loads(report.read_text(encoding="utf-8"))
        assert faults("run-report", document) == []
        todo = document["diagnosis"]["todo"] if listed else []
        assert [entry["mistakes"] for entry in todo] == [[]] * listed


def test_ctrl_c_while_looking_keeps_the_account(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Any
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["conformance.diagnosis.diagnose"], "diagnose", interrupted)
    report = tmp_path / "report.json"
    done = cli("run", "--runner", "mistake:naive-sum", SUMS, "--report", report)
    assert done.returncode == 130
    assert "interrupted while looking for known mistakes: no verdict" in done.stdout
    assert f"mismatch: {SPEC}/aggregation/sum-" in done.stdout
    document = json.loads(report.read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    assert document["diagnosis"] is None
    assert document["summary"]["totals"]["mismatch"] > 0


def test_an_unknown_mistake_is_a_sentence(cli: Cli) -> None:
    for name, sentence in (
        ("naive-sun", "there is no known mistake 'naive-sun', did you mean naive-sum"),
        (
            "naive-sum+qqqqq",
            "there is no known mistake 'qqqqq': 'harbor-conformance explain mistakes' lists them",
        ),
        ("", "there is no known mistake '': "),
    ):
        for args in (("run", "--runner", f"mistake:{name}"), ("explain", "mistakes", name)):
            done = cli(*args)
            assert (done.returncode, done.stdout) == (2, "")
            assert sentence in done.stderr
            assert "Traceback" not in done.stderr


def test_several_mistakes_are_made_at_once(cli: Cli) -> None:
    done = cli("run", "--runner", "mistake: naive-sum + pass-at-1-included ", SUMS, f"{SPEC}/pass_at_k/*")
    assert "runner: mistake:naive-sum+pass-at-1-included " in done.stdout
    assert f"{NAIVE.capitalize()} (naive-sum)." in done.stdout
    assert "pass@1 is included (pass-at-1-included)." in done.stdout
    assert "unexplained" not in done.stdout


def test_all_is_told_of_a_mistake(cli: Cli, snapshot: Any) -> None:
    done = cli("explain", "pass-at-1-included")
    assert done.returncode == 0
    head, _, caught = done.stdout.partition("caught by:")
    assert head == snapshot
    assert f"{SPEC}/pass_at_k/" in caught


def test_the_list_of_mistakes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: one for name, one in all_mistakes().items() if name.startswith("pass-at-")}
    monkeypatch.setattr(sys.modules["conformance.cli.explain"], "all_mistakes", lambda: few)
    done = cli("explain", "mistakes")
    assert done.returncode == 0
    row = r"^pass-at-1-included +pass-at-k, pass_at_k +pass@1 is included +\d+ +pass_at_k/"
    assert re.search(row, done.stdout, re.MULTILINE)
    assert f"{len(few)} known mistakes: {len(few)} caught by vectors of their class, 0 by none" in done.stdout
    rows = {row["name"]: row for row in json.loads(cli("explain", "mistakes", "--json").stdout)["mistakes"]}
    assert rows.keys() == few.keys()
    one = rows["pass-at-1-included"]
    wrong = {item.key for item in runs.evidence_of_mistakes("pass-at-1-included") if not item.passed}
    assert set(one["caught_by"]) == {key for key in wrong if key.startswith(f"{SPEC}/pass_at_k/")}
    assert (one["op"], one["class"], one["clause"]) == ("pass_at_k", "pass-at-k", "003-4.2-never-pass-at-1")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_pytest_tells_the_mistake(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...], faults: Any
) -> None:
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CI", "true")  # where pytest's own summary is at its longest
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    known = pytester.path / "known.txt"
    known.write_text(f"{SPEC}/aggregation/sum-ten-tenths mismatch\n", encoding="utf-8")
    result = pytester.runpytest_subprocess(
        *("-p", "no:cacheprovider", "--runner", "mistake:naive-sum", "-k", "aggregation/sum-", "-q"),
        *("--conformance-known-failures", str(known)),
        *("--conformance-report", "report.json", "--junitxml", "junit.xml"),
        *workers,
        timeout=300,
    )
    assert result.ret == 1
    text = result.stdout.str()
    # what is asked again in other words is told beside the diagnosis; how often that shows, the seed decides
    failed = len(re.findall(rf"^mismatch: {SPEC}/(?!.*/asked-again$)", text, re.MULTILINE))
    assert failed > 5
    assert text.count(LIKELY) == failed
    document = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    total = document["diagnosis"]["failures"]
    assert total == failed + 1  # the expected one counts
    assert f"1  {failed} failures   certain (tested on " in text  # the new ones come first
    assert document["diagnosis"]["unexplained"] == []
    assert (pytester.path / "junit.xml").exists()


def test_a_diagnosis_that_fails_costs_no_results(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise LookupError("no such thing")

    monkeypatch.setattr("conformance.diagnosis.diagnose.diagnose", fail)
    done = cli("run", "--runner", "mistake:naive-sum", "harbor-0.13.1/aggregation/sum-ten-tenths")
    assert done.returncode == 1
    assert "mismatch: harbor-0.13.1/aggregation/sum-ten-tenths" in done.stdout
    assert "the diagnosis failed: LookupError: no such thing" in done.stdout + done.stderr
