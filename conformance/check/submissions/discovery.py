"""Finds the jobs under a folder.

A job is a folder whose `result.json` is a job's, or that has none and holds trials. The folder of jobs
that it belongs to, its submission, is the nearest one above it with a file of metadata, else its parent.
"""

import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.check.job.differences import JOB_FILE
from conformance.check.reading.files import Folder, Refused, TooManyEntriesError
from conformance.check.reading.limits import Limits
from conformance.check.submissions.metadata import MARKS
from conformance.check.submissions.peeking import Kind, kind_of
from conformance.wire.text import shortened

__all__ = ["Found", "JobPlace", "find_jobs", "jobs_in", "submissions_of"]

DEEPEST = 12
"""Folders in each other that are entered below the one that the user names."""
_FEW = 3
_LONGEST = 200
NO_JOB = "there is no result.json of a job, here or in a folder below: name a job's, or a folder of jobs"
A_TRIAL = "this is a trial's folder, not a job's: name the job's, which is the folder above it"

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A job that is to be audited. It can be sent to another process."""

    name: str
    """What the report calls it: the folder as it was named, or the path below it."""
    path: str
    """Where it is on this machine."""
    submission: str = ""
    """The folder of jobs that it belongs to, below what the user named, `.` for that itself; empty for
    a job of its own."""
    problem: str | None = None
    """Why there is nothing to audit."""
    location: str = ""
    """What the user named, where another machine can fetch that; empty for a folder of this machine."""
    below: str = ""
    """Its path below that."""


@dataclass(slots=True)
class Found:
    """What is below one folder that a user named."""

    jobs: list[JobPlace]
    """By path."""
    submissions: dict[str, str] = field(default_factory=dict)
    """Each submission's folder on this machine, by its name."""
    notes: list[str] = field(default_factory=list)
    """What was left aside."""


def jobs_in(named: str, folder: Path) -> list[JobPlace]:
    """The jobs of a place that a user `named`, whose files are in `folder`: itself, or those below it."""
    return find_jobs(named, folder).jobs


def find_jobs(named: str, folder: Path, alone: bool = True, limits: Limits | None = None) -> Found:
    """The jobs of a place that a user `named`, whose files are in `folder`, with what belongs to them.

    Names are paths below the place; where it is not named `alone`, they begin with its name. A place
    without a job gives one entry, which says so.
    """
    limits = limits or Limits()
    try:
        top = Folder.top(str(folder))
    except (OSError, ValueError):  # the audit says what is wrong with it
        return Found([JobPlace(named, str(folder))])
    search = _Search(limits)
    try:
        kind = kind_of(top, JOB_FILE, limits.job_bytes)
        if kind is Kind.TRIAL:
            return Found([JobPlace(named, str(folder), problem=A_TRIAL)])
        if kind is not Kind.JOB:
            search.run(top)
    except TooManyEntriesError:
        problem = f"more than {limits.entries} entries (--max-entries raises the limit)"
        return Found([JobPlace(named, str(folder), problem=problem)])
    except OSError as error:
        return Found([JobPlace(named, str(folder), problem=error.strerror or str(error))])
    finally:
        top.leave()
    if search.jobs == [()] or (not search.jobs and kind is not Kind.ABSENT):
        return Found([JobPlace(named, str(folder))])
    if not search.jobs:
        return Found([JobPlace(named, str(folder), problem=NO_JOB)], {}, search.notes())

    def called(parts: Parts) -> str:
        return "/".join(parts if alone else (named.rstrip("/"), *parts)) or "."

    found = Found([], {}, search.notes())
    for parts in sorted(search.jobs):
        owner = search.submission(parts)
        found.submissions[called(owner)] = str(folder.joinpath(*owner))
        found.jobs.append(JobPlace(called(parts), str(folder.joinpath(*parts)), called(owner)))
    return found


def submissions_of(found: Sequence[Found]) -> dict[str, str]:
    """The folders of all submissions on this machine, by name."""
    return {name: path for one in found for name, path in one.submissions.items()}


@dataclass(slots=True)
class _Search:
    limits: Limits
    jobs: list[Parts] = field(default_factory=list)
    marked: set[Parts] = field(default_factory=set)
    """Folders with a file of metadata."""
    neither: list[Parts] = field(default_factory=list)
    """Folders with no job in them; what is below these is not listed."""
    strays: list[Parts] = field(default_factory=list)
    """Trials beside jobs, that belong to none."""
    links: list[Parts] = field(default_factory=list)
    closed: list[Parts] = field(default_factory=list)
    """Folders that can't be entered."""
    deeper: list[Parts] = field(default_factory=list)
    entries: int = 0

    def run(self, top: Folder) -> None:
        """Looks at everything below.

        Raises:
            OSError: the folder can't be listed.
            TooManyEntriesError: there are more entries than the limit.
        """
        self._below(top, ())

    def submission(self, job: Parts) -> Parts:
        """The folder of jobs that a job belongs to."""
        for length in range(len(job) - 1, -1, -1):
            if job[:length] in self.marked:
                return job[:length]
        return job[:-1]

    def notes(self) -> list[str]:
        """What was left aside, in a sentence for each reason."""
        texts = (
            (self.neither, "folder holds no job", "folders hold no job"),
            (self.strays, "trial is in no job", "trials are in no job"),
            (self.links, "symbolic link is not followed", "symbolic links are not followed"),
            (self.closed, "folder can't be read", "folders can't be read"),
            (self.deeper, "folder is too deep to be searched", "folders are too deep to be searched"),
        )
        return [f"{len(of)} {one if len(of) == 1 else many}: {_few(of)}" for of, one, many in texts if of]

    def _below(self, folder: Folder, parts: Parts) -> bool:
        """Whether there is a job in the folder or below it."""
        children = []
        for name, mode in folder.entries(max(self.limits.entries - self.entries, 0)):
            self.entries += 1
            if mode == stat.S_IFDIR and not name.startswith("."):
                children.append(name)
            elif mode == stat.S_IFLNK and not name.startswith("."):
                self.links.append((*parts, name))
            elif mode == stat.S_IFREG and name in MARKS:
                self.marked.add(parts)
        any_job = False
        without, trials = [], []
        for name in sorted(children):
            kind = self._child(folder, parts, name)
            any_job |= kind is Kind.JOB
            if kind is Kind.OTHER:
                without.append((*parts, name))
            elif kind is Kind.TRIAL:
                trials.append((*parts, name))
        if trials and not any_job:
            self.jobs.append(parts)
        elif any_job:
            self.neither += without
            self.strays += trials
        return any_job or bool(trials)

    def _child(self, folder: Folder, parts: Parts, name: str) -> Kind:
        """What a folder is; `JOB` also where a job is below it, `OTHER` where none is."""
        where = (*parts, name)
        if len(where) > DEEPEST:
            self.deeper.append(where)
            return Kind.ABSENT
        try:
            child = folder.enter(name)
        except Refused:
            self.closed.append(where)
            return Kind.ABSENT
        if child is None:
            return Kind.ABSENT
        try:
            kind = kind_of(child, JOB_FILE, self.limits.job_bytes)
            if kind is Kind.JOB:
                self.jobs.append(where)
            if kind in (Kind.JOB, Kind.TRIAL):
                return kind
            return Kind.JOB if self._below(child, where) else Kind.OTHER
        except OSError:
            self.closed.append(where)
            return Kind.ABSENT
        finally:
            child.leave()


def _few(places: Sequence[Parts]) -> str:
    """The first places of many."""
    names = [shortened("/".join(parts), _LONGEST) for parts in sorted(places)[:_FEW]]
    return ", ".join(names) + (", …" if len(places) > _FEW else "")
