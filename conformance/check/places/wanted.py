"""Which of many files the audit reads.

It reads records and reward files of trials, and of jobs the result, the configuration, the lock and
the logs. A trial's directory is known by the records in it and above it. Where that is not certain
more is taken rather than less: a file too many changes no report.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.check.job.outcome_lines import is_log
from conformance.check.places.entries import Entry, Kind
from conformance.check.reading.limits import Limits
from conformance.check.submissions.metadata import METADATA_FILES

__all__ = ["RESULT", "REWARDS", "Need", "likely_limit", "needs", "skipped_below"]

RESULT = "result.json"
REWARDS = ("reward.json", "reward.txt")
_OF_JOB = ("config.json", "lock.json")

_FOLDERS = ("verifier", "steps")
_TRIAL_ONLY = ("agent", "artifacts")


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the mirror has."""

    entry: Entry
    limit: int | None = None
    """The bytes up to which the audit reads the file; None if only its being there counts."""


def skipped_below(names: Mapping[str, Kind]) -> tuple[str, ...]:
    """The folders that need not be listed in one that has these names, because it is a trial's."""
    trial = RESULT in names and (names.get("verifier") is Kind.FOLDER or "trial.log" in names)
    return _TRIAL_ONLY if trial else ()


def likely_limit(path: str, limits: Limits) -> int | None:
    """The bytes up to which the audit reads a file, guessed from its path; None if it probably does not.

    `needs` knows it for certain, from all paths.
    """
    *folders, name = path.split("/")
    if not set(folders).isdisjoint(_TRIAL_ONLY):
        return None
    if name in (RESULT, *_OF_JOB) or name in METADATA_FILES:
        return max(limits.record_bytes, limits.job_bytes)
    if name in REWARDS:
        return limits.reward_bytes
    of_job = is_log(name) and name != "trial.log" and "verifier" not in folders
    return limits.log_bytes if of_job else None


def needs(entries: Mapping[str, Entry], limits: Limits) -> Iterator[Need]:
    """What of a listing the mirror has; folders come before what is in them."""
    trials = _trials(entries)
    for path in sorted(entries):
        need = _need(entries, entries[path], _trial_above(path, trials), limits)
        if need is not None:
            yield need


def _is(entries: Mapping[str, Entry], path: str, kind: Kind) -> bool:
    found = entries.get(path)
    return found is not None and found.kind is kind


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _trials(entries: Mapping[str, Entry]) -> set[str]:
    """Folders that are trials' for certain."""
    recorded = {_above(path) for path in entries if path == RESULT or path.endswith(f"/{RESULT}")}
    with_records = {
        _above(folder) for folder in recorded if folder and folder.rpartition("/")[2] not in _TRIAL_ONLY
    }
    trials: set[str] = set()
    for folder in recorded - with_records:
        job = _above(folder)
        if not folder or job not in recorded:
            continue
        if (
            any(_join(job, name) in entries for name in _OF_JOB)
            or any(_is(entries, f"{folder}/{name}", Kind.FOLDER) for name in (*_FOLDERS, "agent"))
            or f"{folder}/trial.log" in entries
        ):
            trials.add(folder)
    return trials


def _trial_above(path: str, trials: set[str]) -> str | None:
    """The trial's folder that a path lies in."""
    end = path.find("/")
    while end >= 0:
        if path[:end] in trials:
            return path[:end]
        end = path.find("/", end + 1)
    return None


def _need(entries: Mapping[str, Entry], entry: Entry, trial: str | None, limits: Limits) -> Need | None:
    folder, _, name = entry.path.rpartition("/")
    rewards = name in REWARDS and folder.endswith("verifier")
    if trial is not None:
        below = entry.path[len(trial) + 1 :].split("/")
        if below[0] == "steps" and len(below) > 2:
            below = below[2:]
        elif below[0] == "steps":
            return Need(entry)
        if below == [RESULT] and folder == trial:
            return Need(entry, limits.record_bytes if entry.kind is Kind.FILE else None)
        if below == ["verifier"]:
            return Need(entry)
        if len(below) == 2 and below[0] == "verifier" and name in REWARDS:
            return Need(entry, limits.reward_bytes if entry.kind is Kind.FILE else None)
        return None
    if entry.kind is not Kind.FILE:
        return Need(entry)
    if name == RESULT or name in METADATA_FILES or name in _OF_JOB:
        return Need(entry, max(limits.record_bytes, limits.job_bytes))
    if rewards:
        return Need(entry, limits.reward_bytes)
    if is_log(name) and _join(folder, RESULT) in entries:
        return Need(entry, limits.log_bytes)
    if name in _FOLDERS or folder.rpartition("/")[2] == "steps":
        return Need(entry)  # a file in the place of a folder
    return None
