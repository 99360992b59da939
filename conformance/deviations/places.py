"""What is where in an op's inputs or answers: places from the schema, with what the vectors hold there.

A place is a path (``deviations.lens``). Members that a schema names have places of their own; of the free
keys of an object only ``reward`` and ``mean`` do, and ``"*"`` means all of them. Where no schema says
what the value of a free key, or of a list in a list, holds, the value and all within it are one place,
``"*"`` and ``"**"``.
A file's name says which schema its JSON has: ``result.json`` has ``result-json``; a ``PREFIX={...}`` line
has ``outcome``.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.deviations.changes import TESTS, kind_of
from conformance.deviations.lens import ABSENT, json_in, line_in, text_of
from conformance.suite import schemas
from conformance.wire.numbers import Path

__all__ = ["OWN_KEYS", "Place", "Places"]

OWN_KEYS = ("reward", "mean")
"""Free keys that rules speak of; of an op that has one in several vectors it is a place of its own."""
_SEVERAL = 4
_LINE = "outcome"
"""The schema of the object of a line."""
_CONTENT = "content"
_LONGEST = 60
"""Characters of a value that may be taken for another."""
_VALUES = 40
"""A place that holds more values than these holds free ones: none of them means anything by itself."""
_DEEPEST = 4
"""Lists and objects of free keys on the way to a place."""

_Node = tuple[str, dict[str, Any]]
"""A schema, and the name of its file, in which its references are looked up."""


@dataclass(slots=True)
class Place:
    """One place, with what vectors hold there."""

    kinds: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    """Names of the tests that some value there passes."""
    values: "Counter[str]" = field(default_factory=Counter)
    """Scalars as JSON, with how often they occur."""
    seen: set[object] = field(default_factory=set)
    """What the tests were tried on."""

    def add(self, other: "Place") -> None:
        """Takes in what another place holds."""
        self.kinds |= other.kinds
        self.tests |= other.tests
        self.values += other.values

    def common(self, most: int, least: int = 2) -> list[Any]:
        """The values that occur most often; none where the place holds free values."""
        if len(self.values) > _VALUES:
            return []
        return [json.loads(text) for text, count in self.values.most_common(most) if count >= least]


class Places:
    """The places of values that share a schema."""

    def __init__(self, values: Iterable[Any], schema: str, definition: str) -> None:
        values = list(values)
        texts = [json.dumps(value).replace("\\", "") for value in values]
        self._own = [key for key in OWN_KEYS if sum(f'"{key}":' in text for text in texts) >= _SEVERAL]
        self._found: dict[Path, Place] = defaultdict(Place)
        nodes = list(_resolved(schema, schemas.schema(schema)["$defs"][definition]))
        for value in values:
            self._walk(value, nodes, ())
        for path in [path for path in self._found if path[-1:] == ("**",)]:
            if not self._found[path].kinds & {"list", "object"}:  # nothing is within it
                self._found[path[:-1]].add(self._found.pop(path))
        self.all = {path: self._found[path] for path in sorted(self._found)}
        """Every place by path; the root's is ``()``."""

    def records(self) -> Iterator[tuple[Path, list[Path]]]:
        """Every list or map of objects, and the root, with the places of members within one object."""
        for path, place in self.all.items():
            if not path or (path[-1] == "*" and "object" in place.kinds):
                yield path, [other[len(path) :] for other in self.all if other[: len(path)] == path != other]

    def _note(self, path: Path, value: Any) -> None:
        place = self._found[path]
        if value is not ABSENT:
            place.kinds.add(kind_of(value))
        if not isinstance(value, dict | list | str):
            seen: object = (type(value), repr(value))
        else:  # no test looks into a list or an object, but for the one key
            seen = value if isinstance(value, str) else (type(value), min(len(value), 2), "reward" in value)
        if seen not in place.seen:
            place.seen.add(seen)
            place.tests.update(one.name for one in TESTS if one.name not in place.tests and one.holds(value))
        if value is not ABSENT and not isinstance(value, dict | list):
            text = json.dumps(value)
            if len(text) <= _LONGEST:
                place.values[text] += 1

    def _walk(self, value: Any, nodes: list[_Node], path: Path) -> None:
        self._note(path, value)
        if path[-1:] == ("**",):
            for item in _held(value):
                self._walk(item, [], path)
        elif _is_content(nodes, value):
            self._walk_file(text_of(value), path)
        elif isinstance(value, str):
            if (found := line_in(value)) is not None:
                self._walk_json(found[2], _named(_LINE), (*path, "@line"))
        elif isinstance(value, dict):
            self._walk_object(value, nodes, path)
        elif isinstance(value, list) and path.count("*") < _DEEPEST:
            inner = [one for file, node in nodes for one in _items(file, node)]
            within = () if inner or path[-1:] != ("*",) else ("**",)
            for item in value:
                self._walk(item, inner, (*path, "*", *within))

    def _walk_object(self, value: dict[str, Any], nodes: list[_Node], path: Path) -> None:
        members: dict[str, list[_Node]] = defaultdict(list)
        for file, node in nodes:
            for key, part in node.get("properties", {}).items():
                members[key].extend(_resolved(file, part))
        free = [
            one
            for file, node in nodes
            if isinstance(part := node.get("additionalProperties"), dict)
            for one in _resolved(file, part)
        ]
        for key in members.keys() - value.keys():
            self._note((*path, key), ABSENT)
        for key, item in value.items():
            if key in members:
                self._walk(item, members[key], (*path, key))
            elif (free or not members) and path.count("*") < _DEEPEST:
                self._walk(item, free, (*path, "*") if free else (*path, "*", "**"))
                if key in self._own:
                    self._walk(item, free, (*path, key))

    def _walk_file(self, text: str | None, path: Path) -> None:
        if text is None:
            return
        self._note((*path, "@text"), text)
        name = path[-1].replace(".", "-")
        if path[-1].endswith(".jsonl"):
            trees = [json_in(line) for line in text.splitlines()]
            if all(trees):
                inner = _named(f"{name}-line")
                values = [tree[0] for tree in trees]
                self._note((*path, "@lines"), values)
                for value in values:
                    self._walk(value, inner, (*path, "@lines", "*"))
        elif not path[-1].endswith(".txt"):
            self._walk_json(text, _named(name), (*path, "@json"))

    def _walk_json(self, text: str, nodes: list[_Node], path: Path) -> None:
        if tree := json_in(text):
            self._walk(tree[0], nodes, path)


def _held(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _named(name: str) -> list[_Node]:
    return list(_resolved(name, schemas.schema(name))) if name in schemas.schema_names() else []


def _resolved(file: str, node: dict[str, Any]) -> Iterator[_Node]:
    """The schemas that a schema refers to or chooses among."""
    if "$ref" in node:
        target, _, definition = node["$ref"].partition("#/$defs/")
        file = schemas.name_of(target) if target else file
        if definition == _CONTENT:
            yield _CONTENT, {}
        else:
            yield from _resolved(file, schemas.schema(file)["$defs"][definition])
        return
    yield file, node
    for one in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _resolved(file, one)


def _items(file: str, node: dict[str, Any]) -> Iterator[_Node]:
    parts = [*node.get("prefixItems", ()), node.get("items")]
    for part in parts:
        if isinstance(part, dict):
            yield from _resolved(file, part)


def _is_content(nodes: list[_Node], value: Any) -> bool:
    return isinstance(value, dict) and any(file == _CONTENT for file, _ in nodes)
