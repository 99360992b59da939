"""Escapes untrusted text for XML, for JUnit and SVG."""

import html
import re

from conformance.wire.text import printable

__all__ = ["xml_text"]

_COMMANDS = {"##": "#&#35;", "::": ":&#58;"}
_PAIRS = re.compile("##|::")


def xml_text(text: str) -> str:
    r"""Return the text escaped for an element or an attribute, with its lines kept.

    Characters that XML lacks, or that are invisible, are escaped like ``\x00``. If a CI system shows the file
    in its log, it finds no command: commands begin with ``##`` or ``::``, and one of these two characters is
    written as a reference.
    """
    lines = (printable(line) for line in text.splitlines())
    printed = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    safe = html.escape(printed).replace("\n", "&#10;")
    return _PAIRS.sub(lambda match: _COMMANDS[match[0]], safe)
