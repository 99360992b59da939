"""Turning what a user gives as ``--runner`` into a command."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from conformance.oracle.forks import attach
from conformance.oracle.of_specs import attached_command, fitting_spec, oracle_command, refuse_attaching
from conformance.oracle.releases import NEWEST, check_version, ensure_release, newest_release
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, SPECS

__all__ = [
    "CommandError",
    "fitting",
    "is_attached",
    "is_package",
    "of_release",
    "resolve_command",
    "runner_words",
]

_MISTAKE = "mistake:"
_HARBOR = "harbor:"
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)*|newest")


class CommandError(Exception):
    """A ``--runner`` that can't be a command; the message is one sentence."""


def resolve_command(
    text: str, progress: Callable[[str], None] = lambda _: None, spec: str = DEFAULT_SPEC
) -> tuple[str, ...]:
    """The words of a runner command, split as a shell would; no shell runs it.

    ``reference`` and ``oracle`` name the kit's own: the reference implementation in this interpreter,
    and the oracle of ``spec`` in its pinned environment (built on first use; ``progress`` hears of it).
    ``mistake:<name>`` is the reference with a known mistake, ``mistake:<name>+<name>`` with several.

    ``harbor:0.22.0`` is that published release of harbor, ``harbor:newest`` the newest one, built in the
    cache on first use; ``harbor:PATH`` is a fork where it is, see ``oracle.forks``.

    Raises:
        CommandError: the text is empty, its quotes are unbalanced, or there is no such known mistake.
        OracleError: the oracle's environment can't be built, or there is no such harbor.
    """
    if text.strip() == "reference":
        return (sys.executable, "-m", "reference_impl")
    if text.strip() == "oracle":
        return oracle_command(spec, progress)
    if text.strip().startswith(_MISTAKE):
        return _mistaken(text.strip().removeprefix(_MISTAKE), spec)
    if is_attached(text):
        return _attached(text.strip().removeprefix(_HARBOR), spec, progress)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"--runner {text!r} can't be split into words: {error}") from None
    if not words:
        raise CommandError("--runner is empty: give the command that starts your runner")
    return tuple(words)


def of_release(version: str) -> str:
    """The text of ``--runner`` that ``--harbor`` stands for.

    Raises:
        OracleError: this is no version.
    """
    return _HARBOR + check_version(version.strip())


def is_attached(text: str) -> bool:
    """Whether the runner is a harbor that the kit attaches itself."""
    return text.strip().startswith(_HARBOR)


def fitting(text: str, known_failures: Path | None, progress: Callable[[str], None]) -> str:
    """The spec that a runner is held to where nobody names one.

    A list of known failures that names a spec decides; else an attached harbor is held to the one that fits
    its version.

    Raises:
        OracleError: there is no such harbor.
    """
    if not is_attached(text):
        return DEFAULT_SPEC
    listed = _listed_spec(known_failures) if known_failures is not None else None
    name = text.strip().removeprefix(_HARBOR)
    if listed is not None or not name:
        return listed or DEFAULT_SPEC
    if not _RELEASE.fullmatch(name):
        return fitting_spec(attach(Path(name), progress).version)
    return fitting_spec(newest_release() if name == NEWEST else name)


def _listed_spec(path: Path) -> str | None:
    """The first spec that a list names."""
    try:
        told = re.search(
            rf"(?<![\w.-])(?:{'|'.join(map(re.escape, SPECS))})(?![\w.-])",
            path.read_text(encoding="utf-8", errors="replace"),
        )
    except OSError:  # who reads the list says so
        return None
    return told[0] if told else None


def is_package(text: str) -> bool:
    """Whether the runner is the spec's own package as the kit starts it: its oracle, a release, a fork."""
    return is_attached(text) or text.strip() == "oracle"


def runner_words(text: str) -> list[str]:
    """The words of a command line that name the runner: the option, and its value."""
    name = text.strip().removeprefix(_HARBOR) if is_attached(text) else ""
    return ["--harbor", name] if _RELEASE.fullmatch(name) else ["--runner", text]


def _attached(name: str, spec: str, progress: Callable[[str], None]) -> tuple[str, ...]:
    refuse_attaching(spec)
    if not name:
        raise CommandError("--runner harbor: names nothing: give a release, such as harbor:0.22.0, or a path")
    if _RELEASE.fullmatch(name):
        return attached_command(spec, ensure_release(name, progress).python, progress)
    fork = attach(Path(name), progress)
    return attached_command(spec, fork.python, progress, **fork.variables)


def _mistaken(names: str, spec: str) -> tuple[str, ...]:
    from conformance.mistakes import MistakeError, find_mistakes

    try:
        mistakes = find_mistakes(names, spec)
    except MistakeError as error:
        raise CommandError(str(error)) from None
    named = "+".join(one.name for one in mistakes)
    further = (spec,) if SPEC_TABLE[spec].base is not None else ()
    return (sys.executable, "-m", "conformance.mistakes", named, *further)
