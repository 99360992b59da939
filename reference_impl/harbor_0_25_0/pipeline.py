"""A whole job with the rules of harbor 0.25.0.

A file that this release refuses has the same effect as a file that 0.13.1 refuses: the trial has the same
exception and no rewards. So the old rules apply, to files that have been replaced.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..errors import ValidationError, VerifierError, VerifierOutputParseError
from ..pipeline import UnreadTrial
from ..reward import REWARD_TEXT
from .reward import parse_finite_reward

__all__ = ["as_before"]

Files = Mapping[str, bytes]

MALFORMED: Files = {REWARD_TEXT: b"?"}  # what every release refuses


def as_before(trial: UnreadTrial) -> UnreadTrial:
    """The trial with files, its own and its steps', that 0.13.1 reads as this release reads the originals."""
    steps = trial.steps
    if steps is not None:
        steps = [replace(step, files=_files_as_before(step.files)) for step in steps]
    return replace(trial, files=_files_as_before(trial.files), steps=steps)


def _files_as_before(files: Files | None) -> Files | None:
    """The files, or a malformed one in their place; None if no verifier ran."""
    if files is None:
        return None
    try:
        parse_finite_reward(files)
    except VerifierOutputParseError:
        return MALFORMED
    except (VerifierError, ValidationError, RecursionError):
        pass  # the older release raises it too
    return files
