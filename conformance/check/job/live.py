"""What an unfinished job's file contradicts in itself, whenever it was written.

Its numbers are those of some moment, so they are not held to the trials. But each trial that comes in is
counted and listed in one go, and so is each that is taken out again to be tried once more.
"""

from collections.abc import Iterator
from typing import Any

from conformance.check.findings import Finding
from conformance.check.generations import JobGeneration
from conformance.check.job.differences import JOB_FILE
from conformance.check.reading.json_files import Members, Number, pointer

__all__ = ["contradictions"]


def contradictions(stats: Members, evals: Members, generation: JobGeneration) -> Iterator[Finding]:
    """Counters that the file's own lists do not give."""
    errored = 0
    for key, group in evals:
        if not isinstance(group, Members):
            return
        place = pointer("stats", "evals", key)
        errors, scored = _count(group.get("n_errors")), _count(group.get("n_trials"))
        listed = _names(group.get("exception_stats"))
        by_key = group.get("reward_stats")
        rewarded = (
            max((_names(lists) for _, lists in by_key), default=0) if isinstance(by_key, Members) else 0
        )
        if errors is None or scored is None:
            return
        if errors != listed:
            what = (str(errors), f"{listed}, as exception_stats lists")
            yield Finding("counter", JOB_FILE, f"{place}/n_errors", *what, "003-3.3-n-errors")
        if scored < rewarded:  # rewards without a key are counted and not listed
            what = (str(scored), f"at least {rewarded}, as reward_stats lists")
            yield Finding("counter", JOB_FILE, f"{place}/n_trials", *what, "003-3.3-n-trials")
        errored += errors
    name = generation.counters[1]
    said = _count(stats.get(name))
    if said is not None and said != errored:
        what = (str(said), f"{errored}, the sum of the groups")
        yield Finding("counter", JOB_FILE, pointer("stats", name), *what, "003-3.3-n-errors")


def _count(value: Any) -> int | None:
    return value.value if isinstance(value, Number) and isinstance(value.value, int) else None


def _names(lists: Any) -> int:
    """How many names stand in lists."""
    if not isinstance(lists, Members):
        return 0
    return sum(len(names) for _, names in lists if isinstance(names, list))
