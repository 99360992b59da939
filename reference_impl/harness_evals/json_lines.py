"""The JSON file of scores: a record per case, and a summary at the end.

One object per line, in ASCII, with a space after each comma and colon; floats are spelled as Python spells
them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .score import Score
from .summary import summarise

__all__ = ["Record", "as_text", "json_lines"]


@dataclass(frozen=True, slots=True)
class Record:
    """An evaluated case, and its scores."""

    input: Any
    tags: dict[str, str] | None
    metadata: Any
    scores: Sequence[Score]

    def as_dict(self) -> dict[str, Any]:
        """Input and scores; then the tags if there are any, and the case's id if its metadata have one.

        The id is `golden_id`, or `id` if that is missing or empty.
        """
        members: dict[str, Any] = {
            "input": self.input,
            "scores": [score.as_dict() for score in self.scores],
        }
        if self.tags:
            members["tags"] = self.tags
        if isinstance(self.metadata, dict):
            identity = self.metadata.get("golden_id") or self.metadata.get("id")
            if identity:
                members["id"] = identity
        return members


def json_lines(records: Sequence[Record], *, with_summary: bool) -> str | None:
    """The file's text; None if there is no record, and therefore no file.

    Raises:
        AttributeError, TypeError: as `summarise` and `Summary.rounded`.
    """
    if not records:
        return None
    lines = [record.as_dict() for record in records]
    if with_summary:
        lines.append(summarise([record.scores for record in records]).rounded())
    return "".join(f"{as_text(line)}\n" for line in lines)


def as_text(value: Any) -> str:
    """A value as one line of JSON, without its line feed."""
    return json.dumps(value)
