"""A submission's metadata file, next to its jobs: shown unchanged, and not trusted."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.extensions.audit.reading import Members, Number, parse, pointer
from conformance.extensions.audit.sources import METADATA_FILES, Place
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import Folder, Refused

MOST_BYTES = 256 * 2**10
MOST_VALUES = 1000
MOST_NODES = 10_000
DEEPEST = 20
LONGEST = 300
_MEMORY = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Metadata:
    """One file of metadata."""

    file: str
    values: dict[str, str] = field(default_factory=dict)
    """Its scalars by JSON pointer, spelled as in the file; long ones are cut."""
    problem: str | None = None
    """Why none or only some of it is shown."""


@cache
def _loader() -> Any:
    """A loader that creates only strings, lists and dicts, whatever the tags are."""
    import yaml  # slow to load, and often there is no metadata

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # PyYAML has no types
        depth = 0
        nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise Refused("not-yaml", "it has aliases (*name), which are not followed", "")
            self.depth += 1
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise Refused("not-yaml", f"it has more than {MOST_NODES:,} values", "")
            if self.depth > DEEPEST:
                raise Refused("not-yaml", f"it is nested more than {DEEPEST} levels deep", "")
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

    return Loader


def read_metadata(place: Place) -> list[Metadata]:
    """The metadata files in a submission's folder; empty if there are none."""
    try:
        folder = place.top()
    except (OSError, ValueError):
        return []
    try:
        found = [_read(folder, name) for name in METADATA_FILES]
    finally:
        folder.leave()
    return [metadata for metadata in found if metadata is not None]


def _read(folder: Folder, name: str) -> Metadata | None:
    try:
        content = folder.read(name, MOST_BYTES)
    except Refused as refused:
        return Metadata(name, problem=f"not shown: {refused.what}, {refused.due.split(' (')[0]} is expected")
    if content is None:
        return None
    import yaml

    try:
        if name.endswith(".json"):
            value = parse(content, _MEMORY)
        else:
            text = content.decode("utf-8-sig")
            value = yaml.load(text, _loader())  # noqa: S506 - it creates only strings, lists and dicts
    except Refused as refused:
        return Metadata(name, problem=f"not shown: {refused.what}")
    except UnicodeDecodeError as error:
        return Metadata(name, problem=f"not shown: byte {error.start} is not UTF-8")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark else ""
        return Metadata(name, problem=f"not shown: it is not YAML{line}")
    values: dict[str, str] = {}
    for keys, text in _leaves(value, ()):
        if len(values) == MOST_VALUES:
            return Metadata(name, values, f"only the first {MOST_VALUES} values are read")
        values[pointer(*keys)] = shortened(text, LONGEST)
    return Metadata(name, values)


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every scalar with the keys that lead to it."""
    if len(keys) > DEEPEST:
        yield keys, "…"
    elif isinstance(value, list | dict):
        members = dict(value) if isinstance(value, Members | dict) else dict(enumerate(value))
        for key, member in members.items():
            yield from _leaves(member, (*keys, str(key)))
    elif isinstance(value, Number):
        yield keys, value.text
    else:
        yield keys, value if isinstance(value, str) else json.dumps(value)
