"""From 0.26.0 on only trials with a valid reward count: what decides that, and what says otherwise."""

import json

import pytest
from msgspec.structs import astuple

from conformance.extensions.audit.rows import POLICIES
from tests.extensions.audit.auditing import JOB, audited, edit, found, grave, put, report, run
from tools.jobs.kept import kept, releases, with_result, write

RELEASE = "0.26.0"
JOBS = with_result(RELEASE)
GROUP = "/stats/evals/nop__d"
LATE = ("schema_version", "reward_valid")


def records(folder):
    return {path: json.loads(path.read_text()) for path in sorted(folder.glob("*/result.json"))}


def test_policies_are_those_that_the_release_records() -> None:
    """A trial raised each exception that harbor's own table has, and its record has the policy."""
    recorded = {}
    for path, text in JOBS["policies"].items():
        if path.count("/") == 1 and path.endswith(f"/{JOB}"):
            record = json.loads(text)
            error = record["exception_info"]
            recorded[error["exception_type"]] = tuple(error["policy"].values())
            assert record["reward_valid"] is error["policy"]["has_valid_reward"]
            assert (record["verifier"] is not None) is error["policy"]["should_grade"]
    assert recorded == {name: astuple(policy) for name, policy in POLICIES.items()}
    excluded = json.loads(JOBS["policies"]["config.json"])["retry"]["exclude_exceptions"]
    assert excluded == sorted(name for name, policy in POLICIES.items() if not policy.should_retry)


@pytest.mark.parametrize("situation", ["attempts", "errors", "steps", "validity", "resumed-invalid"])
def test_records_of_an_older_release_count_by_the_same_rule(situation, tmp_path) -> None:
    """A job that 0.25.0 began and 0.26.0 resumed: harbor reads validity off the exceptions' types."""
    folder = write(JOBS[situation], tmp_path)
    for path, record in records(folder).items():
        for error in [part["exception_info"] for part in (record, *(record["step_results"] or ()))]:
            if error is not None:
                del error["policy"]
        record = {name: value for name, value in record.items() if name not in LATE}
        path.write_text(json.dumps(record, indent=4, ensure_ascii=False))
    job = audited(folder)
    assert grave(job) == []
    assert any("0.25.0" in name for name in job["generations"] if name.startswith("records"))


def test_the_configuration_tells_the_release_of_a_job_without_its_version(tmp_path) -> None:
    """No other release writes one into config.json, and each run writes both files."""
    for release in releases():
        for files in kept(release).values():
            assert (LATE[0] in json.loads(files["files"]["config.json"])) is (release == RELEASE)
    folder = write(JOBS["validity"], tmp_path)
    edit(folder / JOB, ('    "schema_version": 1,\n', ""))
    job = audited(folder)
    assert found(job, "kind", "path", "expected") == [("schema", "/schema_version", "1")]
    assert f"job file: {RELEASE}" in job["generations"]


def test_an_older_form_of_the_job_counts_all_trials(tmp_path) -> None:
    """The same trials, as 0.25.0 counts them: by the job's own files, whoever wrote the records."""
    folder = write(JOBS["validity"], tmp_path)
    edit(folder / JOB, ('    "schema_version": 1,\n', ""))
    edit(folder / "config.json", ('    "schema_version": 1,\n', ""))
    places = {path for _, file, path in found(audited(folder)) if file == JOB}
    assert {f"{GROUP}/metrics/0/mean", f"{GROUP}/n_trials"} <= places


def test_an_override_of_the_policy_counts(tmp_path) -> None:
    folder = write(JOBS["retried-invalid"], tmp_path)
    override = {"should_retry": None, "should_grade": None, "has_valid_reward": True}
    put(folder / "t1__0000001" / JOB, **{"/exception_info/policy_override": override})
    wrong = found(audited(folder, "--level", "value"), "kind", "path", "found", "expected")
    policy = "/exception_info/policy/has_valid_reward"
    assert ("record", policy, "false", "true, harbor's policy for ApiError") in wrong


def test_invalid_trials_are_left_out_of_explanations(tmp_path) -> None:
    folder = write(JOBS["validity"], tmp_path)
    text = run("--explain", f"{folder}:{GROUP}/metrics/0/mean", folder).stdout
    assert "8 trials of" in text
    assert 'rewards {"reward": 1.0}, "ApiRateLimitError": t0__0000006' in text
    assert "the reward of each of the 7 trials" in text


def test_a_leaderboard_counts_what_the_releases_of_its_jobs_count(tmp_path) -> None:
    """Nobody is rated wrongly for the denominator of 0.26.0; under 0.25.0 all records count again."""
    for name in ("a", "b"):
        write(JOBS["validity"], tmp_path / name / "job")
    made = report("--under", "harbor-0.25.0", tmp_path)
    (board,) = made["leaderboards"]
    mean = json.loads(JOBS["validity"][JOB])["stats"]["evals"]["nop__d"]["metrics"][0]["mean"]
    assert board["rated"] == []
    assert [one["score"] for one in board["entries"]] == [mean] * 2
    results = [record["verifier_result"] for record in records(tmp_path / "a" / "job").values()]
    every = sum(((one or {}).get("rewards") or {}).get("reward") or 0 for one in results) / len(results)
    assert [one["under"] for one in board["under"][0]["entries"]] == [pytest.approx(every)] * 2
