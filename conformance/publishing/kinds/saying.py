"""Words and bounds that the pages of several kinds share."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from conformance.publishing.blocks import Inline, Line, Link
from conformance.wire.text import encodable, shortened

__all__ = ["SIGNALS", "brief", "enumerated", "joined", "links", "of", "several", "value_text"]

SIGNALS = {129: "SIGHUP", 130: "SIGINT", 143: "SIGTERM"}
"""Exit codes of a command that a signal ended: there is no verdict."""
_LONGEST = 300
_SHORT = 100


def several(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def of(part: int, whole: int) -> str:
    """A part with its denominator."""
    return f"{part:,} of {whole:,}"


def brief(text: str, most: int = _LONGEST) -> str:
    """A text of anybody's making on one line, cut where it is long; every format escapes it."""
    return shortened(" ".join(text.split()), most)


def enumerated(names: Sequence[str], most: int) -> str:
    """The first of some names; how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def joined(lines: Iterable[Line], between: str = ", ") -> Line:
    """Lines as one."""
    found: list[Inline] = []
    for line in lines:
        found += [between, *line] if found else line
    return tuple(found)


def links(named: Sequence[tuple[str, str]], most: int) -> Line:
    """Links, each a text and an anchor: the first ones, and how many more there are."""
    shown = joined((Link(text, where),) for text, where in named[:most])
    return (*shown, f" and {len(named) - most:,} more") if len(named) > most else shown


def value_text(value: Any) -> str:
    """A value as JSON: on one line where it is short."""
    text = json.dumps(value, ensure_ascii=False)
    return encodable(text if len(text) <= _SHORT else json.dumps(value, ensure_ascii=False, indent=2))
