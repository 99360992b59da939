"""Layouts of a file of JSON, or of a line's object, that other programs write."""

import functools
import json
from collections.abc import Callable
from typing import Any

from conformance.deviations.lens import Change, Row, content_of, json_in, line_in, text_of

__all__ = ["LAYOUTS"]

_COMPACT = (",", ":")


def _relaid(value: Any, layout: Callable[[Any], str]) -> Any:
    """A file of JSON or of JSON lines, or a line, in another layout; the same object where there is no layout."""
    text = text_of(value)
    if text is None:
        return value
    if isinstance(value, str) and (found := line_in(text)) is not None:
        tree = json_in(found[2])
        new = text[: found.start(2)] + layout(tree[0]) + text[found.end(2) :] if tree else text
    else:
        trees = [json_in(text)] if json_in(text) else [json_in(line) for line in text.splitlines()]
        laid_out = all(trees) and any(isinstance(tree[0], dict | list) for tree in trees if tree)
        new = "\n".join(layout(tree[0]) for tree in trees if tree) if laid_out else text
        new += "\n" * (len(trees) > 1)
    return value if new == text else content_of(new) if isinstance(value, dict) else new


def _dumped(end: str = "", **options: Any) -> Change:
    dump: Callable[[Any], str] = functools.partial(json.dumps, **{"ensure_ascii": False, **options})
    return functools.partial(_relaid, layout=lambda tree: dump(tree) + end)


LAYOUTS: tuple[Row, ...] = (
    ("layout-compact", 3, "JSON is written without spaces", _dumped(separators=_COMPACT)),
    ("layout-compact-ascii", 1, "JSON is written without spaces, in ASCII", _dumped(separators=_COMPACT, ensure_ascii=True)),
    ("layout-compact-sorted", 2, "JSON is written without spaces, sorted", _dumped(separators=_COMPACT, sort_keys=True)),
    ("layout-line", 3, "JSON is written on one line", _dumped()),
    ("layout-line-ascii", 3, "JSON is written on one line, in ASCII", _dumped(ensure_ascii=True)),
    ("layout-line-sorted", 2, "JSON is written on one line, sorted", _dumped(sort_keys=True)),
    ("layout-line-sorted-ascii", 2, "JSON is written on one line, in ASCII, sorted", _dumped(sort_keys=True, ensure_ascii=True)),
    ("layout-indent-2", 3, "JSON is indented by 2", _dumped(indent=2)),
    ("layout-indent-2-sorted", 2, "JSON is indented by 2 and sorted", _dumped(indent=2, sort_keys=True)),
    ("layout-indent-4", 3, "JSON is indented by 4", _dumped(indent=4)),
    ("layout-indent-4-ascii", 3, "JSON is indented by 4, in ASCII", _dumped(indent=4, ensure_ascii=True)),
    ("layout-indent-4-sorted", 2, "JSON is indented by 4 and sorted", _dumped(indent=4, sort_keys=True)),
    ("layout-newline", 3, "the JSON ends with a newline", _dumped(end="\n", indent=4)),
)  # fmt: skip
