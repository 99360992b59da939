"""What a JSON file holds and would take in memory, found out before it is parsed.

Strings are cut out of the text piece by piece; brackets and commas of what is left are counted. For
text that is no JSON the numbers are those of what a parser would read before it gives up, or more.
"""

from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Weight", "is_light", "weigh"]

_PIECE = 2**20
_FEW = 200
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [0] * 256
for _open in b"[{":
    _STEPS[_open] = 1
for _close in b"]}":
    _STEPS[_close] = -1
_CONTINUING = bytes(range(0x80, 0xC0))
_BELOW_4 = bytes(range(0xF0))
"""Bytes of characters that fill two bytes at most."""


@dataclass(slots=True)
class Weight:
    """Counts of a JSON text."""

    length: int
    """In bytes."""
    width: int = 1
    """Bytes that a character takes in a `str` of the whole."""
    characters: int = 0
    strings: int = 0
    """With the keys."""
    members: int = 0
    objects: int = 0
    arrays: int = 0
    commas: int = 0
    empty: int = 0
    """Empty arrays and objects."""
    depth: int = 0
    whole: bool = True
    """False where counting stopped early, because it was enough."""

    @property
    def others(self) -> int:
        """Numbers, booleans and nulls."""
        return max(self.commas + 1 - self.empty - (self.strings - self.members), 0)

    @property
    def values(self) -> int:
        """All values and keys."""
        return self.strings + self.objects + self.arrays + self.others

    @property
    def decoded(self) -> int:
        """Bytes that Python's own values take, msgspec's transient copies of the text with them."""
        own = 66 * self.strings + 240 * self.objects + 80 * self.arrays + 36 * self.others
        return 3 * self.length + own

    @property
    def parsed(self) -> int:
        """Bytes that `json_files.parse` takes: each number keeps its spelling, each object its repeats."""
        text = 2 * self.length + self.width * self.characters
        kept = 66 * self.strings + 96 * self.objects + 80 * self.members + 80 * self.arrays
        return text + kept + 140 * self.others


def weigh(content: bytes, enough: int) -> Weight:
    """The weight of a file's content; once it takes `enough` bytes of memory the rest is not looked at."""
    found = Weight(len(content), characters=len(content))
    if not content.isascii():
        found.width = 4 if content.translate(None, _BELOW_4) else 2
        found.characters = len(content.translate(None, _CONTINUING))
    depth, inside, quotes, rest = 0, False, 0, b""
    for at in range(0, len(content), _PIECE):
        piece = rest + content[at : at + _PIECE]
        slashes = len(piece) - len(piece.rstrip(b"\\"))
        rest = piece[len(piece) - slashes % 2 :]  # what it escapes is in the next piece
        piece = piece[: len(piece) - slashes % 2]
        if slashes or b"\\" in piece:
            piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = piece.split(b'"')
        outside = b" ".join(parts[inside::2])  # apart, as what stood between them was
        quotes += len(parts) - 1
        inside ^= len(parts) % 2 == 0
        found.members += outside.count(b":")
        found.objects += outside.count(b"{")
        found.arrays += outside.count(b"[")
        found.commas += outside.count(b",")
        found.empty += outside.count(b"{}") + outside.count(b"[]")
        brackets = outside.translate(None, _NO_BRACKETS)
        if brackets:
            *steps, depth = accumulate(map(_STEPS.__getitem__, brackets), initial=depth)
            found.depth = max(found.depth, depth, max(steps))
        found.strings = (quotes + 1) // 2
        if found.decoded > enough:
            found.whole = at + _PIECE >= len(content)
            break
    return found


def is_light(content: bytes) -> bool:
    """Whether a file is so small, and its brackets so few, that it need not be weighed."""
    return len(content) <= _PIECE and content.count(b"{") + content.count(b"[") <= _FEW
