"""What talks with a runner have in common, whether one process answers many requests or one."""

from typing import Protocol

from conformance.wire.messages import Hello, Reply, Request

__all__ = ["NoTimeError", "Talk"]


class NoTimeError(Exception):
    """Whoever waited for a reply had no more time to; nobody is to blame."""


class Talk(Protocol):
    """What ``Conversation`` and ``OneShot`` have in common."""

    until: float
    """When waiting ends with a NoTimeError, by the monotonic clock, whatever the runner may take."""

    def start(self) -> Hello:
        """Starts the runner and says hello."""

    def submit(self, request: Request) -> None:
        """Queues a request."""

    def next_reply(self) -> Reply:
        """What became of the oldest request not yet returned."""

    def withdraw(self, count: int) -> None:
        """Drops the newest requests, of which none was answered; only right behind a reply that failed."""

    def stderr_tail(self) -> str:
        """The last words of the process that is running now."""

    def finish(self) -> list[str]:
        """Ends the talk; what was wrong with that, a sentence each."""

    def kill(self) -> None:
        """Ends the runner at once."""
