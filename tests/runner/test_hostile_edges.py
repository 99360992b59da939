"""What a hostile runner or an odd conftest could do to the kit: one small test each."""

import json
import sys

import pytest

from tests.conftest import v

# Text


@pytest.mark.slow
def test_a_name_is_no_markup(cli, tmp_path) -> None:
    hello = {"runner": "[/x]", "version": "[red]", "protocol": 1, "ops": ["evals_key"]}
    runner = tmp_path / "runner.py"
    runner.write_text(f"input(); print({json.dumps({'id': 0, 'ok': hello})!r})\n", encoding="utf-8")
    command = f"{sys.executable} {runner}"
    done = cli("doctor", "--runner", command, HARBOR_CONFORMANCE_CACHE=str(tmp_path / "cache"))
    assert "[/x] [red]: evals_key" in done.stdout


@pytest.fixture
def go(pytester, vectors, run_pytest):
    """Runs pytest on vectors in pytester's folder and returns the result and the JSON report."""
    vectors.folder = pytester.path

    def run(*args):
        report = pytester.path / "report.json"
        result = run_pytest("--conformance-report", report, *args)
        return result, json.loads(report.read_text(encoding="utf-8")) if report.exists() else None

    return run


def test_a_worker_whose_runner_does_not_start_runs_nothing(go, vectors, hostile_text, pytester) -> None:
    """One sentence and not-run; without this xdist would replace the worker again and again."""
    path = vectors.several(20)
    runner = pytester.path / "once.py"  # only one of it can be alive
    runner.write_text(
        "import fcntl, runpy, sys\n"
        f"lock = open({str(pytester.path / 'lock')!r}, 'w')\n"
        "try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except OSError: sys.exit(9)\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n",
        encoding="utf-8",
    )
    hostile = hostile_text(path).split("-S ", 1)[1]
    result, report = go(path, "--runner", f"{sys.executable} {runner} {hostile}", "-n", "2")
    assert result.ret == 1
    totals = report["summary"]["totals"]
    assert totals["not-run"] + totals["passed"] == 20
    assert totals["not-run"] > 0
    [problem] = report["problems"]
    assert "exited with code 9 before it answered hello" in problem


def test_a_vector_that_was_not_judged_is_a_problem_of_the_run(go, vectors, hostile_text, pytester) -> None:
    path = vectors.several(3)
    pytester.makeconftest("def pytest_runtest_setup(item): assert not item.name.endswith('v1')")
    result, report = go(path, "--runner", hostile_text(path))
    assert result.ret == report["summary"]["exit_code"] == 1
    assert report["problems"] == [f"{v(1)} failed in pytest, independently of the runner's answers"]
