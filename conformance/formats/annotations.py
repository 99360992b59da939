"""Renders failures as annotations on a change: GitHub's workflow commands, or Azure's issues."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from conformance.outcomes.words import counted
from conformance.pages.model import Page, Tone
from conformance.wire.text import encodable, harmless, printable

__all__ = ["MOST", "annotation_lines"]

MOST = 10
"""The most notes, since GitHub silently drops all but ten errors of a step."""
_TITLE, _TEXT = 160, 2_000
_PLACES = 3
"""The most items of a cause that get notes at their lines; if there are more, they share one note."""
_PERCENT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_OF_A_PROPERTY = _PERCENT | {":": "%3A", ",": "%2C"}
_OF_AZURE = _PERCENT | {"%": "%AZP25"}
_OF_AZURES_PROPERTY = _OF_AZURE | {"]": "%5D", ";": "%3B"}


class _Note(NamedTuple):
    title: str
    text: str
    place: tuple[str, int] | None = None

    def parts(self, root: str | None) -> tuple[str, str, str, str]:
        """Return title, text, file and line, safe for terminals and CI systems; the texts are never empty.

        The file is relative to the repository's root, if it is inside.
        """
        lines = [printable(line) for line in self.text[:_TEXT].splitlines()]
        title = harmless(printable(self.title[:_TITLE])) or "(no title)"
        text = harmless("\n".join(lines).strip()) or "(no text)"
        if self.place is None:
            return title, text, "", ""
        path = os.path.normpath(self.place[0])
        if root and os.path.isabs(root) and path.startswith(os.path.normpath(root) + os.sep):
            path = os.path.relpath(path, root)
        return title, text, harmless(printable(path[:1000])), str(self.place[1])


def annotation_lines(page: Page, environment: Mapping[str, str]) -> list[str]:
    """Return the lines for the CI system that the environment shows; none for other systems."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return [_github(*note.parts(environment.get("GITHUB_WORKSPACE"))) for note in _few(page)]
    if environment.get("TF_BUILD", "").lower() == "true":
        return [_azure(*note.parts(environment.get("BUILD_SOURCESDIRECTORY"))) for note in _few(page)]
    return []


def _few(page: Page) -> list[_Note]:
    notes = list(_notes(page))
    if len(notes) <= MOST:
        return notes
    left = notes[MOST - 1 :]
    titles = "; ".join(note.title[:_TITLE] for note in left[:MOST])
    return [*notes[: MOST - 1], _Note(f"and {len(left):,} more", f"see the report for all of them: {titles}")]


def _notes(page: Page) -> Iterator[_Note]:
    """Yield a note for each problem of a failing report, and one for each cause."""
    if page.exit_code:
        yield from (_Note(f"{page.title}: {page.verdict.text}", problem) for problem in page.problems)
    for cause, items in page.groups(Tone.BAD):
        first = items[0]
        if first.place is not None and len(items) <= _PLACES:
            yield from (
                _Note(item.cause, f"{item.key}: {item.detail or item.outcome}", item.place) for item in items
            )
            continue
        text = [cause]
        text += [f"fix: {page.causes[cause]}"] if cause in page.causes else []
        text += [f"example: {first.key}: {first.detail or first.outcome}"]
        text += [f"repeat: {first.repeat}"] if first.repeat else []
        yield _Note(f"{page.title}: {counted(len(items), page.wrong)}", "\n".join(text), first.place)


def _github(title: str, text: str, file: str, line: str) -> str:
    fields = {"file": file, "line": line, "title": title}
    properties = ",".join(
        f"{name}={_percent(value, _OF_A_PROPERTY)}" for name, value in fields.items() if value
    )
    return f"::error {properties}::{_percent(text, _PERCENT)}"


def _azure(title: str, text: str, file: str, line: str) -> str:
    fields = {"type": "error", "sourcepath": file, "linenumber": line}
    properties = "".join(
        f"{name}={_percent(value, _OF_AZURES_PROPERTY)};" for name, value in fields.items() if value
    )
    return f"##vso[task.logissue {properties}]{_percent(f'{title}: {text}', _OF_AZURE)}"


def _percent(text: str, table: Mapping[str, str]) -> str:
    return encodable(re.sub("|".join(map(re.escape, table)), lambda match: table[match[0]], text))
