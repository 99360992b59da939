"""Mistakes that were removed from the catalogue: what each did, and a vector that catches it.

``removed.json`` has mistakes that a generated deviation expresses as well, or that explained no real runner.
``misreadings`` has a file for each review of the documents: the misreadings that the vectors of that time
missed, and how each was resolved. Before an entry was removed, the reference with that mistake failed the
vector ``caught_by``.
"""

import functools
import json
from pathlib import Path
from typing import Any

__all__ = ["MISREADINGS", "TABLE", "removed_mistakes"]

TABLE, MISREADINGS = map(Path(__file__).with_name, ("removed.json", "misreadings"))


@functools.cache
def removed_mistakes() -> dict[str, dict[str, Any]]:
    """Every removed mistake by name: its op, its sentence, and the id of a vector that catches it."""
    rows = list(json.loads(TABLE.read_text(encoding="utf-8"))["removed"])
    for path in sorted(MISREADINGS.glob("*.json")):
        rows += json.loads(path.read_text(encoding="utf-8"))["misreadings"]
    return {row["name"]: row for row in rows if "caught_by" in row}
