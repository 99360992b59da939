"""The reference's text of a tree, with less work for long lists of names."""

import re

from reference_impl.json_text import INDENT, JsonObject, JsonTree, json_text

__all__ = ["tree_text"]

_LONG = 16
_PLAIN = re.compile(r"[\0 !#-\[\]-~]*").fullmatch
"""What stands in JSON as it is, and the NUL that separates."""


def tree_text(tree: JsonTree, margin: str = "") -> str:
    """What `json_text` gives, for a tree whose keys are UTF-8.

    Raises:
        PydanticSerializationError: as `json_text` does.
    """
    inner = margin + INDENT
    if isinstance(tree, JsonObject) and tree.members:
        members = [f"{json_text(key)}: {tree_text(value, inner)}" for key, value in tree.members]
        lines = f",\n{inner}".join(members)
        return f"{{\n{inner}{lines}\n{margin}}}"
    if isinstance(tree, list) and len(tree) >= _LONG:
        names = [one for one in tree if isinstance(one, str)]
        if len(names) == len(tree):
            together = "\0".join(names)
            if together.count("\0") == len(names) - 1 and _PLAIN(together):
                lines = f'",\n{inner}"'.join(names)
                return f'[\n{inner}"{lines}"\n{margin}]'
    return json_text(tree, margin)
