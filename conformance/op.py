"""What the kit knows of one operation of the runner protocol; the tables of operations are made of it.

A path is a tuple of keys from the root of ``input`` or ``ok``; ``"*"`` stands for every key or index.
A number position may also hold a number's spelling as a string (PROTOCOL.md, "Numbers").
"""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Op", "Path", "ops_of"]

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Op:
    """One operation of the protocol."""

    name: str
    spec: str
    """The spec that it belongs to; names are unique across specs."""
    conformance_class: str
    """The class whose claim this op's vectors decide."""
    input_numbers: tuple[Path, ...] = ()
    ok_numbers: tuple[Path, ...] = ()
    ok_files: tuple[Path, ...] = ()
    """Where ``ok`` holds a file's content: compared as JSON below level ``bytes``."""
    ok_lines: tuple[Path, ...] = ()
    """Where ``ok`` holds a ``PREFIX=json`` line: compared as prefix and JSON below level ``bytes``."""
    ok_json_lines: tuple[Path, ...] = ()
    """Where ``ok`` holds a file of JSON lines: compared line by line as JSON below level ``bytes``."""
    ok_parsed: tuple[Path, ...] = ()
    """Where ``ok`` holds a file that only its reader's dict counts of: compared parsed at every level."""


def ops_of(spec: str) -> Callable[..., Op]:
    """What makes the ops of one spec: ``op(name, class, input_numbers="a/*/b c", …)``."""

    def op(name: str, conformance_class: str, **paths: str) -> Op:
        split = {
            field: tuple(tuple(path.split("/")) for path in text.split()) for field, text in paths.items()
        }
        return Op(name, spec, conformance_class, **split)

    return op
