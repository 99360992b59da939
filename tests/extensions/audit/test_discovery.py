"""Which folders are jobs, and to which submission each belongs."""

import json
import os

from conformance.extensions.audit.discovery import A_FILE, A_TRIAL, DEEPEST, NO_JOB, find_jobs
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import Place
from tests.tables import each, tables

JOB = {"id": "x", "started_at": None, "n_total_trials": 1, "stats": {"evals": {}}}
TRIAL = {"id": "x", "task_name": "t", "trial_name": "t__1"}


def put(folder, *jobs, content=JOB) -> None:
    for job in jobs:
        (folder / job).mkdir(parents=True, exist_ok=True)
        (folder / job / "result.json").write_text(
            content if isinstance(content, str) else json.dumps(content)
        )


def searched(folder, named="here", **settings):
    return find_jobs(named, Place(str(folder)), **settings)


@each(tables(__file__)["folders"])
def test_what_is_found(row, tmp_path) -> None:
    for kind, content in (("jobs", JOB), ("trials", TRIAL), ("others", {"a": 1})):
        put(tmp_path, *row.get(kind, "").split(), content=content)
    for path, content in row.get("files", {}).items():
        (tmp_path / path).write_text(content)
    for path in row.get("folders", []):
        (tmp_path / path).mkdir(parents=True)
    for path, to in row.get("links", {}).items():
        (tmp_path / path).symlink_to(tmp_path / to)
    result = searched(tmp_path / row.get("below", ""))
    assert list({job.name: job.submission for job in result.jobs}.items()) == list(row["found"].items())
    assert result.notes == row.get("notes", result.notes)
    for name, values in row.get("metadata", {}).items():
        assert [one.values for one in result.submissions[name]] == [values]


def test_a_job_keeps_the_name_that_the_user_typed(tmp_path) -> None:
    put(tmp_path, ".")
    put(tmp_path, "t__1", content=TRIAL)
    (job,) = searched(tmp_path, "../jobs/x/").jobs
    assert (job.name, job.place, job.submission) == ("../jobs/x/", Place(str(tmp_path)), "")


def test_jobs_in_other_clothes(tmp_path) -> None:
    """Wrapped, with their members late, and with texts that look like the members of others."""
    contents = (
        {"config": {"stats": 1, "fill": "x" * 20_000}, "eval": {}, "result": {"id": 1, "stats": {}}},
        {"note": "x" * 100_000, **JOB},
        {"note": {"trial_name": 1, "result": {"stats": 0}}, **JOB},
        {"note": ['"stats": \\"', "{"], **JOB},
    )
    for at, content in enumerate(contents):
        put(tmp_path, f"s/{at}", content=content)
    assert [job.name for job in searched(tmp_path).jobs] == [f"s/{at}" for at in range(len(contents))]


def test_a_place_without_a_job(tmp_path) -> None:
    """Where there is a result.json of some kind, the audit says what is wrong; links are not opened."""
    for content, problem in ((None, NO_JOB), (TRIAL, A_TRIAL), ([], None), ("{", None)):
        put(tmp_path, *["."] * (content is not None), content=content)
        (job,) = searched(tmp_path).jobs
        assert (job.name, job.submission, job.problem) == ("here", "", problem)
    (job,) = searched(tmp_path / "result.json").jobs
    assert job.problem == A_FILE
    for name in ("named/a", "named/b"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "named/a/result.json").symlink_to(tmp_path / "result.json")
    os.mkfifo(tmp_path / "named/b/result.json")
    (job,) = searched(tmp_path / "named").jobs
    assert job.problem == NO_JOB


def test_the_search_is_bounded(tmp_path) -> None:
    deep = "/".join(["d"] * (DEEPEST + 1))
    put(tmp_path, "s/j", deep)
    notes = [f"1 folder too deep to be searched: {deep}", "1 folder without a job: d"]
    assert searched(tmp_path).notes == notes
    (job,) = searched(tmp_path, limits=Limits(entries=3)).jobs
    assert job.problem == "more than 3 entries; --limits 2 doubles the limits"


def test_results_of_others_are_named(tmp_path) -> None:
    put(tmp_path, "s/job")
    trials = [{"task_id": "t", "is_resolved": True}, {"task_id": "u", "is_resolved": None}]
    (tmp_path / "old").mkdir()
    (tmp_path / "old/results.json").write_text(json.dumps({"id": "x", "results": trials, "accuracy": 0.5}))
    numbers = "2 trials of 2 tasks, 1 resolved, states the accuracy 0.5"
    what = f"a results.json of terminal-bench 1, which can't be audited: {numbers}"
    assert searched(tmp_path).notes == [f"{what}: old"]
    (job,) = searched(tmp_path / "old").jobs
    assert job.problem == what
    (tmp_path / "old/results.json").write_text('{"results": [1]}')
    assert searched(tmp_path).notes == ["1 folder without a job: old"]
