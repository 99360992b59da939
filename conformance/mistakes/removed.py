"""The known mistakes that were removed: what each did, and a vector that catches a runner that makes it.

``removed.json`` has those that a change of one place says as well, or that no real runner needed to be
explained; ``misreadings`` has those that readers of the documents made. Before an entry was removed, the
reference was seen to fail the vector ``caught_by`` with that mistake.
"""

import functools
import json
from pathlib import Path
from typing import Any

from conformance.mistakes import misreadings

__all__ = ["TABLE", "removed_mistakes"]

TABLE = Path(__file__).with_name("removed.json")


@functools.cache
def removed_mistakes() -> dict[str, dict[str, Any]]:
    """Every removed mistake by name: its op, what it says, and the id of a vector that catches it."""
    rows = list(json.loads(TABLE.read_text(encoding="utf-8"))["removed"])
    for path in sorted(misreadings.FOLDER.glob("*.json")):
        rows += json.loads(path.read_text(encoding="utf-8"))["misreadings"]
    return {row["name"]: row for row in rows if "caught_by" in row}
