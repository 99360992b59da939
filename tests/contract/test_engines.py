"""What searches, measures and explains: that it tries something, and counts what it finds."""

import json
import unittest

import pytest

from conformance.cli import fuzz as fuzz_command
from conformance.diagnosis import known_answers
from conformance.drawing.by_hypothesis import search
from conformance.mistakes.catalogue import find_mistakes, made
from conformance.mistakes.mutators.mutants import mutants_of, reference_source
from conformance.mutants.excuses import Unreachable
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.results import report_of
from conformance.paths import checkout_root
from conformance.wire.messages import Ok
from tests.conftest import PLAIN
from tests.contract.conftest import due
from tests.processes import module_at

WRONG = {"ok": {"value": "wrong"}}
ROOT = checkout_root()


@pytest.fixture
def fuzzed(cli, few, runner, tmp_path, undiagnosed, monkeypatch):
    """``fuzz`` of one operation: the exit code, and the report."""
    monkeypatch.setattr("conformance.fuzz.findings.Keeper.diagnose", lambda _: None)

    def do(*args):
        asked = ["--spec", "evsys", "--ops", "evsys.compute", "--from-scratch", "--seed", 1, "--failures", 0]
        files = ["--json", "f.json", "--out", "found.json"]
        ended = cli("fuzz", "--runner", "in-process", *asked, *files, *args)
        return ended.returncode, few.report(tmp_path / "f.json")

    return do


def test_fuzz_compares_and_finds(fuzzed, runner) -> None:
    code, report = fuzzed("--inputs", 40)
    assert (code, len(report["causes"])) == (0, 0)
    assert len(runner.asked) >= 40
    first = runner.asked
    runner.asked = []
    fuzzed("--inputs", 40)
    assert runner.asked == first
    runner.but(lambda op, given, reply: WRONG if given["metric"] == "pass_rate" else reply)
    code, report = fuzzed("--inputs", 40)
    assert code == report["exit_code"] == 1
    assert report["causes"]


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_no_job_loses_what_it_found(fuzzed, runner, monkeypatch, wrong) -> None:
    """Three jobs, of which one alone finds something; they are done in turn here."""

    def in_turn(work, every, *_, done, **__):
        for one in every:
            done(work(one))
            yield one

    monkeypatch.setattr(fuzz_command, "spread", in_turn)
    runner.but(lambda op, given, reply: WRONG if runner.starts == wrong else reply)
    code, report = fuzzed("--inputs", 30, "--jobs", 3)
    assert (code, bool(report["causes"])) == (1, True)
    assert [(job["seed"], job["problem"]) for job in report["jobs"]] == [(1000 + k, None) for k in range(3)]


def test_a_search_tries_inputs_and_makes_them_small() -> None:
    tried = []

    def draw(source):
        return source.below(1000)

    try:
        search(draw, lambda given: not tried.append(given), seed=1, examples=10, shrinking=False)
    except unittest.SkipTest:  # as hypothesis has it; pytest would skip this test
        pytest.fail("it tried no input")
    assert len(set(tried)) >= 5

    def attempt(given):
        if given > 100:
            tried.append(given)
            raise ArithmeticError
        return True

    with pytest.raises(ArithmeticError):
        search(draw, attempt, seed=1, examples=10, shrinking=True)
    assert tried[-1] < 200


@pytest.mark.parametrize(
    "searching",
    [(), pytest.param(("--conformance-fuzz", "20", "--conformance-fuzz-seed", "1"), marks=pytest.mark.slow)],
    ids=["drawn", "searched"],
)
@pytest.mark.parametrize(("reply", "outcome"), [(None, "passed"), (WRONG, "mismatch")])
def test_properties_try_inputs(
    few, runner, pytester, whole_kit, tmp_path, undiagnosed, reply, outcome, searching
) -> None:
    runner.but(lambda op, given, right: right if reply is None or runner.asked[3:] == [] else reply)
    pytester.makeini("[pytest]\n")
    words = ["--runner=in-process", "--conformance-spec=evsys", f"--conformance-report={tmp_path}/r.json"]
    asked = ["-k", "evsys-compute-avg-is-mean-reward", *searching]
    ended = pytester.runpytest_inprocess(*PLAIN, *words, *asked)
    (found,) = few.report(tmp_path / "r.json")["properties"]
    assert (int(ended.ret), found["outcome"]) == (outcome != "passed", outcome)
    if outcome == "passed":
        assert found["examples"] >= 20
        assert len({json.dumps(one) for one in runner.asked}) >= 20


def mistaken(name):
    program = made(*find_mistakes(name, "evsys"))

    def answer(op, given):
        said = program.answer(op, given)
        return (
            {"ok": said.value}
            if isinstance(said, Ok)
            else {"error": {"type": said.type, "reason_code": None}}
        )

    return answer


@pytest.mark.parametrize("name", ["evsys-name-not-set", "evsys-missing-key-refused"])
def test_a_known_mistake_is_named(cli, runner, name) -> None:
    runner.answer = mistaken(name)
    ended = cli("run", "--runner", "in-process", "--spec", "evsys", "--report", "r.json", "--again-seed", 1)
    assert ended.returncode == 1
    first = ended.stdout.partition("\n1  ")[2].partition("\n2  ")[0]
    assert f"({name})" in first
    assert "certain (tested on " in first


def test_no_mistake_is_named_that_right_answers_speak_against(cli, runner) -> None:
    """Two answers of three are as the mistake gives them where it would show, and the third is right."""
    refusing, shown = mistaken("evsys-missing-key-refused"), {}

    def answer(op, given):
        right, wrong = due("evsys", op, given), refusing(op, given)
        place = shown.setdefault(json.dumps(given), len(shown)) if right != wrong else 0
        return wrong if place % 3 else right

    runner.answer = answer
    ended = cli("run", "--runner", "in-process", "--spec", "evsys", "--again-seed", 1)
    assert (ended.returncode, len(shown) > 5) == (1, True)
    assert "evsys-missing-key-refused" not in ended.stdout


def test_a_memo_of_other_code_is_not_used(monkeypatch) -> None:
    """Where a mistake is made otherwise than when it was asked, its answers are asked anew."""
    known, keys = known_answers.known_answers.__wrapped__("evsys"), known_answers.keys("evsys")
    assert any(known.rows.values())
    changed = sorted(keys.keys() - known.unknown)[0]
    monkeypatch.setattr(known_answers, "keys", lambda _: {**keys, changed: "another"})
    renewed = known_answers.known_answers.__wrapped__("evsys")
    assert renewed.unknown == known.unknown | {changed}
    assert not [1 for row in renewed.rows.values() for _, names in row if changed in names]


@pytest.mark.parametrize(("fate", "code"), [(Fate.KILLED, 0), (Fate.TIMED_OUT, 0), (Fate.SURVIVED, 1)])
def test_a_mutant_that_survives_fails(fate, code) -> None:
    mutant = mutants_of("terminal_bench", reference_source("terminal_bench"))[0]
    about = {"spec": "harbor-0.13.1", "whole": False}
    for op, modules in (("op", []), (None, ["terminal_bench"])):
        ended = {0: Verdict(fate)}
        report = report_of([(mutant, 0, op)], ended, {}, Unreachable(), modules=modules, **about)
        assert report.exit_code() == code
        assert (f"{mutant.id}" in "\n".join(report.lines())) == (code == 1)


def test_the_adapter_of_evsys_gives_the_published_answers(cli, runner) -> None:
    adapter = module_at(ROOT / "conformance" / "adapters" / "evsys.py")

    def answer(op, given):
        try:
            return {"ok": adapter.OPS[op](**given)}
        except ArithmeticError as error:
            return {"error": {"type": type(error).__name__, "reason_code": None}}

    runner.answer = answer
    ended = cli("run", "--runner", "in-process", "--spec", "evsys", "--failures", 1, "*/compute/pass-*")
    assert ended.returncode == 0, ended.stdout
