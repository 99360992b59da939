"""The jobs at the locations that a user names: found, and each audited."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from conformance.check.places import Fetching, PlaceError, at_hand, shown
from conformance.check.report import INTERRUPTED, Checked, many
from conformance.check.submissions.discovery import Found, JobPlace, find_jobs
from conformance.check.tables import Tables
from conformance.check.work import Terms, audited, fetchable
from conformance.console.progress import progress_bar, slow_steps

__all__ = ["Asked", "audited_jobs", "found_at", "judged"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user wants to have audited, and by whom."""

    locations: Sequence[str]
    terms: Terms
    processes: int | None = None
    scheduler: str | None = None
    fetching: Fetching = field(default_factory=Fetching)


def found_at(location: str, asked: Asked, places: ExitStack) -> Found:
    """What is at one of the locations, at hand until `places` are left; or a job with the problem."""
    name = shown(location)
    try:
        with slow_steps() as step:
            folder = places.enter_context(at_hand(location, asked.fetching, step))
    except PlaceError as error:
        problem = str(error).removeprefix(name).lstrip(":/ ")  # the report begins with the name
        return Found([JobPlace(name, name, problem=problem)])
    found = find_jobs(name, folder, len(asked.locations) == 1, asked.terms.limits)
    found.jobs = [fetchable(job, location, folder) for job in found.jobs]
    return found


def audited_jobs(places: Sequence[JobPlace], terms: Terms, asked: Asked) -> Iterator[Checked]:
    """The jobs, each audited, with a bar on a terminal."""
    with progress_bar("trials", None) as bar:
        jobs = audited(places, terms, asked.processes, asked.scheduler, bar.tick)
        for count, job in enumerate(jobs, 1):
            yield job
            bar.describe(f"{count:,} of {many(len(places), 'job')}, trials")


def judged(asked: Asked, places: ExitStack, tables: Tables | None) -> tuple[list[Checked], list[Found]]:
    """The jobs at the locations, audited as far as nobody ends it, and what was found there."""
    jobs: list[Checked] = []
    found: list[Found] = []
    pieces: list[JobPlace] = []
    unseen = list(asked.locations)
    try:
        while unseen:
            found.append(found_at(unseen[0], asked, places))
            pieces += found[-1].jobs
            del unseen[0]
        terms = replace(asked.terms, rows=asked.terms.rows or any(one.submissions for one in found))
        for job in audited_jobs(pieces, terms, asked):
            jobs.append(job)
            if tables is not None:
                tables.add(job)
    except KeyboardInterrupt:  # what was found in the other jobs is not lost
        if tables is not None:
            tables.give_up()
        rest = pieces[len(jobs) :]
        jobs += [Checked(place.name, None, INTERRUPTED, place.submission) for place in rest]
        jobs += [Checked(shown(location), None, INTERRUPTED) for location in unseen]
    return jobs, found
