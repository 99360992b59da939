"""What a run's report says beside outcomes: the set, the selection, the list, and how to repeat it."""

import json
import shlex

import pytest

from conformance.outcomes import claims
from conformance.suite.vectors import load_spec
from tests.processes import lying

pytestmark = pytest.mark.usefixtures("played")

SPEC = "harbor-0.13.1"


@pytest.fixture
def run(cli, tmp_path, faults):
    def do(*args):
        path = tmp_path / "report.json"
        path.unlink(missing_ok=True)
        done = cli("run", *args, "--report", path, "--failures", 0)
        report = json.loads(path.read_text("utf-8")) if path.exists() else None
        assert report is None or faults("run-report", report) == []
        return done, report

    return do


def test_a_result_says_all_that_a_page_needs(run, cli, tmp_path) -> None:
    listed = tmp_path / "known.txt"
    listed.write_text(f"{SPEC}/aggregation/mean-* mismatch  # since 2026-11-01: sums naively\n", "utf-8")
    few = f"{SPEC}/aggregation/mean-*"
    _, report = run("--runner", "mistake:naive-sum", "--known-failures", listed, "--classes", "job", few)
    vectors = {vector.id: vector for vector in load_spec(SPEC)}
    expected = [one for one in report["results"] if one["outcome"] == "expected-failure"]
    assert expected
    for one in report["results"]:
        vector = vectors[one["id"]]
        assert (one["rule"], one["since"]) == (vector.rule, vector.since)
        assert report["clauses"][one["clause"]]
        wrong = one in expected
        if "beginning" not in (one["asked"] or {}):  # one is too long
            assert one["asked"] == ({"op": vector.op.name, "input": vector.input} if wrong else None)
        assert one["catches"] == ((vector.catches or None) if wrong else None)
        assert bool(one["repeat"]) == wrong
        assert one["demanded"] is False
    [entry] = report["known_failures"]["entries"]
    assert (entry["since"], entry["line"]) == ("2026-11-01", 1)
    assert {one["expected_by"] for one in expected} == {f"{entry['pattern']} mismatch"}
    assert report["selection"]["classes"] == ["job"]
    assert cli(*shlex.split(expected[0]["repeat"])[1:]).returncode == 1


def test_what_is_demanded_is_marked(run) -> None:
    one = f"{SPEC}/evals_key/agent-empty"
    runner = lying("unsupported", "evals_key", "always")
    for classes, demanded in ((), False), (("--classes", "job"), True):
        _, report = run("--runner", runner, *classes, one)
        assert report["results"][0]["outcome"] == "unsupported"
        assert report["results"][0]["demanded"] is demanded


def test_a_whole_run_of_an_older_version_claims_nothing(run, tmp_path) -> None:
    """An entry of the list may name a newer vector."""
    listed = tmp_path / "known.txt"
    newest = next(vector for vector in load_spec("evsys") if vector.since == "1.0.0")
    listed.write_text(f"{newest.id} mismatch\n", "utf-8")
    asked = ("--runner", "reference", "--spec", "evsys", "--vectors-version")
    for more in ((), ("--known-failures", listed)):
        done, report = run(*asked, "0.3.0", *more)
        assert (done.returncode, claims.exit_code(report), claims.complete(report)) == (0, 0, False)
        assert report["problems"] == []
    newer = report["vectors"]["newer"]
    told = f"vectors 0.3.0 were asked for, and the kit has {newer} newer ones"
    assert {one.reason for one in claims.classes(report)} == {told}
    _, whole = run(*asked, report["vectors"]["latest"])
    assert (claims.complete(whole), whole["vectors"]["newer"]) == (True, 0)


def test_versions_that_there_are_not(run) -> None:
    done, report = run("--runner", "reference", "--vectors-version", "0.3.1")
    assert (done.returncode, report) == (2, None)
    assert done.stderr == (
        f"harbor-conformance: --vectors-version: {SPEC} has no vectors of version 0.3.1; choose one of "
        "0.1.0, 0.2.0, 0.3.0, 1.0.0\n"
    )
    late = next(vector.id for vector in load_spec(SPEC) if vector.since == "1.0.0")
    done, _ = run("--runner", "reference", "--vectors-version", "0.3.0", late)
    assert done.returncode == 2
    assert f"{late!r} came with vectors 1.0.0, and --vectors-version is 0.3.0" in done.stderr


def test_counts_add_up_when_a_run_ends_early(run) -> None:
    few = f"{SPEC}/aggregation/mean-*"
    _, report = run("--runner", "mistake:naive-sum", "--max-failures", 1, few)
    selection = report["selection"]
    totals = claims.totals(report)
    assert totals["not-run"] > 0
    assert totals.total() == selection["selected"]
    assert totals.total() + claims.filtered(report) == report["vectors"]["total"]
    assert claims.not_reached(report) == 0
