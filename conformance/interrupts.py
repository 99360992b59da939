"""Ctrl-C, SIGTERM and SIGHUP: each ends a command in the same way, with its report and without orphans.

The first of them raises ``Interrupted``, a ``KeyboardInterrupt``, wherever the main thread stands. Those that
follow while the end is being made are let be: a user who presses Ctrl-C twice, a terminal that hangs up after
a ``kill``, or ``timeout``, which sends its signal twice, would otherwise cost the report. Only where the end
takes longer than ``PATIENCE`` does another signal count again.
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
"""Seconds from one signal that counts to the next that does."""


class Interrupted(KeyboardInterrupt):
    """Somebody wants the command to end."""


class _State:
    """What has come so far; one per process, as signals are."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.counted = 0.0
        """When the last signal came that counts, by the monotonic clock."""
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
    """The signal that ended the command; None where none has come."""
    return _state.first


def exit_code() -> int:
    """What an interrupted command exits with: 128 and the signal, Ctrl-C's where none came."""
    return 128 + (_state.first or signal.SIGINT)


def exit_status(status: int) -> int:
    """What a session exits with that would exit with `status`: the signal's, where one has ended it."""
    return status if taken() is None else exit_code()


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Lets a signal wait until the block has ended, such as a start that must not be left half done.

    One that comes ``PATIENCE`` after that does not wait any more: whatever hangs can be ended.

    Raises:
        Interrupted: behind the block, where a signal came in it.
    """
    with ending():
        yield
    if _state.waiting and not _state.holding and _in_main_thread():
        _state.waiting = False
        raise Interrupted


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """The same around the end of a command: a signal raises nothing, but ``taken`` knows it."""
    if not _in_main_thread():
        yield  # no signal is raised there
        return
    _state.holding += 1
    try:
        yield
    finally:
        _state.holding -= 1


@contextlib.contextmanager
def released() -> Iterator[None]:
    """Within ``ending``: what takes time, and may be interrupted.

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
