"""Interprets the value of ``--runner``.

``oracle.commands`` turns it into the runner's command.
"""

import re

from conformance.errors import UserError

__all__ = ["HARBOR", "RELEASE", "CommandError", "is_attached", "is_package", "runner_words"]

HARBOR = "harbor:"
RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)*|newest")


class CommandError(UserError):
    """A ``--runner``, or another option, can't be used; the message is one sentence."""


def is_attached(text: str) -> bool:
    """Return whether the kit attaches the runner, which is a harbor."""
    return text.strip().startswith(HARBOR)


def is_package(text: str) -> bool:
    """Return whether the kit starts the spec's own package: its oracle, a release or a fork."""
    return is_attached(text) or text.strip() == "oracle"


def runner_words(text: str) -> list[str]:
    """Return the command line option for the runner, and its value."""
    name = text.strip().removeprefix(HARBOR) if is_attached(text) else ""
    return ["--harbor", name] if RELEASE.fullmatch(name) else ["--runner", text]
