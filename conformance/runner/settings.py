"""How long a runner is waited for, and how many requests it is sent at once."""

from dataclasses import dataclass

from conformance.option_names import option

__all__ = ["LOADING", "PIPELINE", "TIMEOUT", "Settings", "SettingsError", "refuse_limits"]

TIMEOUT = 10.0
"""Seconds a reply may take where nobody says otherwise."""
LOADING = 60.0
"""Seconds that hello may take, and the first reply of an op, where nobody says otherwise.

Loading is not answering: what a runner imports late may take 30 s on a loaded machine.
"""
PIPELINE = 64
"""The most requests outstanding at once, where nobody says otherwise."""
MAX_TIMEOUT = 86_400.0
"""The most seconds that a reply may be given: a day."""
HELLO_FACTOR = 3
"""A process may take this many time-outs to start and answer hello, where somebody sets the time-out."""


class SettingsError(ValueError):
    """Settings that no talk can have; the message is one sentence."""


def refuse_limits(timeout: float | None, pipeline: int) -> None:
    """Refuses limits under which a wait would not end, or nothing would be asked.

    Raises:
        SettingsError: these are such.
    """
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:  # NaN is refused too
        raise SettingsError(f"{option('runner-timeout')} must be above 0 and at most {MAX_TIMEOUT:g} seconds")
    if pipeline < 1:
        raise SettingsError(f"{option('pipeline')} must be at least 1")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to talk with a runner; a SettingsError where a wait would not end or nothing would be asked."""

    command: tuple[str, ...]
    spec: str
    timeout: float | None = None
    """Seconds that any reply may take, or None: ``TIMEOUT``, and ``LOADING`` for what may have to load."""
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
