"""What a job says in two places, and differently: each is one finding, at its place."""

import json
import re

import pytest

from tests.extensions.audit.auditing import JOB, T0, T1, audited, edit, found, grave, put
from tools.jobs.kept import JOBS, write

WHAT = ("severity", "kind", "file", "path")
GROUP = "/stats/evals/nop__d"
RECORD, T3 = f"{T0}/{JOB}", f"t3__0000003/{JOB}"


def phase(*ends):
    return {"/agent_execution": dict(zip(("started_at", "finished_at"), ends, strict=True))}


OTHER = {"/task_name": "other"}
FEW, MANY = ([f"x{number}__0000000" for number in range(count)] for count in (4, 12))
ERRORS = {
    "/stats/n_errored_trials": 12,
    "/stats/n_completed_trials": 24,
    f"{GROUP}/n_errors": 12,
    f"{GROUP}/metrics": [{"mean": 0.075}],
    f"{GROUP}/exception_stats": {"SomeError": MANY},
}
UNFINISHED = {
    "as it is": ({}, ()),
    "another mean": (
        {JOB: {f"{GROUP}/metrics": [{"mean": 0.5}]}},
        ("metric", JOB, f"{GROUP}/metrics/0/mean"),
    ),
    "errors of trials that are not there": (
        {JOB: ERRORS},
        ("missing-trial", JOB, "/stats/n_completed_trials"),
    ),
    "trials of nobody, where counters and mean are those of the records": (
        {JOB: {f"{GROUP}/reward_stats/reward/0.0": FEW}},
        ("missing-trial", JOB, "/stats/evals"),
    ),
    "a renamed task": ({RECORD: OTHER}, ("record", RECORD, "/task_name")),
    "another reward": (
        {T3: {"/verifier_result/rewards": {"reward": 0.7}}},
        ("record", T3, "/verifier_result/rewards"),
    ),
    "a trial without record": ({}, ("missing-trial", T3, "")),
}


@pytest.mark.parametrize("name", UNFINISHED)
def test_an_unfinished_job_is_held_to_what_it_knows(name, written) -> None:
    changes, due = UNFINISHED[name]
    folder = written("twelve-trials")
    put(folder / JOB, **{"/finished_at": None})
    for file, members in changes.items():
        put(folder / file, **members)
    if name == "another reward":
        (folder / "t3__0000003" / "verifier" / "reward.txt").write_text("0.7")
    elif name == "a trial without record":
        (folder / T3).unlink()
    job = audited(folder, "--level", "value")
    assert (grave(job, *WHAT), job["state"]) == ([("wrong", *due)] if due else [], "unfinished")


def test_what_a_running_job_can_not_know_is_excused(written) -> None:
    """Trials that are done and not counted yet, and totals of another moment."""
    folder = written("twelve-trials")
    lists = json.loads((folder / JOB).read_text())["stats"]["evals"]["nop__d"]["reward_stats"]["reward"]
    names = {f"t{number}__{number:07}" for number in range(4)}
    kept = {reward: [one for one in every if one in names] for reward, every in lists.items()}
    kept = {reward: every for reward, every in kept.items() if every}
    mean = sum(float(reward) * len(every) for reward, every in kept.items()) / 4
    group = {"reward_stats": {"reward": kept}, "n_trials": 4, "metrics": [{"mean": mean}]}
    running, pending = "/stats/n_running_trials", "/stats/n_pending_trials"
    stats = {"/stats/n_completed_trials": 4, running: 3, pending: 5, "/stats/n_input_tokens": 7}
    members = {f"{GROUP}/{name}": value for name, value in group.items()}
    put(folder / JOB, **{"/finished_at": None, **stats, **members})
    assert grave(audited(folder, "--level", "value"), *WHAT) == []


SILENT = {
    "more retries than allowed": (
        *("pass-and-fail", JOB, {"/stats/n_retries": 7}),
        ("wrong", "counter", JOB, "/stats/n_retries"),
    ),
    "an end before the beginning": (
        *("pass-and-fail", RECORD, {"/finished_at": "1999-12-31T23:59:59.000001Z"}),
        ("differs", "time", RECORD, "/finished_at"),
    ),
    "a phase of another trial": (
        *("pass-and-fail", RECORD, phase("2000-01-01T07:00:00Z", "2000-01-01T07:10:00Z")),
        ("differs", "time", RECORD, "/agent_execution/started_at"),
    ),
    "a clock that was set, by less than a minute": (
        *("pass-at-k", RECORD, phase("1999-12-31T23:59:30Z", "2000-01-01T00:00:00Z")),
        None,
    ),
    "an end two days after the job's": (
        *("pass-and-fail", RECORD, {"/finished_at": "2000-01-03T00:00:00Z"}),
        ("differs", "time", RECORD, "/finished_at"),
    ),
    "an end after that of a job whose clock is behind UTC": (
        *("pass-and-fail", RECORD, {"/finished_at": "2000-01-01T12:00:00Z"}),
        None,
    ),
    "a renamed task": (
        *("pass-at-k", f"t0__0000002/{JOB}", OTHER),
        ("wrong", "record", f"t0__0000002/{JOB}", "/task_name"),
    ),
    "a renamed task of one attempt": (
        *("pass-and-fail", RECORD, OTHER),
        ("wrong", "record", RECORD, "/task_name"),
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_one_contradiction_is_one_finding(name, written) -> None:
    situation, file, members, due = SILENT[name]
    folder = written(situation)
    put(folder / file, **members)
    assert found(audited(folder), *WHAT) == ([] if due is None else [due])


def test_two_trials_have_two_ids(written) -> None:
    folder = written("twelve-trials")
    for file in (RECORD, T3):
        put(folder / file, **{"/id": "6d9bd0c1-38c4-4f1c-a5b0-2f1f1c8a6d10"})
    job = audited(folder)
    assert found(job, *WHAT) == [("wrong", "duplicate-trial", T3, "/id")]
    assert "t0__0000000" in job["findings"][0]["expected"]
    put(folder / T3, **{"/id": "6d9bd0c1-38c4-4f1c-a5b0-2f1f1c8a6d11"})
    assert found(audited(folder)) == []


def test_a_copied_record_is_one_finding(written) -> None:
    folder = written("pass-and-fail")
    put(folder / RECORD, **{"/id": "6d9bd0c1-38c4-4f1c-a5b0-2f1f1c8a6d10"})
    (folder / T1 / JOB).write_text((folder / RECORD).read_text())
    kinds = found(audited(folder), "kind", "file", "path")
    assert ("trial-name", f"{T1}/{JOB}", "/trial_name") in kinds
    assert "duplicate-trial" not in {kind for kind, *_ in kinds}


def test_other_capitals_only_differ(written) -> None:
    folder = written("agents-and-models")
    edit(folder / JOB, ('"a__x/y__d"', '"a__X/y__d"'))
    assert found(audited(folder), *WHAT) == [("differs", "group", JOB, "/stats/evals/a__X~1y__d")]


def test_one_cause_in_many_records_is_one_finding(tmp_path) -> None:
    folder = write(JOBS["twelve-trials"], tmp_path / "job")
    for file in folder.glob("*/result.json"):
        text = re.sub(r'(\d\d:\d\d:\d\d)(\.\d{6})?Z"', r'\1.123Z"', file.read_text())
        file.write_text(text)
    ((kind, severity, likely),) = found(audited(folder, "--level", "value"), "kind", "severity", "likely")
    assert (kind, severity) == ("schema", "differs")
    assert likely.startswith("so in 12 trials, at ")
    three = write(JOBS["twelve-trials"], tmp_path / "three")
    for number in range(3):
        (three / f"t{number}__{number:07}" / "verifier" / "reward.txt").write_text("0.7")
    assert len(found(audited(three))) == 3
