"""Finds the jobs in a folder.

A folder is a job if its `result.json` is a job's, or if it has no `result.json` but contains trials. Its
submission is the nearest folder above it with a metadata file, or else its parent. If the parent is named
after the only task of its jobs, as in `results/MODEL/TASK/TIME`, the submission is the folder above the
parent.
"""

import re
import stat
from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import Enum

import msgspec
from msgspec import Raw

from conformance.extensions.audit.formats import JOB_FILE, LONGEST_NAMED
from conformance.extensions.audit.metadata import Metadata, read_metadata
from conformance.extensions.audit.reading import Limits, too_many_entries
from conformance.extensions.audit.report import first_few
from conformance.extensions.audit.sources import MARKS, Place
from conformance.outcomes.words import counted
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Folder, Refused, TooManyEntriesError

DEEPEST = 12
"""How many levels of folders are searched below the one that the user names."""
_LONGEST = 200
NO_JOB = (
    "neither this folder nor one below it has a job's result.json: name a job's folder, or a folder of jobs"
)
A_TRIAL = "this is a trial's folder, not a job's: name the job's folder, which is the one above it"
A_FILE = "this is a file: name a job's folder, a folder of jobs, or an archive (.zip, .tar, .tar.gz, …)"

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A job to audit. It can be sent to another process."""

    name: str
    """Its name in the report: the folder as the user named it, or the path relative to that."""
    place: Place
    submission: str = ""
    """The folder of its submission, relative to the named one (which is `.`); empty for a single job."""
    problem: str | None = None
    size: int = 0
    """The size of its `result.json` in bytes, which estimates the work."""


@dataclass(slots=True)
class Found:
    """The jobs and submissions in one folder that the user named."""

    jobs: list[JobPlace]
    """Sorted by path."""
    submissions: dict[str, list[Metadata]] = field(default_factory=dict)
    """The metadata of each submission, by its name."""
    notes: list[str] = field(default_factory=list)


class _Kind(Enum):
    """What a folder's `result.json` describes; unclear if it can't be read or is not JSON."""

    JOB, TRIAL, OTHER, UNCLEAR, ABSENT = range(5)


_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_KEY = re.compile(rb'"(stats|trial_name|task_name)"\s*:')


def _kind_of(folder: Folder, limit: int) -> tuple[_Kind, int]:
    """The kind of a folder's `result.json`, and its size in bytes."""
    try:
        content = folder.read(JOB_FILE, limit)
    except Refused as refused:  # the audit reports a file that is too large
        return (_Kind.JOB if refused.kind == "too-large" else _Kind.UNCLEAR), 0
    if content is None:
        return _Kind.ABSENT, 0
    try:
        outer = _MEMBERS.decode(content)
        inner = outer if "stats" in outer else _MEMBERS.decode(outer.get("result", b"{}"))
        kind = _Kind.JOB if "stats" in inner else _Kind.OTHER
        if not outer.keys().isdisjoint(("trial_name", "task_name")):
            kind = _Kind.TRIAL
    except msgspec.ValidationError:
        kind = _Kind.OTHER
    except (msgspec.DecodeError, RecursionError):  # harbor writes NaN as null
        key = _KEY.search(content)
        kind = _Kind.UNCLEAR if key is None else _Kind.JOB if key[1] == b"stats" else _Kind.TRIAL
    return kind, len(content)


def find_jobs(named: str, place: Place, single: bool = True, limits: Limits | None = None) -> Found:
    """Find the jobs, and their submissions, at a place that the user calls `named`.

    Jobs are named by their paths relative to the place; unless it is the only one (`single`), the paths start
    with its name. A place without a job gives one entry with that problem.
    """
    search = _Search(limits or Limits())
    job_place = JobPlace(named, place)
    try:
        top = place.top()
    except NotADirectoryError:
        return Found([replace(job_place, problem=A_FILE)])
    except (OSError, ValueError):  # the audit reports what is wrong with it
        return Found([job_place])
    problem, size = None, 0
    try:
        kind, size = _kind_of(top, search.limits.job_bytes)
        if kind is _Kind.TRIAL:
            problem = A_TRIAL
        elif kind is not _Kind.JOB:
            search.below(top, ())
            if not search.jobs:
                problem = describe_foreign_files(top) or (NO_JOB if kind is _Kind.ABSENT else None)
    except TooManyEntriesError:
        problem = too_many_entries(search.limits)
    except OSError as error:
        problem = error.strerror or str(error)
    finally:
        top.leave()
    if problem is not None or search.jobs.keys() <= {()}:
        notes = search.notes() if problem == NO_JOB else []
        return Found([replace(job_place, problem=problem, size=size)], {}, notes)

    def report_name(parts: Parts) -> str:
        return "/".join(parts if single else (named.rstrip("/"), *parts)) or "."

    contents = Found([], {}, search.notes())
    for parts, bytes_ in sorted(search.jobs.items()):
        owner = search.submission(parts)
        if report_name(owner) not in contents.submissions:
            contents.submissions[report_name(owner)] = read_metadata(place.below(owner))
        job = place.below(parts)
        contents.jobs.append(JobPlace(report_name(parts), job, report_name(owner), size=bytes_))
    return contents


_WITHOUT_JOB, _STRAY = ("folder", "without a job"), ("trial", "outside of a job")
_LINK = ("symbolic link", "that is not followed")
_UNREADABLE, _TOO_DEEP = ("folder", "that can't be read"), ("folder", "too deep to be searched")


@dataclass(slots=True)
class _Search:
    limits: Limits
    jobs: dict[Parts, int] = field(default_factory=dict)
    """The size in bytes of each job's `result.json`."""
    marked: set[Parts] = field(default_factory=set)
    mixed: set[Parts] = field(default_factory=set)
    """Folders that are not named after the only task of all of their jobs."""
    ignored: defaultdict[tuple[str, str], list[Parts]] = field(default_factory=lambda: defaultdict(list))
    """The ignored entries, by noun (empty for another tool's files) and reason; of folders without a job only
    the topmost ones."""
    entries: int = 0

    def submission(self, job: Parts) -> Parts:
        """The submission's folder for a job."""
        above = (job[:length] for length in range(len(job) - 1, -1, -1))
        parent = job[:-1] if job[:-1] in self.mixed else job[:-2]
        return next((parts for parts in above if parts in self.marked), parent)

    def notes(self) -> list[str]:
        """Describe each kind of ignored entry in a sentence."""
        return [
            (f"{counted(len(paths), noun)} " if noun else "")
            + f"{why}: {first_few(shortened('/'.join(parts), _LONGEST) for parts in sorted(paths))}"
            for (noun, why), paths in sorted(self.ignored.items())
        ]

    def below(self, folder: Folder, parts: Parts) -> bool:
        """Search a folder; return whether it contains a job at any depth.

        Raises:
            OSError: the folder can't be listed.
            TooManyEntriesError: there are more entries than the limit.
        """
        children, without, trials = list[str](), list[Parts](), list[Parts]()
        for name, mode in folder.entries(max(self.limits.entries - self.entries, 0)):
            self.entries += 1
            if mode == stat.S_IFDIR and not name.startswith("."):
                children.append(name)
            elif mode == stat.S_IFLNK and not name.startswith("."):
                self.ignored[_LINK].append((*parts, name))
            elif mode == stat.S_IFREG and name in MARKS:
                self.marked.add(parts)
        any_job = False
        for name in sorted(children):
            kind = self._child(folder, parts, name)
            any_job |= kind is _Kind.JOB
            if kind in (_Kind.OTHER, _Kind.TRIAL):
                (without if kind is _Kind.OTHER else trials).append((*parts, name))
        if trials and not any_job:
            self.jobs[parts] = 0
            self.mixed.add(parts[:-1])
        for kind_of, paths in ((_WITHOUT_JOB, without), (_STRAY, trials)):
            if any_job and paths:
                self.ignored[kind_of] += paths
        return any_job or bool(trials)

    def _child(self, folder: Folder, parts: Parts, name: str) -> _Kind:
        """Search a subfolder; return `JOB` if it is or contains a job, and `OTHER` if it contains none."""
        where, child = (*parts, name), None
        if len(where) > DEEPEST:
            self.ignored[_TOO_DEEP].append(where)
            return _Kind.ABSENT
        try:
            if (child := folder.enter(name)) is None:
                return _Kind.ABSENT
            kind, size = _kind_of(child, self.limits.job_bytes)
            if kind is _Kind.JOB:
                self.jobs[where] = size
                if not (parts and _has_only_trials_of(child, parts[-1], self.limits)):
                    self.mixed.add(parts)
            if kind in (_Kind.JOB, _Kind.TRIAL):
                return kind
            if self.below(child, where):
                return _Kind.JOB
            if (description := describe_foreign_files(child)) is None:
                return _Kind.OTHER
            self.ignored["", description].append(where)
        except (Refused, OSError):
            self.ignored[_UNREADABLE].append(where)
        finally:
            if child is not None:
                child.leave()
        return _Kind.ABSENT


_MAX_RESULTS_BYTES = 64 * MIB


def _has_only_trials_of(job: Folder, task: str, limits: Limits) -> bool:
    """Return whether a job has trials, and all are named after the task."""
    try:
        trials = [name.rpartition("__")[0] for name, _ in job.entries(limits.entries) if "__" in name]
    except (OSError, TooManyEntriesError):  # the audit reports it
        return False
    return {name.rstrip("_-") for name in trials} == {task[:LONGEST_NAMED].rstrip("_-")}


def describe_foreign_files(folder: Folder) -> str | None:
    """Describe files of another tool in a sentence; None if no known tool wrote them."""
    try:
        results = msgspec.json.decode(folder.read("results.json", _MAX_RESULTS_BYTES) or b"")
        trials = [(result["task_id"], result["is_resolved"] is True) for result in results["results"]]
        tasks, accuracy = len({task for task, _ in trials}), results.get("accuracy")
    except (Refused, msgspec.DecodeError, RecursionError, TypeError, KeyError):
        return None
    stated = f", states the accuracy {accuracy:.6g}" if isinstance(accuracy, float | int) else ""
    return (
        f"a results.json of terminal-bench 1, which can't be audited: {counted(len(trials), 'trial')} "
        f"of {counted(tasks, 'task')}, {sum(passed for _, passed in trials):,} resolved{stated}"
    )
