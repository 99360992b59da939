"""A hard end for every test here: a time-out that the kit ignores fails its test in place of hanging it."""

import signal
import threading
from collections.abc import Iterator

import pytest

BOUND = 120
"""Seconds; the longest of these tests takes a tenth of that."""


@pytest.fixture(autouse=True)
def hard_bound() -> Iterator[None]:
    """Raises in the test, wherever it waits."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: object) -> None:
        pytest.fail(f"the test did not end within {BOUND} s: was a time-out ignored?")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(BOUND)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
