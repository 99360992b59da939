"""Writes a leaderboard: submissions with jobs of many releases, most of them right, some wrong in known ways.

    python tests/check/leaderboard/making.py DIR [--jobs 250] [--seed 0] [--small]

`DIR/leaderboard` is what an audit is given; `DIR/manifest.json` says what there is to find in it, and
what each submission's roll-up comes to. Nothing here knows the audit or the reference: results are
counted by code of its own, so that an audit that counts wrong is seen.
"""

import argparse
import datetime
import heapq
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

Json = dict[str, Any]
Release = tuple[int, ...]

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
GIT = "https://github.example/terminal-tasks/terminal-tasks.git"
COMMIT = "1a6ffa9674b571da0ed040c470cb40c4d85f9b9b"
AGENTS = (
    *("terminus-2", "openhands", "claude-code", "mini-swe-agent", "codex", "gemini-cli", "goose"),
    *("Ångström", "my__agent", "warp-drive", "opencode"),
)
MODELS = (
    *(("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-5.1-codex"), ("google", "gemini-3-pro-preview")),
    *(("openrouter", "moonshotai/kimi-k2-thinking"), ("together_ai", "智谱/GLM-4.6"), ("xai", "grok-4")),
    *(("fireworks_ai", "accounts/fireworks/models/minimax-m2"), ("openai", "gpt-5-nano@2025-08-07")),
)
EXCEPTIONS = ("AgentTimeoutError", "AgentTimeoutError", "AgentTimeoutError", "NonZeroAgentExitCodeError")
NO_REWARD = ("VerifierTimeoutError", "RewardFileNotFoundError", "DaytonaError", "RuntimeError")
FIRST = ("fix", "build", "train", "polyglot", "crack", "extract", "recover", "port", "schedule", "configure")
SECOND = ("git-server", "cython-ext", "qemu-alpine", "password-hash", "sqlite-gcov", "fasttext", "pypi_index")
THIRD = ("", "-extended-with-a-very-long-task-name", "__v2", ".large")


# Text and sums, as the releases' Python and pydantic give them


def text_of(value: Any, indent: int = 4, deep: int = 0) -> str:
    """JSON with pydantic's layout and spelling of numbers."""
    if isinstance(value, float):
        spelled = repr(value)
        if "e-" in spelled and abs(value) >= 1e-5:
            return f"{value:.25f}".rstrip("0")
        return spelled.replace("e-0", "e-")
    if isinstance(value, dict | list) and value:
        end, pad = "\n" + " " * indent * deep, "\n" + " " * indent * (deep + 1)
        if isinstance(value, list):
            return f"[{pad}{f',{pad}'.join(text_of(one, indent, deep + 1) for one in value)}{end}]"
        members = (f"{_string(key)}: {text_of(one, indent, deep + 1)}" for key, one in value.items())
        return f"{{{pad}{f',{pad}'.join(members)}{end}}}"
    return json.dumps(value, ensure_ascii=False)


def _string(key: Any) -> str:
    return json.dumps(key if isinstance(key, str) else repr(key), ensure_ascii=False)


def added(numbers: Sequence[float]) -> float:
    """What `sum` gives in CPython 3.12: floats are compensated, ints among them are not."""
    total: float = 0
    lost = 0.0
    for number in numbers:
        if isinstance(total, int) or isinstance(number, int):
            total = total + number
            continue
        after = total + number
        lost += (total - after) + number if abs(total) >= abs(number) else (number - after) + total
        total = after
    return total + lost if lost else total


# Trials


@dataclass(slots=True)
class Made:
    """A trial as it ended."""

    name: str
    task: str
    attempt: int
    rewards: dict[str, float] | None
    exception: str | None
    began: float
    ended: float
    tokens: tuple[int, int, int, float] | None
    steps: list[float] = field(default_factory=list)
    id: str = ""


@dataclass(slots=True)
class Job:
    """A job, its files as values until they are written."""

    place: str
    release: Release
    agent: str
    provider: str | None
    model: str | None
    source: str | None
    trials: list[Made]
    """In the order in which harbor takes their results."""
    attempts: int
    concurrent: int = 4
    config: Json = field(default_factory=dict)
    result: Json = field(default_factory=dict)
    records: dict[str, Json] = field(default_factory=dict)
    """By directory."""
    raw: dict[str, bytes] = field(default_factory=dict)
    """Files that are no values, by path in the job's directory."""
    left_out: set[str] = field(default_factory=set)
    """Files that are not there."""
    state: str = "finished"
    fault: str | None = None
    find: list[Json] = field(default_factory=list)
    indent: int = 4
    ending: str = ""
    id: str = ""

    @property
    def key(self) -> str:
        """The evals key of its one group."""
        named = [self.agent, *([self.model] if self.model else []), self.source or "adhoc"]
        key = "__".join(named)
        return key if self.release >= (0, 4) else key.replace("/", "-")

    def must_find(self, severity: str, kind: str, file: str = "result.json", place: str = "") -> None:
        """Says what an audit has to report."""
        self.find.append({"severity": severity, "kind": kind, "file": file, "place": place})


def moment(seconds: float, zoned: bool = False) -> str:
    """A time as the records have it."""
    at = datetime.datetime(2025, 11, 11, tzinfo=datetime.timezone.utc) + datetime.timedelta(
        seconds=round(seconds, 6)
    )
    return at.replace(tzinfo=None).isoformat() + ("Z" if zoned else "")


def ran(chance: random.Random, trials: list[Made], concurrent: int, begin: float, retries: bool) -> float:
    """Gives trials their times, so many of them at once; when the last one ended."""
    free = [begin] * concurrent
    heapq.heapify(free)
    for trial in trials:
        begun = heapq.heappop(free) + 0.001 + chance.random() / 100
        if retries and chance.random() < 0.1:  # only the last try leaves files, and it began later
            begun += chance.uniform(100, 3000)
        trial.began = begun
        trial.ended = begun + chance.uniform(30, 1800)
        heapq.heappush(free, trial.ended)
    return max(trial.ended for trial in trials) if trials else begin


# Files


def timing(began: float, ended: float, zoned: bool) -> Json:
    """When a phase began and ended."""
    return {"started_at": moment(began, zoned), "finished_at": moment(ended, zoned)}


def task_config(job: Job, trial: Made) -> Json:
    """A task in a configuration."""
    made: Json = {"path": trial.task, "git_url": GIT, "git_commit_id": COMMIT}
    if job.release >= (0, 3):
        made |= {"name": None, "ref": None}
    return {**made, "overwrite": False, "download_dir": None, "source": job.source}


def agent_config(job: Job) -> Json:
    """The agent in a configuration."""
    own = job.agent in ("warp-drive", "my__agent")
    model = job.model if job.provider is None else f"{job.provider}/{job.model}"
    made: Json = {
        "name": None if own else job.agent,
        "import_path": "agents.own:OwnAgent" if own else None,
        "model_name": model,
        "override_timeout_sec": None,
    }
    if job.release >= (0, 3):
        made["override_setup_timeout_sec"] = None
    made |= {"max_timeout_sec": None, "kwargs": {"parser_name": "xml"} if job.agent == "terminus-2" else {}}
    return made if job.release < (0, 3) else {**made, "env": {}}


def environment_config(job: Job) -> Json:
    """Where trials ran."""
    made: Json = {"type": "daytona"}
    if job.release >= (0, 3):
        made["import_path"] = None
    made |= {"force_build": False, "delete": True, "override_cpus": None, "override_memory_mb": None}
    made["override_storage_mb"] = None
    if job.release >= (0, 3):
        made |= {"override_gpus": None, "suppress_override_warnings": False, "mounts_json": None, "env": {}}
    return {**made, "kwargs": {}}


VERIFIER: Json = {"override_timeout_sec": None, "max_timeout_sec": None, "disable": False}
MULTIPLIERS = ("agent", "verifier", "agent_setup", "environment_build")


def trial_config(job: Job, trial: Made) -> Json:
    """A trial's `config.json`."""
    made: Json = {
        "task": task_config(job, trial),
        "trial_name": trial.name,
        "trials_dir": f"jobs/{job.place.rpartition('/')[2]}",
        "timeout_multiplier": 1.0,
    }
    if job.release >= (0, 3):
        made |= {f"{name}_timeout_multiplier": None for name in MULTIPLIERS}
    made |= {"agent": agent_config(job), "environment": environment_config(job), "verifier": VERIFIER}
    if job.release >= (0, 3):
        made["artifacts"] = []
    return {**made, "job_id": job.id}


def job_config(job: Job) -> Json:
    """The job's `config.json`."""
    retry: Json = {
        "max_retries": 0,
        "include_exceptions": None,
        "exclude_exceptions": ["AgentTimeoutError", "RewardFileNotFoundError", "VerifierTimeoutError"],
        "wait_multiplier": 1.0,
        "min_wait_sec": 1.0,
        "max_wait_sec": 60.0,
    }
    made: Json = {
        "job_name": job.place.rpartition("/")[2],
        "jobs_dir": "jobs",
        "n_attempts": job.attempts,
        "timeout_multiplier": 1.0,
        "debug": False,
    }
    if job.release < (0, 3):
        running = {
            "type": "local",
            "n_concurrent_trials": job.concurrent,
            "quiet": False,
            "retry": retry,
            "kwargs": {},
        }
        made["orchestrator"] = running
    else:
        made |= {"n_concurrent_trials": job.concurrent, "quiet": False, "retry": retry}
    made |= {"environment": environment_config(job), "verifier": VERIFIER, "metrics": []}
    made["agents"] = [agent_config(job)]
    wanted: Json = {"task_names": None, "exclude_task_names": None}
    registry = {"name": None, "url": "https://registry.example/registry.json"}
    where: Json = {"registry": registry} if job.release < (0, 3) else {"ref": None, "registry_path": None}
    dataset = {**wanted, **where, "name": job.source, "version": "2.0", "overwrite": False}
    made["datasets"] = [{**dataset, "download_dir": None}] if job.source else []
    once = {trial.task: trial for trial in job.trials}.values()
    made["tasks"] = [] if job.source else [task_config(job, trial) for trial in once]
    return made


def traceback(exception: str, message: str) -> str:
    """About two kilobytes."""
    frame = '  File "/opt/venv/lib/python3.12/site-packages/harbor/trial/trial.py", line {}, in {}\n'
    inner = "    raise error from None\n    ~~~~~~^^^^^^^^^^^^^^\n"
    calls = "".join(frame.format(90 + 37 * i, f"_step_{i}") + inner for i in range(12))
    return f"Traceback (most recent call last):\n{calls}harbor.errors.{exception}: {message}\n"


def agent_result(job: Job, trial: Made, tokens: tuple[int, int, int, float]) -> Json:
    """What the agent reported."""
    made: Json = dict(
        zip(("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"), tokens, strict=True)
    )
    if job.release >= (0, 23):
        made["model_usage"] = None
    made["rollout_details" if job.release >= (0, 1, 13) else "output_logprobs"] = None
    times = [round(1000 + 37.25 * i + tokens[2] % 977 / 7, 3) for i in range(30)]
    made["metadata"] = {"n_episodes": 30, "api_request_times_msec": times, "summarization_count": 0}
    return made


def record_of(job: Job, trial: Made) -> Json:
    """A trial's `result.json`."""
    zoned = job.release >= (0, 6)
    known = {"name": job.model, "provider": job.provider} if job.model else None
    if job.provider is None and job.release < (0, 6):
        known = None
    failed = None
    if trial.exception is not None:
        message = f"{trial.exception}: after 900.0 seconds ({trial.task}) “as told”"
        failed = {
            "exception_type": trial.exception,
            "exception_message": message,
            "exception_traceback": traceback(trial.exception, message),
            "occurred_at": moment(trial.ended - 20, job.release >= (0, 21)),
        }
    began, ended = trial.began, trial.ended
    part = (ended - began) / 8
    whole = trial.tokens is not None and not trial.steps
    made: Json = {
        "id": trial.id,
        "task_name": trial.task,
        "trial_name": trial.name,
        "trial_uri": f"file:///home/user/jobs/{job.place.rpartition('/')[2]}/{trial.name}",
        "task_id": {"git_url": GIT, "git_commit_id": COMMIT, "path": trial.task},
        "source": job.source,
        "task_checksum": f"{sum(trial.task.encode()):064x}",
        "config": trial_config(job, trial),
        "agent_info": {"name": job.agent, "version": "2.0.0", "model_info": known},
        "agent_result": agent_result(job, trial, trial.tokens) if whole and trial.tokens else None,
        "verifier_result": None if trial.rewards is None else {"rewards": trial.rewards},
    }
    if job.release >= (0, 21):
        made["verifier_environment_mode"] = "shared"
    made["exception_info"] = failed
    made |= timing(began, ended, zoned)
    made["environment_setup"] = timing(began + part, began + 2 * part, zoned)
    made["agent_setup"] = timing(began + 2 * part, began + 3 * part, zoned)
    made["agent_execution"] = timing(began + 3 * part, began + 6 * part, zoned)
    made["verifier"] = timing(began + 6 * part, began + 7 * part, zoned) if trial.rewards else None
    if job.release >= (0, 5):
        made["step_results"] = steps_of(job, trial) or None
    return made


def steps_of(job: Job, trial: Made) -> list[Json]:
    """The steps of a trial of several."""
    return [
        {
            "step_name": f"step-{number}",
            "agent_result": agent_result(job, trial, trial.tokens) if trial.tokens else None,
            "verifier_result": {"rewards": {"reward": reward}},
            "exception_info": None,
            "agent_execution": timing(trial.began, trial.ended, True),
            "verifier": None,
        }
        for number, reward in enumerate(trial.steps, 1)
    ]


# Counting, release by release


def pass_at_k(trials: Sequence[Made]) -> Json:
    """For one group, from 0.4.0 on."""
    tries: dict[str, list[float]] = {}
    for trial in trials:
        if trial.rewards is not None and (len(trial.rewards) != 1 or {*trial.rewards.values()} - {0, 1}):
            return {}
        tries.setdefault(trial.task, []).append(next(iter(trial.rewards.values())) if trial.rewards else 0)
    least = min(map(len, tries.values()), default=0)
    found = {}
    for k in sorted({*(2**i for i in range(1, 12) if 2**i <= least), *range(5, least + 1, 5)}):
        shares = []
        for tried in tries.values():
            failed, miss = sum(not one for one in tried), 1.0
            for i in range(k):
                miss *= (failed - i) / (len(tried) - i)
            shares.append(1.0 if failed < k else 1.0 - miss)
        found[str(k)] = added(shares) / len(tries)
    return found


def group_of(job: Job, trials: Sequence[Made]) -> Json:
    """An entry of `evals`; keys are in the file's order."""
    scored = [trial for trial in trials if trial.rewards is not None]
    lists: dict[str, dict[float, list[str]]] = {}
    for trial in scored:
        for name, reward in (trial.rewards or {}).items():
            lists.setdefault(name, {}).setdefault(reward, []).append(trial.name)
    failed: dict[str, list[str]] = {}
    for trial in trials:
        if trial.exception is not None:
            failed.setdefault(trial.exception, []).append(trial.name)
    values = [next(iter(trial.rewards.values())) if trial.rewards else 0 for trial in trials]
    made: Json = {"n_trials": len(scored), "n_errors": sum(map(len, failed.values()))}
    unnamed = job.key.split("__")[-1] != (job.source or "adhoc")  # what the metrics are looked up under
    made["metrics"] = [] if unnamed else [{"mean": added(values) / len(values)}]
    if job.release >= (0, 4):
        made["pass_at_k"] = pass_at_k(trials)
    return {**made, "reward_stats": lists, "exception_stats": failed}


def result_of(job: Job, finished: bool = True) -> Json:
    """The job's `result.json`."""
    trials, release = job.trials, job.release
    group = group_of(job, trials)
    errors, planned = group["n_errors"], job.attempts * len({trial.task for trial in trials})
    zoned = release >= (0, 6)
    begin = min((trial.began for trial in trials), default=0.0) - 2
    end = moment(max((trial.ended for trial in trials), default=0.0) + 1, zoned)
    made: Json = {"id": job.id, "started_at": moment(begin, zoned)}
    if release >= (0, 6, 2):
        made["updated_at"] = end
    made |= {"finished_at": end if finished else None, "n_total_trials": planned}
    if release >= (0, 6, 2):
        names = ("completed", "errored", "running", "pending", "cancelled")
        counts = (len(trials), errors, 0, planned - len(trials), 0)
        stats: Json = {f"n_{name}_trials": count for name, count in zip(names, counts, strict=True)}
        stats["n_retries"] = 0
    else:
        stats = {"n_trials": len(trials), "n_errors": errors}
    stats["evals"] = {job.key: group} if trials else {}
    if release >= (0, 6):
        reported = [t.tokens for t in trials for _ in (t.steps or [0]) if t.tokens is not None]
        for place, name in enumerate(("n_input_tokens", "n_cache_tokens", "n_output_tokens")):
            stats[name] = sum(tokens[place] for tokens in reported) if reported else None
        cost = None
        for tokens in reported:
            cost = (cost or 0.0) + tokens[3]
        stats["cost_usd"] = cost
    made["stats"] = stats
    if not finished and release < (0, 6, 2):
        made["trial_results"] = []
    return made


# What is wrong


def stale_mean(job: Job, chance: random.Random) -> None:
    """A mean that is another run's."""
    job.result["stats"]["evals"][job.key]["metrics"][0]["mean"] *= 0.839
    job.must_find("wrong", "metric", place=f"/stats/evals/{pointer(job.key)}/metrics/0/mean")


def counts_some(job: Job, chance: random.Random) -> None:
    """The result of some of the trials only."""
    some = job.trials[: max(len(job.trials) // 3, 1)]
    rest = job.trials[len(some) :]
    job.trials = some
    job.result = result_of(job)
    job.trials = [*some, *rest]
    for trial in rest:
        if trial.rewards is not None or trial.exception is not None:
            job.must_find("wrong", "extra-trial", f"{trial.name}/result.json")


def unscored_as_zero(job: Job, chance: random.Random) -> None:
    """Trials that were not scored stand under reward 0.0."""
    was = {trial.name: trial.rewards for trial in job.trials}
    for trial in job.trials:
        trial.rewards = trial.rewards or {"reward": 0.0}
    job.result = result_of(job)
    for trial in job.trials:
        if was[trial.name] is None:
            job.must_find("wrong", "record", f"{trial.name}/result.json", "/verifier_result/rewards")
        trial.rewards = was[trial.name]


def flipped(job: Job, chance: random.Random) -> None:
    """A record's reward was changed after the fact."""
    trial = chance.choice([one for one in job.trials if one.rewards == {"reward": 0.0}])
    job.records[trial.name]["verifier_result"] = {"rewards": {"reward": 1.0}}
    trial.rewards = {"reward": 1.0}
    job.must_find("wrong", "record", f"{trial.name}/result.json", "/verifier_result/rewards")


def counter_off(job: Job, chance: random.Random) -> None:
    """A counter of the job is one too many."""
    job.result["stats"]["n_errors"] += 1
    job.must_find("wrong", "counter", place="/stats/n_errors")


def copied(job: Job, chance: random.Random) -> None:
    """A directory stands there twice."""
    trial = chance.choice(job.trials)
    job.records[f"{trial.name} copy"] = job.records[trial.name]
    job.must_find("wrong", "duplicate-trial", f"{trial.name} copy/result.json", "/trial_name")


def lost(job: Job, chance: random.Random) -> None:
    """Directories were taken out."""
    for trial in chance.sample([one for one in job.trials if one.rewards], 2):
        del job.records[trial.name]
        job.trials.remove(trial)
        job.must_find("wrong", "missing-trial", f"{trial.name}/result.json")


def misnamed(job: Job, chance: random.Random) -> None:
    """The group stands under another name."""
    evals = job.result["stats"]["evals"]
    evals[f"{job.key}-v2"] = evals.pop(job.key)
    job.must_find("wrong", "group", place=f"/stats/evals/{pointer(job.key)}-v2")


def wrong_pass(job: Job, chance: random.Random) -> None:
    """A pass@k that is too good."""
    found = job.result["stats"]["evals"][job.key]["pass_at_k"]
    found["2"] = min(found["2"] + 0.0625, 1.0)
    job.must_find("wrong", "pass-at-k", place=f"/stats/evals/{pointer(job.key)}/pass_at_k/2")


def excused(job: Job, chance: random.Random) -> None:
    """A record's exception was taken out."""
    trial = chance.choice([one for one in job.trials if one.exception and one.rewards])
    job.records[trial.name]["exception_info"] = None
    job.must_find("wrong", "record", f"{trial.name}/result.json", "/exception_info")


def wrong_total(job: Job, chance: random.Random) -> None:
    """Tokens that the trials do not give."""
    job.result["stats"]["n_input_tokens"] -= 1000
    job.must_find("wrong", "total", place="/stats/n_input_tokens")


def another_generation(job: Job, chance: random.Random) -> None:
    """Trials run again with a later release: no finding."""
    was, job.release = job.release, (0, 13, 1)
    for trial in job.trials[:3]:
        job.records[trial.name] = record_of(job, trial)
    job.release = was


def cut_short(job: Job, chance: random.Random) -> None:
    """A record of which the end is missing."""
    trial = chance.choice([one for one in job.trials if one.rewards])
    whole = text_of(job.records.pop(trial.name)).encode()
    job.raw[f"{trial.name}/result.json"] = whole[: len(whole) * 2 // 3]
    job.trials.remove(trial)
    job.must_find("differs", "not-json", f"{trial.name}/result.json")


def empty_result(job: Job, chance: random.Random) -> None:
    """The job's result is an empty file."""
    job.raw["result.json"] = b""
    job.state = "unreadable"
    job.must_find("differs", "not-json", "result.json")


def said_twice(job: Job, chance: random.Random) -> None:
    """A record with a key twice."""
    trial = chance.choice([one for one in job.trials if one.rewards])
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
    (flipped, 1, 1, OLD),
    (counter_off, 1, 1, OLD),
    (copied, 1, 1, OLD),
    (lost, 1, 1, OLD),
    (misnamed, 1, 1, OLD),
    (wrong_pass, 1, 1, (0, 4, 0)),
    (excused, 1, 1, OLD),
    (wrong_total, 1, 1, (0, 6, 6)),
    (another_generation, 1, 1, OLD),
    (cut_short, 1, 1, OLD),
    (empty_result, 1, 1, OLD),
    (said_twice, 1, 1, OLD),
)
"""Each with how many jobs have it, in the whole leaderboard and in the small one, and their release."""


def pointer(key: str) -> str:
    """A member's name in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


# Shapes that are right


def unfinished(job: Job, chance: random.Random) -> None:
    """The job was stopped: some trials have no record, and the file is the last live one."""
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
    """Nobody kept the job's result."""
    job.left_out.add("result.json")
    job.state = "without result"


def with_agent_info(job: Job, chance: random.Random) -> None:
    """A member that is somebody else's."""
    job.result["agent_info"] = {"name": job.agent, "version": "2.0.0"}
    job.must_find("note", "schema", place="/agent_info")


def wrapped(job: Job, chance: random.Random) -> None:
    """The result in a file of another harness."""
    job.result = {
        "config": job.config,
        "eval": {"name": job.source, "score": 0.5, "n": len(job.trials)},
        "result": job.result,
        "exported_at": "2025-12-01T00:00:00Z",
    }


def by_hand(job: Job, chance: random.Random) -> None:
    """The files went through an editor."""
    job.indent, job.ending = 2, "\n"


def by_windows(job: Job, chance: random.Random) -> None:
    """The files went through another system."""
    job.ending = "\r\n"


def littered(job: Job, chance: random.Random) -> None:
    """Folders and files that are none of harbor's, and logs that are."""
    some = [trial.name for trial in job.trials if trial.name in job.records][:3]
    job.raw |= {".DS_Store": b"\0\0\0\1Bud1", "__MACOSX/._result.json": b"\0\5\26\7", "README.md": b"# Run\n"}
    job.raw |= {"job.log": b"Results written to jobs\n", "empty folder/.gitkeep": b""}
    for name in some:
        job.raw[f"{name}/agent/trajectory.json"] = b'{"steps": []}'
        job.raw[f"{name}/trial.log"] = b"trial\n"
        job.raw[f"{name}/exception.txt"] = b"Traceback\n"


SHAPES: tuple[tuple[Fault, int, int, Release], ...] = (
    (unfinished, 3, 1, (0, 1, 17)),
    (unfinished, 1, 1, (0, 6, 6)),
    (without_result, 3, 1, (0, 1, 17)),
    (with_agent_info, 2, 1, (0, 6, 6)),
    (wrapped, 1, 1, (0, 1, 17)),
    (by_hand, 3, 1, (0, 1, 17)),
    (by_windows, 2, 1, (0, 1, 17)),
    (littered, 12, 2, (0, 1, 17)),
)
PLAIN: tuple[tuple[Release, int, int], ...] = (
    ((0, 1, 8), 20, 2),
    ((0, 1, 44), 20, 2),
    ((0, 3, 0), 5, 1),
    ((0, 4, 0), 6, 1),
    ((0, 5, 0), 2, 1),
    ((0, 6, 0), 2, 1),
    ((0, 6, 6), 1, 1),
    ((0, 13, 1), 2, 1),
    ((0, 21, 0), 1, 1),
    ((0, 23, 0), 1, 1),
)
"""Releases of jobs with nothing to say about; the rest are of 0.1.17."""


# The whole


def task_names(count: int) -> list[str]:
    """Names of tasks, all different."""
    every = [f"{a}-{b}{c}" for c in THIRD for b in SECOND for a in FIRST]
    return every[: count - 2] + every[-2:]


@dataclass(slots=True)
class Submission:
    """A submission's name, how its trials end, and which jobs it has, by attempts."""

    folder: str
    agent: str
    provider: str | None
    model: str | None
    jobs: list[int]
    passes: float
    unscored: float = 0.006
    rewards: tuple[float, ...] = (1.0, 0.0)
    source: str | None = "terminal-bench"


def submissions(chance: random.Random, count: int) -> list[Submission]:
    """The submissions, with 10 jobs for each three of them."""
    made = []
    for number in range(count):
        agent, (provider, model) = AGENTS[number % len(AGENTS)], MODELS[number % len(MODELS)]
        folder = f"{agent}__{model.replace('/', '-')}-{number:02d}"
        jobs = ([1] * 5, [1] * 5, [1, 2, 2], [1] * 5, [5], [2, 3], [1] * 5, [5])[number % 8]
        # more attempts in fewer jobs
        one = Submission(folder, agent, provider, model, list(jobs), chance.triangular(0.2, 0.95, 0.8))
        if number == 1:  # 39.8 % with unscored trials as zero, 73.4 % without
            one.passes, one.unscored = 0.734, 0.457
        elif number == 2:
            one.rewards = (1, 0)
        elif number == 4:
            one.rewards = (0.1, 0.2, 0.3, 0.7, 1 / 3, 0.00001)
        elif number == 5:
            one.provider, one.model = None, None
        elif number == 6:
            one.source = "terminal-bench/terminal-bench-2"
        elif number == 7:
            one.source = None
        made.append(one)
    return made


def trials_of(
    chance: random.Random, of: Submission, tasks: Sequence[str], attempts: int, steps: bool
) -> list[Made]:
    """Trials in the plan's order."""
    made = []
    for attempt in range(attempts):
        for number, task in enumerate(tasks):
            hard = (number % 7 - 3) / 12
            exception = None
            rewards: dict[str, float] | None = {"reward": of.rewards[0]}
            parts: list[float] = []
            if chance.random() > of.passes + hard:
                rewards = {"reward": chance.choice(of.rewards[1:])}
            if chance.random() < 0.137:
                exception = chance.choice(EXCEPTIONS)
            if chance.random() < of.unscored:
                rewards, exception = None, chance.choice(NO_REWARD)
            elif steps and number % 10 == 3:
                parts = [1.0, float(chance.random() < 0.5)]
                rewards = {"reward": added(parts) / 2}
            tokens = None
            if exception not in NO_REWARD and chance.random() < 0.97:
                used = chance.randrange(10**4, 10**7)
                tokens = (used, used // 3, used // 50, round(used / 700_000, 6))
            name = f"{task[:32]}__{''.join(chance.choices(LETTERS, k=7))}"
            trial = Made(name, task, attempt, rewards, exception, 0.0, 0.0, tokens, parts)
            trial.id = str(UUID(int=chance.getrandbits(128), version=4))
            made.append(trial)
    return made


def roles(small: bool, total: int) -> list[tuple[Fault | None, Release]]:
    """What becomes of each job."""
    which = 2 if small else 1
    made: list[tuple[Fault | None, Release]] = []
    for one in (*FAULTS, *SHAPES):
        made += [(one[0], one[3])] * one[which]
    for plain in PLAIN:
        made += [(None, plain[0])] * plain[which]
    return made[:total] + [(None, OLD)] * max(total - len(made), 0)


def fits(role: Fault | None, attempts: int, of: Submission) -> bool:
    """Whether a job of that submission can play the part."""
    if role is wrong_pass and attempts < 2:
        return False
    if of.unscored > 0.1:
        return role is None
    if of.rewards != (1.0, 0.0) and role in (flipped, unscored_as_zero, wrong_pass, excused):
        return False
    return role is not stale_mean or not of.source or "/" not in of.source


def jobs(count: int, seed: int, small: bool) -> Iterator[Job]:
    """All jobs of the leaderboard, one after the other; a submission's come together."""
    chance = random.Random(seed)
    tasks = task_names(10 if small else 89)
    parts = roles(small, count)
    chance.shuffle(parts)
    made = 0
    every = submissions(chance, count)
    for of in every:
        before: Job | None = None
        for index, attempts in enumerate(of.jobs):
            if made == count:
                return
            role = next((part for part in parts if fits(part[0], attempts, of)), (None, OLD))
            if role in parts:
                parts.remove(role)
            began = (3 * made + index) * 86_400.0
            job = made_job(chance, of, role, tasks, attempts, began)
            if before is not None and role[0] is None and before.fault is None and made % 3 == 0:
                counted_again(job, before)
            yield job
            before = job
            made += 1


def counted_again(job: Job, before: Job) -> None:
    """A trial of the job before, copied and counted in this one in place of its own."""
    twice = before.trials[0]
    job.trials = [twice, *(trial for trial in job.trials if (trial.task, trial.attempt) != (twice.task, 0))]
    job.result = result_of(job)
    job.records = {trial.name: record_of(job, trial) for trial in job.trials}
    job.records[twice.name] = record_of(before, twice)


def made_job(
    chance: random.Random,
    of: Submission,
    role: tuple[Fault | None, Release],
    tasks: Sequence[str],
    attempts: int,
    began: float,
) -> Job:
    """One job of a submission."""
    fault, release = role
    steps = release >= (0, 13)
    unscored = of.unscored
    if fault is unscored_as_zero:
        of.unscored = 0.1
    trials = trials_of(chance, of, tasks, attempts, steps)
    of.unscored = unscored
    if fault is unscored_as_zero:
        trials[0].rewards = None
        trials[1].rewards = {"reward": 0.0}
    if fault is flipped:
        trials[0].rewards = {"reward": 0.0}
    if fault is excused:
        trials[0].exception, trials[0].rewards = EXCEPTIONS[0], {"reward": 1.0}
    concurrent, retries = chance.choice((1, 4, 32, 100)), chance.random() < 0.2
    if chance.random() < 0.25 and len(trials) > 5:  # resumed: what was there comes first, in no order
        cut = chance.randrange(2, len(trials) - 2)
        ended = ran(chance, trials[:cut], concurrent, began, retries)
        there = trials[:cut]
        chance.shuffle(there)
        ran(chance, trials[cut:], concurrent, ended + 4000, retries)
        trials = there + trials[cut:]
    else:
        ran(chance, trials, concurrent, began, retries)
    date = datetime.datetime(2025, 11, 11, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=began)
    place = f"submissions/terminal-bench/2.0/{of.folder}/{date:%Y-%m-%d__%H-%M-%S}"
    job = Job(place, release, of.agent, of.provider, of.model, of.source, trials, attempts, concurrent)
    if job.provider is None and job.release < (0, 6):
        job.model = None
    job.id = str(UUID(int=chance.getrandbits(128), version=4))
    finish(job, fault, chance)
    return job


def finish(job: Job, fault: Fault | None, chance: random.Random) -> None:
    """Makes the job's files, and what is wrong with them."""
    job.config = job_config(job)
    job.result = result_of(job)
    job.records = {trial.name: record_of(job, trial) for trial in job.trials}
    if fault is not None:
        job.fault = fault.__name__
        fault(job, chance)


def write(job: Job, top: Path) -> None:
    """Writes a job's files."""
    folder = top / job.place
    folder.mkdir(parents=True)

    def put(path: str, content: bytes) -> None:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def text(value: Any) -> bytes:
        made = text_of(value, job.indent) + job.ending
        return (made.replace("\n", "\r\n") if job.ending == "\r\n" else made).encode()

    if "result.json" not in job.left_out | job.raw.keys():
        put("result.json", text(job.result))
    put("config.json", text(job.config))
    for name, record in job.records.items():
        put(f"{name}/config.json", text(record["config"]))
        put(f"{name}/result.json", text(record))
    for path, content in job.raw.items():
        put(path, content)


def known(job: Job) -> Json:
    """What the manifest says of a job."""
    return {
        "release": ".".join(map(str, job.release)),
        "state": job.state,
        "fault": job.fault,
        "findings": job.find,
        "trials": len(job.records),
    }


def rolled_up(of: Sequence[Job], tasks: int) -> Json:
    """A submission's numbers, from the records that are there."""
    every = [trial for job in of if job.state == "finished" for trial in job.trials]
    scored = [trial for trial in every if trial.rewards is not None]
    tries: dict[str, int] = {}
    for trial in every:
        tries[trial.task] = tries.get(trial.task, 0) + 1
    doubles = sorted({t.id for t in every if sum(t.id == other.id for other in every) > 1})
    return {
        "jobs": len(of),
        "records": len(every),
        "scored": len(scored),
        "sum": added([value for trial in scored for value in (trial.rewards or {}).values()]),
        "exceptions": sum(trial.exception is not None for trial in every),
        "tasks": tasks,
        "tries": tries,
        "doubles": doubles,
    }


def make(top: Path, count: int = 250, seed: int = 0, small: bool = False) -> Json:
    """Writes a leaderboard and its manifest; gives the manifest."""
    top.mkdir(parents=True, exist_ok=True)
    manifest: Json = {"jobs": {}, "submissions": {}}
    together: dict[str, list[Job]] = {}
    for job in jobs(count, seed, small):
        write(job, top / "leaderboard")
        manifest["jobs"][job.place] = known(job)
        job.records, job.raw, job.result = {}, {}, {}
        together.setdefault(job.place.rpartition("/")[0], []).append(job)
    for name, of in together.items():
        metadata = f"agent_url: https://agent.example\nagent_display_name: {of[0].agent}\n"
        metadata += f"models:\n  - model_name: {json.dumps(of[0].model, ensure_ascii=False)}\n"
        (top / "leaderboard" / name / "metadata.yaml").write_text(metadata, encoding="utf-8")
        manifest["submissions"][name] = rolled_up(of, 10 if small else 89)
    (top / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")
    return manifest


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--small", action="store_true", help="40 jobs of ten tasks")
    options = parser.parse_args()
    count = options.jobs or (40 if options.small else 250)
    manifest = make(options.folder, count, options.seed, options.small)
    trials = sum(job["trials"] for job in manifest["jobs"].values())
    wrong = sum(bool(job["findings"]) for job in manifest["jobs"].values())
    print(f"{len(manifest['jobs'])} jobs, {trials} trials, {wrong} of them with something to find")


if __name__ == "__main__":
    sys.exit(main())
