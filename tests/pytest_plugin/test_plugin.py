"""The pytest plugin: what a user's pytest does with ``--runner``.

The outcome must not depend on xdist: what could, runs with and without it. Each worker takes a second to
start, so there are two only where one would not show the same.
"""

import gc
import json
import re
import xml.etree.ElementTree as ET

import pytest

from conformance.console import RARELY
from conformance.outcomes import claims
from conformance.properties import property_ids
from tests.conftest import TESTS, v

XDIST = ("-n", "1")


@pytest.fixture(params=[(), XDIST], ids=["alone", "xdist"])
def workers(request):
    return request.param


@pytest.fixture(params=[(), ("-n", "2")], ids=["alone", "xdist"])
def two_workers(request):
    return request.param


class Asked:
    """Vectors v0, v1, … in pytester's folder, and pytest, which asks a hostile runner for them."""

    def __init__(self, run_pytest, vectors, hostile_text, folder) -> None:
        self.run_pytest, self.vectors, self.hostile_text = run_pytest, vectors, hostile_text
        self.folder = vectors.folder = folder

    def __call__(self, behaviour, *options, count=5, **how):
        path = self.vectors.several(count)
        runner = self.hostile_text(path, *behaviour.split())
        return self.run_pytest("-rA", path, "--runner", runner, *options, **how)

    def listed(self, text):
        (self.folder / "known.txt").write_text(text, encoding="utf-8")
        return "--conformance-known-failures", self.folder / "known.txt"

    def counted(self, monkeypatch):
        """Where each start of the runner leaves a line from now on."""
        monkeypatch.setenv("HOSTILE_STARTS", str(self.folder / "starts"))
        return self.folder / "starts"


@pytest.fixture
def asked(run_pytest, vectors, hostile_text, pytester):
    return Asked(run_pytest, vectors, hostile_text, pytester.path)


def conformance_report(path, faults):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    return document


def test_a_runner_that_is_right_passes(asked, monkeypatch, two_workers) -> None:
    starts = asked.counted(monkeypatch)
    result = asked("correct", *two_workers)
    # one for each worker, and the controller says hello only
    assert starts.read_text(encoding="utf-8").count("\n") == (3 if two_workers else 1)
    result.assert_outcomes(passed=5)
    assert result.ret == 0
    lines = ["runner: hostile 1 (*hostile.py *)", "spec: harbor-0.13.1, level: bytes, vectors: *"]
    lines += ["*= harbor conformance =*", "class * vectors * passed * reached * claim"]
    said = "hostile 1 against harbor-0.13.1 at level bytes: no unexpected failure; 5 of 5 passed in *"
    result.stdout.fnmatch_lines([*lines, "job * 5 * 5 * bytes * none", said])


FAILURE = f"""\
mismatch: {v(3)}
rule:     The rule of v3.
clause:   003-3.3-made-for-a-test*
input:    {{"agent": "v3", "model": null, "source": null}}
expected: {{"evals_key": "v3__adhoc"}}
actual:   {{"evals_key": "wrong"}}
why:      at /evals_key: expected "v3__adhoc", got "wrong"
catches:  The mistake behind v3.
repeat:   harbor-conformance run --runner *
"""


def test_a_failure_is_told_in_full(asked, workers) -> None:
    result = asked("wrong v3", "--junitxml=junit.xml", *workers)
    result.assert_outcomes(passed=4, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(FAILURE.splitlines())
    result.stdout.no_fnmatch_line("*pytest_items.py*Error*")
    assert "does not conform; 4 of 5 passed" in result.stdout.str()
    cases = {case.get("name"): case for case in ET.parse(asked.folder / "junit.xml").iter("testcase")}
    also = {"class": "job", "clause": "003-3.3-made-for-a-test"}
    for key, outcome, level in ((v(0), "passed", "bytes"), (v(3), "mismatch", "none")):
        told = {each.get("name"): each.get("value") for each in cases[key].iter("property")}
        assert told == {"outcome": outcome, "level": level, **also}
    assert [name for name, case in cases.items() if case.find("failure") is not None] == [v(3)]


def test_known_failures_are_held_to_strictly(asked, workers) -> None:
    entries = [f"{v(1)} crash", f"{v(2)} timeout", "*/no-such-vector crash", "*/v[03] crash"]
    result = asked("wrong v1", *asked.listed("\n".join(entries)), *workers)
    result.assert_outcomes(passed=3, failed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines_random(
        [
            f"mismatch: {v(1)}",
            f"unexpected-pass: {v(2)}",
            "why:      it passed, but line 2 of the known failures expects timeout: remove that line",
            'problem: known failures, line 3: "[*]/no-such-vector" matches no vector: remove or correct it',
            'problem: known failures, line 4: "[*]/v?03?" is stale: *',
        ]
    )


def test_k_and_node_ids_choose(asked) -> None:
    """And --lf what failed; where a filter selects nothing, the run fails."""
    asked("correct", "-k", "v1 or v2").assert_outcomes(passed=2, deselected=3)
    result = asked.run_pytest("-rA", f"made.json::{v(3)}", "--runner", asked.hostile_text("made.json"))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"PASSED made.json::{v(3)}"])
    asked("wrong v2", cache=True, count=4).assert_outcomes(passed=3, failed=1)
    result = asked("correct", "--lf", cache=True, count=4)
    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines([f"PASSED made.json::{v(2)}"])
    result = asked("correct", "-k", "no_such_vector", *XDIST)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["problem: no vector passed, so the run shows nothing: *"])


def test_x_stops_and_leaves_a_report(asked, workers, faults) -> None:
    report = asked.folder / "report.json"
    options = ("--conformance-report", report, *asked.listed("*/v[0-9]* timeout\n"))
    result = asked("wrong v1 v2 v3", "-x", *options, *workers, count=400)
    assert result.ret == 1
    document = conformance_report(report, faults)
    assert claims.exit_code(document) == 1
    assert not claims.complete(document)
    assert claims.totals(document)["mismatch"] >= 1
    assert claims.totals(document).total() < 400
    assert document["problems"] == []  # a list is judged only after a whole run


def test_collect_only_does_not_start_the_runner(asked, monkeypatch) -> None:
    starts = asked.counted(monkeypatch)
    result = asked("correct", "--collect-only", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"made.json::{v(0)}", f"made.json::{v(1)}"])
    assert not starts.exists()


def prefixed(text):
    return re.sub(r"--(?!runner(?!-))", "--conformance-", text)


AS_OF_RUN = [
    (tuple(map(prefixed, words)), prefixed(said.removeprefix("harbor-conformance: ")))
    for (command, *words), said in json.loads((TESTS / "cli" / "mistakes.json").read_text("utf-8"))
    if command == "run" and said.startswith("harbor-conformance: ")
]
"""The mistakes of ``run`` that end in the kit's own sentence: it is the same here, but for prefixes."""


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *AS_OF_RUN,
        *(
            (tuple(map(prefixed, words.split())), prefixed(said))
            for words, said in (
                ("--runner a --pipeline 0", "--pipeline must be at least 1"),
                ("--runner a --harbor 0.22.0", "--runner and --harbor name two runners: give only one of"),
                ("--harbor 0.22", "'0.22' is not a release version: *"),
                ("--runner a --runner-timeout 0", "--runner-timeout must be above 0 and *"),
                ("--runner a --shard 5/4", "--shard 5/4: the parts are numbered *"),
                ("--runner a --vectors-version 9", "--vectors-version: harbor-0.13.1 has no vectors of ver"),
                ("--runner a --fuzz 0", "--fuzz must be at least 1"),
                ("--runner a --fuzz-seed 1", "--fuzz-seed needs --fuzz"),
                ("--runner a --fuzz 1 --fuzz-seed -1", "--fuzz-seed must be at least 0"),
            )
        ),
    ],
)
def test_a_mistake_in_the_options_is_a_sentence(run_pytest, options, sentence) -> None:
    result = run_pytest(*options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}*"])


def test_a_file_that_holds_no_vectors_is_a_sentence(asked) -> None:
    """So is a vector without an answer."""
    for content in ("[]", "{", '{"vectors": [{"id": "x"}]}'):
        (asked.folder / "other.json").write_text(content, encoding="utf-8")
        result = asked("correct", "other.json")
        told = result.stdout.str() + result.stderr.str()
        assert (result.ret in (0, 1), "other.json" in told, "Traceback" in told) == (False, True, False)
    entry = asked.vectors.entry("v9")
    del entry["expected"]
    result = asked("correct", asked.vectors.write([entry], "silent.json"))
    assert result.ret == 2
    assert f"{v(9)} has no expected answer yet: run harbor-conformance kit regen" in result.stdout.str()


def test_a_users_own_tests_run_beside(asked, pytester, workers) -> None:
    many = "@pytest.mark.parametrize('n', range(3))\ndef test_many(n): pass\n"
    own = pytester.makepyfile(f"import pytest\ndef test_fails(): assert False\n{many}")
    result = asked("correct", own, *workers, count=3)
    result.assert_outcomes(passed=6, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*3 of 3 passed in *"])
    assert "mismatch" not in result.stdout.str()


def test_ctrl_c_leaves_a_report(asked, pytester, faults) -> None:
    own = pytester.makepyfile("def test_interrupts(): raise KeyboardInterrupt")
    report = asked.folder / "report.json"
    result = asked("correct", own, "--conformance-report", report, count=4, process=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    document = conformance_report(report, faults)
    assert claims.totals(document)["passed"] == 4
    assert document["interrupted"]["sentence"] == "interrupted after 4 vectors"


def test_a_whole_run_claims(run_pytest, faults, pytester) -> None:
    """The one test here on real vectors and properties, of a small spec; in a process as a user starts it."""
    report = pytester.path / "report.json"
    options = ("--conformance-spec", "evsys", "--conformance-report", report, "-q", "-r", "N")
    result = run_pytest("-rA", "--runner", "reference", *options, "-n", "2", process=True)
    document = conformance_report(report, faults)
    assert result.ret == 0, result.stdout.str()[-2000:]
    assert claims.complete(document)
    assert {account.claimed for account in claims.classes(document)} == {"bytes"}
    assert [one["id"] for one in document["properties"]] == sorted(property_ids("evsys"))
    assert {one["outcome"] for one in document["properties"]} == {"passed"}
    assert {one["seed"] for one in document["properties"]} == {0}
    count = len(document["properties"])
    result.stdout.fnmatch_lines(["class * properties * passed", f"all * {count} * {count}"])
    assert f"{count} of {count} properties held (" in result.stdout.str()
    left = {path.name for path in pytester.path.iterdir()} - {"stdout", "stderr", "tox.ini"}
    assert {name for name in left if not name.startswith("runpytest")} == {"report.json"}


def test_garbage_is_collected_rarely_and_then_as_before(asked, pytester) -> None:
    """At the end pytest's own collections leave out what was loaded."""
    seen = "f'{gc.get_threshold()} {gc.get_freeze_count() > 0}'"
    hook = f"def pytest_runtest_setup(): pathlib.Path('seen').write_text({seen})"
    pytester.makeconftest(f"import gc, pathlib\n{hook}")
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        path = asked.vectors.several(1)
        assert asked.run_pytest(path, "--runner", "reference").ret == 0
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.set_threshold(*before)
    assert (pytester.path / "seen").read_text() == f"{RARELY} True"
