"""Finds the jobs under a folder."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["JobPlace", "jobs_in"]


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A job that is to be audited. It can be sent to another process."""

    name: str
    """What the report calls it: the folder as it was named, or the path below it."""
    path: str
    """Where it is on this machine."""
    submission: str = ""
    """The folder of jobs that it belongs to, below what the user named; empty for a job of its own."""
    location: str = ""
    """Where another machine fetches it from; empty where it is on this machine alone."""


def jobs_in(named: str, folder: Path) -> list[JobPlace]:
    """The jobs of a place that a user `named`, whose files are in `folder`: itself, or those below it."""
    return [JobPlace(named, str(folder))]
