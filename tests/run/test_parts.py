"""A member that a runner need not give: a harbor's `pipeline` has no outcome line."""

import json
import shlex
import sys

import pytest

from conformance.judging.comparison import differences_of
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok
from tests.conftest import TESTS
from tests.reports import classes, results

PIPELINE = OPS["pipeline"]
FEW = {vector.id: vector for vector in [one for one in load_spec(DEFAULT_SPEC) if one.op is PIPELINE][:12]}
VALUES = [key for key, vector in FEW.items() if "ok" in (vector.expected or {})]


def partial(how):
    return shlex.join([sys.executable, str(TESTS / "runners" / "partial.py"), how])


@pytest.mark.slow
@pytest.mark.parametrize(("how", "outcome"), [("", "passed"), ("owing", "mismatch"), ("wrong", "mismatch")])
def test_the_line_is_due_where_hello_names_outcome(cli, tmp_path, how, outcome) -> None:
    """Asked again, too, a part is enough; the report counts the parts."""
    asked = ("--runner", partial(how), "--runner-timeout", 60, "--again-seed", 1, "--report", "report.json")
    done = cli("run", *asked, "--failures", 0, *FEW)
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    found = {one["id"]: one for one in results(report)}
    assert {found[key]["outcome"] for key in VALUES} == {outcome}
    assert all(("at /line: " in (found[key]["detail"] or "")) is (how == "owing") for key in VALUES)
    if not how:
        assert report["left_out"] == [{"op": "pipeline", "member": "line", "vectors": len(VALUES)}]
        assert classes(report)["job"].reached == "bytes"
        assert f"in part: {len(VALUES)} answers to pipeline without line" in done.stdout
        assert report["asked_again"]["results"] == []
        assert len(report["asked_again"]["passed"]["job"]) > 5


@pytest.mark.parametrize(("how", "code"), [("", 0), ("owing", 1)])
def test_properties_and_fuzz_compare_the_part(cli, run_pytest, monkeypatch, how, code) -> None:
    limit = ("--conformance-runner-timeout", "60")
    result = run_pytest("--runner", partial(how), "-k", "pipeline-equals-reference", *limit)
    assert result.ret == code
    assert ("/line" in result.stdout.str()) is bool(code)
    monkeypatch.setattr("conformance.fuzz.findings.Keeper.diagnose", lambda _: None)
    done = cli("fuzz", "--runner", partial(how), "--ops", "pipeline", "--from-scratch", "--inputs", 40)
    assert (done.returncode, "40 inputs compared" in done.stdout) == (code, True), done.stdout


def test_what_may_be_left_out_is_no_difference() -> None:
    part = Ok({"result.json": {"text": "{}"}}, "line")
    whole = Ok({"result.json": {"text": "{}"}, "line": "A={}"})
    assert differences_of(PIPELINE, whole, part) == []
    assert [one.path for one in differences_of(PIPELINE, whole, Ok(part.value))] == ["/line"]
