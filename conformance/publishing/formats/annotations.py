"""A page's notes as commands of a CI system: GitHub's annotations, Azure's issues."""

import os
import re
from collections.abc import Mapping, Sequence

from conformance.publishing.model import Note
from conformance.wire.text import encodable, harmless, printable

__all__ = ["MOST", "annotation_lines"]

MOST = 10
"""The most notes: GitHub shows ten errors and ten warnings of a step, and leaves out the rest in silence."""
_RANK = {"error": 0, "warning": 1}
_TITLE, _TEXT, _LINES = 160, 2000, 20
_PERCENT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_OF_A_PROPERTY = _PERCENT | {":": "%3A", ",": "%2C"}
_OF_AZURE = _PERCENT | {"%": "%AZP25"}
_OF_AZURES_PROPERTY = _OF_AZURE | {"]": "%5D", ";": "%3B"}


def annotation_lines(notes: Sequence[Note], environment: Mapping[str, str]) -> list[str]:
    """The lines for the system that the environment tells of; none where it shows no annotations."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return [_github(note, environment.get("GITHUB_WORKSPACE")) for note in _few(notes)]
    if environment.get("TF_BUILD", "").lower() == "true":
        return [_azure(note, environment.get("BUILD_SOURCESDIRECTORY")) for note in _few(notes)]
    return []


def _few(notes: Sequence[Note]) -> list[Note]:
    """As many notes as are shown, the errors first; the last says how many are not."""
    ordered = sorted(notes, key=lambda note: _RANK.get(note.severity, 2))
    if len(ordered) <= MOST:
        return ordered
    left = ordered[MOST - 1 :]
    said = f"{len(left)} more are in the report: " + "; ".join(note.title[:_TITLE] for note in left[:_LINES])
    return [*ordered[: MOST - 1], Note(left[0].severity, f"and {len(left)} more", said)]


def _github(note: Note, root: str | None) -> str:
    kind = note.severity if note.severity in _RANK else "notice"
    given = {"file": _file(note, root), "line": _line(note), "title": _title(note)}
    told = ",".join(f"{name}={_percent(value, _OF_A_PROPERTY)}" for name, value in given.items() if value)
    return f"::{kind}{' ' if told else ''}{told}::{_percent(_text(note), _PERCENT)}"


def _azure(note: Note, root: str | None) -> str:
    kind = "error" if note.severity == "error" else "warning"
    given = {"type": kind, "sourcepath": _file(note, root), "linenumber": _line(note)}
    told = "".join(
        f"{name}={_percent(value, _OF_AZURES_PROPERTY)};" for name, value in given.items() if value
    )
    title = _title(note)
    text = f"{title}: {_text(note)}" if title else _text(note)
    return f"##vso[task.logissue {told}]{_percent(text, _OF_AZURE)}"


def _percent(text: str, table: Mapping[str, str]) -> str:
    return encodable(re.sub("|".join(map(re.escape, table)), lambda found: table[found[0]], text))


def _title(note: Note) -> str:
    return harmless(printable(note.title[:_TITLE]))


def _line(note: Note) -> str:
    return str(note.line) if note.line is not None and note.line > 0 else ""


def _text(note: Note) -> str:
    """The note's lines, with nothing in them that a terminal or a CI system would act on; never empty."""
    lines = [printable(line) for line in note.text[:_TEXT].splitlines()[:_LINES]]
    return harmless("\n".join(lines).strip()) or _title(note) or "(no text)"


def _file(note: Note, root: str | None) -> str:
    """The note's file as seen from the root of the repository, where it lies in that."""
    if note.file is None:
        return ""
    path = os.path.normpath(note.file)
    if root and os.path.isabs(root) and path.startswith(os.path.normpath(root) + os.sep):
        path = os.path.relpath(path, root)
    return harmless(printable(path[:1000]))
