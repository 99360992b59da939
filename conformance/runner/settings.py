"""Runner settings: time-outs and pipeline depth."""

from dataclasses import dataclass

from conformance.errors import UserError
from conformance.option_names import option

__all__ = ["LOADING", "PIPELINE", "TIMEOUT", "Settings", "SettingsError", "refuse_limits"]

TIMEOUT = 10.0
"""The default seconds that a reply may take."""
LOADING = 60.0
"""The default seconds that hello, and the first reply of an op, may take.

It is longer than for other replies, because late imports may take 30 s on a busy machine.
"""
PIPELINE = 64
"""The default for the most requests in flight."""
MAX_TIMEOUT = 86_400.0
"""The longest time-out for a reply, in seconds: a day."""
HELLO_FACTOR = 3
"""A process may take this multiple of an explicit time-out to start and answer hello."""


class SettingsError(UserError):
    """The settings are invalid; the message is one sentence."""


def refuse_limits(timeout: float | None, pipeline: int) -> None:
    """Check the time-out and the pipeline's depth.

    Raises:
        SettingsError: the time-out is too long or not above 0, or the depth is below 1.
    """
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:  # NaN is refused too
        raise SettingsError(f"{option('runner-timeout')} must be above 0 and at most {MAX_TIMEOUT:g} seconds")
    if pipeline < 1:
        raise SettingsError(f"{option('pipeline')} must be at least 1")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to start and ask a runner; raises SettingsError if the limits are invalid."""

    command: tuple[str, ...]
    spec: str
    timeout: float | None = None
    """Seconds that any reply may take; None for ``TIMEOUT``, and ``LOADING`` for first replies."""
    pipeline: int = PIPELINE
    """The most requests outstanding at once."""

    def __post_init__(self) -> None:
        refuse_limits(self.timeout, self.pipeline)

    @property
    def reply_seconds(self) -> float:
        """Seconds a reply may take."""
        return TIMEOUT if self.timeout is None else self.timeout

    @property
    def first_seconds(self) -> float:
        """Seconds a process's first reply of an op may take."""
        return LOADING if self.timeout is None else self.timeout

    @property
    def hello_seconds(self) -> float:
        """Seconds a process may take to start and answer hello."""
        return LOADING if self.timeout is None else self.timeout * HELLO_FACTOR
