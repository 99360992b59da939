"""Variations of a leaderboard's jobs: faults that an audit must find, and unusual but correct jobs."""

import random
from collections.abc import Callable
from dataclasses import replace

from tools.jobs.model import Job, Release, pointer, record_of, result_of, text_of, trial_config

# Faults


def stale_mean(job: Job, chance: random.Random) -> None:
    """The mean is from another run."""
    job.result["stats"]["evals"][job.key]["metrics"][0]["mean"] *= 0.839
    job.must_find("wrong", "metric", path=f"/stats/evals/{pointer(job.key)}/metrics/0/mean")


def counts_some(job: Job, chance: random.Random) -> None:
    """The result covers only some of the trials."""
    trials = job.trials
    job.trials = trials[: max(len(trials) // 3, 1)]
    job.result, job.trials = {**result_of(job), "n_total_trials": len(job.trials)}, trials
    job.must_find("wrong", "extra-trial", path="/stats/n_trials")


def unscored_as_zero(job: Job, chance: random.Random) -> None:
    """Unscored trials are listed under reward 0.0."""
    trials = job.trials
    job.trials = [replace(trial, rewards=trial.rewards or {"reward": 0.0}) for trial in trials]
    job.result, job.trials = result_of(job), trials
    job.must_find("wrong", "listing", path=f"/stats/evals/{pointer(job.key)}/reward_stats/reward/0.0")


def flipped(job: Job, chance: random.Random) -> None:
    """A record's reward was changed later."""
    trial = chance.choice([item for item in job.trials if item.rewards == {"reward": 0.0}])
    job.records[trial.name]["verifier_result"] = {"rewards": {"reward": 1.0}}
    trial.rewards = {"reward": 1.0}
    job.must_find("wrong", "record", f"{trial.name}/result.json", "/verifier_result/rewards")


def counter_off(job: Job, chance: random.Random) -> None:
    """A counter of the job is too high by one."""
    job.result["stats"]["n_errors"] += 1
    job.must_find("wrong", "counter", path="/stats/n_errors")


def copied(job: Job, chance: random.Random) -> None:
    """A directory exists twice."""
    trial = chance.choice(job.trials)
    job.records[f"{trial.name} copy"] = job.records[trial.name]
    job.must_find("wrong", "duplicate-trial", f"{trial.name} copy/result.json", "/trial_name")


def lost(job: Job, chance: random.Random) -> None:
    """Directories were removed."""
    for trial in chance.sample([item for item in job.trials if item.rewards], 2):
        del job.records[trial.name]
        job.trials.remove(trial)
        job.must_find("wrong", "missing-trial", f"{trial.name}/result.json")


def misnamed(job: Job, chance: random.Random) -> None:
    """The group has another name."""
    evals = job.result["stats"]["evals"]
    evals[f"{job.key}-v2"] = evals.pop(job.key)
    job.must_find("wrong", "group", path=f"/stats/evals/{pointer(job.key)}-v2")


def wrong_pass(job: Job, chance: random.Random) -> None:
    """A pass@k does not follow from the trials."""
    estimates = job.result["stats"]["evals"][job.key]["pass_at_k"]
    estimates["2"] = abs(estimates["2"] - 0.0625)
    job.must_find("wrong", "pass-at-k", path=f"/stats/evals/{pointer(job.key)}/pass_at_k/2")


def excused(job: Job, chance: random.Random) -> None:
    """A record's exception was removed."""
    trial = chance.choice([item for item in job.trials if item.exception and item.rewards])
    job.records[trial.name]["exception_info"] = None
    job.must_find("wrong", "record", f"{trial.name}/result.json", "/exception_info")


def wrong_total(job: Job, chance: random.Random) -> None:
    """A token count does not match the trials."""
    job.result["stats"]["n_input_tokens"] -= 1000
    job.must_find("wrong", "total", path="/stats/n_input_tokens")


def another_generation(job: Job, chance: random.Random) -> None:
    """Some trials were run again with a later release; this is no finding."""
    later = replace(job, release=(0, 13, 1))
    for trial in job.trials[:3]:
        job.records[trial.name] = record_of(later, trial)


def cut_short(job: Job, chance: random.Random) -> None:
    """A record is truncated."""
    trial = chance.choice([item for item in job.trials if item.rewards])
    whole = text_of(job.records.pop(trial.name)).encode()
    job.raw[f"{trial.name}/result.json"] = whole[: len(whole) * 2 // 3]
    job.trials.remove(trial)
    job.must_find("differs", "not-json", f"{trial.name}/result.json")


def empty_result(job: Job, chance: random.Random) -> None:
    """The job's result is an empty file."""
    job.raw["result.json"] = b""
    job.state = "unreadable"
    job.must_find("differs", "not-json", "result.json")


def repeated(job: Job, chance: random.Random) -> None:
    """A record has a duplicate key."""
    trial = chance.choice([item for item in job.trials if item.rewards])
    whole = text_of(job.records.pop(trial.name))
    job.raw[f"{trial.name}/result.json"] = whole.replace(
        '"task_name":', '"task_name": "twice",\n    "task_name":', 1
    ).encode()
    job.must_find("differs", "duplicate-key", f"{trial.name}/result.json", "/task_name")


Fault = Callable[[Job, random.Random], None]
OLD = (0, 1, 17)
FAULTS: tuple[tuple[Fault, int, int, Release], ...] = (
    (stale_mean, 7, 2, OLD),
    (counts_some, 1, 1, OLD),
    (unscored_as_zero, 10, 2, OLD),
    *((fault, 1, 1, OLD) for fault in (flipped, counter_off, copied, lost, misnamed)),
    (wrong_pass, 1, 1, (0, 4, 0)),
    (excused, 1, 1, OLD),
    (wrong_total, 1, 1, (0, 6, 6)),
    *((fault, 1, 1, OLD) for fault in (another_generation, cut_short, empty_result, repeated)),
)
"""Each fault, its number of jobs in the whole leaderboard and in the small one, and their release."""


# Unusual but correct jobs


def unfinished(job: Job, chance: random.Random) -> None:
    """The job was stopped: some trials have no record, and the file is the last one written while it ran."""
    done = sorted(job.trials, key=lambda trial: trial.ended)[: len(job.trials) * 2 // 3]
    for trial in job.trials:
        if trial in done:
            continue
        del job.records[trial.name]
        job.raw[f"{trial.name}/config.json"] = text_of(trial_config(job, trial)).encode()
    planned = job.result["n_total_trials"]
    job.trials = done
    job.result = {**result_of(job, finished=False), "n_total_trials": planned}
    job.state = "unfinished"


def without_result(job: Job, chance: random.Random) -> None:
    """The job's result is missing."""
    job.left_out.add("result.json")
    job.state = "without result"


def summed_up(job: Job, chance: random.Random) -> None:
    """Trials of several runs were combined, with a hand-made summary as the result."""
    passed = sum(bool(trial.rewards and trial.rewards.get("reward")) for trial in job.trials)
    summary = {"n_trials": len(job.trials), "pass": passed, "error": 0, "pass_rate": passed / len(job.trials)}
    tasks = [{"task_name": trial.task, "trial_name": trial.name} for trial in job.trials]
    job.result = {"job_name": job.place.rpartition("/")[2], "summary": summary, "tasks": tasks}
    job.state = "without result"
    job.must_find("differs", "schema")


def with_agent_info(job: Job, chance: random.Random) -> None:
    """A file has a member from another tool."""
    job.result["agent_info"] = {"name": job.agent, "version": "2.0.0"}
    job.must_find("note", "schema", path="/agent_info")


def wrapped(job: Job, chance: random.Random) -> None:
    """Another harness wrapped the result in its own file."""
    job.result = {
        "config": job.config,
        "eval": {"name": job.source, "score": 0.5, "n": len(job.trials)},
        "result": job.result,
        "exported_at": "2025-12-01T00:00:00Z",
    }
    job.must_find("note", "schema", path="/config")


def by_hand(job: Job, chance: random.Random) -> None:
    """The files were saved by an editor."""
    job.indent, job.ending = 2, "\n"


def by_windows(job: Job, chance: random.Random) -> None:
    """The files went through another operating system."""
    job.ending = "\r\n"


def littered(job: Job, chance: random.Random) -> None:
    """There are folders and files that are not harbor's, and logs that are."""
    names = [trial.name for trial in job.trials if trial.name in job.records][:3]
    job.raw |= {".DS_Store": b"\0\0\0\1Bud1", "__MACOSX/._result.json": b"\0\5\26\7", "README.md": b"# Run\n"}
    job.raw |= {"job.log": b"Results written to jobs\n", "empty folder/.gitkeep": b""}
    for name in names[1:]:  # an interrupted run: it has the reward, but not the times
        job.records[name] |= dict.fromkeys(("started_at", "environment_setup", "agent_setup", "verifier"))
    for name in names:
        job.raw[f"{name}/agent/trajectory.json"] = b'{"steps": []}'
        job.raw[f"{name}/trial.log"] = b"trial\n"
        job.raw[f"{name}/exception.txt"] = b"Traceback\n"


SHAPES: tuple[tuple[Fault, int, int, Release], ...] = (
    (unfinished, 3, 1, (0, 1, 17)),
    (unfinished, 1, 1, (0, 6, 6)),
    (without_result, 3, 1, (0, 1, 17)),
    (summed_up, 1, 1, (0, 1, 44)),
    (with_agent_info, 2, 1, (0, 6, 6)),
    (wrapped, 1, 1, (0, 1, 17)),
    (by_hand, 3, 1, (0, 1, 17)),
    (by_windows, 2, 1, (0, 1, 17)),
    (littered, 12, 2, (0, 1, 17)),
)
PLAIN: tuple[tuple[Release, int, int], ...] = (
    *(((0, 1, 8), 20, 2), ((0, 1, 44), 20, 2), ((0, 3, 0), 5, 1), ((0, 4, 0), 6, 1), ((0, 5, 0), 2, 1)),
    *(((0, 6, 0), 2, 1), ((0, 6, 6), 1, 1), ((0, 13, 1), 2, 1), ((0, 21, 0), 1, 1), ((0, 23, 0), 1, 1)),
)
"""The releases of jobs without findings; the rest are of 0.1.17."""
