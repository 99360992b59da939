"""Ctrl-C, SIGTERM and SIGHUP: each ends a command in the same way, with its report and without orphans.

The first one raises ``Interrupted``, a ``KeyboardInterrupt``, in the main thread. Further signals during the
shutdown are ignored: a user who presses Ctrl-C twice, a terminal that hangs up after a ``kill``, or
``timeout``, which sends its signal twice, would otherwise prevent the report. Only after ``PATIENCE`` does
another signal count again.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

__all__ = [
    "PATIENCE",
    "SIGNALS",
    "Interrupted",
    "ending",
    "exit_code",
    "exit_status",
    "held",
    "released",
    "taken",
    "taken_over",
]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 3.0
"""The least seconds between two signals that count."""


class Interrupted(KeyboardInterrupt):
    """The command was interrupted."""


class _State:
    """The state of signals, one per process."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.counted = 0.0
        """The time of the last signal that counted, by the monotonic clock."""
        self.holding = 0
        self.waiting = False
        """A signal came while signals were held."""


_state = _State()


def _on_signal(number: int, _: FrameType | None) -> None:
    now = time.monotonic()
    if _state.first is not None and now - _state.counted < PATIENCE:
        return
    again = _state.waiting
    _state.first, _state.counted = _state.first or number, now
    if _state.holding and not again:
        _state.waiting = True
        return
    _state.waiting = False
    raise Interrupted


def taken() -> int | None:
    """The signal that ended the command; None if there was none."""
    return _state.first


def exit_code() -> int:
    """The exit code of an interrupted command: 128 and the signal, by default SIGINT."""
    return 128 + (_state.first or signal.SIGINT)


def exit_status(status: int) -> int:
    """The exit code of a session that would exit with `status`, or the signal's if one has ended it."""
    return status if taken() is None else exit_code()


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Defers signals until the end of the block, such as for a start that must not be left half done.

    A second signal ``PATIENCE`` later is not deferred, so that a hang can be interrupted.

    Raises:
        Interrupted: after the block, if a signal came during it.
    """
    with ending():
        yield
    if _state.waiting and not _state.holding and _in_main_thread():
        _state.waiting = False
        raise Interrupted


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Suppresses signals at the end of a command; ``taken`` still returns them."""
    if not _in_main_thread():
        yield  # signals are not raised in other threads
        return
    _state.holding += 1
    try:
        yield
    finally:
        _state.holding -= 1


@contextlib.contextmanager
def released() -> Iterator[None]:
    """Within ``ending``, allows signals again for a slow part.

    Raises:
        Interrupted: a signal has come.
    """
    if not _in_main_thread():
        yield
        return
    holding, _state.holding = _state.holding, 0
    try:
        if _state.waiting:
            _state.waiting = False
            raise Interrupted
        yield
    finally:
        _state.holding = holding


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def taken_over() -> Iterator[None]:
    """Handles the signals until the block ends; what ``nohup`` or a shell ignores stays ignored."""
    global _state
    if not _in_main_thread():
        yield  # signals are the main thread's
        return
    outside, _state = _state, _State()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    mine = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in mine:
        signal.signal(number, _on_signal)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])
        _state = outside
