"""What a job says in two places, and differently: each is one finding, at its place."""

import json
import re

import pytest

from tests.extensions.audit.auditing import JOB, T0, audited, edit, found, grave
from tools.jobs.kept import JOBS, write

WHAT = ("severity", "kind", "file", "path")
GROUP = "/stats/evals/nop__d"


def changed(file, change) -> None:
    """Rewrites a file as harbor lays it out."""
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value, indent=4, ensure_ascii=False))


def unfinished(folder) -> None:
    changed(folder / JOB, lambda job: job.update(finished_at=None))


# An unfinished job


def a_record_less(folder) -> None:
    unfinished(folder)
    (folder / "t3__0000003" / JOB).unlink()


def another_mean(folder) -> None:
    unfinished(folder)
    edit(folder / JOB, ('"mean": 0.15', '"mean": 0.5'))


def errors_of_nobody(folder) -> None:
    unfinished(folder)

    def change(job) -> None:
        job["stats"] |= {"n_errored_trials": 12, "n_completed_trials": 24}
        group = job["stats"]["evals"]["nop__d"]
        group |= {"n_errors": 12, "metrics": [{"mean": group["metrics"][0]["mean"] / 2}]}
        group["exception_stats"] = {"SomeError": [f"x{number}__0000000" for number in range(12)]}

    changed(folder / JOB, change)


def another_reward(folder) -> None:
    unfinished(folder)
    edit(folder / "t3__0000003" / JOB, ('"reward": 0.1', '"reward": 0.7'))
    (folder / "t3__0000003" / "verifier" / "reward.txt").write_text("0.7")


def trials_of_nobody(folder) -> None:
    unfinished(folder)
    names = [f"x{number}__0000000" for number in range(4)]
    changed(
        folder / JOB,
        lambda job: job["stats"]["evals"]["nop__d"]["reward_stats"]["reward"].update({"0.0": names}),
    )


def renamed_while_it_runs(folder) -> None:
    unfinished(folder)
    edit(folder / T0 / JOB, ('"task_name": "t0"', '"task_name": "other"'))


UNFINISHED = {
    "as it is": (unfinished, []),
    "a trial without record": (a_record_less, [("wrong", "missing-trial", f"t3__0000003/{JOB}", "")]),
    "another mean": (another_mean, [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]),
    "errors of trials that are not there": (
        errors_of_nobody,
        [("wrong", "missing-trial", JOB, "/stats/n_completed_trials")],
    ),
    "trials of nobody, where counters and mean are those of the records": (
        trials_of_nobody,
        [("wrong", "missing-trial", JOB, "/stats/evals")],
    ),
    "a renamed task": (renamed_while_it_runs, [("wrong", "record", f"{T0}/{JOB}", "/task_name")]),
    "another reward": (
        another_reward,
        [("wrong", "record", f"t3__0000003/{JOB}", "/verifier_result/rewards")],
    ),
}


@pytest.mark.parametrize("name", UNFINISHED)
def test_an_unfinished_job_is_held_to_what_it_knows(name, written) -> None:
    change, due = UNFINISHED[name]
    folder = written("twelve-trials")
    change(folder)
    job = audited(folder, "--level", "value")
    assert (grave(job, *WHAT), job["state"]) == (due, "unfinished")


# Silent until now


def test_what_a_running_job_can_not_know_is_excused(written) -> None:
    """Trials that are done and not counted yet, and totals of another moment."""
    folder = written("twelve-trials")

    def half(job) -> None:
        job["finished_at"] = None
        stats = job["stats"]
        group = stats["evals"]["nop__d"]
        names = [f"t{number}__{number:07}" for number in range(4)]
        lists = {"reward": {}}
        for reward, every in group["reward_stats"]["reward"].items():
            if kept := [one for one in every if one in names]:
                lists["reward"][reward] = kept
        rewards = [float(reward) for reward, every in lists["reward"].items() for _ in every]
        group |= {"reward_stats": lists, "n_trials": 4, "metrics": [{"mean": sum(rewards) / 4}]}
        stats |= {"n_completed_trials": 4, "n_running_trials": 3, "n_pending_trials": 5, "n_input_tokens": 7}

    changed(folder / JOB, half)
    assert grave(audited(folder, "--level", "value"), *WHAT) == []


def retries(folder) -> None:
    edit(folder / JOB, ('"n_retries": 0', '"n_retries": 7'))


def ends_first(folder) -> None:
    changed(folder / T0 / JOB, lambda one: one.update(finished_at="1999-12-31T23:59:59.000001Z"))


def of_another_trial(folder) -> None:
    phase = {"started_at": "2000-01-01T07:00:00Z", "finished_at": "2000-01-01T07:10:00Z"}
    changed(folder / T0 / JOB, lambda one: one.update(agent_execution=phase))


def clock_set(folder) -> None:
    """Less than a minute outside, which says nothing, and a renamed task."""
    renamed(folder)
    phase = {"started_at": "1999-12-31T23:59:30Z", "finished_at": "2000-01-01T00:00:00Z"}
    changed(folder / T0 / JOB, lambda one: one.update(agent_execution=phase))


def renamed(folder) -> None:
    edit(folder / "t0__0000002" / JOB, ('"task_name": "t0"', '"task_name": "other"'))


def renamed_alone(folder) -> None:
    edit(folder / T0 / JOB, ('"task_name": "t0"', '"task_name": "other"'))


def other_capitals(folder) -> None:
    edit(folder / JOB, ('"a__x/y__d"', '"a__X/y__d"'))


SILENT = {
    "more retries than allowed": ("pass-and-fail", retries, ("wrong", "counter", JOB, "/stats/n_retries")),
    "an end before the beginning": (
        *("pass-and-fail", ends_first),
        ("differs", "time", f"{T0}/{JOB}", "/finished_at"),
    ),
    "a phase of another trial": (
        *("pass-and-fail", of_another_trial),
        ("differs", "time", f"{T0}/{JOB}", "/agent_execution/started_at"),
    ),
    "a clock that was set": ("pass-at-k", clock_set, ("wrong", "record", f"t0__0000002/{JOB}", "/task_name")),
    "a renamed task": ("pass-at-k", renamed, ("wrong", "record", f"t0__0000002/{JOB}", "/task_name")),
    "a renamed task of one attempt": (
        *("pass-and-fail", renamed_alone),
        ("wrong", "record", f"{T0}/{JOB}", "/task_name"),
    ),
    "other capitals": (
        *("agents-and-models", other_capitals),
        ("differs", "group", JOB, "/stats/evals/a__X~1y__d"),
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_one_contradiction_is_one_finding(name, written) -> None:
    situation, change, due = SILENT[name]
    folder = written(situation)
    change(folder)
    assert found(audited(folder), *WHAT) == [due]


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
