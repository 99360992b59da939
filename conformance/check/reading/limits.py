"""How much of a job is read, and what is said where there is more: a stranger's job may be of any size.

Every limit is far above what a job of ten thousand trials has. One factor raises all of them.
"""

from dataclasses import dataclass, field, fields, replace
from math import ceil

__all__ = [
    "DEEPEST",
    "MIB",
    "MOST_RAISED",
    "Limits",
    "OverLimitError",
    "Spent",
    "TooLargeError",
    "allowed",
    "quantity",
]

MIB = 2**20
MOST_RAISED = 1000
"""The largest factor by which limits may be raised."""
DEEPEST = 261
"""Arrays and objects in each other that harbor writes at most: pydantic ends there with an error."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read."""

    record_bytes: int = 64 * MIB
    """A trial's record or the job's configuration."""
    job_bytes: int = 64 * MIB
    """The job's `result.json`, which names every trial, or its lock."""
    file_memory: int = 320 * MIB
    """What one file takes in memory once it is parsed, by `weight.Weight`."""
    all_bytes: int = 2048 * MIB
    """All records and reward files of a job together."""
    all_values: int = 8_000_000
    """Values of reward files and records; twelve count as one in a record that is as harbor writes it."""
    reward_bytes: int = MIB
    """A reward file."""
    reward_keys: int = 10_000
    """Keys of one trial's rewards: what harbor does with them takes keys times trials."""
    all_rewards: int = 500_000
    """The rewards of all trials together."""
    steps: int = 10_000
    """Steps of one trial."""
    trials: int = 100_000
    """Directories in the job's, and trials that its `result.json` lists."""
    metrics: int = 1000
    """Metrics of a group, and those that a configuration names."""
    log_bytes: int = 1024 * MIB
    """A log, which is read in pieces."""
    all_log_bytes: int = 2048 * MIB
    """All logs of a job together."""
    logs: int = 10_000
    """Logs of a job."""
    entries: int = 2_000_000
    """Entries of the job's directory; the only one with an option of its own."""

    def times(self, factor: float) -> "Limits":
        """These limits, all but that of entries raised."""
        raised = {
            one.name: ceil(getattr(self, one.name) * factor) for one in fields(self) if one.name != "entries"
        }
        return replace(self, **raised)


def quantity(number: int, of: str) -> str:
    """So many, for people; bytes in MiB where they are many."""
    if of == "bytes" and number >= MIB:
        return f"{number / MIB:.0f} MiB"
    return f"{number} {of}"


def allowed(limit: int, of: str, found: int | None = None) -> str:
    """The limit, and what raises it; where it is known what was `found`, raises it enough."""
    raised = "--limits 2 doubles the limits"
    if found is not None:
        factor = ceil(found / max(limit, 1))
        raised = f"--limits {factor} allows it" if factor <= MOST_RAISED else "far too much"
    return f"at most {quantity(limit, of)} ({raised})"


class TooLargeError(Exception):
    """One file that holds too much; it is left out."""

    def __init__(self, what: str, due: str) -> None:
        super().__init__(f"{what}, {due}")
        self.what = what
        self.due = due


class OverLimitError(Exception):
    """The job as a whole holds too much to be judged; the message is a sentence."""


@dataclass(slots=True)
class Spent:
    """What has been read of a job so far, held to its limits."""

    limits: Limits
    bytes: int = 0
    values: int = 0
    rewards: int = 0
    trials: int = 0
    log_bytes: int = 0
    file: str = field(default="")
    """The file that is being read."""

    def read(self, count: int) -> None:
        """Counts bytes of a record or a reward file.

        Raises:
            OverLimitError: there are too many; so for the others.
        """
        self.bytes += count
        if self.bytes > self.limits.all_bytes:
            self._over("its records and reward files", self.limits.all_bytes, "bytes")

    def parsed(self, count: int) -> None:
        """Counts values that take long."""
        self.values += count
        if self.values > self.limits.all_values:
            self._over("its records and reward files", self.limits.all_values, "values that take long")

    def rewarded(self, count: int) -> None:
        """Counts rewards of a trial."""
        self.rewards += count
        if self.rewards > self.limits.all_rewards:
            self._over("its trials", self.limits.all_rewards, "rewards")

    def entered(self) -> None:
        """Counts a directory of the job's."""
        self.trials += 1
        if self.trials > self.limits.trials:
            self._over("the job", self.limits.trials, "directories")

    def _over(self, what: str, limit: int, of: str) -> None:
        raise OverLimitError(
            f"{what} hold{'s' if what == 'the job' else ''} more than {quantity(limit, of)}"
            + (f", counted up to {self.file}" if self.file else "")
            + "; --limits 2 doubles the limits"
        )
