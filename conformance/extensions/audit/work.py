"""Audits the jobs at the user's locations: in this process, in several, or with Dask."""

import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from conformance.console.progress import progress_bar, slow_steps
from conformance.extensions.audit.discovery import Found, JobPlace, find_jobs
from conformance.extensions.audit.job import audit
from conformance.extensions.audit.report import INTERRUPTED, JobAudit, Options
from conformance.extensions.audit.sources import Place, PlaceError, located, printable_location
from conformance.outcomes.words import counted
from conformance.wire.untrusted_files import reason

MIN_BYTES_FOR_PROCESSES = 250_000
"""The total size of `result.json` that is worth several processes: about 3,000 trials, or 2 s of work."""
_JOB_BYTES = 400
"""The work for a job besides its `result.json`, in equivalent bytes of that file."""


def audit_place(job_place: JobPlace, options: Options, tick: Callable[[], None] = lambda: None) -> JobAudit:
    """Audit one job; any error becomes the result's problem."""
    if job_place.problem is not None:
        return _failed_audit(job_place, job_place.problem)
    try:
        folder = job_place.place.top()
    except (OSError, ValueError) as error:  # a ValueError means an impossible path
        return _failed_audit(job_place, reason(error) if isinstance(error, OSError) else str(error))
    try:
        job = audit(folder, options, tick)
    finally:
        folder.leave()
    job.path, job.submission = job_place.name, job_place.submission
    return job


def _checked_with_limits(job_place: JobPlace, options: Options) -> JobAudit:
    """Audit one job in its own process, which is killed if it takes too long."""
    import multiprocessing

    if multiprocessing.parent_process() is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + options.limits.seconds
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
    return audit_place(job_place, options)


def audited(
    places: Sequence[JobPlace],
    options: Options,
    processes: int | None = None,
    scheduler: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[JobAudit]:
    """Audit jobs in `processes` processes, or on a `scheduler`'s workers; yield the results in order.

    By default there is one process per processor, or a single one for little work. `tick` is called for each
    trial, but for a job in another process only when the job is finished.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
    """
    if scheduler is None and processes is None and len(places) > 1:
        from conformance.workers import processors  # slow to load

        processes = processors() if sum(map(_weight, places)) >= MIN_BYTES_FOR_PROCESSES else 1
    processes = 1 if processes is None else min(processes, len(places))
    if scheduler is None and processes <= 1:
        yield from (audit_place(job_place, options, tick) for job_place in places)
        return
    from conformance.workers import SchedulerError, spread

    def done(job: JobAudit) -> None:
        for _ in range(job.trials):
            tick()

    work: Callable[[JobPlace], JobAudit] = partial(_checked_with_limits, options=options)
    count = 0
    try:
        for job in spread(work, places, processes, scheduler, lost=_crashed_audit, weight=_weight, done=done):
            yield job
            count += 1
    except SchedulerError as error:
        if not count:
            raise
        yield from (_crashed_audit(job_place, str(error)) for job_place in places[count:])


def _failed_audit(job_place: JobPlace, problem: str) -> JobAudit:
    return JobAudit(job_place.name, problem=problem, submission=job_place.submission)


def _crashed_audit(job_place: JobPlace, sentence: str) -> JobAudit:
    return _failed_audit(job_place, f"{sentence}: this job could not be audited")


def _weight(job_place: JobPlace) -> float:
    """Return the approximate amount of work, by the size of the file that lists a job's trials."""
    return _JOB_BYTES + job_place.size


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to audit, and how."""

    locations: Sequence[str]
    options: Options
    processes: int | None = None
    scheduler: str | None = None
    offline: bool = False
    """Whether to read remote locations only from the cache."""

    def find(self, location: str) -> Found:
        """Find the jobs at one of the locations; if it can't be read, return a job with that problem."""
        name = printable_location(location)
        try:
            with slow_steps() as step:
                place = located(location, self.options.limits, offline=self.offline, show_progress=step)
        except PlaceError as error:
            problem = str(error).removeprefix(name).lstrip(":/ ")  # the report begins with the name
            return Found([JobPlace(name, Place(name), problem=problem)])
        return find_jobs(name, place, len(self.locations) == 1, self.options.limits)

    def audited(self, places: Sequence[JobPlace], *, rows: bool = False) -> Iterator[JobAudit]:
        """Audit jobs, with a progress bar on a terminal; `rows` requests their trials."""
        options = replace(self.options, rows=rows or self.options.rows)
        with progress_bar("trials", None) as bar:
            jobs = audited(places, options, self.processes, self.scheduler, bar.tick)
            for count, job in enumerate(jobs, 1):
                yield job
                bar.describe(f"{count:,} of {counted(len(places), 'job')}, trials")

    def judged(self) -> tuple[list[JobAudit], list[Found]]:
        """Audit the jobs at all locations, unless interrupted; return them and what was found there."""
        jobs: list[JobAudit] = []
        contents: list[Found] = []
        pieces: list[JobPlace] = []
        try:
            for location in self.locations:
                contents.append(self.find(location))
                pieces += contents[-1].jobs
            for job in self.audited(pieces, rows=any(item.submissions for item in contents)):
                jobs.append(job)
        except KeyboardInterrupt:  # the results of the other jobs are kept
            jobs += [_failed_audit(job_place, INTERRUPTED) for job_place in pieces[len(jobs) :]]
            unseen = self.locations[len(contents) :]
            jobs += [JobAudit(printable_location(location), problem=INTERRUPTED) for location in unseen]
        return jobs, contents
