"""Turning what a user gives as ``--runner`` into a command."""

import shlex
import sys
from collections.abc import Callable

from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE

__all__ = ["CommandError", "resolve_command"]

_MISTAKE = "mistake:"


class CommandError(Exception):
    """A ``--runner`` that can't be a command; the message is one sentence."""


def resolve_command(
    text: str, progress: Callable[[str], None] = lambda _: None, spec: str = DEFAULT_SPEC
) -> tuple[str, ...]:
    """The words of a runner command, split as a shell would; no shell runs it.

    ``reference`` and ``oracle`` name the kit's own: the reference implementation in this interpreter,
    and the oracle of ``spec`` in its pinned environment (built on first use; ``progress`` hears of it).
    ``mistake:<name>`` is the reference with a known mistake, ``mistake:<name>+<name>`` with several.

    Raises:
        CommandError: the text is empty, its quotes are unbalanced, or there is no such known mistake.
        OracleError: the oracle's environment can't be built.
    """
    if text.strip() == "reference":
        return (sys.executable, "-m", "reference_impl")
    if text.strip() == "oracle":
        from conformance.oracle.of_specs import oracle_command

        return oracle_command(spec, progress)
    if text.strip().startswith(_MISTAKE):
        return _mistaken(text.strip().removeprefix(_MISTAKE), spec)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"--runner {text!r} can't be split into words: {error}") from None
    if not words:
        raise CommandError("--runner is empty: give the command that starts your runner")
    return tuple(words)


def _mistaken(names: str, spec: str) -> tuple[str, ...]:
    from conformance.mistakes import MistakeError, find_mistakes

    try:
        mistakes = find_mistakes(names, spec)
    except MistakeError as error:
        raise CommandError(str(error)) from None
    named = "+".join(one.name for one in mistakes)
    further = (spec,) if SPEC_TABLE[spec].base is not None else ()
    return (sys.executable, "-m", "conformance.mistakes", named, *further)
