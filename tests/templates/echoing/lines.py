"""Texts that a reader of JSON takes, refuses, or may do either with: as RFC 8259 and PROTOCOL.md have it.

``lines.json`` has them, a character for a byte; ``values.json`` has what the other checks ask. The names of
categories are those that people know of JSONTestSuite (y, n, i); the lists are our own.
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VALUES: dict[str, Any] = json.loads((HERE / "values.json").read_text("utf-8"))
LINES: dict[str, list[bytes]] = {
    name: [text.encode("latin-1") for text in texts]
    for name, texts in json.loads((HERE / "lines.json").read_text("utf-8")).items()
}
REFUSED_LINES = LINES.pop("refused lines")
"""Lines that are no message at all: the answer has no id."""
REFUSED_REQUESTS = LINES.pop("refused requests")
"""Members behind a good id that make no message: the answer has that id."""
TAKEN_VALUES = LINES.pop("taken values")
"""Values that every reader of JSON takes, and a line can hold."""
REFUSED_VALUES = {name.removeprefix("refused "): texts for name, texts in LINES.items()}
"""Values that make their line no JSON: the answer has no id."""
