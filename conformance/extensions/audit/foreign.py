"""Results in formats of others: named, with the numbers that they state."""

import msgspec

from conformance.wire.untrusted_files import MIB, Folder, Refused

__all__ = ["foreign"]

_MOST = 64 * MIB


class _Trial(msgspec.Struct):
    task_id: str
    is_resolved: bool | None


class _TerminalBench(msgspec.Struct):
    """Of the members of terminal-bench 1's `results.json` those that distinguish it from others."""

    results: list[_Trial]
    accuracy: float | None = None


def foreign(folder: Folder) -> str | None:
    """What the folder holds that no release of harbor writes, a sentence; None if that is not known."""
    try:
        content = folder.read("results.json", _MOST)
        found = None if content is None else msgspec.json.decode(content, type=_TerminalBench)
    except (Refused, msgspec.DecodeError, RecursionError):
        return None
    if found is None:
        return None
    resolved = sum(trial.is_resolved is True for trial in found.results)
    tasks = len({trial.task_id for trial in found.results})
    stated = "" if found.accuracy is None else f", states the accuracy {found.accuracy:.6g}"
    return (
        f"a results.json of terminal-bench 1, which is not audited: {len(found.results):,} trials of "
        f"{tasks:,} tasks, {resolved:,} resolved{stated}"
    )
