"""The audit of one job as a piece of work: what goes in and what comes out can be sent to another process."""

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.check.audit import CouldNotTryError, audit
from conformance.check.job.differences import JOB_FILE
from conformance.check.places import Fetching, PlaceError, at_hand
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked
from conformance.check.submissions.discovery import JobPlace
from conformance.judging.comparison import Level
from conformance.workers import SchedulerError, processors, spread

if TYPE_CHECKING:
    from conformance.check.manifest import Manifest

__all__ = ["Terms", "audited", "checked", "fetchable"]

WIDE = 300_000
"""Bytes of a `result.json` from which on helpers are started at all: some 4,000 trials."""
MOST_HELPERS = 7
"""More of them wait for the one that they help."""
WORTH_IT = 250_000
"""Bytes of all jobs' `result.json` from which on starting processes pays: some 3,000 trials, 2 s of work."""
_BASE = 400
"""What a job weighs beside its `result.json`, in bytes of it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How jobs are audited; the same for each."""

    level: Level
    limits: Limits = field(default_factory=Limits)
    logs: Sequence[str] = ()
    results_only: bool = False
    """Whether reward files are left aside even where they are there."""
    rows: bool = False
    """Whether the trials are wanted one by one."""
    keep_working: bool = False
    """Whether it is kept how the numbers come about."""
    helpers: int = 0
    """Processes that help with a large job."""
    manifest: "Manifest | None" = None
    fetching: Fetching = field(default_factory=Fetching)
    """How a job that is elsewhere is fetched by another machine."""


def checked(place: JobPlace, terms: Terms, tick: Callable[[], None] = lambda: None) -> Checked:
    """Audits one job; whatever its trouble is, it is told in what comes back."""
    if place.problem is not None:
        return Checked(place.name, None, place.problem, place.submission)
    try:
        made = audit(
            *(place.path, terms.level, terms.limits, terms.logs, tick, terms.manifest, terms.helpers),
            results_only=terms.results_only,
            rows=terms.rows,
            keep_working=terms.keep_working,
        )
    except CouldNotTryError as error:
        return Checked(place.name, error.audit, str(error), place.submission)
    return Checked(place.name, made, None, place.submission)


def audited(
    places: Sequence[JobPlace],
    terms: Terms,
    processes: int | None = None,
    scheduler: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Checked]:
    """Audits jobs, by so many `processes` or by a `scheduler`'s workers; in their order.

    Without a number of processes there are as many as processors, and one where others do not pay. There
    are never more of them than that, helpers included: `terms.helpers` help with a job that is so large
    that all others together would be done before it, and which is done first and alone. `tick` is called
    for each trial: of a job that another process does, when it is done.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
    """
    if scheduler is None and processes is None:
        worth_it = len(places) > 1 and sum(map(_weight, places)) >= WORTH_IT
        processes = processors() if worth_it else 1
    processes = 1 if processes is None else min(processes, len(places))
    if scheduler is None and processes <= 1:
        yield from spread(partial(checked, terms=terms, tick=tick), places)
        return

    def done(job: Checked) -> None:
        for _ in range(0 if job.audit is None else job.audit.trials):
            tick()

    work: Callable[[JobPlace], Checked] = partial(checked, terms=replace(terms, helpers=0))
    if scheduler is not None:
        known = [place.path for place in places if not place.location]
        nowhere = frozenset(path for path in known if not os.path.isdir(path))
        run = secrets.token_hex(8)
        work = partial(_checked_elsewhere, terms=replace(terms, helpers=0), nowhere=nowhere, run=run)
    helped, count = terms.helpers and max(map(_weight, places)) >= WIDE, 0
    try:
        for job in spread(
            work,
            places,
            processes,
            scheduler,
            lost=_lost,
            weight=_weight,
            wide=partial(checked, terms=terms) if helped else None,
            done=done,
        ):
            count += 1
            yield job
    except SchedulerError as error:
        if not count:
            raise
        yield from (_lost(place, str(error)) for place in places[count:])


def fetchable(place: JobPlace, named: str, folder: Path) -> JobPlace:
    """The job with where another machine fetches it from; `folder` has what a user `named`."""
    if folder == Path(named):
        return place
    return replace(place, location=named, below=os.path.relpath(place.path, folder))


def _checked_elsewhere(place: JobPlace, terms: Terms, nowhere: frozenset[str], run: str) -> Checked:
    """On a scheduler's worker, which may be another machine; `nowhere` are paths that no machine has."""
    if os.path.isdir(place.path) or place.path in nowhere or place.problem is not None:
        return checked(place, terms)
    if not place.location:
        problem = (
            f"there is no such folder where a scheduler's worker runs ({os.uname().nodename}): its workers "
            "need the jobs at the same path, or at a location that they can fetch"
        )
        return Checked(place.name, None, problem, place.submission)
    try:
        with _fetching:  # one thread fetches, the others have it then
            folder = _fetched(place.location, terms.fetching, run)
    except PlaceError as error:
        return Checked(place.name, None, str(error), place.submission)
    return checked(replace(place, path=os.path.join(folder, place.below)), terms)


_fetching = threading.Lock()


@lru_cache(maxsize=16)
def _fetched(location: str, fetching: Fetching, run: str) -> str:
    """The folder of this machine that has what is elsewhere, fetched once for each `run`."""
    with at_hand(location, fetching) as folder:
        return str(folder)


def _lost(place: JobPlace, sentence: str) -> Checked:
    return Checked(place.name, None, f"{sentence}: this job could not be judged", place.submission)


def _weight(place: JobPlace) -> float:
    """About how much there is to read, by the size of the file that lists a job's trials."""
    try:
        return _BASE + os.stat(os.path.join(place.path, JOB_FILE)).st_size
    except (OSError, ValueError):
        return _BASE
