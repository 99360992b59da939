"""Reads a submission's untrusted metadata file, which is next to its jobs and shown unchanged."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.extensions.audit.reading import parse, pointer, show, walk
from conformance.extensions.audit.sources import METADATA_FILES, Place
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import Folder, Refused

MOST_BYTES = 64 * 2**10
MOST_VALUES = 1000
LONGEST = 300


@dataclass(frozen=True, slots=True)
class Metadata:
    """One file of metadata."""

    file: str
    values: dict[str, str] = field(default_factory=dict)
    """The scalars by JSON pointer, spelled as in the file; long ones are truncated."""
    problem: str | None = None
    """Why it is not shown, or only in part."""


@cache
def _loader() -> Any:
    """Return a loader that ignores tags and creates only strings, lists and dicts."""
    import yaml  # slow to load, and often there is no metadata

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # PyYAML has no types
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise Refused("not-yaml", "it has aliases (*name), which are not supported", "")
            return super().compose_node(parent, index)

    return Loader


def read_metadata(place: Place) -> list[Metadata]:
    """The metadata files in a submission's folder; empty if there are none."""
    try:
        folder = place.top()
    except (OSError, ValueError):
        return []
    try:
        files = [_read(folder, name) for name in METADATA_FILES]
    finally:
        folder.leave()
    return [metadata for metadata in files if metadata is not None]


def _read(folder: Folder, name: str) -> Metadata | None:
    import yaml

    try:
        content = folder.read(name, MOST_BYTES)
        if content is None:
            return None
        if name.endswith(".json"):
            value = parse(content)
        else:
            text = content.decode("utf-8-sig")
            value = yaml.load(text, _loader())  # noqa: S506 - it creates only strings, lists and dicts
        values: dict[str, str] = {}
        for path, leaf in walk(value):
            if isinstance(leaf, list | dict):
                continue
            if len(values) == MOST_VALUES:
                return Metadata(name, values, f"only the first {MOST_VALUES} values are read")
            values[pointer(*path)] = shortened(leaf if isinstance(leaf, str) else show(leaf), LONGEST)
    except Refused as refused:
        wanted = f", {refused.expected.split(' (')[0]} is expected" if refused.kind not in _OF_TEXT else ""
        return Metadata(name, problem=f"not shown: {refused.found}{wanted}")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark else ""
        return Metadata(name, problem=f"not shown: it is not YAML{line}")
    return Metadata(name, values)


_OF_TEXT = ("not-yaml", "not-json")
