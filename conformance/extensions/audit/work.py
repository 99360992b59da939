"""Audits the jobs at the locations that a user names: in this process, in others, or by Dask."""

import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from conformance.console.progress import progress_bar, slow_steps
from conformance.extensions.audit.discovery import Found, JobPlace, find_jobs
from conformance.extensions.audit.job import audit
from conformance.extensions.audit.report import INTERRUPTED, JobAudit, Options
from conformance.extensions.audit.sources import Place, PlaceError, located, shown
from conformance.outcomes.words import counted
from conformance.wire.untrusted_files import reason

MIN_BYTES_FOR_PROCESSES = 250_000
"""The total bytes of `result.json` from which on more processes pay: some 3,000 trials, 2 s of work."""
_BASE = 400
"""The work for a job besides its `result.json`, in bytes of that file."""


def checked(place: JobPlace, options: Options, tick: Callable[[], None] = lambda: None) -> JobAudit:
    """Audits one job; reports any error in the result."""
    if place.problem is not None:
        return _lost(place, place.problem)
    try:
        folder = place.place.top()
    except (OSError, ValueError) as error:  # a ValueError means a path that no file can have
        return _lost(place, reason(error) if isinstance(error, OSError) else str(error))
    try:
        job = audit(folder, options, tick)
    finally:
        folder.leave()
    job.path, job.submission = place.name, place.submission
    return job


def _checked_with_limits(place: JobPlace, options: Options) -> JobAudit:
    """Audits one job in a process of its own, which is killed if it takes too long; the job is lost then."""
    import multiprocessing

    if multiprocessing.parent_process() is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + options.limits.seconds
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
    return checked(place, options)


def audited(
    places: Sequence[JobPlace],
    options: Options,
    processes: int | None = None,
    scheduler: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[JobAudit]:
    """Audits jobs in `processes` processes, or on a `scheduler`'s workers; returns them in their order.

    The default is one process per processor, or a single one if more do not pay. `tick` is called for each
    trial, but for a job in another process only when the job is finished.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
    """
    if scheduler is None and processes is None and len(places) > 1:
        from conformance.workers import processors  # slow to load

        processes = processors() if sum(map(_weight, places)) >= MIN_BYTES_FOR_PROCESSES else 1
    processes = 1 if processes is None else min(processes, len(places))
    if scheduler is None and processes <= 1:
        yield from (checked(place, options, tick) for place in places)
        return
    from conformance.workers import SchedulerError, spread

    def done(job: JobAudit) -> None:
        for _ in range(job.trials):
            tick()

    work: Callable[[JobPlace], JobAudit] = partial(_checked_with_limits, options=options)
    count = 0
    try:
        for job in spread(work, places, processes, scheduler, lost=_crashed, weight=_weight, done=done):
            yield job
            count += 1
    except SchedulerError as error:
        if not count:
            raise
        yield from (_crashed(place, str(error)) for place in places[count:])


def _lost(place: JobPlace, problem: str) -> JobAudit:
    return JobAudit(place.name, problem=problem, submission=place.submission)


def _crashed(place: JobPlace, sentence: str) -> JobAudit:
    return _lost(place, f"{sentence}: this job could not be audited")


def _weight(place: JobPlace) -> float:
    """The approximate amount of work, by the size of the file that lists a job's trials."""
    return _BASE + place.size


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The settings of a check: what to audit, and where."""

    locations: Sequence[str]
    options: Options
    processes: int | None = None
    scheduler: str | None = None
    offline: bool = False
    """Whether to read remote locations only from the cache."""

    def find(self, location: str) -> Found:
        """The jobs at one of the locations; if it can't be read, a job with the problem."""
        name = shown(location)
        try:
            with slow_steps() as step:
                place = located(location, self.options.limits, offline=self.offline, show_progress=step)
        except PlaceError as error:
            problem = str(error).removeprefix(name).lstrip(":/ ")  # the report begins with the name
            return Found([JobPlace(name, Place(name), problem=problem)])
        return find_jobs(name, place, len(self.locations) == 1, self.options.limits)

    def audited(self, places: Sequence[JobPlace], *, rows: bool = False) -> Iterator[JobAudit]:
        """The audited jobs, if asked with their `rows`, and with a progress bar on a terminal."""
        options = replace(self.options, rows=rows or self.options.rows)
        with progress_bar("trials", None) as bar:
            jobs = audited(places, options, self.processes, self.scheduler, bar.tick)
            for count, job in enumerate(jobs, 1):
                yield job
                bar.describe(f"{count:,} of {counted(len(places), 'job')}, trials")

    def judged(self) -> tuple[list[JobAudit], list[Found]]:
        """The jobs at the locations and their submissions, audited unless interrupted."""
        jobs: list[JobAudit] = []
        found: list[Found] = []
        pieces: list[JobPlace] = []
        try:
            for location in self.locations:
                found.append(self.find(location))
                pieces += found[-1].jobs
            for job in self.audited(pieces, rows=any(one.submissions for one in found)):
                jobs.append(job)
        except KeyboardInterrupt:  # the results of the other jobs are kept
            jobs += [_lost(place, INTERRUPTED) for place in pieces[len(jobs) :]]
            unseen = self.locations[len(found) :]
            jobs += [JobAudit(shown(location), problem=INTERRUPTED) for location in unseen]
        return jobs, found
