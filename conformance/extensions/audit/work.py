"""The audit of one job as a piece of work: what goes in and what comes out can be sent to another process."""

import multiprocessing
import os
import resource
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial

from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.job import audit
from conformance.extensions.audit.job_audit import CouldNotTryError, Options
from conformance.extensions.audit.report import Checked
from conformance.extensions.audit.sources import Fetching, Place, PlaceError, located
from conformance.wire.untrusted_files import reason
from conformance.workers import SchedulerError, processors, spread

__all__ = ["audited", "checked"]

WORTH_IT = 250_000
"""Bytes of all jobs' `result.json` from which on starting processes pays: some 3,000 trials, 2 s of work."""
MOST_LEFT = 15
"""Jobs with wrong numbers that a process leaves to the one that started it, which audits them once more: each
process that looks for mistakes takes seconds to load them."""
_left = 0
_BASE = 400
"""What a job weighs next to its `result.json`, in bytes of it."""


def checked(place: JobPlace, options: Options, tick: Callable[[], None] = lambda: None) -> Checked:
    """Audits one job; whatever its trouble is, it is reported in what comes back."""
    if place.problem is not None:
        return Checked(place.name, None, place.problem, place.submission)
    try:
        folder = place.place.top()
    except (OSError, ValueError) as error:  # a ValueError is of a path that no file can have
        problem = reason(error) if isinstance(error, OSError) else str(error)
        return Checked(place.name, None, problem, place.submission)
    try:
        return Checked(place.name, audit(folder, options, tick), None, place.submission)
    except CouldNotTryError as error:
        return Checked(place.name, error.audit, str(error), place.submission)
    finally:
        folder.leave()


def _limited(place: JobPlace, options: Options) -> Checked:
    """The same in a process of its own: one that takes too long is ended, and the job is lost."""
    if multiprocessing.parent_process() is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + options.limits.seconds
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
        global _left
        made = checked(place, replace(options, likely=_left >= MOST_LEFT))
        _left += made.audit is not None and made.audit.unexplained
        return made
    return checked(place, options)


def audited(
    places: Sequence[JobPlace],
    options: Options,
    processes: int | None = None,
    scheduler: str | None = None,
    tick: Callable[[], None] = lambda: None,
    fetching: Fetching | None = None,
) -> Iterator[Checked]:
    """Audits jobs, by so many `processes` or by a `scheduler`'s workers; in their order.

    Without a number of processes there are as many as processors, and one where others do not pay. `tick` is
    called for each trial: of a job that another process does, when it is done. `fetching` is how a job that
    is elsewhere is fetched by another machine.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
    """
    if scheduler is None and processes is None:
        worth_it = len(places) > 1 and sum(map(_weight, places)) >= WORTH_IT
        processes = processors() if worth_it else 1
    processes = 1 if processes is None else min(processes, len(places))
    if scheduler is None and processes <= 1:
        yield from spread(partial(checked, options=options, tick=tick), places)
        return

    def done(job: Checked) -> None:
        for _ in range(0 if job.audit is None else job.audit.trials):
            tick()

    work: Callable[[JobPlace], Checked] = partial(_limited, options=options)
    if scheduler is not None:
        known = [place.place.path for place in places if not place.location]
        nowhere = frozenset(path for path in known if not os.path.isdir(path))
        run = secrets.token_hex(8)
        fetching = fetching or Fetching()
        work = partial(_checked_elsewhere, options=options, fetching=fetching, nowhere=nowhere, run=run)
    count = 0
    try:
        for job in spread(work, places, processes, scheduler, lost=_lost, weight=_weight, done=done):
            unexplained = job.audit is not None and job.audit.unexplained
            yield checked(places[count], options) if unexplained else job
            count += 1
    except SchedulerError as error:
        if not count:
            raise
        yield from (_lost(place, str(error)) for place in places[count:])


def _checked_elsewhere(
    place: JobPlace, options: Options, fetching: Fetching, nowhere: frozenset[str], run: str
) -> Checked:
    """On a scheduler's worker, which may be another machine; `nowhere` are paths that no machine has."""
    path = place.place.path
    if place.problem is not None or (not place.location and (os.path.isdir(path) or path in nowhere)):
        return checked(place, options)
    if not place.location:
        problem = (
            f"there is no such folder where a scheduler's worker runs ({os.uname().nodename}): its workers "
            "need the jobs at the same path, or at a location that they can fetch"
        )
        return Checked(place.name, None, problem, place.submission)
    try:
        with _fetching:  # one thread fetches, the others have it then
            top = _fetched(place.location, fetching, run)
    except PlaceError as error:
        return Checked(place.name, None, str(error), place.submission)
    return checked(replace(place, place=top.below(place.below)), options)


_fetching = threading.Lock()


@lru_cache(maxsize=16)
def _fetched(location: str, fetching: Fetching, run: str) -> Place:
    """What is elsewhere, fetched once for each `run`."""
    return located(location, fetching)


def _lost(place: JobPlace, sentence: str) -> Checked:
    return Checked(place.name, None, f"{sentence}: this job could not be judged", place.submission)


def _weight(place: JobPlace) -> float:
    """About how much there is to read, by the size of the file that lists a job's trials."""
    return _BASE + place.size
