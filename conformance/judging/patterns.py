"""Patterns of ids: those of a long list that match one, found without trying each."""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

__all__ = ["Patterns"]


class _HasPattern(Protocol):
    @property
    def pattern(self) -> str:
        """As fnmatch takes it."""


_Entry = TypeVar("_Entry", bound=_HasPattern)

_GRAM = 3
_BRACKETS = re.compile(r"\[!?\]?[^\]]*\]")
"""A choice of characters, which is no literal text."""
_LITERAL = re.compile(r"[^*?\[\]]+")


def _grams(text: str) -> list[str]:
    """All pieces of three characters."""
    return [text[place : place + _GRAM] for place in range(len(text) - _GRAM + 1)]


class Patterns(Generic[_Entry]):
    """Finds the patterns that match an id among tens of thousands, without trying each on it.

    Every pattern is filed under a piece of its literal text, the one that fewest others have: only an id that
    has the piece can match.
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
        """Those that match, in the list's order."""
        filed = {place for piece in {"", *_grams(vector_id)} for place in self._filed.get(piece, ())}
        return (self._every[place] for place in sorted(filed) if self._matches(place, vector_id))

    def _matches(self, place: int, vector_id: str) -> bool:
        compiled = self._compiled.get(place)
        if compiled is None:
            compiled = self._compiled[place] = re.compile(fnmatch.translate(self._every[place].pattern))
        return compiled.match(vector_id) is not None
