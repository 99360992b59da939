"""The levels of comparison, in their own module because the comparison is slow to load."""

from enum import IntEnum

__all__ = ["Level"]


class Level(IntEnum):
    """How strictly answers are compared; each level includes those before it."""

    NONE = 0
    VALUE = 1
    EXACT = 2
    BYTES = 3

    def __str__(self) -> str:
        return self.name.lower()
