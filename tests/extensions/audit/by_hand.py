"""Recomputes a job's scores under other rules from its files.

Written to be compared with `check --under`: it shares no code with it, and none with the reference.
"""

import json
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from tools.jobs.model import Trial, cpython_sum, pass_at_k

NUMBER = re.compile(
    r"\s*[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*|\s*[+-]?(?:nan|inf(?:inity)?)\s*", re.IGNORECASE
)
UNREADABLE = {
    *("RewardFileNotFoundError", "RewardFileEmptyError"),
    *("VerifierOutputParseError", "ValidationError"),
}
INVALID = {
    *UNREADABLE - {"ValidationError"},
    *("VerifierTimeoutError", "CancelledError", "EnvironmentStartTimeoutError", "AgentSetupTimeoutError"),
    *("ApiError", "APIError", "ApiRateLimitError", "Timeout", "NotFoundError"),
}
"""Exceptions after which no reward is valid from 0.26.0 on, as far as records do not say that themselves."""
Json = Any
Version = tuple[int, ...]


class UnreadableError(Exception):
    """No rewards can be read."""


def number(value: Json, finite: bool) -> float:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and not finite and NUMBER.fullmatch(value):
        value = float(value.strip())
    if isinstance(value, int | float) and not (finite and not math.isfinite(value)):
        return value
    raise UnreadableError


def read(folder: Path, version: Version) -> dict[str, float] | None:
    """The rewards in a verifier's folder, as a release reads them."""
    names = ["reward.json", "reward.txt"] if version >= (0, 7) else ["reward.txt", "reward.json"]
    file = next(folder / name for name in names if (folder / name).exists())
    text, finite = file.read_text(encoding="utf-8"), version >= (0, 23)
    try:
        if file.name == "reward.txt":
            return {"reward": number(float(text), finite)}
        value = json.loads(text)
    except ValueError:
        raise UnreadableError from None
    if value is None and not finite:
        return None
    if not isinstance(value, dict):
        raise UnreadableError
    return {key: number(one, finite) for key, one in value.items()}


def reread(part: Json, folder: Path, version: Version) -> tuple[Json, bool]:
    """The rewards of a verifier run, and whether it has a result, as that release would have them."""
    result, raised = part["verifier_result"], (part["exception_info"] or {}).get("exception_type")
    said = None if result is None else result["rewards"]
    files = any((folder / name).exists() for name in ("reward.txt", "reward.json"))
    if not files or (result is None and raised not in UNREADABLE):
        return said, result is not None
    try:
        return read(folder, version), True
    except UnreadableError:
        return None, False


def mean_of_steps(steps: list[Json], count: int) -> dict[str, float] | None:
    keys = {key for step in steps for key in step or {}}
    return {key: sum((step or {}).get(key, 0) for step in steps) / count for key in keys} or None


def version_of(rules: str) -> Version:
    """Empty for rules that are no release's."""
    return tuple(map(int, rules.removeprefix("harbor-").split("."))) if "harbor" in rules else ()


def rewards_of(record: Json, folder: Path, rules: str, declared: int) -> Json:
    version = version_of(rules)
    said = record["verifier_result"] and record["verifier_result"]["rewards"]
    steps = record.get("step_results")
    if not steps:
        return reread(record, folder / "verifier", version)[0] if version else said
    recorded = [step["verifier_result"] for step in steps]
    verified = [result["rewards"] for result in recorded if result is not None]
    is_mean = said == mean_of_steps(verified, max(len(verified), 1))
    if version:
        again = [reread(step, folder / "steps" / step["step_name"] / "verifier", version) for step in steps]
        if not is_mean:
            return again[-1][0]
        verified = [rewards for rewards, there in again if there]
        return mean_of_steps(verified, len(verified)) if verified else None
    if rules == "rule:declared-steps" and is_mean and said is not None:
        return mean_of_steps(verified, len(verified) + declared - len(steps))
    return said


def is_valid(record: Json, rewards: Json, folder: Path, version: Version = ()) -> bool:
    """Whether the trial counts from 0.26.0 on, if that release reads its files."""
    steps = record.get("step_results") or ()
    of_steps = ((one, folder / "steps" / one["step_name"] / "verifier") for one in steps)
    for part, files in ((record, folder / "verifier"), *of_steps):
        said, there = part["exception_info"], part["verifier_result"] is not None
        again = reread(part, files, version)[1] if version else there
        if there and not again:
            return False
        if said is None or (again and not there):
            continue
        if not said.get("policy", {}).get("has_valid_reward", said["exception_type"] not in INVALID):
            return False
    return bool(rewards)


def metric(name: str, rewards: list[Json]) -> dict[str, float]:
    keys = sorted({key for one in rewards for key in one or {}})
    combine = {"mean": lambda v: cpython_sum(v) / len(v), "sum": cpython_sum, "max": max, "min": min}[name]
    if len(keys) <= 1:
        return {name: combine([next(iter((one or {}).values()), 0) for one in rewards])}
    return {key: combine([(one or {}).get(key, 0) for one in rewards]) for key in keys}


def passes(attempts: list[tuple[str, Json]], with_one: bool) -> dict[str, float]:
    made = pass_at_k([Trial("", task, rewards) for task, rewards in attempts])
    tasks: dict[str, list[float]] = defaultdict(list)
    for task, rewards in attempts if with_one else ():
        if rewards is not None and (len(rewards) != 1 or not {*rewards.values()} <= {0, 1}):
            return {}
        tasks[task] += [*rewards.values()] if rewards else [0]
    shares = [sum(of) / len(of) for of in tasks.values()]
    return {**({"1": cpython_sum(shares) / len(shares)} if shares else {}), **made}


def scores(job: Path, rules: str) -> dict[str, dict[str, float]]:
    """Each group's metrics and pass@k, for the metrics that the job has."""
    result = json.loads((job / "result.json").read_text())
    stated, late = result["stats"]["evals"], "schema_version" in result
    version = version_of(rules)
    valid_only = version >= (0, 26) if version else late or rules == "rule:reward-valid-only"
    records = {path.parent: json.loads(path.read_text()) for path in sorted(job.glob("*/result.json"))}
    declared: dict[str, int] = defaultdict(int)
    for record in records.values():
        task = json.dumps([record["task_id"], record["task_checksum"]])
        declared[task] = max(declared[task], len(record.get("step_results") or ()))
    groups: dict[str, list[tuple[str, Json]]] = {key: [] for key in stated}
    counted: set[str] = set()
    """The groups that have a valid reward as recorded."""
    for folder, record in records.items():
        identity = json.dumps([record["task_id"], record["task_checksum"]])
        agent, model = record["agent_info"]["name"], record["agent_info"]["model_info"]
        names = [agent, *([model["name"]] if model else []), record["source"] or "adhoc"]
        rewards = rewards_of(record, folder, rules, declared[identity])
        if rewards:
            rewards = {key: math.nan if one is None else one for key, one in rewards.items()}
        if rules == "rule:errored-left-out" and record["exception_info"] is not None:
            continue
        if rules == "rule:unscored-left-out" and rewards is None:
            continue
        if is_valid(record, record["verifier_result"] and record["verifier_result"]["rewards"], folder):
            counted.add("__".join(names))
        if valid_only and not is_valid(record, rewards, folder, version):
            continue
        task = identity if rules == "rule:identity" else record["task_name"]
        groups["__".join(names)].append((task, rewards))
    made = {}
    for key, attempts in groups.items():
        found = {}
        entries = stated[key]["metrics"]
        if late and not entries and key not in counted:
            config = json.loads((job / "config.json").read_text())
            entries = [{one["type"]: 0} for one in config["metrics"]] or [{"mean": 0}]
        for index, entry in enumerate(entries):
            name = next(iter(entry)) if len(entry) == 1 else "mean"
            if name in ("mean", "sum", "max", "min") and attempts:
                values = metric(name, [rewards for _, rewards in attempts])
                found |= {f"{index}/{one}": value for one, value in values.items()}
        every = passes(attempts, rules == "rule:pass-at-1")
        made[key] = found | {f"pass@{k}": value for k, value in every.items()}
    return made
