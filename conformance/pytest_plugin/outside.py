"""What a pytest session changes in its process: signals end it cleanly, and output never fails."""

import atexit
import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from conformance import interrupts
from conformance.console import RARELY
from conformance.console.output import unfailing
from conformance.runner.process import end_runners

__all__ = ["Outside", "progress_on", "take_over"]

_SLOW = 2.0
"""Seconds after which the terminal shows progress."""


def progress_on(terminal: "pytest.TerminalReporter | None") -> Callable[[str], None]:
    """A function that shows steps on a terminal, after two seconds, in one line that is overwritten."""
    began = time.monotonic()

    def show(sentence: str) -> None:
        if terminal is not None and terminal.isatty and time.monotonic() - began > _SLOW:
            terminal.rewrite(sentence, erase=True)

    return show


def take_over(config: pytest.Config) -> None:
    """Lets signals end the session like Ctrl-C, until pytest ends; also in workers."""
    outside = Outside(is_worker=hasattr(config, "workerinput"))
    config.pluginmanager.register(outside, "harbor-conformance-outside")
    config.add_cleanup(outside.leave)


class Outside:
    """The signals, the garbage collector and standard output, from a session's start to its end."""

    frozen = False
    """Whether the garbage collector ignores what a session has loaded."""

    def __init__(self, *, is_worker: bool) -> None:
        self._is_worker = is_worker
        self._stack = contextlib.ExitStack()
        self._stack.callback(end_runners)
        self._stack.enter_context(interrupts.taken_over())
        self._stack.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(*RARELY)
        atexit.register(gc.freeze)  # otherwise the last collection goes through everything
        if Outside.frozen:  # by an earlier session of this process
            gc.unfreeze()
            Outside.frozen = False
        self._workers: list[int] = []
        self._stdout = sys.stdout
        self._replacement = unfailing(sys.stdout)
        if self._replacement is not None:
            sys.stdout = self._replacement  # the terminal reporter takes it when it is configured

    def leave(self) -> None:
        """Restores everything; reports output that was not written."""
        self._restore_stdout()
        self._stack.close()
        if self._replacement is not None and (error := self._replacement.error) is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write(f"harbor-conformance: standard output can't be written: {error.strerror}\n")

    def _restore_stdout(self) -> None:
        if sys.stdout is self._replacement:
            sys.stdout = self._stdout

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Hides items and vectors from the garbage collector, until pytest collects at its end."""
        gc.freeze()
        Outside.frozen = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Restores standard output for tests; the terminal reporter has the replacement by now."""
        self._restore_stdout()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_newgateway(self, gateway: Any) -> None:
        """Records a worker's process, to stop it; xdist would wait up to ten seconds for its test."""
        if gateway.spec.popen:
            self._workers.append(int(gateway._rinfo().pid))

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Stops the workers too, and skips the slow summary."""
        if interrupts.taken() is None:
            return
        if self._is_worker:  # the controller has its findings, and its runner has ended
            end_runners()
            os._exit(interrupts.exit_code())
        for worker in self._workers:
            with contextlib.suppress(OSError):
                os.kill(worker, signal.SIGTERM)
        excinfo.value.__context__ = None
        entries = [entry for entry in excinfo.traceback if not entry.ishidden(excinfo)]
        if entries:
            excinfo.traceback = type(excinfo.traceback)(entries[-1:])
