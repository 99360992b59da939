"""Changes one number in one file of a job directory, and says where an audit has to find it.

A number of the job's file is found at itself. A reward of a record is found in the record; that of a step
in the record or in the step's reward file, where nothing but the two tells. What only the job's file
contradicts is found there: tokens and cost at the total, the type of an exception in the group. Where NaN
is listed, the listing of that key is one place: of several trials with NaN harbor keeps one.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Change", "changes"]

JOB = "result.json"
TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
UNHELD = frozenset({"/stats/n_retries"})
"""What nothing else says: retries leave no trace."""

Files = dict[str, str]
Json = Any


@dataclass(frozen=True)
class Change:
    """One number changed."""

    file: str
    path: str
    """Where the number stands, a JSON pointer; empty in a reward file."""
    text: str
    """The file's new text."""
    kind: str
    """What the number is: the path without names and positions."""
    due: tuple[tuple[str, str], ...]
    """Where a finding may be: file, and what its path begins with."""


def escaped(key: str) -> str:
    """A key in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescaped(part: str) -> str:
    """The reverse of it."""
    return part.replace("~1", "/").replace("~0", "~")


def other(number: Any) -> Any:
    """Another number, of the same type."""
    return number + 1 if isinstance(number, int) else number + 0.25


def numbers(value: Json, path: str = "") -> Iterator[tuple[str, Json, Any, Any]]:
    """Each number, and each text in a list: its path, and what holds it under which key."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        place = f"{path}/{escaped(str(key))}"
        if isinstance(item, dict | list):
            yield from numbers(item, place)
        elif isinstance(item, bool) or item is None:
            continue
        elif isinstance(item, int | float) or isinstance(value, list):
            yield place, value, key, item


def dumped(value: Json) -> str:
    """As harbor writes it."""
    return json.dumps(value, indent=4, ensure_ascii=False)


def changes(files: Files) -> Iterator[Change]:
    """Every change of one number in a finished job."""
    result = json.loads(files[JOB])
    yield from of_job(result)
    for name, content in files.items():
        if name.count("/") == 1 and name.endswith("/result.json"):
            yield from of_record(name, json.loads(content), result, files)
        elif "/verifier/" in name and name.endswith(("/reward.txt", "/reward.json")):
            yield from of_reward_file(name, content, files)


def of_job(result: Json) -> Iterator[Change]:
    """Each number of the job's file, each trial it lists, and each reward it lists them under."""
    yield of_number(result, "n_total_trials", "/n_total_trials", "/n_total_trials")
    for path, holder, key, value in list(numbers(result["stats"], "/stats")):
        if path in UNHELD or ("scored" in path):  # a script's number
            continue
        parts = path.split("/")
        if isinstance(value, str):
            holder[key] = value[:-1] + ("8" if value.endswith("9") else "9")
            whole = "nan" in result["stats"]["evals"][unescaped(parts[3])][parts[4]].get(
                unescaped(parts[5]), ()
            )
            due = "/".join(parts[: -2 if whole else -1])
            yield Change(JOB, path, dumped(result), f"{parts[4]} entry", ((JOB, due),))
            holder[key] = value
        else:
            kind = "/".join([*parts[:3], "*", *parts[4:5]]) if "evals" in path else path
            yield of_number(result, key, path, kind, holder)
    for group, said in result["stats"]["evals"].items():
        for key, listed in said["reward_stats"].items():
            for text in list(listed):
                if text not in ("nan", "inf", "-inf"):
                    names = listed.pop(text)
                    listed["7.5"] = names
                    path = f"/stats/evals/{escaped(group)}/reward_stats/{escaped(key)}"
                    yield Change(JOB, f"{path}/{text}", dumped(result), "listed reward", ((JOB, path),))
                    del listed["7.5"]
                    listed[text] = names


def of_number(result: Json, key: Any, path: str, kind: str, holder: Json = None) -> Change:
    """A number of the job's file, which is put back afterwards."""
    holder = result if holder is None else holder
    kept = holder[key]
    holder[key] = other(kept)
    change = Change(JOB, path, dumped(result), kind, ((JOB, path),))
    holder[key] = kept
    return change


def of_record(name: str, record: Json, result: Json, files: Files) -> Iterator[Change]:
    """Each reward, token count and cost of a record, and the type of its exception."""
    evals, totals = (JOB, "/stats/evals"), "n_input_tokens" in result["stats"]
    steps = [
        (f"/step_results/{number}", step) for number, step in enumerate(record.get("step_results") or [])
    ]
    for place, part in [("", record), *steps]:
        rewards = (part.get("verifier_result") or {}).get("rewards") or {}
        for key, value in rewards.items():
            if value is not None:
                path = f"{place}/verifier_result/rewards/{escaped(key)}"
                kind = "step reward" if place else "reward"
                due = ((name, "/verifier_result"),)
                if place:
                    folder = f"{name.split('/')[0]}/steps/{part['step_name']}/verifier/"
                    file = next((each for each in files if each.startswith(f"{folder}reward.")), "")
                    due = (*due, (name, f"{place}/verifier_result"), (file, ""))
                yield changed(name, record, rewards, key, path, kind, due)
        said = part.get("agent_result") or {}
        for key in TOTALS:
            if totals and said.get(key) is not None:
                due = ((JOB, f"/stats/{key}"),)
                kind = f"step {key}" if place else key
                yield changed(name, record, said, key, f"{place}/agent_result/{key}", kind, due)
    error = record["exception_info"]
    if error is not None:
        kept = error["exception_type"]
        error["exception_type"] = f"{kept}2"
        yield Change(name, "/exception_info/exception_type", dumped(record), "exception", (evals,))


def changed(
    name: str, record: Json, holder: Json, key: str, path: str, kind: str, due: tuple[tuple[str, str], ...]
) -> Change:
    """A number of a record, which is put back afterwards."""
    kept = holder[key]
    holder[key] = other(kept)
    change = Change(name, path, dumped(record), kind, due)
    holder[key] = kept
    return change


def of_reward_file(name: str, content: str, files: Files) -> Iterator[Change]:
    """A reward file that gives the trial's reward and then says another one."""
    folder = name.split("/")[0]
    record = json.loads(files[f"{folder}/result.json"])
    parts = [record, *(record.get("step_results") or [])]
    if "/steps/" in name:
        parts = [part for part in parts if part.get("step_name") == name.split("/")[2]]
    else:
        parts = parts[:1]
    rewards = (parts[0].get("verifier_result") or {}).get("rewards") or {}
    if len(rewards) != 1 or {*rewards.values()} & {None}:
        return
    beside = name.removesuffix("json") + "txt" if name.endswith("json") else name.removesuffix("txt") + "json"
    if beside in files:
        return
    (key, value), *_ = rewards.items()
    text = repr(other(value)) if name.endswith("txt") else json.dumps({key: other(value)})
    yield Change(name, "", text, "reward file", ((name, ""), (f"{folder}/result.json", "")))
