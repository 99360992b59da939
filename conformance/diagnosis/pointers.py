"""Groups JSON pointers by the kind of value that they hold: ``/rewards/reward``, ``/rewards/quality``."""

import functools
from typing import Any

from conformance.registry.ops import OPS
from conformance.suite import schemas

__all__ = ["member_names", "member_pattern", "pattern_of"]


@functools.cache
def member_names(op: str) -> frozenset[str]:
    """The member names in an op's schemas; any other key of an answer is data."""
    names: set[str] = set()

    def gather(schema: Any) -> None:
        if isinstance(schema, dict):
            names.update(schema.get("properties", {}))
            for part in schema.values():
                gather(part)
        elif isinstance(schema, list):
            for part in schema:
                gather(part)

    for name in ("definitions", *OPS[op].content_schemas, OPS[op].schema):
        gather(schemas.schema(name))
    return frozenset(names)


@functools.cache
def pattern_of(op: str, path: str) -> str:
    """A path with ``*`` in place of data: keys that no schema names, and indexes."""
    names = member_names(op)
    return "".join(f"/{part if part in names else '*'}" for part in path.split("/")[1:])


@functools.cache
def member_pattern(op: str, path: str) -> str:
    """The pattern of the innermost member on a path that a schema names."""
    where = pattern_of(op, path)
    while where.endswith("/*"):
        where = where[:-2]
    return where
