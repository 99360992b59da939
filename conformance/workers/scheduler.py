"""The workers of a Dask scheduler, through the `concurrent.futures` interface of its client.

The scheduler repeats a dead worker's pieces elsewhere. Both sides unpickle each other's data: the scheduler
can run code on this machine, and vice versa.
"""

import contextlib
import logging
import pickle
import traceback
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from conformance import __version__
from conformance.errors import UserError

__all__ = ["SchedulerCrew", "SchedulerError"]

Input = TypeVar("Input")
Output = TypeVar("Output")

CONNECT_TIMEOUT_S = 5.0
"""Seconds that a scheduler has to answer."""
FIRST_WORKER = 20.0
"""Seconds that it has to get a worker."""
NO_WORKER = 30.0
"""Seconds after which a scheduler without workers is given up."""
_CHECK_INTERVAL = 1.0
"""Seconds between two checks for workers."""
_LEAST_ROOM = 16
_HANDED_OUT = 4
"""How often a piece of work is submitted if its result gets lost, before that is an error."""


class SchedulerError(UserError):
    """The scheduler can't be reached, or can't do the work; the message says what to do."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[Output]):
    """A result or an error of the work, and the version of the kit that produced it."""

    version: str
    result: Output | None = None
    error: Exception | None = None
    trace: str = ""


def _at_worker(work: Callable[[Input], Output], version: str, input_: Input) -> _Done[Output]:
    """Runs on a worker: does the work if the kit has the client's version.

    Errors of the work are returned as results, so that all other errors are of the transport.
    """
    if version != __version__:
        return _Done(__version__)
    try:
        return _Done(__version__, work(input_))
    except Exception as error:
        trace = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 # just made here
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return _Done(__version__, error=error, trace=trace)


class SchedulerCrew(Generic[Input, Output]):
    """All workers of a scheduler, including those that join later."""

    def __init__(
        self, work: Callable[[Input], Output], address: str, lost: Callable[[Input, str], Output]
    ) -> None:
        """Raises SchedulerError if the scheduler can't be reached, or has no worker."""
        self._address = address
        self._lost = lost
        self._work = partial(_at_worker, work, __version__)
        self._client = _client(address)
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER)
            threads = sum(self._client.nthreads().values())
        except Exception as error:
            self._client.close(timeout=CONNECT_TIMEOUT_S)
            raise SchedulerError(
                f"the scheduler at {address} has no worker: start one with `dask worker {address}`"
            ) from error
        self.room = max(2 * threads, _LEAST_ROOM)
        self._executor = self._client.get_executor(pure=False)
        self._out: dict[Future[_Done[Output]], tuple[int, Input]] = {}
        self._suspects = deque[tuple[int, Input]]()
        """Pieces during which workers died: they are tried once more, each alone."""
        self._tried = set[int]()
        self._handed_out = Counter[int]()
        self._missed = 0
        """The number of consecutive checks without a worker; a clock would also count a machine's sleep."""

    def hand_out(self, index: int, input_: Input) -> None:
        """Submits a piece of work to the scheduler."""
        self._handed_out[index] += 1
        self._out[self._executor.submit(self._work, input_)] = (index, input_)

    def finished(self, tick: Callable[[], None]) -> list[tuple[int, Output]]:
        """Waits for the first results.

        Raises:
            SchedulerError: the scheduler or all its workers are gone, or a worker has no kit, or another
            version.
        """
        while True:
            if not self._out and self._suspects:
                self.hand_out(*self._suspects.popleft())
            done = wait(self._out, timeout=_CHECK_INTERVAL, return_when=FIRST_COMPLETED).done
            tick()
            results = [result for future in done for result in self._results(future)]
            if results:
                return results
            self._check_workers()

    def _results(self, future: "Future[_Done[Output]]") -> list[tuple[int, Output]]:
        """The result, if it is available."""
        from distributed import KilledWorker

        index, input_ = self._out.pop(future)
        try:
            reply = future.result()
        except KilledWorker:
            if index not in self._tried:  # the scheduler blames all pieces of a dead worker
                self._tried.add(index)
                self._suspects.append((index, input_))
                return []
            return [(index, self._lost(input_, "every worker that worked on it died, one after the other"))]
        except CancelledError:
            raise self._gone() from None
        except (ImportError, AttributeError) as error:
            raise SchedulerError(
                f"a worker of the scheduler at {self._address} can't load the kit ({error}): install "
                f"harbor-conformance {__version__} where the workers run"
            ) from None
        except Exception as error:
            # Dask's executor fails with its own errors if a worker dies while sending its result
            if self._handed_out[index] >= _HANDED_OUT:
                raise SchedulerError(
                    f"the scheduler at {self._address} lost the result of the same piece of work "
                    f"{_HANDED_OUT} times ({type(error).__name__}: {error}): look into its log"
                ) from error
            self.hand_out(index, input_)
            return []
        if reply.version != __version__:
            raise SchedulerError(
                f"a worker of the scheduler at {self._address} has harbor-conformance {reply.version}, this "
                f"is {__version__}: install the same version on both sides"
            )
        if reply.error is not None:
            raise reply.error from RuntimeError(f"on a worker:\n{reply.trace}")
        return [(index, reply.result)]  # type: ignore[list-item] # a result, as the versions are the same

    def _check_workers(self) -> None:
        """Checks whether there still are workers."""
        if self._client.status in ("closed", "closing"):
            raise self._gone()
        workers = {}
        with contextlib.suppress(OSError):  # temporarily unreachable
            # not `scheduler_info`: the client's own thread sometimes refreshes that without workers
            workers = self._client.nthreads()
        self._missed = 0 if workers else self._missed + 1
        if self._missed * _CHECK_INTERVAL >= NO_WORKER:
            raise SchedulerError(
                f"the scheduler at {self._address} has had no worker for {NO_WORKER:g} seconds, and "
                f"{len(self._out)} pieces of work are unfinished: start workers and try again"
            )

    def _gone(self) -> SchedulerError:
        return SchedulerError(f"the scheduler at {self._address} went away: start it and try again")

    def close(self, *, at_once: bool) -> None:
        """Cancels unfinished work and disconnects."""
        if at_once:
            with contextlib.suppress(Exception):  # it may be gone, but all results are here
                self._executor.shutdown(wait=False)
        with contextlib.suppress(Exception):
            self._client.close(timeout=CONNECT_TIMEOUT_S)


def _client(address: str) -> Any:
    """A connection to the scheduler."""
    import asyncio  # imported here, since commands without a scheduler do not need it

    try:
        from distributed import Client
        from distributed.comm import connect
        from distributed.security import Security
    except ImportError:
        raise SchedulerError(
            "--scheduler needs the extra `distributed`: pip install 'harbor-conformance[distributed]'"
        ) from None
    for name in ("distributed", "distributed.client", "tornado.application"):  # ours says it
        logging.getLogger(name).setLevel(logging.CRITICAL)

    async def ask() -> None:
        comm = await connect(address, timeout=CONNECT_TIMEOUT_S, **Security().get_connection_args("client"))
        await comm.close()

    try:
        # A client that fails on its address is left to the garbage collector, which may close it while
        # another one starts: both then wait for one lock forever. So the address is tried without a client.
        asyncio.run(ask())
        return Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SchedulerError(
            f"the scheduler at {address} can't be reached within {CONNECT_TIMEOUT_S:g} seconds: is it "
            "running, and is this its address, such as tcp://host:8786?"
        ) from error
