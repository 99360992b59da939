"""What a user names as one of the two: a release by its number, a fork, or a runner command."""

import re
from collections.abc import Callable

from conformance.releases.sides import Side
from conformance.run.commands import resolve_command
from conformance.runner.conversation import PIPELINE, Settings

__all__ = ["is_release", "side_of"]

_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+|newest")
_ATTACHED = "harbor:"
HASH_SEED = "0"
"""Both sides hash texts alike: what harbor takes from a set would else be a difference of two runs."""


def is_release(text: str) -> bool:
    """Whether a user names a release by its number."""
    return _RELEASE.fullmatch(text.strip()) is not None


def side_of(text: str, spec: str, progress: Callable[[str], None], timeout: float | None = None) -> Side:
    """The side that a user names, ready to be started.

    Raises:
        CommandError: the text can't be a command.
        OracleError: the release, or the fork's environment, can't be had.
    """
    named = f"{_ATTACHED}{text.strip()}" if is_release(text) else text.strip()
    command = resolve_command(named, progress, spec)
    alike = ("env", f"PYTHONHASHSEED={HASH_SEED}", *command)
    return Side(text.strip(), Settings(alike, spec, timeout, PIPELINE))
