"""The contract: whatever a runner does, every face tells the same of it, blames the same, and ends in time.

A row is a runner: its behaviour (``runners/hostile.py``), what becomes of the vectors v0, v1, … that it is
asked, and a part of what is said of the first that fails, or of the run. ``run``, ``run --oneshot`` and
``gate`` ask it without processes; ``run`` asks it once more as a process, and pytest with and without xdist.
"""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FATES = {
    ".": "passed", "m": "mismatch", "e": "wrong-error", "u": "unsupported", "c": "crash", "t": "timeout",
    "p": "protocol-error", "n": "not-run",
}  # fmt: skip
PATIENT, HASTY = "60", "2"
"""Seconds a reply may take; where none comes, others come in time, on a busy machine too."""
FLUSH = "within 2 s: did you flush stdout after each reply ("


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
    more: tuple[str, ...] = ()
    process: bool = False
    """Whether only a process shows it."""
    code: int | None = None

    @property
    def hasty(self) -> bool:
        return "t" in (self.fate or "") or " within " in self.says

    def exit_code(self, fate: str | None, *, demanded: bool) -> int:
        if self.code is not None:
            return self.code
        if fate is None or (set(fate) == {"u"} and not demanded):
            return 2
        return int(bool(set(fate) - {".", "u"}) or (demanded and "u" in fate))


def at_3(letter: str) -> str:
    return f"...{letter}...."


BAD, UNUSABLE = "protocol-error", "the runner's reply can't be used: "
STRAY = "the runner wrote to standard output after its last reply"
ONE = [
    ("wrong", "m", 'at /evals_key: "v3__adhoc" expected, "wrong" came'),
    ("wrong-error", "e", "the runner answered with the error KeyError where a value is due"),
    ("unsupported", "u", "the runner says unsupported: not here"),
    ("ok-null", "p", "its ok is not an object"),
    ("pipe-and-a-half", "m", "at /evals_key"),
    ("nested-400", "m", "at /evals_key"),
    ("nested-900", "m", ""),
    ("control-error", "e", r"\x1b[31mred\x07"),
    ("control-key", "m", ""),
    ("control-unsupported", "u", r"\x1b[31mred\x07"),
    ("exit", "c", "the runner exited with code 3 instead of replying"),
    ("exit-0", "c", "the runner exited with code 0 instead of replying"),
    ("kill", "c", "the runner was killed by SIGKILL instead of replying"),
    ("partial-line", "c", "the runner exited with code 0 instead of replying, in the middle of a line"),
    ("hang", "t", f"no reply {FLUSH}"),
    ("garbage", "p", f"{UNUSABLE}it is not JSON: 'Traceback (most recent call last):'"),
    ("garbage-control", "p", "it is not well-formed UTF-8"),
    ("null", "p", "it is not a JSON object: 'null'"),
    ("list", "p", "it is not a JSON object: '[1]'"),
    ("nested-id", "p", "where the number"),
    ("two-answers", "p", "it must hold an id and exactly one of ok, error, unsupported"),
    ("huge", "p", "the runner's reply is longer than 1 MiB"),
    ("huge-unfinished", "p", "the runner's reply is longer than 1 MiB"),
    ("long", "p", "the runner's reply is longer than 1 MiB"),
    ("invalid-utf8", "p", "it is not well-formed UTF-8"),
    ("bare-nan", "p", "it holds the bare token NaN, which is not JSON (send a string)"),
    ("bare-infinity", "p", "it holds the bare token -Infinity"),
    ("duplicate-key", "p", "it holds an object with a duplicate key"),
    ("5000-digits", "p", "it is an int of more than 4300 digits"),
    ("float-overflow", "p", "it holds 1e400, which no double holds (send a string)"),
    ("nested-100000", "p", "it is nested too deeply"),
]
IDS = [
    (
        "wrong-id",
        "is the number 5 where the number 4 was due: answer in order, each request once",
        "its id is the number 2",
    ),
    (
        "string-id",
        'its id is the string "4" where the number 4 was due: send back the id as it came',
        'its id is the string "1"',
    ),
    (
        "float-id",
        "its id is the number 4.0 where the number 4 was due: send back the id as it came",
        "its id is the number 1.0",
    ),
]
STARTS = [
    ("hello-exit", "the runner exited with code 7 before it answered hello"),
    ("hello-exit-0", "the runner exited with code 0 before it answered hello"),
    ("hello-kill", "the runner was killed by SIGKILL before it answered hello"),
    (
        "hello-garbage",
        "the runner's answer to hello can't be used: it is not JSON: 'starting up...' (it looks",
    ),
    ("hello-control", r"its protocol is the string"),
    ("hello-long", "the runner's answer to hello is longer than 1 MiB"),
    ("hello-two-lines", 'can\'t be used: more than one line came in reply: \'{"id": 0, "ok"'),
    ("hello-wrong-id", "can't be used: its id is the number 1 where the number 0 was due"),
    ("hello-protocol-2", "can't be used: its protocol is the number 2, the kit speaks the number 1"),
    ("hello-error", 'can\'t be used: it is an error: ValueError: what?: \'{"id": 0, "error"'),
    ("hello-unsupported", "can't be used: it says unsupported: no such spec: '{"),
    ("hello-null", 'can\'t be used: its ok is not an object: \'{"id": 0, "ok": null}\''),
    ("hello-no-ops", "can't be used: ops must be a list of the ops' names: '{"),
    ("hello-numbers", 'can\'t be used: numbers must be "json" or "string", not binary: \'{'),
]
HINT = "instead of replying (a runner that answers one request a start needs --oneshot)"
AGAIN = "not run: the runner was started again 5 times in a row without a good reply"
ROWS = [
    *(Row(f"{behaviour} v3", at_3(letter), says) for behaviour, letter, says in ONE),
    *(Row(f"{how} v3", at_3("p"), says, oneshot_says=at_once) for how, says, at_once in IDS),
    *(Row(behaviour, None, says) for behaviour, says in STARTS),
    Row("hello-hang", None, "the runner runs, but did not answer hello within 6 s: did you flush"),
    Row("hello-partial", None, "gave no whole answer to hello within 6 s, only '{\"id\":…,' without a line"),
    Row("correct", "." * 8),
    Row("correct", "." * 8, more=("--pipeline", "1"), oneshot=""),
    Row("correct", "." * 100, more=("--pipeline", "3"), oneshot=""),
    Row("hello-control-name", "." * 8),
    Row("flood-stderr", "." * 8),
    Row("slow", "." * 8),
    Row("stays-after-the-end", "." * 8, oneshot=""),
    Row("unsupported", "u" * 4, "the runner says unsupported: not here"),
    Row("hello-few-ops", "u" * 4, "evals_key is not among the ops that hello named"),
    Row("blank-line v3", at_3("p"), "it is not JSON: ''", oneshot_says="it is not JSON: ''"),
    Row("hang v3", at_3("t"), f"no reply {FLUSH}", more=("--pipeline", "1"), oneshot=""),
    Row("late v3", at_3("t"), f"no reply {FLUSH}", more=("--pipeline", "1"), oneshot=""),
    Row("late v3", at_3("p"), "its id is the number 5 where the number 4 was due", oneshot=""),
    *(
        Row(f"{one} v3", at_3(".")[:4] + "p...", UNUSABLE, at_3("p"), "more than one line came in reply")
        for one in ("duplicate-reply", "extra-line", "unfinished-extra")
    ),
    *(
        Row(f"{one} v7", "." * 8, STRAY, "." * 7 + "p", "more than one line came in reply", code=1)
        for one in ("duplicate-reply", "extra-line", "unfinished-extra")
    ),
    Row("words-after-the-end", "." * 8, STRAY, oneshot="", code=1),
    Row("dies-every-3", "..c..c..c", "exited with code 3", "." * 9),
    *(Row(one, "c" * 6 + "nnn", AGAIN, oneshot="") for one in ("exit", "kill")),
    *(Row(one, "p" * 6 + "nnn", AGAIN, oneshot="") for one in ("garbage", "nested-100000")),
    Row("exit", "", oneshot="ccccccnnn", oneshot_says="not run: the runner failed 6 times in a row"),
    Row("exit v1 v2 v3 v5 v6 v7", ".ccc" * 2 + "....", "exited with code 3"),
    Row("hello-then-exit", "ccccccnn", AGAIN, oneshot=""),
    Row("one-shot", ".c.c.c.c", f"the runner exited with code 0 {HINT}", "." * 8),
    Row("closes-stdin v3", "....t...", f"no reply {FLUSH}", "", more=("--pipeline", "1"), process=True),
    Row("closes-stdout v3", at_3("c"), "the runner closed its standard output instead of replying"),
    Row("trickle v3", at_3("t"), "no whole reply within 2 s, only '{\"id\":", process=True),
    Row("grandchild v3", at_3("c"), "exited with code 4", more=("--runner-timeout", HASTY), process=True),
    Row("changing-hello", "..cnnnnn", "says another hello when it is started again: version was", "", code=1),
]  # fmt: skip


def name(row: Row) -> str:
    return "-".join([row.behaviour.replace(" ", "-"), *row.more]).replace("---", "-")


@dataclass
class Told:
    """What a face has said."""

    code: int
    text: str
    report: Any


Face = Callable[[Path, str, Row], Told]


@pytest.fixture
def faces(cli: Any, tmp_path: Path, faults: Any) -> dict[str, Face]:
    def told(done: Any, report: Path) -> Told:
        document = json.loads(report.read_text(encoding="utf-8"))
        assert faults("run-report", document) == []
        return Told(done.returncode, done.stdout + done.stderr, document)

    def run(path: Path, runner: str, row: Row, *more: str) -> Told:
        words = (
            "run",
            "--vectors",
            path,
            "--runner",
            runner,
            "--runner-timeout",
            HASTY if row.hasty else PATIENT,
        )
        return told(
            cli(*words, *row.more, *more, "--again-seed", 1, "--report", "report.json"),
            tmp_path / "report.json",
        )

    def gate(path: Path, runner: str, row: Row) -> Told:
        words = ("gate", "--vectors", path, "--runner", runner, "--classes", "job")
        timeout = ("--runner-timeout", HASTY if row.hasty else PATIENT)
        found = told(cli(*words, *timeout, *row.more), tmp_path / "conformance-report" / "report.json")
        failing = {
            one["id"].rpartition("/")[2]
            for one in found.report["results"]
            if one["outcome"] not in ("passed", "not-run")
        }
        junit = ET.parse(tmp_path / "conformance-report" / "junit.xml").iter("testcase")
        shown = {
            case.get("name")
            for case in junit
            if case.find("failure") is not None or case.find("error") is not None
        }
        assert failing <= shown
        verdict = {0: "passed", 1: "failed", 2: "not-tried"}[found.code]
        assert found.text.splitlines()[-1].startswith(f"gate: {verdict}")
        return found

    return {
        "run": run,
        "process": run,
        "oneshot": lambda *given: run(*given, "--oneshot", "--pipeline", "1"),
        "gate": gate,
    }


def v(index: int) -> str:
    return f"harbor-0.13.1/evals_key/v{index}"


def check(row: Row, told: Told, fate: str | None, says: str, *, demanded: bool = False) -> None:
    report = told.report
    code = row.exit_code(fate, demanded=demanded)
    if code == 1 and fate and set(fate) == {"."}:
        code = int(says == STRAY)
    assert told.code == report["exit_code"] == code, told.text
    outcomes = [FATES[letter] for letter in fate or ""]
    found = sorted(report["results"], key=lambda one: int(one["id"].rpartition("/v")[2]))
    assert [one["outcome"] for one in found] == outcomes
    assert {key: count for key, count in report["totals"].items() if count} == Counter(outcomes)
    if code == 2 and fate:
        assert report["problems"][0].startswith("no vector passed, so nothing was shown")
    told_of = [one["detail"] for one in found if one["detail"]] + report["problems"]
    assert says in "\n".join(told_of)
    assert max(map(len, told_of), default=0) < 1500
    assert "Traceback (most recent call last):\n" not in told.text
    assert not set("\x1b\x07\x9b\u202e\x7f") & set(told.text)


def fates(row: Row, face: str) -> tuple[str | None, str]:
    if face != "oneshot" or row.oneshot == "=":
        return row.fate, (face == "oneshot" and row.oneshot_says) or row.says
    return row.oneshot, row.oneshot_says


PLAYED = [
    (row, face)
    for face in ("run", "gate", "oneshot")
    for row in ROWS
    if not row.process and fates(row, face)[0] != ""
]


def ask(row: Row, face: str, faces: dict[str, Face], vectors: Any, hostile_text: Any) -> None:
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
def test_what_a_runner_comes_to(
    row: Row, face: str, faces: dict[str, Face], vectors: Any, hostile_text: Any, played: None
) -> None:
    ask(row, face, faces, vectors, hostile_text)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row.fate != ""], ids=name)
def test_a_process_comes_to_the_same(
    row: Row, faces: dict[str, Face], vectors: Any, hostile_text: Any
) -> None:
    ask(row, "process", faces, vectors, hostile_text)


ONESHOT = (
    "exit",
    "grandchild",
    "hang",
    "garbage",
    "duplicate-reply",
    "huge",
    "one-shot",
    "flood-stderr",
    "hello-exit",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.oneshot and row.behaviour.split()[0] in ONESHOT], ids=name
)
def test_a_process_for_each_request_too(
    row: Row, faces: dict[str, Face], vectors: Any, hostile_text: Any
) -> None:
    ask(row, "oneshot", faces, vectors, hostile_text)


DEEP = ("nested-900 v3", "nested-id v3")
"""What is parsed depends on how deep the stack is, which a pytest within a pytest has filled."""
IN_PYTEST = [row for row in ROWS if not row.process and row.fate != "" and row.behaviour not in DEEP]
UNDER_XDIST = (
    "correct",
    "wrong v3",
    "unsupported",
    "exit v3",
    "hang v3",
    "garbage v3",
    "hello-exit",
    "words-after-the-end",
)


@pytest.mark.parametrize(
    ("row", "workers"),
    [
        *((row, ()) for row in IN_PYTEST),
        *((row, ("-n", "2")) for row in ROWS if row.behaviour in UNDER_XDIST and not row.more),
    ],
    ids=lambda given: name(given) if isinstance(given, Row) else "xdist" if given else "alone",
)
def test_pytest_tells_the_same(
    row: Row,
    workers: tuple[str, ...],
    run_pytest: Any,
    pytester: pytest.Pytester,
    vectors: Any,
    hostile_text: Any,
    request: pytest.FixtureRequest,
) -> None:
    if not workers:
        request.getfixturevalue("played")
    fate = row.fate
    vectors.folder = pytester.path
    path = vectors.several(len(fate or "...."))
    prefixed = [one.replace("--", "--conformance-") for one in row.more]
    runner = ("--runner", hostile_text(path, *row.behaviour.split()))
    timeout = ("--conformance-runner-timeout", HASTY if row.hasty else PATIENT)
    how = {"process": fate is None}
    result = run_pytest(
        path, *runner, *timeout, *prefixed, "--conformance-report", "report.json", *workers, **how
    )
    text = result.stdout.str() + result.stderr.str()
    report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    check(row, Told(int(result.ret), text, report), fate, row.says.replace("--", "--conformance-"))
    if fate is not None:
        failed, skipped = (sum(fate.count(one) for one in letters) for letters in ("mectpn", "u"))
        result.assert_outcomes(passed=fate.count("."), failed=failed, skipped=skipped)
    else:
        assert result.stdout.str().count("could not try the runner") == 1


@pytest.mark.parametrize(
    "behaviour", [f"{one} v1" for one in ("wrong", "wrong-error", "exit", "hang", "garbage", "control-error")]
)
def test_a_baseline_excuses_just_that(
    behaviour: str, cli: Any, vectors: Any, hostile_text: Any, tmp_path: Path, played: None
) -> None:
    path = vectors.several(3)
    given = ("--vectors", path, "--runner", hostile_text(path, *behaviour.split()), "--runner-timeout", HASTY)
    assert cli("baseline", *given, "-o", "known.txt").returncode == 0
    assert cli("run", *given, "--known-failures", "known.txt", "--report", "report.json").returncode == 0
    totals = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["totals"]
    assert (totals["passed"], totals["expected-failure"]) == (2, 1)
    right = ("--vectors", path, "--runner", hostile_text(path), "--known-failures", "known.txt")
    done = cli("run", *right)
    assert (done.returncode, done.stdout.count("unexpected-pass: ")) == (1, 1)
