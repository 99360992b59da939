"""The interface of conversations with a runner, whether a process answers many requests or one."""

from collections.abc import Iterable
from typing import Protocol

from conformance.wire.messages import Hello, Reply, Request

__all__ = ["NoTimeError", "Talk"]


class NoTimeError(Exception):
    """The caller's time for waiting was over; the runner is not to blame."""


class Talk(Protocol):
    """The interface of ``Conversation`` and ``OneShot``."""

    until: float
    """The time, by the monotonic clock, at which waiting ends with a NoTimeError."""

    def start(self, meanwhile: Iterable[object] = ()) -> Hello:
        """Starts the runner and says hello; ``meanwhile`` is work to do in steps while it starts."""

    def submit(self, request: Request) -> None:
        """Queues a request."""

    def next_reply(self) -> Reply:
        """The reply to the oldest request not yet returned."""

    def withdraw(self, count: int) -> None:
        """Drops the newest, unanswered requests; only allowed right after a failed reply."""

    def stderr_tail(self) -> str:
        """The end of the running process's stderr."""

    def finish(self) -> list[str]:
        """Ends the conversation; returns a sentence for each problem."""

    def kill(self) -> None:
        """Kills the runner."""
