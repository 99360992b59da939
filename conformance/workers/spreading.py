"""Distributes pieces of work, and returns results in the order of the inputs."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NoReturn, Protocol, TypeVar

from conformance.workers.local import LocalCrew
from conformance.workers.scheduler import SchedulerCrew

__all__ = ["Crew", "spread"]

Input = TypeVar("Input")
Output = TypeVar("Output")
Given = TypeVar("Given", contravariant=True)

AHEAD = 8
"""Results held back for their turn, per worker."""


class Crew(Protocol[Given, Output]):
    """A group of workers."""

    room: int
    """The most pieces in progress at the same time."""

    def hand_out(self, index: int, given: Given) -> None:
        """Accepts a piece of work."""

    def finished(self, tick: Callable[[], None]) -> list[tuple[int, Output]]:
        """Waits until at least one piece is done, and returns all newly finished ones."""

    def close(self, *, at_once: bool) -> None:
        """Ends the crew; with `at_once`, unfinished work is cancelled."""


def spread(
    work: Callable[[Input], Output],
    inputs: Sequence[Input],
    processes: int = 1,
    scheduler: str | None = None,
    *,
    lost: Callable[[Input, str], Output] | None = None,
    weight: Callable[[Input], float] | None = None,
    wide: Callable[[Input], Output] | None = None,
    done: Callable[[Output], None] = lambda _: None,
    tick: Callable[[], None] = lambda: None,
    tries: int = 2,
) -> Iterator[Output]:
    """Yields the result of `work` for each input, in order.

    With one process and no `scheduler` (a Dask address), everything runs in this process. Otherwise `work`,
    inputs and results are pickled. The number of results that wait for their turn is limited, so that memory
    does not grow with the number of inputs.

    Args:
        work: The function to call with each input.
        inputs: The inputs.
        processes: The number of local processes.
        scheduler: A Dask scheduler's address, such as tcp://host:8786; `processes` is then ignored.
        lost: Returns the result for an input on which processes died, given a sentence that says so; without
        it, that is an error.
        weight: The approximate duration of an input, in any unit: large ones start first.
        wide: The function for an input that is more than a process's share of all work. It runs alone and may
        start the other `processes` itself.
        done: Called with each result immediately, in the order of completion.
        tick: Called at least about once a second while waiting for results.
        tries: The number of local processes that may die on an input.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
        WorkerDiedError: processes died on an input, and `lost` is not given.
    """
    if scheduler is None and processes <= 1:
        for one in inputs:
            result = work(one)
            done(result)
            yield result
        return
    if not inputs:
        return
    give_up = lost or _give_up
    weights = [weight(one) for one in inputs] if weight else [1.0] * len(inputs)
    share = sum(weights) / max(processes, 1)
    spreading = _Spreading(inputs, done, tick)
    alone = [index for index in range(len(inputs)) if scheduler is None and wide and weights[index] > share]
    if alone and wide:
        with_all: Crew[Input, Output] = LocalCrew(wide, 1, give_up, tries)
        yield from spreading.run(with_all, alone, upto=0)
    rest = [index for index in range(len(inputs)) if index not in spreading.ready]
    crew: Crew[Input, Output]
    if scheduler is None:
        crew = LocalCrew(work, max(1, min(processes, len(rest))), give_up, tries)
    else:
        crew = SchedulerCrew(work, scheduler, give_up)
    large = sum(weights[index] for index in rest) / (4 * crew.room)
    first = sorted((i for i in rest if weights[i] > large), key=lambda i: -weights[i]) if weight else []
    early = set(first)
    yield from spreading.run(crew, [*first, *(i for i in rest if i not in early)], upto=len(inputs))


class WorkerDiedError(Exception):
    """Processes died on a piece of work."""


def _give_up(_: object, sentence: str) -> NoReturn:
    raise WorkerDiedError(sentence)


class _Spreading(Generic[Input, Output]):
    """The inputs, and the results that wait for their turn."""

    def __init__(
        self, inputs: Sequence[Input], done: Callable[[Output], None], tick: Callable[[], None]
    ) -> None:
        self.inputs = inputs
        self.done = done
        self.tick = tick
        self.ready: dict[int, Output] = {}
        self.turn = 0

    def run(self, crew: Crew[Input, Output], order: Sequence[int], upto: int) -> Iterator[Output]:
        """Has the crew do the work in `order`, and yields the results whose turn it is, up to an index.

        With `upto` 0, all results stay for later.
        """
        waiting, out = deque(order), 0
        most = len(self.ready) + AHEAD * crew.room
        clean = False
        try:
            while waiting or out or self.turn < upto:
                while self.turn < upto and self.turn in self.ready:
                    result = self.ready.pop(self.turn)
                    self.turn += 1
                    yield result
                while waiting and out < crew.room:
                    if out + len(self.ready) >= most and upto and waiting[0] != self.turn:
                        break
                    index = waiting.popleft()
                    crew.hand_out(index, self.inputs[index])
                    out += 1
                if out:
                    for index, result in crew.finished(self.tick):
                        out -= 1
                        self.ready[index] = result
                        self.done(result)
            clean = True
        finally:
            crew.close(at_once=not clean)
