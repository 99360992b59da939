"""What a user names as one of the two: a release by its number, a fork, or a runner command."""

import os
import re
from collections.abc import Callable

from conformance.extensions.releases.sides import Side
from conformance.oracle.commands import resolve_command
from conformance.runner.conversation import PIPELINE, Settings

__all__ = ["SECONDS", "hash_alike", "is_release", "side_of"]

_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+|newest")
SECONDS = 30.0
"""How long a reply may take where nobody says: longer than a run's, as a job is played in it."""
_ATTACHED = "harbor:"


def is_release(text: str) -> bool:
    """Whether a user names a release by its number."""
    return _RELEASE.fullmatch(text.strip()) is not None


def hash_alike() -> None:
    """Lets all that is started hash texts alike: what comes from a set would else differ by chance."""
    os.environ.setdefault("PYTHONHASHSEED", "0")


def side_of(text: str, spec: str, progress: Callable[[str], None], timeout: float = SECONDS) -> Side:
    """The side that a user names, ready to be started.

    Raises:
        CommandError: the text can't be a command.
        OracleError: the release, or the fork's environment, can't be had.
    """
    named = f"{_ATTACHED}{text.strip()}" if is_release(text) else text.strip()
    command = resolve_command(named, progress, spec)
    return Side(text.strip(), Settings(command, spec, timeout, PIPELINE))
