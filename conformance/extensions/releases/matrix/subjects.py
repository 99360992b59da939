"""The subjects of a matrix: published releases, forks, commands and recorded reports."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.errors import UserError
from conformance.wire.text import printable, shortened

__all__ = ["KINDS", "NAMED", "NEWEST", "RELEASE", "Subject", "SubjectError", "subjects_of"]

KINDS = ("release", "fork", "command", "report")
NEWEST = "newest"
"""The name for the newest release when the matrix is made."""

NAMED = re.compile(r"([A-Za-z0-9][\w.+-]*)=(.*)", re.ASCII | re.DOTALL)
RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:(?:a|b|rc|\.post|\.dev)[0-9]+)*", re.ASCII)
_OWN = ("reference", "oracle", "mistake:", "deviation:")
"""The kit's own runners, for which NAME= is optional."""
_LONGEST_NAME = 40


class SubjectError(UserError):
    """The subject is invalid; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One row of a matrix."""

    name: str
    """Its unique name in tables."""
    kind: str
    """One of ``KINDS``."""
    target: str
    """The release's version, the fork's folder, the command, or the report's file."""
    given: str
    """The user's argument."""


def subjects_of(words: Iterable[str]) -> list[Subject]:
    """Parse arguments into subjects.

    A version such as ``0.22.0`` or ``newest`` is a release, ``harbor:PATH`` a fork, ``report:FILE`` a
    recorded report, and ``NAME=CMD`` a runner's command. The others may also have ``NAME=`` in front.

    Raises:
        SubjectError: an argument is none of these, or two subjects have the same name.
    """
    subjects: dict[str, Subject] = {}
    for word in words:
        subject = _subject(word.strip())
        if subject.name in subjects:
            raise SubjectError(f"two subjects have the name {subject.name!r}: put NAME= before one of them")
        subjects[subject.name] = subject
    return list(subjects.values())


def _subject(word: str) -> Subject:
    named = NAMED.fullmatch(word)
    name, target = (named[1], named[2].strip()) if named else ("", word)
    if target.startswith("harbor:"):
        target = target.removeprefix("harbor:")
        kind = "release" if _is_release(target) else "fork"
    elif target.startswith("report:"):
        kind, target = "report", target.removeprefix("report:")
    elif _is_release(target):
        kind = "release"
    elif named or target.startswith(_OWN):
        kind = "command"
    else:
        raise SubjectError(
            f"{shortened(word, 100)!r} is not a subject: give a release such as 0.22.0 or {NEWEST}, "
            "harbor:PATH, report:FILE, or NAME=CMD"
        )
    if not target:
        raise SubjectError(f"the subject {shortened(word, 100)!r} has nothing after its prefix")
    return Subject(name or _short(kind, target), kind, target, word)


def _is_release(text: str) -> bool:
    return text == NEWEST or RELEASE.fullmatch(text) is not None


def _short(kind: str, target: str) -> str:
    """Return a default name for a subject."""
    text = Path(target).stem if kind == "report" else Path(target).name if kind == "fork" else target
    text = printable(text) or kind
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
