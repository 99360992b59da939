"""Builds a job of any release with its files; counts on its own, independently of the audit."""

import datetime
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Release = tuple[int, ...]
BEGIN = datetime.datetime(2025, 11, 11)
ZONED: Release = (0, 1, 44)
"""The first of these releases whose trials have times in UTC."""


# Text and sums as in the releases' Python and pydantic


SMALL = re.compile(r"(?<= )-?[0-9.]+e-[0-9]+(?=,?$)", re.MULTILINE)
"""A small number at the end of a line, where indented JSON has its numbers."""


def text_of(value: Any, indent: int = 4) -> str:
    """JSON in pydantic's layout, with its spelling of numbers."""

    def spelled(match: re.Match[str]) -> str:
        number = float(match[0])
        return f"{number:.25f}".rstrip("0") if abs(number) >= 1e-5 else match[0].replace("e-0", "e-")

    return SMALL.sub(spelled, json.dumps(value, indent=indent, ensure_ascii=False))


def cpython_sum(numbers: Sequence[float]) -> float:
    """The result of `sum` in CPython 3.12: floats are compensated, ints among them are not."""
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


# Trials and jobs


@dataclass(slots=True)
class Trial:
    """A finished trial; times are seconds since `BEGIN`."""

    name: str
    task: str
    rewards: dict[str, float] | None = None
    exception: str | None = None
    began: float = 0.0
    ended: float = 0.0
    tokens: tuple[int, int, int, float] | None = None
    steps: list[float] = field(default_factory=list)
    id: str = "00000000-0000-4000-8000-000000000000"
    attempt: int = 0
    own: dict[str, str | None] = field(default_factory=dict)
    """Its agent, provider, model or source, if they differ from the job's."""


@dataclass(slots=True)
class Job:
    """A job, its files as values until they are written."""

    place: str
    release: Release
    trials: list[Trial]
    """In the order in which harbor collects their results."""
    agent: str = "nop"
    provider: str | None = "p"
    model: str | None = "gpt"
    source: str | None = "bench"
    planned: int = 0
    """The number of planned trials, if it differs from the actual number."""
    attempts: int = 1
    concurrent: int = 4
    config: Json = field(default_factory=dict)
    result: Json = field(default_factory=dict)
    records: dict[str, Json] = field(default_factory=dict)
    """By directory."""
    raw: dict[str, bytes] = field(default_factory=dict)
    """Other files, by path in the job's directory."""
    left_out: set[str] = field(default_factory=set)
    """Missing files."""
    state: str = "finished"
    fault: str | None = None
    find: list[Json] = field(default_factory=list)
    indent: int = 4
    ending: str = ""
    id: str = "00000000-0000-4000-8000-000000000001"

    def value_of(self, trial: Trial | None, name: str) -> Any:
        """An attribute of the trial if it has its own, otherwise of the job."""
        return trial.own.get(name, getattr(self, name)) if trial is not None else getattr(self, name)

    def key_of(self, trial: Trial | None) -> str:
        """The evals key of a trial's group."""
        model, source = self.value_of(trial, "model"), self.value_of(trial, "source")
        key = "__".join([self.value_of(trial, "agent"), *([model] if model else []), source or "adhoc"])
        return key if self.release >= (0, 4) else key.replace("/", "-")

    @property
    def key(self) -> str:
        return self.key_of(None)

    @property
    def packaged(self) -> bool:
        """Whether its tasks come as packages, which later releases do."""
        return self.release >= (0, 13) and "/" in (self.source or "")

    def build(self) -> "Job":
        """Builds the job's files, all of them correct."""
        self.config, self.result = job_config(self), result_of(self)
        self.records = {trial.name: record_of(self, trial) for trial in self.trials}
        return self

    def must_find(self, severity: str, kind: str, file: str = "result.json", path: str = "") -> None:
        """Records a finding that an audit has to report."""
        self.find.append({"severity": severity, "kind": kind, "file": file, "path": path})

    def files(self) -> dict[str, bytes]:
        """The content of the job's files, by path in its directory."""

        def encoded(value: Json) -> bytes:
            text = text_of(value, self.indent) + self.ending
            text = text.replace("\n", "\r\n") if self.ending == "\r\n" else text
            return text.encode("utf-8", "surrogatepass")

        files = {"result.json": encoded(self.result), "config.json": encoded(self.config)}
        for name, record in self.records.items():
            files[f"{name}/config.json"] = encoded(record["config"])
            files[f"{name}/result.json"] = encoded(record)
        return {name: content for name, content in (files | self.raw).items() if name not in self.left_out}

    def write(self, top: Path) -> Path:
        for path, content in self.files().items():
            file = top / self.place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return top / self.place


def moment(seconds: float, zoned: bool = False) -> str:
    instant = BEGIN + datetime.timedelta(seconds=round(seconds, 6))
    return instant.isoformat() + ("Z" if zoned else "")


# Counting, release by release


def pass_at_k(trials: Sequence[Trial]) -> Json:
    """The pass@k estimates of one group, which releases since 0.4.0 write."""
    tries: dict[str, list[float]] = {}
    for trial in trials:
        if trial.rewards is not None and (len(trial.rewards) != 1 or {*trial.rewards.values()} - {0, 1}):
            return {}
        tries.setdefault(trial.task, []).append(next(iter(trial.rewards.values())) if trial.rewards else 0)
    least = min(map(len, tries.values()), default=0)
    estimates = {}
    for k in sorted({*(2**i for i in range(1, 12) if 2**i <= least), *range(5, least + 1, 5)}):
        by_task = []
        for rewards in tries.values():
            failed, miss = sum(not reward for reward in rewards), 1.0
            for i in range(k):
                miss *= (failed - i) / (len(rewards) - i)
            by_task.append(1.0 if failed < k else 1.0 - miss)
        estimates[str(k)] = cpython_sum(by_task) / len(tries)
    return estimates


def group_of(job: Job, trials: Sequence[Trial]) -> Json:
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
    means = {
        name: cpython_sum([(trial.rewards or {}).get(name, 0) for trial in trials]) / len(trials)
        for name in sorted(lists)
    }
    if len(means) < 2:
        values = [next(iter(trial.rewards.values())) if trial.rewards else 0 for trial in trials]
        means = {"mean": cpython_sum(values) / len(values)}
    group: Json = {"n_trials": len(scored), "n_errors": sum(map(len, failed.values()))}
    source = job.value_of(trials[0], "source") or "adhoc"
    unnamed = job.key_of(trials[0]).split("__")[-1] != source  # the name for looking up the metrics
    group["metrics"] = [] if unnamed else [means]
    if job.release >= (0, 4):
        group["pass_at_k"] = pass_at_k(trials)
    return {**group, "reward_stats": lists, "exception_stats": failed}


def result_of(job: Job, finished: bool = True) -> Json:
    trials, release = job.trials, job.release
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(job.key_of(trial), []).append(trial)
    errors, planned = sum(trial.exception is not None for trial in trials), job.planned or len(trials)
    shift = -4 * 3600.0 if release >= ZONED else 0.0  # the job's times stay those of a local clock
    begin = min((trial.began for trial in trials), default=0.0) - 2 + shift
    end = moment(max((trial.ended for trial in trials), default=0.0) + 1 + shift)
    result: Json = {"id": job.id, "started_at": moment(begin)}
    if release >= (0, 6, 2):
        result["updated_at"] = end
    result |= {"finished_at": end if finished else None, "n_total_trials": planned}
    if release >= (0, 6, 2):
        names = ("completed", "errored", "running", "pending", "cancelled")
        counts = (len(trials), errors, 0, planned - len(trials), 0)
        stats: Json = {f"n_{name}_trials": count for name, count in zip(names, counts, strict=True)}
        stats["n_retries"] = 0
    else:
        stats = {"n_trials": len(trials), "n_errors": errors}
    stats["evals"] = {key: group_of(job, group) for key, group in groups.items()}
    if release >= (0, 6):
        for position, name in enumerate(TOTALS):
            total: float | None = None
            for trial in trials:  # a trial's steps first, then trial by trial, with a plain sum
                if trial.tokens is not None:
                    own: float = 0
                    for _ in trial.steps or [0]:
                        own += trial.tokens[position]
                    total = (total or 0) + own
            stats[name] = total
    result["stats"] = stats
    if not finished and release < (0, 6, 2):
        result["trial_results"] = []
    return result


def pointer(key: str) -> str:
    """A member's name in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


# A trial's files, and the job's config.json, member by member as the releases write them

GIT = {
    "git_url": "https://github.example/terminal-tasks/terminal-tasks.git",
    "git_commit_id": "1a6ffa9674b571da0ed040c470cb40c4d85f9b9b",
}
VERIFIER: Json = {"override_timeout_sec": None, "max_timeout_sec": None, "disable": False}
MULTIPLIERS = ("agent", "verifier", "agent_setup", "environment_build")
RETRY: Json = {
    "max_retries": 0,
    "include_exceptions": None,
    "exclude_exceptions": ["AgentTimeoutError", "RewardFileNotFoundError", "VerifierTimeoutError"],
    "wait_multiplier": 1.0,
    "min_wait_sec": 1.0,
    "max_wait_sec": 60.0,
}
TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


def timing(began: float, ended: float, zoned: bool) -> Json:
    return {"started_at": moment(began, zoned), "finished_at": moment(ended, zoned)}


def checksum(trial: Trial) -> str:
    return f"{sum(trial.task.encode('utf-8', 'surrogatepass')):064x}"


def task_config(job: Job, trial: Trial) -> Json:
    if job.packaged:
        config: Json = {"path": None, "git_url": None, "git_commit_id": None}
        config |= {"name": f"terminal-bench/{trial.task}", "ref": f"sha256:{checksum(trial)}"}
    else:
        config = {"path": trial.task, **GIT} | ({"name": None, "ref": None} if job.release >= (0, 3) else {})
    return {**config, "overwrite": False, "download_dir": None, "source": job.value_of(trial, "source")}


def agent_config(job: Job, trial: Trial | None = None) -> Json:
    agent, provider, model = (job.value_of(trial, name) for name in ("agent", "provider", "model"))
    own = agent in ("warp-drive", "my__agent")
    config: Json = {
        "name": None if own else agent,
        "import_path": "agents.own:OwnAgent" if own else None,
        "model_name": model if provider is None else f"{provider}/{model}",
        "override_timeout_sec": None,
    }
    if job.release >= (0, 3):
        config["override_setup_timeout_sec"] = None
    config |= {"max_timeout_sec": None, "kwargs": {"parser_name": "xml"} if agent == "terminus-2" else {}}
    return config if job.release < (0, 3) else {**config, "env": {}}


def environment_config(job: Job) -> Json:
    late = job.release >= (0, 3)
    config: Json = {"type": "daytona"} | ({"import_path": None} if late else {})
    config |= {"force_build": False, "delete": True, "override_cpus": None, "override_memory_mb": None}
    config["override_storage_mb"] = None
    if late:
        config |= {"override_gpus": None, "suppress_override_warnings": False, "mounts_json": None, "env": {}}
    return {**config, "kwargs": {}}


def trial_config(job: Job, trial: Trial) -> Json:
    name = job.place.rpartition("/")[2]
    config: Json = {"task": task_config(job, trial), "trial_name": trial.name, "trials_dir": f"jobs/{name}"}
    config["timeout_multiplier"] = 1.0
    if job.release >= (0, 3):
        config |= {f"{name}_timeout_multiplier": None for name in MULTIPLIERS}
    config |= {"agent": agent_config(job, trial), "environment": environment_config(job)}
    config["verifier"] = VERIFIER
    if job.release >= (0, 3):
        config["artifacts"] = []
    return {**config, "job_id": job.id}


def job_config(job: Job) -> Json:
    config: Json = {"job_name": job.place.rpartition("/")[2], "jobs_dir": "jobs", "n_attempts": job.attempts}
    config |= {"timeout_multiplier": 1.0, "debug": False}
    running = {"n_concurrent_trials": job.concurrent, "quiet": False, "retry": RETRY}
    if job.release < (0, 3):
        config["orchestrator"] = {"type": "local", **running, "kwargs": {}}
    else:
        config |= running
    config |= {"environment": environment_config(job), "verifier": VERIFIER, "metrics": []}
    agents = {tuple(trial.own.items()): agent_config(job, trial) for trial in job.trials}
    config["agents"] = [*agents.values()]
    registry = {"name": None, "url": "https://registry.example/registry.json"}
    where: Json = {"registry": registry} if job.release < (0, 3) else {"ref": None, "registry_path": None}
    wanted: Json = {"task_names": None, "exclude_task_names": None, **where}
    sources = dict.fromkeys(filter(None, (job.value_of(trial, "source") for trial in job.trials)))
    config["datasets"] = [
        {**wanted, "name": source, "version": "2.0", "overwrite": False, "download_dir": None}
        for source in sources
    ]
    once = {trial.task: trial for trial in job.trials if not job.value_of(trial, "source")}
    config["tasks"] = [task_config(job, trial) for trial in once.values()]
    return config


def traceback(exception: str, message: str) -> str:
    frame = '  File "/opt/venv/lib/python3.12/site-packages/harbor/trial/trial.py", line {}, in {}\n'
    inner = "    raise error from None\n    ~~~~~~^^^^^^^^^^^^^^\n"
    calls = "".join(frame.format(90 + 37 * i, f"_step_{i}") + inner for i in range(12))
    return f"Traceback (most recent call last):\n{calls}harbor.errors.{exception}: {message}\n"


def agent_result(job: Job, tokens: tuple[int, int, int, float]) -> Json:
    result: Json = dict(zip(TOTALS, tokens, strict=True))
    if job.release >= (0, 23):
        result["model_usage"] = None
    result["rollout_details" if job.release >= (0, 1, 13) else "output_logprobs"] = None
    times = [round(1000 + 37.25 * i + tokens[2] % 977 / 7, 3) for i in range(30)]
    result["metadata"] = {"n_episodes": 30, "api_request_times_msec": times, "summarization_count": 0}
    return result


def record_of(job: Job, trial: Trial) -> Json:
    zoned = job.release >= ZONED
    model, provider = job.value_of(trial, "model"), job.value_of(trial, "provider")
    known = {"name": model, "provider": provider}
    failed = None
    if trial.exception is not None:
        message = f"{trial.exception}: after 900.0 seconds ({trial.task}) “as planned”"
        failed = {
            "exception_type": trial.exception,
            "exception_message": message,
            "exception_traceback": traceback(trial.exception, message),
            "occurred_at": moment(trial.ended - 20, job.release >= (0, 21)),
        }
    began, ended = trial.began, trial.ended
    part = (ended - began) / 8
    whole = trial.tokens is not None and not trial.steps
    task: Json = {**GIT, "path": trial.task}
    if job.packaged:
        task = {"org": "terminal-bench", "name": trial.task, "ref": f"sha256:{checksum(trial)}"}
    record: Json = {
        "id": trial.id,
        "task_name": f"terminal-bench/{trial.task}" if job.packaged else trial.task,
        "trial_name": trial.name,
        "trial_uri": f"file:///home/user/jobs/{job.place.rpartition('/')[2]}/{trial.name}",
        "task_id": task,
        "source": job.value_of(trial, "source"),
        "task_checksum": checksum(trial),
        "config": trial_config(job, trial),
        "agent_info": {
            "name": job.value_of(trial, "agent"),
            "version": "2.0.0",
            "model_info": known if model and (provider or job.release >= (0, 6)) else None,
        },
        "agent_result": agent_result(job, trial.tokens) if whole and trial.tokens else None,
        "verifier_result": None if trial.rewards is None else {"rewards": trial.rewards},
    }
    if job.release >= (0, 21):
        record["verifier_environment_mode"] = "shared"
    record["exception_info"] = failed
    record |= timing(began, ended, zoned)
    record["environment_setup"] = timing(began + part, began + 2 * part, zoned)
    record["agent_setup"] = timing(began + 2 * part, began + 3 * part, zoned)
    record["agent_execution"] = timing(began + 3 * part, began + 6 * part, zoned)
    record["verifier"] = timing(began + 6 * part, began + 7 * part, zoned) if trial.rewards else None
    if job.release >= (0, 5):
        record["step_results"] = steps_of(job, trial) or None
    return record


def steps_of(job: Job, trial: Trial) -> list[Json]:
    return [
        {
            "step_name": f"step-{number}",
            "agent_result": agent_result(job, trial.tokens) if trial.tokens else None,
            "verifier_result": {"rewards": {"reward": reward}},
            "exception_info": None,
            "agent_execution": timing(trial.began, trial.ended, True),
            "verifier": None,
        }
        for number, reward in enumerate(trial.steps, 1)
    ]
