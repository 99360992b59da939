"""The misreadings of the documents: what readers understood who were to implement them.

Each reader's file is kept as it was closed: which misreadings the vectors of that day let pass, and what
became of these. Most were known mistakes once. Those were removed, as diagnoses are as good without them:
``caught_by`` names a vector that the reference with this mistake was seen to fail.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "caught_misreading"]

FOLDER = Path(__file__).parent


def caught_misreading(name: str) -> dict[str, Any] | None:
    """The misreading of that name, if a known mistake that was removed made it."""
    return next((one for one in _all() if one["name"] == name and "caught_by" in one), None)


def _all() -> Iterator[dict[str, Any]]:
    for path in sorted(FOLDER.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["misreadings"]
