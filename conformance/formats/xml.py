"""Text of anybody's making within XML: JUnit's and SVG's."""

import html
import re

from conformance.wire.text import printable

__all__ = ["xml_text"]

_COMMANDS = {"##": "#&#35;", "::": ":&#58;"}
_PAIRS = re.compile("##|::")


def xml_text(text: str) -> str:
    r"""The text as it may appear in an element or an attribute, its lines kept.

    What XML lacks, and what no reader would see, is escaped as ``\x00`` is. No CI system that shows the
    file in its log finds a command in it: those begin with ``##`` or ``::``, of which a reference takes one.
    """
    lines = (printable(line) for line in text.splitlines())
    shown = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    safe = html.escape(shown).replace("\n", "&#10;")
    return _PAIRS.sub(lambda found: _COMMANDS[found[0]], safe)
