"""Processes that work for another: how many there may be, how they start, and that none outlives it."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess

__all__ = ["begin", "ended", "processors", "uninterrupted"]

PATIENCE = 2.0
"""Seconds that a process has to end what it has started."""


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def begin() -> None:
    """What a process that works for another does first.

    Ctrl-C reaches every process of a terminal: it is for the one that started this, and that ends this.
    Where that one is killed, this ends by itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)  # what it has started, it ends
        time.sleep(PATIENCE)
        os._exit(1)


def ended(processes: Collection[BaseProcess]) -> None:
    """Ends processes: they are asked to, and killed if they do not."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + PATIENCE
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        process.kill()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Processes started in the block hear nothing of Ctrl-C, not even before `begin`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
