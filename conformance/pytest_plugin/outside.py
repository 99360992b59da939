"""Between pytest and the system: signals that end a session in order, and output that can't be written."""

import contextlib
import os
import signal
import sys
from typing import Any

import pytest

from conformance import interrupts
from conformance.console.output import unfailing
from conformance.runner.process import end_runners

__all__ = ["Outside", "take_over"]


def take_over(config: pytest.Config) -> None:
    """Lets signals end the session as Ctrl-C does, until pytest ends; a worker's session too."""
    outside = Outside(is_worker=hasattr(config, "workerinput"))
    config.pluginmanager.register(outside, "harbor-conformance-outside")
    config.add_cleanup(outside.leave)


class Outside:
    """What one session has taken over of its process."""

    def __init__(self, *, is_worker: bool) -> None:
        self._is_worker = is_worker
        self._stack = contextlib.ExitStack()
        self._stack.callback(end_runners)
        self._stack.enter_context(interrupts.taken_over())
        self._workers: list[int] = []
        self._stdout = sys.stdout
        made = unfailing(sys.stdout)
        self._made = made
        if made is not None:
            sys.stdout = made[0]  # which the terminal reporter takes up when it is configured

    def leave(self) -> None:
        """Gives everything back; says what was not written."""
        self._give_back()
        self._stack.close()
        if self._made is not None and (error := self._made[1].error) is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write(f"harbor-conformance: standard output can't be written: {error.strerror}\n")

    def _give_back(self) -> None:
        if self._made is not None and sys.stdout is self._made[0]:
            sys.stdout = self._stdout

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """The terminal reporter has it by now; tests have the usual one."""
        self._give_back()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_newgateway(self, gateway: Any) -> None:
        """Notes a worker's process; xdist alone would let it finish its test, for up to ten seconds."""
        if gateway.spec.popen:
            self._workers.append(int(gateway._rinfo().pid))

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Lets the workers end as well, and spares what takes seconds and tells nobody anything."""
        if interrupts.taken() is None:
            return
        if self._is_worker:  # what it found is with the controller, and what it had started has ended
            end_runners()
            os._exit(interrupts.exit_code())
        for worker in self._workers:
            with contextlib.suppress(OSError):
                os.kill(worker, signal.SIGTERM)
        excinfo.value.__context__ = None
        shown = [entry for entry in excinfo.traceback if not entry.ishidden(excinfo)]
        if shown:
            excinfo.traceback = type(excinfo.traceback)(shown[-1:])
