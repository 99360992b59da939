"""Spreads pieces of work; results come in the order of the inputs."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["spread"]

Input = TypeVar("Input")
Output = TypeVar("Output")


def spread(
    work: Callable[[Input], Output], inputs: Iterable[Input], processes: int = 1, scheduler: str | None = None
) -> Iterator[Output]:
    """What `work` gives for each input, in order.

    With one process and no `scheduler`, an address of Dask's, all is done here.
    """
    for one in inputs:
        yield work(one)
