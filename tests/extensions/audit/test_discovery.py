"""Which folders are jobs, and to which submission each belongs."""

import json
import os

import pytest

from conformance.extensions.audit.discovery import A_TRIAL, DEEPEST, NO_JOB, find_jobs
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import Place

JOB = {"id": "x", "started_at": None, "n_total_trials": 1, "stats": {"evals": {}}}
TRIAL = {"id": "x", "task_name": "t", "trial_name": "t__1"}


WRAPPED = {"config": {"stats": 1, "fill": "x" * 20_000}, "eval": {}, "result": {"id": 1, "stats": {}}}


def put(folder, *jobs, content=JOB) -> None:
    for job in jobs:
        (folder / job).mkdir(parents=True, exist_ok=True)
        (folder / job / "result.json").write_text(json.dumps(content))


def searched(folder, **settings):
    return find_jobs("here", Place(str(folder)), **settings)


def found(folder, **settings):
    return {job.name: job.submission for job in searched(folder, **settings).jobs}


def jobs_in(named, folder):
    return find_jobs(named, Place(str(folder))).jobs


def test_a_job_keeps_the_name_that_the_user_typed(tmp_path) -> None:
    put(tmp_path, ".")
    put(tmp_path, "t__1", content=TRIAL)
    (job,) = jobs_in("../jobs/x/", tmp_path)
    assert (job.name, job.place, job.submission) == ("../jobs/x/", Place(str(tmp_path)), "")


@pytest.mark.parametrize(
    "content",
    [
        WRAPPED,
        {"note": "x" * 100_000, **JOB},
        {"note": {"trial_name": 1, "result": {"stats": 0}}, **JOB},
        {"note": ['"stats": \\"', "{"], **JOB},
    ],
    ids=["wrapped", "late", "alike-inside", "braces-in-strings"],
)
def test_jobs_in_other_clothes(tmp_path, content) -> None:
    put(tmp_path, "s/j", content=content)
    assert found(tmp_path) == {"s/j": "s"}


def test_a_leaderboard(tmp_path) -> None:
    """The nearest folder with metadata is the submission, else the job's parent."""
    put(tmp_path, "bench/2.0/b__m/runs/2025-11-11__12-30-01", "bench/2.0/b__m/more/x")
    put(tmp_path, "bench/2.0/a__m/2", "bench/2.0/a__m/10", "one")
    (tmp_path / "bench/2.0/b__m/metadata.yaml").write_text("agent: b")
    (tmp_path / "README.md").touch()  # every repository has one
    assert list(found(tmp_path).items()) == [
        ("bench/2.0/a__m/10", "bench/2.0/a__m"),
        ("bench/2.0/a__m/2", "bench/2.0/a__m"),
        ("bench/2.0/b__m/more/x", "bench/2.0/b__m"),
        ("bench/2.0/b__m/runs/2025-11-11__12-30-01", "bench/2.0/b__m"),
        ("one", "."),
    ]
    (metadata,) = searched(tmp_path).submissions["bench/2.0/b__m"]
    assert metadata.values == {"/agent": "b"}


def test_a_folder_for_each_task_is_no_submission(tmp_path) -> None:
    for model, task in (("m", "t0"), ("m", "t1"), ("n", "t0")):
        put(tmp_path, f"results/{model}/{task}/2026-01-01", f"results/{model}/{task}/2026-01-02")
        put(tmp_path, f"results/{model}/{task}/2026-01-01/{task}__abcdefg", content=TRIAL)
        put(tmp_path, f"results/{model}/{task}/2026-01-02/{task}__hijklmn", content=TRIAL)
    assert {*found(tmp_path).values()} == {"results/m", "results/n"}
    assert {*found(tmp_path / "results/m").values()} == {"."}
    put(tmp_path, "results/n/t0/2026-01-02/t5__hijklmn", content=TRIAL)
    assert {*found(tmp_path).values()} == {"results/m", "results/n/t0"}


def test_a_job_without_its_result(tmp_path) -> None:
    put(tmp_path, "s/good")
    put(tmp_path, "s/lost/t__1", "s/lost/t__2", content=TRIAL)
    put(tmp_path, "s/torn/t__1", content=TRIAL)
    (tmp_path / "s/torn/result.json").write_text("{")
    assert found(tmp_path) == {"s/good": "s", "s/lost": "s", "s/torn": "s"}
    assert found(tmp_path / "s/lost") == {"here": ""}


def test_what_is_neither_is_counted(tmp_path) -> None:
    put(tmp_path, "s/job", ".git/objects/job")
    put(tmp_path, "s/job/inner", "s/stray", content=TRIAL)
    put(tmp_path, "s/other", content={"a": 1})
    (tmp_path / "s/empty/deep/er").mkdir(parents=True)
    (tmp_path / "s/link").symlink_to(tmp_path / "s/job")
    result = searched(tmp_path)
    assert [job.name for job in result.jobs] == ["s/job"]
    assert result.notes == [
        "2 folders without a job: s/empty, s/other",
        "1 symbolic link that is not followed: s/link",
        "1 trial outside of a job: s/stray",
    ]


def test_a_name_is_escaped_in_a_note(tmp_path) -> None:
    put(tmp_path, "s/job")
    (tmp_path / "s/\x1b[31m").mkdir()
    assert searched(tmp_path).notes == ["1 folder without a job: s/\\x1b[31m"]


def test_links_and_devices_are_not_opened(tmp_path) -> None:
    put(tmp_path, "elsewhere")
    (tmp_path / "named/a").mkdir(parents=True)
    (tmp_path / "named/a/result.json").symlink_to(tmp_path / "elsewhere/result.json")
    (tmp_path / "named/b").mkdir()
    os.mkfifo(tmp_path / "named/b/result.json")
    (job,) = jobs_in("here", tmp_path / "named")
    assert job.problem == NO_JOB


@pytest.mark.parametrize(("content", "problem"), [(TRIAL, A_TRIAL), (None, NO_JOB), ([], None), ("{", None)])
def test_a_place_without_a_job(tmp_path, content, problem) -> None:
    """Where there is a result.json of some kind, the audit says what is wrong with it."""
    if content is not None:
        put(tmp_path, ".", content=content)
    (job,) = jobs_in("here", tmp_path)
    assert (job.name, job.submission, job.problem) == ("here", "", problem)


def test_the_search_is_bounded(tmp_path) -> None:
    put(tmp_path, "s/j", "/".join(["d"] * (DEEPEST + 1)))
    assert searched(tmp_path).notes == [
        "1 folder too deep to be searched: " + "/".join(["d"] * (DEEPEST + 1)),
        "1 folder without a job: d",
    ]
    (job,) = searched(tmp_path, limits=Limits(entries=3)).jobs
    assert job.problem == "more than 3 entries; --limits 2 doubles the limits"


def test_results_of_others_are_named(tmp_path) -> None:
    put(tmp_path, "s/job")
    trials = [{"task_id": "t", "is_resolved": True}, {"task_id": "u", "is_resolved": None}]
    (tmp_path / "old").mkdir()
    (tmp_path / "old/results.json").write_text(json.dumps({"id": "x", "results": trials, "accuracy": 0.5}))
    numbers = "2 trials of 2 tasks, 1 resolved, states the accuracy 0.5"
    what = f"a results.json of terminal-bench 1, which is not audited: {numbers}"
    assert searched(tmp_path).notes == [f"{what}: old"]
    (job,) = searched(tmp_path / "old").jobs
    assert job.problem == what
    (tmp_path / "old/results.json").write_text('{"results": [1]}')
    assert searched(tmp_path).notes == ["1 folder without a job: old"]
