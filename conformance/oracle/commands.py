"""Turns the value of ``--runner`` into a command."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from conformance.confinement.runners import confined_command
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.run.commands import HARBOR, RELEASE, CommandError, is_attached
from conformance.run.options import RunOptions
from conformance.runner.settings import Settings
from conformance.wire.text import shortened

__all__ = ["fitting", "of_release", "resolve_command", "settings_of"]

_MISTAKE, _DEVIATION = "mistake:", "deviation:"


def resolve_command(
    text: str,
    progress: Callable[[str], None] = lambda _: None,
    spec: str = DEFAULT_SPEC,
    confine: bool = False,
) -> tuple[str, ...]:
    """The words of a runner's command; with ``confine`` they start it in a sandbox.

    Raises:
        UserError: as for `_words`, or it can't be confined.
    """
    words = _words(text, progress, spec)
    return confined_command(words) if confine else words


def _words(text: str, progress: Callable[[str], None], spec: str) -> tuple[str, ...]:
    """The words of a runner command, split as a shell would, but run without a shell.

    ``reference`` and ``oracle`` name the kit's own: the reference implementation in this interpreter,
    and the oracle of ``spec`` in its pinned environment (built on first use, reported to ``progress``).
    ``mistake:<name>`` is the reference with a known mistake, ``mistake:<name>+<name>`` with several;
    ``deviation:<id>`` is the reference with a change to one value (``conformance.deviations``).

    ``harbor:0.22.0`` is that published release of harbor, ``harbor:newest`` the newest one, built in the
    cache on first use; ``harbor:PATH`` is a fork at that path, see ``oracle.forks``.

    Raises:
        CommandError: the text is empty, or its quotes are unbalanced.
        MistakeError: there is no such known mistake or deviation.
        OracleError: the oracle's environment can't be built, or there is no such harbor.
    """
    if text.strip() == "reference":
        return (sys.executable, "-m", "reference_impl")
    if text.strip() == "oracle":
        from conformance.oracle.of_specs import oracle_command  # slow to load, as all of the oracle is

        return oracle_command(spec, progress)
    if text.strip().startswith((_MISTAKE, _DEVIATION)):
        return _changed_reference(text.strip(), spec)
    if is_attached(text):
        return _attached(text.strip().removeprefix(HARBOR), spec, progress)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"--runner {text!r} can't be split into words: {error}") from None
    if not words:
        raise CommandError("--runner is empty: give the command that starts your runner")
    return tuple(words)


def settings_of(options: RunOptions, progress: Callable[[str], None] = lambda _: None) -> Settings:
    """The settings for starting a run's runner; slow steps are reported to ``progress``.

    Raises:
        CommandError, OracleError: as for ``resolve_command``.
    """
    command = resolve_command(options.command, progress, options.spec, options.confine)
    return Settings(command, options.spec, options.timeout, options.pipeline)


def fitting(text: str, known_failures: Path | None, progress: Callable[[str], None]) -> str:
    """The spec to check a runner against if the user names none.

    A list of known failures that names a spec decides; otherwise an attached harbor gets the spec that fits
    its version.

    Raises:
        OracleError: there is no such harbor.
    """
    if not is_attached(text):
        return DEFAULT_SPEC
    from conformance.oracle.forks import attach
    from conformance.oracle.of_specs import fitting_spec
    from conformance.oracle.releases import NEWEST, newest_release

    listed = _listed_spec(known_failures) if known_failures is not None else None
    name = text.strip().removeprefix(HARBOR)
    if listed is not None or not name:
        return listed or DEFAULT_SPEC
    if not RELEASE.fullmatch(name):
        return fitting_spec(attach(Path(name), progress).version)
    return fitting_spec(newest_release() if name == NEWEST else name)


def _listed_spec(path: Path) -> str | None:
    """The first spec that a list names."""
    try:
        match = re.search(
            rf"(?<![\w.-])(?:{'|'.join(map(re.escape, SPECS))})(?![\w.-])",
            path.read_text(encoding="utf-8", errors="replace"),
        )
    except OSError:  # the list's reader reports it
        return None
    return match[0] if match else None


def of_release(version: str) -> str:
    """The value of ``--runner`` that ``--harbor`` stands for.

    Raises:
        OracleError: this is not a version.
    """
    from conformance.oracle.releases import check_version

    return HARBOR + check_version(version.strip())


def _attached(name: str, spec: str, progress: Callable[[str], None]) -> tuple[str, ...]:
    from conformance.oracle.building import cache_dir
    from conformance.oracle.forks import FORK_PREFIX, attach
    from conformance.oracle.of_specs import attached_command, refuse_attaching
    from conformance.oracle.releases import ensure_release

    refuse_attaching(spec)
    if not name:
        raise CommandError("--runner harbor: names no release or path: give one, such as harbor:0.22.0")
    if RELEASE.fullmatch(name):
        return attached_command(spec, ensure_release(name, progress).python, progress)
    fork = attach(Path(name), progress)
    kept = {"HARBOR_CONFORMANCE_BYTECODE": str(cache_dir() / f"{FORK_PREFIX}bytecode")}
    return attached_command(spec, fork.python, progress, **fork.variables, **kept)


def _changed_reference(text: str, spec: str) -> tuple[str, ...]:
    """The reference with known mistakes, or with deviations and mistakes."""
    from conformance.mistakes import MistakeError, find_mistakes

    kind, _, names = text.partition(":")
    if f"{kind}:" == _MISTAKE:
        names = "+".join(mistake.name for mistake in find_mistakes(names, spec))
        further = (spec,) if SPEC_TABLE[spec].base is not None else ()
        return (sys.executable, "-m", "conformance.mistakes", names, *further)
    from conformance.deviations.__main__ import find_deviations

    try:
        find_deviations(names, spec)
    except MistakeError:
        if ":" in names:
            raise
        lists = "'harbor-conformance kit mutants --places --json' lists them"
        raise CommandError(f"there is no deviation {shortened(names, 120)!r} of {spec}: {lists}") from None
    return (sys.executable, "-m", "conformance.deviations", names, spec)
