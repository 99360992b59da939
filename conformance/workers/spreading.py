"""Distributes pieces of work, and returns results in the order of the inputs."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeVar

from conformance.workers.local import LocalCrew
from conformance.workers.scheduler import SchedulerCrew

__all__ = ["spread"]

Input = TypeVar("Input")
Output = TypeVar("Output")

RESULTS_AHEAD = 8
"""Results held back for their turn, per worker."""


def spread(
    work: Callable[[Input], Output],
    inputs: Sequence[Input],
    processes: int = 1,
    scheduler: str | None = None,
    *,
    lost: Callable[[Input, str], Output] | None = None,
    weight: Callable[[Input], float] | None = None,
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
        done: Called with each result immediately, in the order of completion.
        tick: Called at least about once a second while waiting for results.
        tries: The number of local processes that may die on an input.

    Raises:
        SchedulerError: the scheduler can't be reached, or can't do the work.
        WorkerDiedError: processes died on an input, and `lost` is not given.
    """
    if scheduler is None and processes <= 1:
        for input_ in inputs:
            result = work(input_)
            done(result)
            yield result
        return
    if not inputs:
        return
    give_up = lost or _give_up
    crew: LocalCrew[Input, Output] | SchedulerCrew[Input, Output]
    if scheduler is None:
        crew = LocalCrew(work, max(1, min(processes, len(inputs))), give_up, tries)
    else:
        crew = SchedulerCrew(work, scheduler, give_up)
    order = list(range(len(inputs)))
    if weight is not None:
        weights = [weight(input_) for input_ in inputs]
        large = sum(weights) / (4 * crew.room)
        order.sort(key=lambda index: -weights[index] if weights[index] > large else 0.0)
    yield from _in_turn(crew, inputs, order, done, tick)


class WorkerDiedError(Exception):
    """Processes died on a piece of work."""


def _give_up(_: object, sentence: str) -> NoReturn:
    raise WorkerDiedError(sentence)


def _in_turn(
    crew: LocalCrew[Input, Output] | SchedulerCrew[Input, Output],
    inputs: Sequence[Input],
    order: Sequence[int],
    done: Callable[[Output], None],
    tick: Callable[[], None],
) -> Iterator[Output]:
    """Has the crew do the work in ``order``, and yields the results in the order of the inputs."""
    waiting, out, turn = deque(order), 0, 0
    ready: dict[int, Output] = {}
    try:
        while turn < len(inputs):
            while turn in ready:
                yield ready.pop(turn)
                turn += 1
            while waiting and out < crew.room:
                if out + len(ready) >= RESULTS_AHEAD * crew.room and waiting[0] != turn:
                    break
                index = waiting.popleft()
                crew.hand_out(index, inputs[index])
                out += 1
            for index, result in crew.finished(tick) if out else ():
                out -= 1
                ready[index] = result
                done(result)
    finally:
        crew.close(at_once=turn < len(inputs))
