"""Changes one number in one file of a job directory, and says where an audit must find it.

A number in the job's file must be found right there. A reward in a record must be found in the record; a
step's reward in the record or in the step's reward file, if only these two have it. A contradiction within
the job's file is found at the contradicting number: tokens and cost at the total, an exception's type in
the group. If NaN is listed, the whole listing of that key is one place, since harbor keeps only one of
several trials with NaN.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.jobs.kept import JOB, Files, with_result
from tools.jobs.model import TOTALS, pointer

__all__ = ["Change", "changes", "finished", "is_found"]

UNCONFIRMED = "/stats/n_retries"
"""The number that nothing else confirms: retries leave no trace."""

Json = Any
Places = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Change:
    file: str
    path: str
    """The JSON pointer to the number; empty in a reward file."""
    text: str
    """The file's new text."""
    kind: str
    """The kind of number: its path without names and positions."""
    expected: Places
    """The places where the finding may be: a file, and the beginning of a path."""


def changed(value: Any) -> Any:
    """Another number, or another text."""
    if isinstance(value, str):
        return value[:-1] + ("8" if value.endswith("9") else "9")
    return value + 1 if isinstance(value, int) else value + 0.25


def with_change(document: Json, holder: Json, key: Any, value: Any = None) -> str:
    """The document's text with one value replaced."""
    original = holder[key]
    holder[key] = changed(original) if value is None else value
    text = json.dumps(document, indent=4, ensure_ascii=False)
    holder[key] = original
    return text


def numbers(value: Json, path: str = "") -> Iterator[tuple[str, Json, Any, Any]]:
    """Each number, and each text in a list: its path, its container, and its key there."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        item_path = f"{path}/{pointer(str(key))}"
        if isinstance(item, dict | list):
            yield from numbers(item, item_path)
        elif isinstance(item, int | float) or (isinstance(value, list) and isinstance(item, str)):
            yield item_path, value, key, item


def changes(files: Files) -> Iterator[Change]:
    """Every change of one number in a finished job."""
    result = json.loads(files[JOB])
    yield from _of_job(result)
    for name, content in files.items():
        if name.count("/") == 1 and name.endswith("/result.json"):
            yield from _of_record(name, json.loads(content), result, files)
        elif "/verifier/" in name and name.endswith(("/reward.txt", "/reward.json")):
            yield from _of_reward_file(name, content, files)


def _of_job(result: Json) -> Iterator[Change]:
    """Each number in the job's file, each listed trial, and each reward under which trials are listed."""
    total = "/n_total_trials"
    yield Change(JOB, total, with_change(result, result, total[1:]), total, ((JOB, total),))
    evals = result["stats"]["evals"]
    for path, holder, key, value in numbers(result["stats"], "/stats"):
        if path == UNCONFIRMED or "scored" in path:  # a script's number
            continue
        parts = path.split("/")
        expected, kind = path, "/".join([*parts[:3], "*", *parts[4:5]]) if "evals" in path else path
        if isinstance(value, str):
            group, member = (part.replace("~1", "/").replace("~0", "~") for part in (parts[3], parts[5]))
            expected = "/".join(parts[: -2 if "nan" in evals[group][parts[4]].get(member, ()) else -1])
            kind = f"{parts[4]} entry"
        yield Change(JOB, path, with_change(result, holder, key), kind, ((JOB, expected),))
    for group, group_stats in evals.items():
        for key, listed in group_stats["reward_stats"].items():
            path = f"/stats/evals/{pointer(group)}/reward_stats/{pointer(key)}"
            for text in listed:
                if text not in ("nan", "inf", "-inf"):
                    renamed = {"7.5" if label == text else label: names for label, names in listed.items()}
                    new = with_change(result, group_stats["reward_stats"], key, renamed)
                    yield Change(JOB, f"{path}/{text}", new, "listed reward", ((JOB, path),))


def _of_record(name: str, record: Json, result: Json, files: Files) -> Iterator[Change]:
    """Each reward, token count and cost in a record, and the type of its exception."""
    totals = "n_input_tokens" in result["stats"]
    steps = [(f"/step_results/{index}", step) for index, step in enumerate(record.get("step_results") or [])]
    for prefix, part in [("", record), *steps]:
        rewards = (part.get("verifier_result") or {}).get("rewards") or {}
        invalid = not prefix and record.get("reward_valid") is False
        for key, value in rewards.items():
            if value is not None:
                expected: Places = ((name, "/verifier_result"),)
                if invalid:  # the job does not list it: only the record and the file have it
                    expected = (*expected, (f"{name.split('/')[0]}/verifier/reward.", ""))
                if prefix:
                    folder = f"{name.split('/')[0]}/steps/{part['step_name']}/verifier/"
                    file = next((item for item in files if item.startswith(f"{folder}reward.")), "")
                    expected = (*expected, (name, f"{prefix}/verifier_result"), (file, ""))
                path = f"{prefix}/verifier_result/rewards/{pointer(key)}"
                new = with_change(record, rewards, key)
                kind = "step reward" if prefix else "invalid reward" if invalid else "reward"
                yield Change(name, path, new, kind, expected)
        spent = part.get("agent_result") or {}
        for key in TOTALS if totals else ():
            if spent.get(key) is not None:
                new, kind = with_change(record, spent, key), f"step {key}" if prefix else key
                yield Change(name, f"{prefix}/agent_result/{key}", new, kind, ((JOB, f"/stats/{key}"),))
    late = "reward_valid" in record
    for prefix, part in [("", record), *(steps if late else ())]:
        if (error := part["exception_info"]) is not None:
            path, kind = f"{prefix}/exception_info", "step exception" if prefix else "exception"
            new = with_change(record, error, "exception_type", f"{error['exception_type']}2")
            expected = ((JOB, "/stats/evals"), *(((name, path),) if late else ()))
            yield Change(name, f"{path}/exception_type", new, kind, expected)
            for key, value in error.get("policy", {}).items():
                new, where = with_change(record, error["policy"], key, not value), f"{path}/policy/{key}"
                yield Change(name, where, new, f"{kind}'s {key}", ((name, where),))
    if late:
        new = with_change(record, record, "reward_valid", not record["reward_valid"])
        yield Change(name, "/reward_valid", new, "reward_valid", ((name, "/reward_valid"),))


def _of_reward_file(name: str, content: str, files: Files) -> Iterator[Change]:
    """A reward file that gives the trial's reward, changed to another number."""
    folder = name.split("/")[0]
    record = json.loads(files[f"{folder}/result.json"])
    parts = [record]
    if "/steps/" in name:
        parts = [part for part in record["step_results"] if part.get("step_name") == name.split("/")[2]]
    rewards = (parts[0].get("verifier_result") or {}).get("rewards") or {}
    stem, _, suffix = name.rpartition(".")
    if len(rewards) == 1 and None not in rewards.values() and len([*_both(stem, files)]) == 1:
        (key, value), *_ = rewards.items()
        text = repr(changed(value)) if suffix == "txt" else json.dumps({key: changed(value)})
        yield Change(name, "", text, "reward file", ((name, ""), (f"{folder}/result.json", "")))


def _both(stem: str, files: Files) -> Iterator[str]:
    return (name for name in (f"{stem}.txt", f"{stem}.json") if name in files)


def finished(release: str) -> Iterator[tuple[str, Files]]:
    for name, files in with_result(release).items():
        if json.loads(files[JOB])["finished_at"] is not None:
            yield name, files


def is_found(findings: list[Json], expected: Places) -> bool:
    """Whether a report has a finding of level wrong at one of the expected places."""
    wrong = [(finding["file"], finding["path"]) for finding in findings if finding["severity"] == "wrong"]
    return any(
        (name == file or (file.endswith(".") and name.startswith(file))) and path.startswith(start)
        for name, path in wrong
        for file, start in expected
    )
