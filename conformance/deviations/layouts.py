"""The layouts in which other programs write a JSON file, or the object of a line."""

import functools
import json
from collections.abc import Callable
from typing import Any

from conformance.deviations.lens import Change, Row, content_of, json_in, line_in, text_of

__all__ = ["LAYOUTS"]

_COMPACT = (",", ":")


def _change_layout(value: Any, layout: Callable[[Any], str]) -> Any:
    """A JSON or JSON lines file, or a line, in another layout; the same object if it has that layout.

    A lone scalar, such as the number in ``reward.txt``, has no layout.
    """
    text = text_of(value)
    if text is None:
        return value
    if isinstance(value, str) and (match := line_in(text)) is not None:
        tree = json_in(match[2])
        new = text[: match.start(2)] + layout(tree[0]) + text[match.end(2) :] if tree else text
    else:
        trees = [json_in(text)] if json_in(text) else [json_in(line) for line in text.splitlines()]
        laid_out = any(tree and isinstance(tree[0], (dict, list)) for tree in trees)
        new = "\n".join(layout(tree[0]) for tree in trees) if laid_out and all(trees) else text
        new += "\n" * (len(trees) > 1)
    return value if new == text else content_of(new) if isinstance(value, dict) else new


def _layout_change(end: str = "", **options: Any) -> Change:
    dump: Callable[[Any], str] = functools.partial(json.dumps, **{"ensure_ascii": False, **options})
    return functools.partial(_change_layout, layout=lambda tree: dump(tree) + end)


LAYOUTS: tuple[Row, ...] = (
    ("layout-compact", 3, "JSON is written without spaces", _layout_change(separators=_COMPACT)),
    ("layout-compact-ascii", 1, "JSON is written without spaces, in ASCII", _layout_change(separators=_COMPACT, ensure_ascii=True)),
    ("layout-compact-sorted", 2, "JSON is written without spaces, sorted", _layout_change(separators=_COMPACT, sort_keys=True)),
    ("layout-line", 3, "JSON is written on one line", _layout_change()),
    ("layout-line-ascii", 3, "JSON is written on one line, in ASCII", _layout_change(ensure_ascii=True)),
    ("layout-line-sorted", 2, "JSON is written on one line, sorted", _layout_change(sort_keys=True)),
    ("layout-line-sorted-ascii", 2, "JSON is written on one line, in ASCII, sorted", _layout_change(sort_keys=True, ensure_ascii=True)),
    ("layout-indent-2", 3, "JSON is indented by 2", _layout_change(indent=2)),
    ("layout-indent-2-sorted", 2, "JSON is indented by 2 and sorted", _layout_change(indent=2, sort_keys=True)),
    ("layout-indent-4", 3, "JSON is indented by 4", _layout_change(indent=4)),
    ("layout-indent-4-ascii", 3, "JSON is indented by 4, in ASCII", _layout_change(indent=4, ensure_ascii=True)),
    ("layout-indent-4-sorted", 2, "JSON is indented by 4 and sorted", _layout_change(indent=4, sort_keys=True)),
    ("layout-newline", 3, "the JSON ends with a newline", _layout_change(end="\n", indent=4)),
)  # fmt: skip
