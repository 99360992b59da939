"""The places of an op's inputs or answers: paths from the schema, with the values that vectors have there.

A place is a path (``deviations.lens``). Each member that a schema names has its own place. Of an object's
free keys only ``reward`` and ``mean`` do; ``"*"`` means all of them. If no schema describes the value of a
free key, or of a list in a list, the value and everything in it are one place, ``"*"`` and ``"**"``.
A file's name determines the schema of its JSON: ``result.json`` has ``result-json``; a ``PREFIX={...}``
line has ``outcome``.
"""

import functools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from conformance.deviations.changes import TESTS, kind_of
from conformance.deviations.containers import OWN_KEYS
from conformance.deviations.lens import ABSENT, json_in, line_in, text_of
from conformance.suite import schemas
from conformance.wire.numbers import Path

__all__ = ["Place", "Places"]

_MANY = 0.05
"""A free key has its own place if this share of the objects have it, and at least ``_SEVERAL`` of them."""
_SEVERAL = 4
_LINE = "outcome"
"""The schema of a line's object."""
_CONTENT = "content"
_LONGEST = 60
"""The longest value that is counted, in characters of JSON."""
_VALUES = 40
"""A place with more values than this has arbitrary values: none is special."""
_DEEPEST = 4
"""The most ``"*"`` in a place's path."""

_Node = tuple[str, dict[str, Any]]
"""A schema file's name, which resolves the schema's references, and the schema."""


class _Schemas:
    """The schemas that a value may have."""

    def __init__(self, nodes: Iterable[_Node]) -> None:
        self.nodes = tuple(nodes)
        self.are_content = any(file == _CONTENT for file, _ in self.nodes)

    @cached_property
    def members(self) -> "dict[str, _Schemas]":
        """The schemas of an object's named members."""
        by_key: dict[str, list[_Node]] = defaultdict(list)
        for file, node in self.nodes:
            for key, part in node.get("properties", {}).items():
                by_key[key].extend(_resolve(file, part))
        return {key: _Schemas(nodes) for key, nodes in by_key.items()}

    @cached_property
    def free(self) -> "_Schemas":
        """The schemas of an object's other members."""
        return _Schemas(
            resolved
            for file, node in self.nodes
            if isinstance(part := node.get("additionalProperties"), dict)
            for resolved in _resolve(file, part)
        )

    @cached_property
    def items(self) -> "_Schemas":
        """The schemas of a list's items."""
        return _Schemas(
            resolved
            for file, node in self.nodes
            for part in (*node.get("prefixItems", ()), node.get("items"))
            if isinstance(part, dict)
            for resolved in _resolve(file, part)
        )


_ANY = _Schemas(())


class Place:
    """One place, with the values that vectors have there."""

    def __init__(self, counts: Mapping[object, int], examples: Mapping[object, Any]) -> None:
        """``counts`` has the number of values by the key of an example; equal values share a key."""
        values = [examples[key] for key in counts]
        self.kinds = {kind_of(value) for value in values if value is not ABSENT}
        self.tests = {test.name for test in TESTS if any(map(test.holds, values))}
        """The names of the tests that a value there passes."""
        self.values = Counter[str]()
        """Scalars as JSON, with their counts."""
        for value, count in zip(values, counts.values(), strict=True):
            scalar = value is not ABSENT and not isinstance(value, dict | list)
            if scalar and len(text := json.dumps(value)) <= _LONGEST:
                self.values[text] += count

    def common(self, most: int, least: int = 2) -> list[Any]:
        """The most frequent values; none if the place has arbitrary values."""
        if len(self.values) > _VALUES:
            return []
        return [json.loads(text) for text, count in self.values.most_common(most) if count >= least]


class Places:
    """The places of values that share a schema."""

    def __init__(self, values: Iterable[Any], schema: str, definition: str) -> None:
        self._own_key_paths: set[Path] = set()
        self._counts: dict[Path, Counter[object]] = defaultdict(Counter)
        self._examples: dict[object, Any] = {}
        nodes = _Schemas(_resolve(schema, schemas.schema(schema)["$defs"][definition]))
        for value in values:
            self._walk(value, nodes, ())
        for path in [path for path in self._counts if path[-1:] == ("**",)]:
            if not any(isinstance(self._examples[key], dict | list) for key in self._counts[path]):
                self._counts[path[:-1]] += self._counts.pop(path)  # nothing is within it
        rare = set()
        for path in self._own_key_paths:
            counts = self._counts[path[:-1]].items()
            objects = sum(count for key, count in counts if isinstance(self._examples[key], dict))
            if self._counts[path].total() < max(_SEVERAL, _MANY * objects):
                rare.add(path)
        self.all = {
            path: Place(counts, self._examples)
            for path, counts in sorted(self._counts.items())
            if not any(path[: len(key)] == key for key in rare)
        }
        """Every place by path; the root's is ``()``."""

    def records(self) -> Iterator[tuple[Path, list[Path]]]:
        """Every list or map of objects, and the root, with the relative paths of an object's members."""
        for path, place in self.all.items():
            if not path or (path[-1] == "*" and "object" in place.kinds):
                yield path, [inner[len(path) :] for inner in self.all if inner[: len(path)] == path != inner]

    def _count(self, path: Path, value: Any) -> None:
        if isinstance(value, dict) and value.keys() == {"json"}:
            return  # a number with its own spelling, not an object
        if isinstance(value, str):
            key: object = value
        elif isinstance(value, dict | list):  # tests look only at the length and at this key
            key = (type(value), min(len(value), 2), "reward" in value)
        else:
            key = (type(value), repr(value))
        self._counts[path][key] += 1
        self._examples.setdefault(key, value)

    def _walk(self, value: Any, nodes: _Schemas, path: Path) -> None:
        self._count(path, value)
        if path[-1:] == ("**",):
            holding = value.values() if isinstance(value, dict) else value
            for item in holding if isinstance(value, dict | list) else ():
                self._walk(item, _ANY, path)
        elif isinstance(value, str):
            if (match := line_in(value)) is not None:
                self._walk_json(match[2], _schemas_of_file(_LINE), (*path, "@line"))
        elif isinstance(value, dict):
            if nodes.are_content:
                self._walk_file(text_of(value), path)
            else:
                self._walk_object(value, nodes, path)
        elif isinstance(value, list) and path.count("*") < _DEEPEST:
            inner = nodes.items
            within = () if inner.nodes or path[-1:] != ("*",) else ("**",)
            for item in value:
                self._walk(item, inner, (*path, "*", *within))

    def _walk_object(self, value: dict[str, Any], nodes: _Schemas, path: Path) -> None:
        members, free = nodes.members, nodes.free
        for key in members.keys() - value.keys():
            self._count((*path, key), ABSENT)
        for key, item in value.items():
            if key in members:
                self._walk(item, members[key], (*path, key))
            elif (free.nodes or not members) and path.count("*") < _DEEPEST:
                self._walk(item, free, (*path, "*") if free.nodes else (*path, "*", "**"))
                if key in OWN_KEYS:
                    self._own_key_paths.add((*path, key))
                    self._walk(item, free, (*path, key))

    def _walk_file(self, text: str | None, path: Path) -> None:
        if text is None:
            return
        self._count((*path, "@text"), text)
        name = path[-1].replace(".", "-")
        if path[-1].endswith(".jsonl"):
            trees = [json_in(line) for line in text.splitlines()]
            if all(trees):
                inner = _schemas_of_file(f"{name}-line")
                values = [tree[0] for tree in trees]
                self._count((*path, "@lines"), values)
                for value in values:
                    self._walk(value, inner, (*path, "@lines", "*"))
        elif not path[-1].endswith(".txt"):
            self._walk_json(text, _schemas_of_file(name), (*path, "@json"))

    def _walk_json(self, text: str, nodes: _Schemas, path: Path) -> None:
        if tree := json_in(text):
            self._walk(tree[0], nodes, path)


@functools.cache
def _schemas_of_file(name: str) -> _Schemas:
    return _Schemas(_resolve(name, schemas.schema(name)) if name in schemas.schema_names() else ())


def _resolve(file: str, node: dict[str, Any]) -> Iterator[_Node]:
    """The schemas that a schema refers to or chooses among."""
    if "$ref" in node:
        target, _, definition = node["$ref"].partition("#/$defs/")
        file = schemas.name_of(target) if target else file
        if definition == _CONTENT:
            yield _CONTENT, {}
        else:
            yield from _resolve(file, schemas.schema(file)["$defs"][definition])
        return
    yield file, node
    for choice in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _resolve(file, choice)
