"""How much of each text a page shows, so that the whole page stays small enough to be opened by anyone."""

from dataclasses import dataclass

__all__ = ["LADDER", "MOST_BYTES", "Budget"]

MOST_BYTES = 1_900_000
"""What a page may take, in bytes."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What of a page is shown."""

    text: int
    """Characters of a long text: an input, an answer."""
    inline: int
    """Characters of a piece in a line."""
    whole: int = 1 << 40
    """How many failures have their texts and fields; those after them a line."""
    rows: int = 1 << 40
    """How many rows a table, a list or a picture has."""
    notes: int = 1500
    """How many trials of a picture say more when they are pointed at."""


LADDER = (
    Budget(20_000, 4_000),
    Budget(8_000, 2_000),
    Budget(3_000, 1_000),
    Budget(1_200, 600, notes=500),
    Budget(600, 400, notes=200),
    Budget(300, 300, notes=0),
    Budget(150, 200, notes=0),
    Budget(150, 200, 2_000, notes=0),
    Budget(150, 200, 1_000, notes=0),
    Budget(150, 200, 400, notes=0),
    Budget(150, 160, 100, notes=0),
    Budget(150, 160, 50, 3_000, 0),
    Budget(150, 120, 50, 1_500, 0),
    Budget(150, 100, 30, 700, 0),
    Budget(100, 80, 20, 200, 0),
    Budget(80, 60, 10, 50, 0),
    Budget(40, 40, 5, 10, 0),
)
"""From the most to the least that a page may show; the first one is taken with which it is small enough."""
