"""A job and its `result.json`, counted by release: a second way of counting, that of no audit."""

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Release = tuple[int, ...]
ZONED: Release = (0, 1, 44)
"""The first release here whose trials tell times in UTC."""


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


# Trials and jobs


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
    def packaged(self) -> bool:
        """Whether its tasks come as packages, which later releases do."""
        return self.release >= (0, 13) and "/" in (self.source or "")

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
    shift = -4 * 3600.0 if release >= ZONED else 0.0  # the job's times stay those of a local clock
    begin = min((trial.began for trial in trials), default=0.0) - 2 + shift
    end = moment(max((trial.ended for trial in trials), default=0.0) + 1 + shift)
    made: Json = {"id": job.id, "started_at": moment(begin)}
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
        for place, name in enumerate(("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")):
            total: float | None = None
            for trial in trials:  # a trial's steps first, then trial by trial, with a plain sum
                own: float | None = None
                for _ in trial.steps or [0]:
                    if trial.tokens is not None:
                        own = (own or 0) + trial.tokens[place]
                if own is not None:
                    total = (total or 0) + own
            stats[name] = total
    made["stats"] = stats
    if not finished and release < (0, 6, 2):
        made["trial_results"] = []
    return made


def pointer(key: str) -> str:
    """A member's name in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
