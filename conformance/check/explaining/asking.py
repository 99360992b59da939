"""Finds what `--explain` asks for: a finding by its name, or a place of a job."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.check.below import Below
from conformance.check.findings import Finding
from conformance.check.job.differences import JOB_FILE
from conformance.check.report import Checked, many
from conformance.check.reporting.names import LENGTH, named
from conformance.check.submissions.discovery import JobPlace

__all__ = ["AskedError", "Wanted", "narrowed", "wanted"]

_NAME = re.compile(rf"[0-9a-f]{{1,{LENGTH}}}", re.ASCII)
_SHOWN = 5


class AskedError(ValueError):
    """There is nothing of that name, or more than one; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be explained."""

    place: JobPlace
    file: str
    path: str
    name: str | None = None
    finding: Finding | None = None


def narrowed(asked: str, places: Sequence[JobPlace]) -> Sequence[JobPlace]:
    """The jobs that have to be audited to find what is asked for: one for JOB:PLACE, else all.

    Raises:
        AskedError: it is neither a finding's name nor a place of one of these jobs.
    """
    if _NAME.fullmatch(asked):
        return places
    if ":/" not in asked and not asked.endswith(":"):
        raise AskedError(
            f"{asked!r} is no finding's name (up to {LENGTH} of the characters 0-9 and a-f, in brackets in "
            "the report) and no JOB:PLACE, such as my-job:/stats/n_completed_trials"
        )
    below = Below.of((place.name, place.submission) for place in places)
    for names in (Below(), below):  # a whole name goes before one that is shortened to the same
        found = [place for place in places if asked.startswith(f"{names.short(place.name)}:")]
        if found:
            return [max(found, key=lambda place: len(place.name))]
    ends = [place for place in places if _path(asked, place.name) is not None]
    if len(ends) == 1:
        return ends
    raise AskedError(f"no job has the name before the colon in {asked!r}; names are those of the report")


def wanted(asked: str, places: Sequence[JobPlace], jobs: Iterable[Checked]) -> Wanted:
    """What is asked for; `jobs` are those places, audited one after the other, and no more than needed.

    Raises:
        AskedError: there is nothing of that name, or more than one.
    """
    if not _NAME.fullmatch(asked):
        place = narrowed(asked, places)[0]
        return _at(_path(asked, place.name) or "", place, jobs)
    found: list[Wanted] = []
    for place, job in zip(places, jobs, strict=False):
        for name, finding in named(job):
            if name.startswith(asked):
                found.append(Wanted(place, finding.file, finding.path, name, finding))
        if found and len(asked) == LENGTH:
            break
    if not found:
        raise AskedError(
            f"no finding's name begins with {asked!r}; names hang on the places named, the level and the "
            "options, so give those of the report"
        )
    if len(found) > 1:
        few = ", ".join(f"{one.name} ({one.place.name} {one.file}{one.path})" for one in found[:_SHOWN])
        raise AskedError(f"{many(len(found), 'finding')} have names that begin with {asked!r}: {few}")
    return found[0]


def _path(asked: str, name: str) -> str | None:
    """The pointer in JOB:PLACE, where JOB is a job's name or the end of it, from a folder on."""
    while name:
        if asked.startswith(f"{name}:"):
            return asked[len(name) + 1 :]
        name = name.partition("/")[2]
    return None


def _at(path: str, place: JobPlace, jobs: Iterable[Checked]) -> Wanted:
    """A place of the job's file, with the finding there if there is one."""
    job = next(iter(jobs))
    if job.audit is None or job.problem is not None:
        raise AskedError(f"{place.name} is not judged: {job.problem}")
    for name, finding in named(job):
        if (finding.file, finding.path) == (JOB_FILE, path):
            return Wanted(place, JOB_FILE, path, name, finding)
    return Wanted(place, JOB_FILE, path)
