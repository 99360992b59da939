"""The limits on reading a job and on memory, since an untrusted job may have any size.

Every limit is far above what a job with ten thousand trials needs; one factor raises all of them. The
process limits the memory for a file: an audit that runs out of memory skips that file, not the job.
"""

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from math import ceil

from conformance.wire.untrusted_files import MIB, Folder, Refused, quantity

MOST_VALUES = 4_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits."""

    record_bytes: int = 64 * MIB
    """A trial's record or the job's configuration."""
    job_bytes: int = 64 * MIB
    """The job's `result.json`, which names every trial, or its lock."""
    memory: int = 500 * MIB
    """The memory for an audit, beyond what its process already has."""
    file_values: int = MOST_VALUES
    all_bytes: int = 2048 * MIB
    """All records and reward files of a job together."""
    all_values: int = 8_000_000
    """The values in all files that are not as harbor writes them."""
    reward_bytes: int = MIB
    reward_keys: int = 10_000
    all_rewards: int = 500_000
    """The rewards of all trials together."""
    steps: int = 10_000
    trials: int = 100_000
    """Directories in the job's directory, and trials in its `result.json`."""
    metrics: int = 1000
    """Metrics of a group, and metrics in a configuration."""
    log_bytes: int = 1024 * MIB
    """A log, which is read in pieces."""
    entries: int = 2_000_000
    seconds: int = 900
    """Processor time for one job, if a process of its own audits it."""

    def times(self, factor: float) -> "Limits":
        """These limits, multiplied."""
        return Limits(**{one.name: ceil(getattr(self, one.name) * factor) for one in fields(self)})


class OverLimitError(Exception):
    """The job as a whole is too large to audit; the message is a sentence."""


_COUNTED = {
    "all_bytes": "bytes",
    "all_values": "values that take long",
    "all_rewards": "rewards",
    "trials": "directories",
}
"""The amounts that are counted over a whole job, by the name of their limit."""


@dataclass(slots=True)
class Spent:
    """The amounts read from a job so far, checked against its limits."""

    limits: Limits
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))
    file: str = ""

    def add(self, limit: str, count: int) -> None:
        """Counts towards one of the limits of a whole job.

        Raises:
            OverLimitError: there are too many.
        """
        self.counts[limit] += count
        if self.counts[limit] > (most := getattr(self.limits, limit)):
            up_to = f", counted up to {self.file}" if self.file else ""
            sentence = f"the job has more than {quantity(most, _COUNTED[limit])}{up_to}"
            raise OverLimitError(f"{sentence}; --limits 2 doubles the limits")


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """Lets this process use that many more bytes; beyond that, Python raises MemoryError.

    Sets no limit if the system does not report the process's memory, or if several threads may audit: the
    limit applies to the whole process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        bounds = [one for one in (*before, taken + most) if one != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(bounds), before[1]))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, before)


def read_file(folder: Folder, name: str, limit: int) -> bytes | None:
    """The bytes of a file; None if it does not exist.

    Raises:
        Refused: as `Folder.read`, and for a file that takes more memory than there is.
    """
    try:
        return folder.read(name, limit)
    except MemoryError:
        raise out_of_memory() from None


def too_many_entries(limits: Limits) -> str:
    """The sentence about a folder with too many entries."""
    return f"more than {limits.entries} entries; --limits 2 doubles the limits"


def out_of_memory() -> Refused:
    """The refusal of a file that needs too much memory."""
    return Refused("too-large", "more than fits in memory", "less (--limits 2 doubles the limits)")
