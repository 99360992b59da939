"""Processes that read trials of a large job, so that every processor has something to do.

A helper reads a batch of trials and sends back those with nothing remarkable about them, cut down
to what the job depends on. Every other trial (another layout, a file that disagrees, a step, a NaN)
is read again by the caller, with all that it takes to judge it. A helper that dies, or that finds
another directory under the job's path, leaves its whole batch to the caller.
"""

import multiprocessing
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from types import TracebackType

from conformance.check.findings import Findings
from conformance.check.job.listing import Listing
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.limits import Limits, Spent
from conformance.check.trials.absence import Absence
from conformance.check.trials.plan import Configurations
from conformance.check.trials.reader import Plain, TrialReader
from conformance.judging.comparison import Level
from conformance.workers.lifetime import begin

__all__ = ["BATCH", "Helpers"]

BATCH = 500
"""Trials that are handed out together."""
WORTH_IT = 8 * BATCH
"""Trials from which on starting helpers pays."""
AHEAD = 3
"""Batches that wait for each helper."""

Read = list[tuple[str, "Plain | None"]]
"""Trials by name; None for those that the caller has to read."""


class Helpers:
    """The helpers of one audit; none are started for a small job."""

    def __init__(
        self, path: str, folder: Folder, limits: Limits, most: int, results_only: bool = False
    ) -> None:
        self._job = (path, folder.identity(), limits)
        self._results_only = results_only
        self._most = most
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: deque[tuple[Future[list[Plain | None]], list[str]]] = deque()
        self._others = set[BaseProcess]()
        """Processes that are not helpers."""
        self._seen = 0

    def __enter__(self) -> "Helpers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:  # nobody waits for what they still read
            for helper in set(multiprocessing.active_children()) - self._others:
                helper.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def turn(self, names: list[str]) -> Read:
        """Takes a batch; gives back trials to be dealt with now, these or others."""
        self._seen += len(names)
        if self._most and self._pool is None and self._seen >= WORTH_IT:
            context = multiprocessing.get_context("spawn")
            self._others = set(multiprocessing.active_children())
            self._pool = ProcessPoolExecutor(self._most, mp_context=context, initializer=begin)
        done = self._finished()
        if self._pool is not None and len(self._waiting) < AHEAD * self._most:
            try:
                self._waiting.append((self._pool.submit(_read, *self._job, names, self._results_only), names))
            except BrokenProcessPool:
                self._most = 0
            else:
                return done
        return [*done, *((name, None) for name in names)]

    def rest(self) -> Iterator[Read]:
        """The batches that are still out."""
        while self._waiting:
            yield self._result(*self._waiting.popleft())

    def _finished(self) -> Read:
        done: Read = []
        while self._waiting and self._waiting[0][0].done():
            done += self._result(*self._waiting.popleft())
        return done

    @staticmethod
    def _result(future: "Future[list[Plain | None]]", names: list[str]) -> Read:
        try:
            found = future.result()
        except Exception:  # whatever the trouble is, the caller finds it again
            found = [None] * len(names)
        return list(zip(names, found, strict=True))


# In a helper


def _read(
    path: str,
    identity: tuple[int, int],
    limits: Limits,
    names: Sequence[str],
    results_only: bool = False,
) -> list[Plain | None]:
    """What can be sent of each trial."""
    findings = Findings(Level.BYTES)
    configurations = Configurations()
    reader = TrialReader(Spent(limits), findings, Listing(None, 0), configurations, results_only=results_only)
    folder = Folder.top(path)
    try:
        if folder.identity() != identity:
            return [None] * len(names)
        return [_one(folder, reader, name) for name in names]
    finally:
        folder.leave()


def _one(folder: Folder, reader: TrialReader, name: str) -> Plain | None:
    try:
        entered = folder.enter(name)
    except Refused:
        return None
    if entered is None:
        return None
    before, read = reader.findings.total(), reader.spent.bytes
    reader.absence = Absence(reader.results_only)  # what it holds back is the caller's to tell
    reader.strangers = {}
    try:
        row = reader.read(entered, name)
    finally:
        entered.leave()
    if row is None or isinstance(row, bool) or reader.findings.total() != before or reader.strangers:
        return None
    return reader.plain(row, reader.spent.bytes - read)
