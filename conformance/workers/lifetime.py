"""Worker processes: how many to use, how they start, and that none outlives its parent."""

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
"""Seconds that a process has to end its children."""


def processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on every system
        return os.cpu_count() or 1


def begin() -> None:
    """Initialises a worker process.

    Ctrl-C reaches every process of a terminal, but only the parent handles it and ends the workers. If the
    parent is killed, a worker ends by itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)  # it ends its children
        time.sleep(PATIENCE)
        os._exit(1)


def ended(processes: Collection[BaseProcess]) -> None:
    """Terminates processes, and kills them if they do not end."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + PATIENCE
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        process.kill()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Processes started in the block ignore Ctrl-C, even before `begin`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
