"""Layouts of a file of JSON, or of a line's object, that other programs write."""

import functools
import json
from collections.abc import Callable
from typing import Any

from conformance.deviations.lens import content_of, json_in, line_in, text_of

__all__ = ["LAYOUTS", "relaid"]

Layout = Callable[[Any], str]
_COMPACT = (",", ":")


def _dumped(**options: Any) -> Layout:
    return functools.partial(json.dumps, **{"ensure_ascii": False, **options})


LAYOUTS: tuple[tuple[str, int, str, Layout], ...] = (
    ("compact", 3, "JSON is written without blanks", _dumped(separators=_COMPACT)),
    ("compact-ascii", 1, "JSON is written without blanks, in ASCII", _dumped(separators=_COMPACT, ensure_ascii=True)),
    ("compact-sorted", 2, "JSON is written without blanks, sorted", _dumped(separators=_COMPACT, sort_keys=True)),
    ("line", 3, "JSON is written in one line", _dumped()),
    ("line-ascii", 3, "JSON is written in one line, in ASCII", _dumped(ensure_ascii=True)),
    ("line-sorted", 2, "JSON is written in one line, sorted", _dumped(sort_keys=True)),
    ("line-sorted-ascii", 2, "JSON is written in one line of ASCII, sorted", _dumped(sort_keys=True, ensure_ascii=True)),
    ("indent-2", 3, "JSON is indented by 2", _dumped(indent=2)),
    ("indent-2-sorted", 2, "JSON is indented by 2 and sorted", _dumped(indent=2, sort_keys=True)),
    ("indent-4", 3, "JSON is indented by 4", _dumped(indent=4)),
    ("indent-4-ascii", 3, "JSON is indented by 4, in ASCII", _dumped(indent=4, ensure_ascii=True)),
    ("indent-4-sorted", 2, "JSON is indented by 4 and sorted", _dumped(indent=4, sort_keys=True)),
    ("tabs", 1, "JSON is indented by tabs", _dumped(indent="\t")),
    ("newline", 3, "a line end follows the JSON", lambda tree: json.dumps(tree, indent=4, ensure_ascii=False) + "\n"),
)  # fmt: skip


def relaid(value: Any, layout: Layout) -> Any:
    """A file of JSON or of JSON lines, or a line, in another layout; the same object where that is none."""
    text = text_of(value)
    if text is None:
        return value
    if isinstance(value, str) and (found := line_in(text)) is not None:
        tree = json_in(found[2])
        new = text[: found.start(2)] + layout(tree[0]) + text[found.end(2) :] if tree else text
    else:
        trees = [json_in(text)] if json_in(text) else [json_in(line) for line in text.splitlines()]
        new = "\n".join(layout(tree[0]) for tree in trees) if trees and all(trees) else text
        new += "\n" * (len(trees) > 1)
    return value if new == text else content_of(new) if isinstance(value, dict) else new
