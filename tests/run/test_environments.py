"""Vectors with another right answer in each environment: one of them must explain a whole run."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from conformance.diagnosis.environments import variant_answers
from conformance.diagnosis.evidence import expected_answer
from conformance.outcomes import claims
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.vectors import VectorFileError, load_spec
from tests.conftest import v

pytestmark = pytest.mark.usefixtures("played")

SPEC = "harbor-0.13.1"
(VARIANT,) = SPEC_TABLE[SPEC].oracle.variants
OLD = VARIANT.name
MIXING = Path(__file__).parent.parent / "runners" / "mixing.py"


def answer(slug):
    return {"evals_key": f"{slug} as before"}


class Small:
    """A file of four vectors with a variant and one without, and runners that answer it."""

    def __init__(self, vectors, hostile_text) -> None:
        self.vectors, self.hostile_text = vectors, hostile_text
        entries = [vectors.entry(f"v{n}", variants={OLD: {"ok": answer(f"v{n}")}}) for n in range(4)]
        self.path = vectors.write([*entries, vectors.entry("v4")])

    def runner(self, *old, wrong=()):
        """A runner that answers some vectors as the variant, some wrongly, the others as the main one."""
        said = {n: answer(f"v{n}") for n in old} | {n: {"evals_key": "wrong"} for n in wrong}
        entries = [self.vectors.entry(f"v{n}", ok=said.get(n)) for n in range(5)]
        return self.hostile_text(self.vectors.write(entries, "said.json"))


@pytest.fixture
def small(vectors, hostile_text):
    return Small(vectors, hostile_text)


@pytest.fixture
def run(cli, small, tmp_path, faults):
    """Runs the five vectors; the outcome and the report."""

    def check(runner, *more):
        path = tmp_path / "report.json"
        done = cli("run", "--vectors", small.path, "--runner", runner, "--report", path, *more)
        report = json.loads(path.read_text("utf-8"))
        assert faults("run-report", report) == []
        return done, report

    return check


def outcomes(report):
    return [f"{key.rpartition('/')[2]} {outcome}" for key, _, outcome in sorted(claims.outcomes(report))]


@pytest.mark.parametrize(
    ("old", "wrong", "failed", "name", "against"),
    [
        ((), (), (), SPEC, {}),
        ((0, 1, 2, 3), (), (), OLD, {}),
        ((0, 1, 3), (), (2,), OLD, {2: SPEC}),
        ((0, 1), (), (0, 1), SPEC, {0: OLD, 1: OLD}),
        ((0, 1, 2), (3,), (3,), OLD, {}),
        ((0, 1, 2, 3, 4), (), (4,), OLD, {}),
    ],
)
def test_the_environment_that_explains_most_is_taken(
    old, wrong, failed, name, against, run, cli, small
) -> None:
    """Of two that explain as much it is the main one; what is wrong everywhere decides nothing."""
    done, report = run(small.runner(*old, wrong=wrong))
    assert done.returncode == bool(failed)
    assert outcomes(report) == [f"v{n} {'mismatch' if n in failed else 'passed'}" for n in range(5)]
    environment = report["environment"]
    assert (environment["name"], environment["against"]) == (name, {v(n): one for n, one in against.items()})
    assert ("it mixes" in done.stdout) is bool(against)
    assert ("answers as" in done.stdout) is (name == OLD or bool(against))
    if len(old) == 4:
        assert environment["told_by"] == [v(n) for n in range(4)]
        assert environment["stands_for"] == VARIANT.described_as
        assert f"answers as {VARIANT.described_as} does ({OLD}, 4 answers show it)" in done.stdout
    if wrong:
        assert report["results"][0]["expected"] == {"ok": answer("v3")}
    if against == {2: SPEC}:  # a mixture is a mismatch of the fewer
        [one] = report["results"]
        assert one["expected"] == {"ok": answer("v2")}
        assert one["actual"] == {"ok": {"evals_key": "v2__adhoc"}}
        assert one["detail"].endswith("it mixes environments, and no single one explains the run")
        assert "it mixes environments: 1 answer is right as" in done.stdout
        [repeat] = re.findall(r"^repeat: +(.*)$", done.stdout, re.MULTILINE)
        again = cli(*shlex.split(repeat)[1:])
        assert (again.returncode, "1 of 2 passed" in again.stdout) == (1, True)


def test_a_baseline_of_a_mixture_excuses_it(run, cli, small, tmp_path) -> None:
    path = tmp_path / "known.txt"
    runner = small.runner(0, 1, 3)
    assert cli("baseline", "--vectors", small.path, "--runner", runner, "-o", path).returncode == 0
    assert re.findall(r"^(?!#)(\S+ \S+)", path.read_text("utf-8"), re.MULTILINE) == [f"{v(2)} mismatch"]
    done, report = run(runner, "--known-failures", str(path))
    assert done.returncode == 0
    assert outcomes(report)[2] == "v2 expected-failure"
    done, report = run(small.runner(0, 1, 2, 3), "--known-failures", str(path))
    assert outcomes(report)[2] == "v2 unexpected-pass"


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_pytest_lets_a_mixture_fail_at_the_end(small, run_pytest, pytester, workers, faults) -> None:
    def go(runner):
        result = run_pytest(small.path, "--runner", runner, "--conformance-report", "report.json", *workers)
        report = json.loads((pytester.path / "report.json").read_text("utf-8"))
        assert faults("run-report", report) == []
        return result, report

    result, report = go(small.runner(0, 1, 2, 3))
    result.assert_outcomes(passed=5)
    assert result.ret == 0
    assert report["environment"]["name"] == OLD
    result.stdout.fnmatch_lines([f"answers as {VARIANT.described_as} does*"])
    result, report = go(small.runner(0, 1, 3))
    assert result.ret == 1
    assert outcomes(report)[2] == "v2 mismatch"
    assert report["results"][0]["expected"] == {"ok": answer("v2")}
    result.stdout.fnmatch_lines(["it mixes environments: 1 answer is right as*"])


def test_an_unknown_environment_is_refused(vectors) -> None:
    with pytest.raises(VectorFileError, match="which is not an environment of the spec"):
        vectors.load(vectors.entry("one", variants={"pydantic-9": {"ok": {}}}))


def test_the_reference_answers_as_each_environment_does() -> None:
    """The mistake that stands for a variant gives its answers to the byte, wherever they differ."""
    seen = 0
    for vector in load_spec(SPEC):
        if vector.op.name != "job_result" and not vector.variants:
            continue
        different = variant_answers(vector.op.name, vector.input, expected_answer(vector))
        assert different.keys() == vector.variants.keys(), vector.id
        for name, due in different.items():
            assert due == expected_answer(vector.for_environment(name)), vector.id
            seen += 1
    assert seen > 20


def mixing(how):
    return shlex.join([sys.executable, str(MIXING), how])


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [("variant", 0), ("mixed", 1)])
def test_random_inputs_are_explained_by_one_environment(cli, monkeypatch, how, code) -> None:
    monkeypatch.setattr("conformance.fuzz.findings._MOST_ASKING", 0.2)  # which mistake it is, is not asked
    done = cli("fuzz", "--runner", mixing(how), "--ops", "job_result", "--inputs", "60", "--seed", "3")
    assert done.returncode == code, done.stdout
    said = f"answers as {VARIANT.described_as} does" if how == "variant" else "it mixes environments"
    assert said in done.stdout


@pytest.mark.parametrize(("how", "code"), [("variant", 0), ("mixed", 1)])
def test_properties_are_explained_by_one_environment(run_pytest, pytester, how, code) -> None:
    chosen = "job-result-equals-reference or number-ten-to or number-above"
    result = run_pytest("--runner", mixing(how), "-k", chosen, "--conformance-report", "report.json")
    assert result.ret == code
    report = json.loads((pytester.path / "report.json").read_text("utf-8"))
    [tried] = report["properties"]
    assert tried["outcome"] == ("passed" if how == "variant" else "mismatch")
    if how == "variant":
        assert tried["id"] in report["environment"]["told_by"]
