"""Local processes. If one dies, only its current piece of work is affected."""

import multiprocessing
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from conformance.workers.lifetime import begin, ended, uninterrupted

__all__ = ["LocalCrew"]

Input = TypeVar("Input")
Output = TypeVar("Output")

QUEUED_PER_PROCESS = 2
"""Pieces of work per process: the current one and the next, so that it never waits."""
TICK = 0.2
"""Seconds between two ticks."""
_DIED = "the process that worked on it died{}: it was killed, perhaps because memory ran out, or crashed"


@dataclass(slots=True)
class _Piece(Generic[Input, Output]):
    """A piece of work in progress."""

    index: int
    input_: Input
    future: "Future[Output]"
    tries: int
    """How many more processes may die while working on it."""


class _WorkerProcess(Generic[Input, Output]):
    """A process and its queue of work. It is replaced if it dies."""

    def __init__(
        self, work: Callable[[Input], Output], lost: Callable[[Input, str], Output], tries: int
    ) -> None:
        self._work = work
        self._lost = lost
        self._tries = tries
        self._pool: ProcessPoolExecutor | None = None
        self._processes = set[BaseProcess]()
        self.pieces = deque[_Piece[Input, Output]]()

    def add(self, index: int, input_: Input) -> None:
        self.pieces.append(_Piece(index, input_, self._submitted(input_), self._tries))

    def done(self) -> list[tuple[int, Output]]:
        """The finished work; work whose process died is started once more."""
        results: list[tuple[int, Output]] = []
        while self.pieces and self.pieces[0].future.done():
            piece = self.pieces[0]
            try:
                results.append((piece.index, piece.future.result()))
                self.pieces.popleft()
            except BrokenProcessPool:
                self.close(at_once=True)
                piece.tries -= 1
                if not piece.tries:
                    sentence = _DIED.format(" twice" if self._tries > 1 else "")
                    results.append((piece.index, self._lost(piece.input_, sentence)))
                    self.pieces.popleft()
                for waiting in self.pieces:
                    waiting.future = self._submitted(waiting.input_)
        return results

    def _submitted(self, input_: Input) -> "Future[Output]":
        try:
            if self._pool is not None:
                return self._pool.submit(self._work, input_)
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=begin)
            before = set(multiprocessing.active_children())
            try:
                with uninterrupted():
                    return self._pool.submit(self._work, input_)
            finally:
                self._processes = set(multiprocessing.active_children()) - before
        except BrokenProcessPool as error:  # it died while idle
            broken = Future[Output]()
            broken.set_exception(error)
            return broken

    def close(self, *, at_once: bool) -> None:
        if self._pool is None:
            return
        if at_once:
            ended(self._processes)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None


class LocalCrew(Generic[Input, Output]):
    """A fixed number of local processes."""

    def __init__(
        self,
        work: Callable[[Input], Output],
        processes: int,
        lost: Callable[[Input, str], Output],
        tries: int = 2,
    ) -> None:
        self._lanes = [_WorkerProcess(work, lost, tries) for _ in range(processes)]
        self.room = QUEUED_PER_PROCESS * processes

    def hand_out(self, index: int, input_: Input) -> None:
        """Passes the work to the least busy process."""
        min(self._lanes, key=lambda lane: len(lane.pieces)).add(index, input_)

    def finished(self, tick: Callable[[], None]) -> list[tuple[int, Output]]:
        """Waits for the first results."""
        results: list[tuple[int, Output]] = []
        while not results:
            heads = [lane.pieces[0].future for lane in self._lanes if lane.pieces]
            wait(heads, timeout=TICK, return_when=FIRST_COMPLETED)
            tick()
            for lane in self._lanes:
                results += lane.done()
        return results

    def close(self, *, at_once: bool) -> None:
        """Ends the processes, killing them if `at_once`."""
        for lane in self._lanes:
            lane.close(at_once=at_once)
