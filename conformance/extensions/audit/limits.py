"""How much of a job is read, and of memory taken: a stranger's job may be of any size.

Every limit is far above what a job of ten thousand trials has; one factor raises all of them. What a file
takes in memory is bounded by the process: an audit that runs out of it drops that file, not the job.
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
    """The most that is read."""

    record_bytes: int = 64 * MIB
    """A trial's record or the job's configuration."""
    job_bytes: int = 64 * MIB
    """The job's `result.json`, which names every trial, or its lock."""
    memory: int = 500 * MIB
    """What an audit takes beyond what its process has already."""
    file_values: int = MOST_VALUES
    all_bytes: int = 2048 * MIB
    """All records and reward files of a job together."""
    all_values: int = 8_000_000
    """Values of all files that are not as harbor writes them."""
    reward_bytes: int = MIB
    reward_keys: int = 10_000
    all_rewards: int = 500_000
    """The rewards of all trials together."""
    steps: int = 10_000
    trials: int = 100_000
    """Directories in the job's, and trials that its `result.json` lists."""
    metrics: int = 1000
    """Metrics of a group, and those that a configuration names."""
    log_bytes: int = 1024 * MIB
    """A log, which is read in pieces."""
    entries: int = 2_000_000
    seconds: int = 900
    """Processor time of one job, where a process of its own audits it."""

    def times(self, factor: float) -> "Limits":
        """These limits, all raised."""
        return Limits(**{one.name: ceil(getattr(self, one.name) * factor) for one in fields(self)})


class OverLimitError(Exception):
    """The job as a whole holds too much to be judged; the message is a sentence."""


_COUNTED = {
    "all_bytes": "bytes",
    "all_values": "values that take long",
    "all_rewards": "rewards",
    "trials": "directories",
}
"""What is counted over a whole job, by the name of its limit."""


@dataclass(slots=True)
class Spent:
    """What has been read of a job so far, held to its limits."""

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
            sentence = f"the job holds more than {quantity(most, _COUNTED[limit])}{up_to}"
            raise OverLimitError(f"{sentence}; --limits 2 doubles the limits")


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """Lets this process take so many bytes more; beyond them Python raises MemoryError.

    Nothing is bounded where the system does not say what the process has, or where several threads may
    audit: the limit is the whole process's.
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
    """The bytes of a file, None if nothing has that name.

    Raises:
        Refused: as `Folder.read`, and for a file that takes more memory than there is.
    """
    try:
        return folder.read(name, limit)
    except MemoryError:
        raise no_memory() from None


def too_many_entries(limits: Limits) -> str:
    """The sentence about a folder with more entries than are read."""
    return f"more than {limits.entries} entries; --limits 2 doubles the limits"


def no_memory() -> Refused:
    """The refusal of a file that takes more memory than there is."""
    return Refused("too-large", "more than fits in memory", "less (--limits 2 doubles the limits)")
