"""The contract: whatever a runner does, every face tells the same of it, blames the same, and ends in time.

A row is a runner: its behaviour (``runners/hostile.py``), what becomes of the vectors v0, v1, … that it is
asked, and a part of what is said of the first that fails, or of the run. ``run``, ``run --oneshot`` and
``gate`` ask it without processes; ``run`` asks it once more as a process, and pytest with and without xdist.
What else makes a line no reply, tests/wire/test_messages.py says.
"""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance.runner import conversation, process
from tests.conftest import v
from tests.reports import results

FATES = {
    ".": "passed", "m": "mismatch", "e": "wrong-error", "u": "unsupported", "c": "crash", "t": "timeout",
    "p": "protocol-error", "n": "not-run", "f": "flaky",
}  # fmt: skip
PATIENT, HASTY = "60", "1"
"""Seconds a reply may take; where none comes, others come in time, on a busy machine too."""


@dataclass(frozen=True)
class Row:
    """A runner, and what becomes of it."""

    behaviour: str
    fate: str | None
    """A letter a vector; None where it could not be tried."""
    says: str = ""
    oneshot: str = "="
    """The fate under --oneshot; = where it is the same, empty where it is not tried."""
    oneshot_says: str = ""
    more: Iterable[str] = ()
    process: bool = False
    """Whether only a process shows it."""
    code: int | None = None

    @property
    def hasty(self):
        return "t" in (self.fate or "") or " within " in self.says or self.behaviour.startswith("late ")

    def exit_code(self, fate, *, demanded):
        if self.code is not None:
            return self.code
        if fate is None or (set(fate) == {"u"} and not demanded):
            return 2
        return int(bool(set(fate) - {".", "u"}) or (demanded and "u" in fate))


STRAY = "the runner wrote to standard output after its last reply"
_ROWS = json.loads(Path(__file__).with_name("rows.json").read_text("utf-8"))
ROWS = [Row(*row[:3], **dict(*row[3:])) for row in _ROWS]


def name(row):
    return "-".join([row.behaviour.replace(" ", "-"), *row.more]).replace("---", "-")


@dataclass
class Told:
    code: int
    text: str
    report: Any


@pytest.fixture
def faces(cli, tmp_path, faults):
    def told(done, report):
        document = json.loads(report.read_text("utf-8"))
        assert faults("run-report", document) == []
        return Told(done.returncode, done.stdout + done.stderr, document)

    def run(path, runner, row, *more):
        words = ("run", "--vectors", path, "--runner", runner, "--again-seed", 1, "--report", "report.json")
        timeout = ("--runner-timeout", HASTY if row.hasty else PATIENT)
        return told(cli(*words, *timeout, *row.more, *more), tmp_path / "report.json")

    def gate(path, runner, row):
        words = ("gate", "--vectors", path, "--runner", runner, "--classes", "job")
        timeout = ("--runner-timeout", HASTY if row.hasty else PATIENT)
        found = told(cli(*words, *timeout, *row.more), tmp_path / "conformance-report" / "report.json")
        failing = [one["id"] for one in results(found.report) if one["outcome"] not in ("passed", "not-run")]
        junit = ET.parse(tmp_path / "conformance-report" / "junit.xml").iter("testcase")
        shown = {case.get("name") for case in junit if {"failure", "error"} & {one.tag for one in case}}
        assert {one.partition("/")[2] for one in failing} <= shown
        verdict = {0: "passed", 1: "failed", 2: "not-tried"}[found.code]
        assert found.text.splitlines()[-1].startswith(f"gate: {verdict}")
        assert f"passed at level {found.report['level']}" in found.text.splitlines()[-1]
        return found

    def oneshot(*given):
        return run(*given, "--oneshot", "--pipeline", "1")

    return {"run": run, "process": run, "oneshot": oneshot, "gate": gate}


def check(row, told, fate, says, *, demanded=False) -> None:
    report = told.report
    code = row.exit_code(fate, demanded=demanded)
    if code == 1 and fate and set(fate) == {"."}:
        code = int(says == STRAY)
    assert told.code == report["summary"]["exit_code"] == code, told.text
    outcomes = [FATES[letter] for letter in fate or ""]
    found = sorted(results(report), key=lambda one: int(one["id"].rpartition("/v")[2]))
    assert [one["outcome"] for one in found] == outcomes
    assert report["summary"]["totals"] == Counter(outcomes)
    if code == 2 and fate:
        assert report["problems"][0].startswith("no vector passed, so the run shows nothing")
    told_of = [one["detail"] for one in found if one["detail"]] + report["problems"]
    assert says in "\n".join(told_of)
    assert max(map(len, told_of), default=0) < 1500
    assert "Traceback (most recent call last):\n" not in told.text
    assert not set("\x1b\x07\x9b\u202e\x7f") & set(told.text)


def fates(row, face):
    if face != "oneshot" or row.oneshot == "=":
        return row.fate, (face == "oneshot" and row.oneshot_says) or row.says
    return row.oneshot, row.oneshot_says


PLAYED = [
    (row, face)
    for face in ("run", "gate", "oneshot")
    for row in ROWS
    if not row.process and fates(row, face)[0] != ""
]


def ask(row, face, faces, vectors, hostile_text) -> None:
    fate, says = fates(row, face)
    path = vectors.several(len(fate or "...."))
    told = faces[face](path, hostile_text(path, *row.behaviour.split()), row)
    check(row, told, fate, says, demanded=face == "gate")
    for index, letter in list(enumerate(fate or ""))[:12]:
        if face != "gate" and letter not in ".un":
            assert f"{FATES[letter]}: {v(index)}\n" in told.text
    if row.behaviour == "exit v3" and face != "gate":
        assert "stderr:   first words\n          last words\n" in told.text


@pytest.mark.parametrize(("row", "face"), PLAYED, ids=[f"{face}-{name(row)}" for row, face in PLAYED])
def test_what_a_runner_comes_to(row, face, faces, vectors, hostile_text, played, undiagnosed) -> None:
    ask(row, face, faces, vectors, hostile_text)


@pytest.fixture
def impatient(monkeypatch) -> None:
    """A process that closed its output, or does not end, is not waited for as long as usual."""
    monkeypatch.setattr(process, "_REAP_SECONDS", 1.0)
    monkeypatch.setattr(conversation, "_CLOSE_SECONDS", 0.5)


SAID_ALIKE = {
    *("control-error", "control-key", "control-unsupported", "nested-400", "nested-900", "nested-id"),
    *("wrong-error", "unsupported", "blank-line", "garbage-control", "hello-control", "hello-control-name"),
    *("hello-wrong-id", "hello-error", "hello-unsupported", "hello-null", "hello-few-ops"),
}
"""Behaviours that are lines like any other: from a process they come as without one."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.fate != "" and row.behaviour.split()[0] not in SAID_ALIKE], ids=name
)
def test_a_process_comes_to_the_same(row, faces, vectors, hostile_text, impatient) -> None:
    ask(row, "process", faces, vectors, hostile_text)


ONESHOT = ("exit", "grandchild", "hang", "garbage", "duplicate-reply", "huge", "one-shot")
ONESHOT += ("flood-stderr", "hello-exit")


OF_ONESHOT = [row for row in ROWS if row.oneshot and row.behaviour.split()[0] in ONESHOT]


@pytest.mark.slow
@pytest.mark.parametrize("row", OF_ONESHOT, ids=name)
def test_a_process_for_each_request_too(row, faces, vectors, hostile_text, impatient) -> None:
    ask(row, "oneshot", faces, vectors, hostile_text)


DEEP = ("nested-900 v3", "nested-id v3")
"""What is parsed depends on how deep the stack is, which a pytest within a pytest has filled."""
IN_PYTEST = {
    (row.fate, row.code, row.more and row.behaviour, row.behaviour.partition("-")[0]): row
    for row in ROWS
    if not row.process and row.fate != "" and row.behaviour not in DEEP
}
"""Of rows that come to the same by behaviours of one kind, the last: the talk is that of the other faces."""
UNDER_XDIST = ("wrong v3", "exit v3", "hello-exit", "words-after-the-end")


@pytest.mark.parametrize(
    ("row", "workers"),
    [
        *((row, ()) for row in IN_PYTEST.values()),
        *((row, ("-n", "2")) for row in ROWS if row.behaviour in UNDER_XDIST and not row.more),
    ],
    ids=lambda given: name(given) if isinstance(given, Row) else "xdist" if given else "alone",
)
def test_pytest_tells_the_same(
    row, workers, run_pytest, pytester, vectors, hostile_text, undiagnosed, request
) -> None:
    if not workers:
        request.getfixturevalue("played")
    fate = row.fate
    vectors.folder = pytester.path
    path = vectors.several(len(fate or "...."))
    prefixed = [one.replace("--", "--conformance-") for one in row.more]
    runner = ("--runner", hostile_text(path, *row.behaviour.split()))
    timeout = ("--conformance-runner-timeout", HASTY if row.hasty else PATIENT)
    result = run_pytest(path, *runner, *timeout, *prefixed, "--conformance-report", "report.json", *workers)
    text = result.stdout.str() + result.stderr.str()
    report = json.loads((pytester.path / "report.json").read_text("utf-8"))
    check(row, Told(int(result.ret), text, report), fate, row.says.replace("--", "--conformance-"))
    if fate is not None:
        failed, skipped = (sum(fate.count(one) for one in letters) for letters in ("mectpnf", "u"))
        result.assert_outcomes(passed=fate.count("."), failed=failed, skipped=skipped)
    else:
        assert result.stdout.str().count("could not try the runner") == 1
