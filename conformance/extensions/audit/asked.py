"""The jobs at the locations that a user names: found, and each audited."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.console.progress import progress_bar, slow_steps
from conformance.extensions.audit.discovery import Found, JobPlace, find_jobs
from conformance.extensions.audit.job_audit import Options
from conformance.extensions.audit.report import INTERRUPTED, Checked, many
from conformance.extensions.audit.sources import Fetching, Place, PlaceError, located, shown
from conformance.extensions.audit.work import audited

__all__ = ["Asked", "audited_jobs", "found_at", "judged"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user wants to have audited, and by whom."""

    locations: Sequence[str]
    options: Options
    processes: int | None = None
    scheduler: str | None = None
    fetching: Fetching = field(default_factory=Fetching)


def found_at(location: str, asked: Asked) -> Found:
    """What is at one of the locations; a job with the problem where it can't be read."""
    name = shown(location)
    try:
        with slow_steps() as step:
            place = located(location, asked.fetching, step)
    except PlaceError as error:
        problem = str(error).removeprefix(name).lstrip(":/ ")  # the report begins with the name
        return Found([JobPlace(name, Place(name), problem=problem)])
    found = find_jobs(name, place, len(asked.locations) == 1, asked.options.limits)
    if place.tree is not None:
        found.jobs = [replace(job, location=location) for job in found.jobs]
    return found


def audited_jobs(places: Sequence[JobPlace], options: Options, asked: Asked) -> Iterator[Checked]:
    """The jobs, each audited, with a bar on a terminal."""
    with progress_bar("trials", None) as bar:
        jobs = audited(places, options, asked.processes, asked.scheduler, bar.tick, asked.fetching)
        for count, job in enumerate(jobs, 1):
            yield job
            bar.describe(f"{count:,} of {many(len(places), 'job')}, trials")


def judged(asked: Asked) -> tuple[list[Checked], list[Found]]:
    """The jobs at the locations, audited as far as nobody ends it, and what was found there."""
    jobs: list[Checked] = []
    found: list[Found] = []
    pieces: list[JobPlace] = []
    unseen = list(asked.locations)
    try:
        while unseen:
            found.append(found_at(unseen[0], asked))
            pieces += found[-1].jobs
            del unseen[0]
        rows = asked.options.rows or any(one.submissions for one in found)
        for job in audited_jobs(pieces, replace(asked.options, rows=rows), asked):
            jobs.append(job)
    except KeyboardInterrupt:  # what was found in the other jobs is not lost
        rest = pieces[len(jobs) :]
        jobs += [Checked(place.name, None, INTERRUPTED, place.submission) for place in rest]
        jobs += [Checked(shown(location), None, INTERRUPTED) for location in unseen]
    return jobs, found
