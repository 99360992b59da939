"""Finds the patterns of a long list that match an id, without trying each."""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

__all__ = ["Patterns"]


class _HasPattern(Protocol):
    @property
    def pattern(self) -> str:
        """The pattern, as for fnmatch."""


_Entry = TypeVar("_Entry", bound=_HasPattern)

_GRAM = 3
_BRACKETS = re.compile(r"\[!?\]?[^\]]*\]")
"""A character class, which is not literal text."""
_LITERAL = re.compile(r"[^*?\[\]]+")


def _grams(text: str) -> list[str]:
    """All substrings of three characters."""
    return [text[place : place + _GRAM] for place in range(len(text) - _GRAM + 1)]


class Patterns(Generic[_Entry]):
    """Finds the patterns that match an id among tens of thousands, without trying each on it.

    Every pattern is indexed under the rarest piece of its literal text: only an id that contains the piece
    can match.
    """

    def __init__(self, entries: Iterable[_Entry]) -> None:
        self._every = tuple(entries)
        pieces = [self._pieces(entry.pattern) for entry in self._every]
        common = Counter(piece for several in pieces for piece in several)
        self._filed: dict[str, list[int]] = {}
        for place, several in enumerate(pieces):
            piece = min(several, key=lambda one: (common[one], one), default="")
            self._filed.setdefault(piece, []).append(place)
        self._compiled: dict[int, re.Pattern[str]] = {}

    @staticmethod
    def _pieces(pattern: str) -> set[str]:
        literals = _LITERAL.findall(_BRACKETS.sub("*", pattern))
        return {piece for literal in literals for piece in _grams(literal)}

    def matching(self, vector_id: str) -> Iterator[_Entry]:
        """The matching patterns, in the list's order."""
        filed = {place for piece in {"", *_grams(vector_id)} for place in self._filed.get(piece, ())}
        return (self._every[place] for place in sorted(filed) if self._matches(place, vector_id))

    def _matches(self, place: int, vector_id: str) -> bool:
        compiled = self._compiled.get(place)
        if compiled is None:
            compiled = self._compiled[place] = re.compile(fnmatch.translate(self._every[place].pattern))
        return compiled.match(vector_id) is not None
