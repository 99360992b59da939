"""Turning what a user gives as ``--runner`` into a command."""

import shlex
import sys
from collections.abc import Callable

__all__ = ["CommandError", "resolve_command"]


class CommandError(Exception):
    """A ``--runner`` that can't be a command; the message is one sentence."""


def resolve_command(text: str, progress: Callable[[str], None] = lambda _: None) -> tuple[str, ...]:
    """The words of a runner command, split as a shell would; no shell runs it.

    ``reference`` and ``oracle`` name the kit's own: the reference implementation in this interpreter,
    and the real harbor in its pinned environment (built on first use; ``progress`` hears of it).

    Raises:
        CommandError: the text is empty or its quotes are unbalanced.
        OracleError: the oracle's environment can't be built.
    """
    if text.strip() == "reference":
        return (sys.executable, "-m", "reference_impl")
    if text.strip() == "oracle":
        from conformance import oracle

        command: tuple[str, ...] = oracle.ensure(progress).command
        return command
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"--runner {text!r} can't be split into words: {error}") from None
    if not words:
        raise CommandError("--runner is empty: give the command that starts your runner")
    return tuple(words)
