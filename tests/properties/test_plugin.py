"""The properties as users run them: ``pytest --runner=…``."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from conformance.paths import vectors_dir
from conformance.properties import trying
from conformance.suite.vectors import load_file
from tests.processes import KIT, lying

ID = "harbor-0.13.1/properties/"
LIST = str(vectors_dir("harbor-0.13.1") / "properties.json")
XDIST = ("-n", "1")
NAIVE_SUM = f"""\
mismatch: {ID}aggregate-equals-reference
rule:     The answer to any input is the reference's.
clause:   003-6-exact-answers: *
why:      not the reference's answer: the answers differ at /*
found:    after * inputs, then shrunk
repeat:   pytest --runner=*-k {ID}aggregate-equals-reference
mismatch: harbor-0.13.1/aggregation/fuzz-*
input:    *
expected: *
actual:   *
catches:  *
likely:   *
repeat:   harbor-conformance run --runner * --vectors * harbor-0.13.1/aggregation/fuzz-*
"""
NAIVE = f"{sys.executable} -m conformance.mistakes naive-sum"


@pytest.fixture
def reported(go, pytester, faults):
    """Runs the properties with a runner: the result, and the report."""

    def run(runner, *options):
        path = pytester.path / "report.json"
        result = go(runner, LIST, *options, "--conformance-report", path)
        document = json.loads(path.read_text(encoding="utf-8"))
        assert faults("run-report", document) == []
        return result, document

    return run


def outcomes(document):
    return {one["id"].rpartition("/")[2]: one["outcome"] for one in document["properties"]}


def counts(result):
    return {name: count for name, count in result.parseoutcomes().items() if name != "deselected"}


def listed(folder):
    """What a run left there, apart from what pytester itself leaves."""
    own = {"tox.ini", "stdout", "stderr"}
    return sorted({path.name for path in folder.iterdir() if not path.name.startswith("runpytest")} - own)


def test_two_runs_are_the_same(go, pytester) -> None:
    """One of them in a process of its own, which has another hash seed and no earlier run behind it."""
    runs = []
    for process in (False, True):
        report = pytester.path / "report.json"
        options = ("-k", "plan-trials-equals or plan-trials-count", "--conformance-report", report)
        go(lying("wrong", "plan_trials"), LIST, *options, process=process)
        found = json.loads(report.read_text(encoding="utf-8"))["properties"]
        runs.append([{**one, "seconds": 0} for one in found])
        files = pytester.path.glob("conformance-counterexamples/*")
        runs.append(sorted((path.name, path.read_text()) for path in files))
    assert runs[:2] == runs[2:]
    assert runs[1]


def test_they_are_collected_beside_the_vectors_and_chosen_as_tests_are(go) -> None:
    def collected(*options):
        return [line for line in go("reference", *options, "--collect-only", "-q").outlines if "::" in line]

    lines = collected()
    assert sum(f"properties.json::{ID}" in line for line in lines) == 143
    assert len(lines) > 2000
    plan = collected(vectors_dir("harbor-0.13.1") / "plan.json")
    assert plan
    assert not [line for line in plan if f"properties.json::{ID}" in line]
    assert sum(f"::{ID}" in line for line in collected(LIST, "-k", "evals_key")) == 5
    assert len(collected("-m", "conformance_properties", "-k", "plan_trials")) == 5
    assert counts(go("reference", f"{LIST}::{ID}evals-key-joins-names")) == {"passed": 1}
    result = go("reference", LIST, "-m", "not conformance_properties", "--collect-only", "-q")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_workers_of_xdist_try_what_one_process_would(reported, pytester) -> None:
    """They draw from one seed and write to where the user is; junit.xml and report have their findings."""
    slugs = ("evals-key-equals-reference", "plan-trials-equals-reference")
    options = ("-k", " or ".join(slugs), "--conformance-fuzz", "30")
    options += ("--conformance-counterexamples", "found/here", "--junitxml=junit.xml", *XDIST)
    result, document = reported(lying("wrong", "plan_trials"), *options)
    assert counts(result) == {"passed": 1, "failed": 1}
    assert listed(pytester.path) == ["found", "junit.xml", "report.json"]
    assert listed(pytester.path / "found" / "here") == ["plan-trials-equals-reference.json"]
    (line,) = [line for line in result.outlines if line.startswith("fuzz: ")]
    found = {one["id"]: one for one in document["properties"]}
    assert {f"--conformance-fuzz-seed {one['seed']}" in line for one in found.values()} == {True}
    cases = {case.get("name"): case for case in ET.parse(pytester.path / "junit.xml").iter("testcase")}
    assert sorted(cases) == sorted(found) == [ID + slug for slug in slugs]
    for name, outcome in zip(sorted(cases), ("passed", "mismatch"), strict=True):
        told = {each.get("name"): each.get("value") for each in cases[name].iter("property")}
        assert told["outcome"] == found[name]["outcome"] == outcome
        assert told["class"] == "job"
        assert int(told["examples"] or 0) == found[name]["examples"] > 0


def test_a_naive_sum_is_found_shrunk_and_written(reported, pytester, monkeypatch, faults) -> None:
    monkeypatch.setattr(trying, "SHRINKING_SECONDS", 60.0)  # as small as it gets, also on a busy machine
    result, document = reported(NAIVE, "-k", "aggregate-equals-reference")
    assert result.ret == 1
    told = result.stdout.str()
    result.stdout.fnmatch_lines(NAIVE_SUM.splitlines())
    assert "naive-sum" in told
    assert "Falsifying" not in told
    assert "hypothesis" not in told.lower().replace("nohypothesispytest", "")
    (one,) = document["properties"]
    assert one["outcome"] == "mismatch"
    path = pytester.path / "conformance-counterexamples" / "aggregate-equals-reference.json"
    assert one["counterexamples"] == str(path)
    (vector,) = load_file(path)
    added = [value for reward in vector.input["rewards"] for value in (reward or {}).values() if value]
    assert len(added) == 3  # fewer floats have one sum however they are added
    assert faults("vector-file", json.loads(path.read_text(encoding="utf-8"))) == []
    command = [*KIT, "run", "--vectors", str(path), "--runner"]
    for runner, code in ((NAIVE, 1), ("reference", 0)):
        done = subprocess.run([*command, runner], capture_output=True, timeout=300, check=False)
        assert done.returncode == code, done.stdout


def test_a_property_of_several_requests_tells_of_each(go, pytester) -> None:
    result = go(lying("wrong", "evals_key", "always"), LIST, "-k", "groups-are-evals-keys")
    lines = [f"mismatch: {ID}job-result-groups-are-evals-keys", "asked 1:  job_result *", "answer:   *"]
    lines += ["asked 2:  evals_key *", 'answer:   {"wrong": 1}', "repeat:   pytest *"]
    result.stdout.fnmatch_lines([*lines, "mismatch: harbor-0.13.1/evals_key/fuzz-*"])
    assert listed(pytester.path / "conformance-counterexamples") == ["job-result-groups-are-evals-keys.json"]
    # A folder that cannot be made is a problem.
    (pytester.path / "found").write_text("", encoding="utf-8")
    options = ("-k", "plan-trials-equals-reference", "--conformance-counterexamples", "found")
    result = go(lying("wrong", "plan_trials"), LIST, *options)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["problem:  *found* can't be written: *"])


@pytest.mark.parametrize(
    ("behaviour", "outcome", "sentence"),
    [
        ("crash", "crash", "the runner exited with code 3 instead of replying"),
        ("hang", "timeout", "no reply within 1.5 s: did you flush stdout after each reply (python -u, *"),
        ("garbage", "protocol-error", "the runner's reply can't be used: *"),
    ],
)
def test_a_runner_that_gives_no_answer(reported, behaviour, outcome, sentence) -> None:
    """The property says so, soon; the others are tried all the same."""
    slugs = "plan-trials-equals or plan-trials-count or terminal-bench-reward-equals"
    options = ("-k", slugs, "--conformance-runner-timeout", "1.5")
    result, document = reported(lying(behaviour, "plan_trials"), *options)
    assert result.ret == 1
    lines = [f"{outcome}: {ID}plan-trials-equals-reference", f"why:      {sentence}"]
    lines += [f"{outcome}: harbor-0.13.1/plan/fuzz-*", f"why:      {sentence}"]
    result.stdout.fnmatch_lines(lines)
    found = outcomes(document)
    assert found["terminal-bench-reward-equals-reference"] == "passed"
    assert found["plan-trials-count"] in ("passed", outcome)
    assert found["plan-trials-equals-reference"] == outcome


def test_nothing_but_unsupported_is_no_success(go) -> None:
    result = go(lying("without", "evals_key"), LIST, "-k", "evals-key")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["problem: no vector passed, so the run shows nothing: *"])
    result = go(lying("unsupported", "plan_trials"), LIST, "-k", "plan-trials-equals", "-rs")
    result.stdout.fnmatch_lines(["SKIPPED*the runner says unsupported: not today*"])


def test_a_list_may_name_a_property(go, reported, pytester) -> None:
    known = pytester.path / "known.txt"
    known.write_text(f"{ID}plan-trials-equals-reference mismatch  # why\n", encoding="utf-8")
    options = ("-k", "plan-trials-equals or plan-trials-count", "--conformance-known-failures", known)
    result, document = reported(lying("wrong", "plan_trials", "always"), *options)
    assert counts(result) == {"xfailed": 1, "failed": 1}
    (_, one) = document["properties"]
    assert (one["outcome"], one["real_outcome"]) == ("expected-failure", "mismatch")
    assert one["asked"]["op"] == "plan_trials"
    assert one["expected"] != one["actual"]
    assert list(one["actual"]) == ["ok"]
    assert one["expected_by"] == f"{ID}plan-trials-equals-reference mismatch"
    result = go("reference", LIST, *options)
    assert counts(result) == {"passed": 1, "failed": 1}
    result.stdout.fnmatch_lines([f"unexpected-pass: {ID}plan-trials-equals-reference"])
    result = go("reference", LIST, "-k", "plan-trials-count", "--conformance-known-failures", known)
    assert result.ret == 0  # it matches a property of the whole set, though not a selected one


def test_numbers_as_strings_and_a_oneshot_runner_that_is_tried_with_few_inputs(go, reported) -> None:
    slugs = "aggregate-equals or aggregate-mean-is-sum or multi-step-reward-equals"
    result = go(lying("numbers", "none"), LIST, "-k", f"{slugs} or terminal-bench-reward-equals")
    assert (int(result.ret), counts(result)) == (0, {"passed": 4}), result.stdout.str()[-2000:]
    _, document = reported("reference", "--conformance-oneshot", "-k", "plan-trials-count")
    (one,) = document["properties"]
    assert (one["outcome"], one["examples"] <= 10) == ("passed", True)


@pytest.mark.release
@pytest.mark.oracle
def test_they_hold_of_the_real_harbor(reported) -> None:
    """All, with an input each: elsewhere the oracle is compared with the reference at length."""
    options = ("--conformance-fuzz", "1", "--conformance-fuzz-seed", "1")
    options += ("--conformance-runner-timeout", "60")
    result, document = reported("oracle", *options)
    assert result.ret == 0, result.stdout.str()[-3000:]
    found = list(outcomes(document).values())
    assert found.count("passed") >= 90
    assert set(found) == {"passed", "unsupported"}
