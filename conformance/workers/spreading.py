"""Spreads pieces of work; results come in the order of the inputs."""

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
"""Results kept for their turn, for each place at which work is done."""


class Crew(Protocol[Given, Output]):
    """Who does the work."""

    room: int
    """Pieces that may be out at the same time."""

    def hand_out(self, index: int, given: Given) -> None:
        """Takes a piece of work."""

    def finished(self, tick: Callable[[], None]) -> list[tuple[int, Output]]:
        """Waits until at least one piece is done, and gives back each that is, once."""

    def close(self, *, at_once: bool) -> None:
        """Ends it; what is still out is given up where it is to end `at_once`."""


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
    """What `work` gives for each input, in their order.

    With one process and no `scheduler`, an address of Dask's, all is done here. Elsewhere `work`, inputs
    and results are pickled. So many results wait for their turn at most that memory stays the same
    however many inputs there are.

    Args:
        work: What is done with each input.
        inputs: What it is done with.
        processes: Processes of this machine.
        scheduler: A Dask scheduler's address, such as tcp://host:8786; `processes` then counts for nothing.
        lost: What an input comes to over which processes died, and a sentence that says so; without it
            that is an error.
        weight: About how long an input takes, in any unit: large ones are begun first.
        wide: What is done, alone on this machine, with an input that is more than a process's share of
            all: it may start processes of its own, as many as there are further `processes`.
        done: Hears of each result at once, in the order in which they end.
        tick: Called about once a second or more often while results are waited for.
        tries: Processes of this machine that may die over an input.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
        WorkerDiedError: processes died over an input, and nothing says what that comes to.
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
    """Processes died over a piece of work."""


def _give_up(_: object, sentence: str) -> NoReturn:
    raise WorkerDiedError(sentence)


class _Spreading(Generic[Input, Output]):
    """The inputs, and results that wait for their turn."""

    def __init__(
        self, inputs: Sequence[Input], done: Callable[[Output], None], tick: Callable[[], None]
    ) -> None:
        self.inputs = inputs
        self.done = done
        self.tick = tick
        self.ready: dict[int, Output] = {}
        self.turn = 0

    def run(self, crew: Crew[Input, Output], order: Sequence[int], upto: int) -> Iterator[Output]:
        """Has the crew do the work in `order`, and gives the results whose turn it is, up to an index.

        With `upto` 0 all stay for later.
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
