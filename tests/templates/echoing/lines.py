"""Texts that a reader of JSON takes, refuses, or may do either with: as RFC 8259 and PROTOCOL.md have it.

``lines.json`` has them, a character for a byte. The names of categories are those that people know of
JSONTestSuite (y, n, i); the lists are our own.
"""

import json
from pathlib import Path

LINES: dict[str, list[bytes]] = {
    name: [text.encode("latin-1") for text in texts]
    for name, texts in json.loads(Path(__file__).with_name("lines.json").read_text("utf-8")).items()
}
REFUSED_LINES = LINES.pop("refused lines")
"""Lines that are no message at all: the answer has no id."""
REFUSED_REQUESTS = LINES.pop("refused requests")
"""Members behind a good id that make no message: the answer has that id."""
TAKEN_VALUES = LINES.pop("taken values")
"""Values that every reader of JSON takes, and a line can hold."""
REFUSED_VALUES = {name.removeprefix("refused "): texts for name, texts in LINES.items()}
"""Values that make their line no JSON: the answer has no id."""
