"""A submission's metadata file, next to its jobs: shown unchanged, not trusted, and compared with scores."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.extensions.audit.reading import Members, Number, parse, pointer
from conformance.extensions.audit.sources import METADATA_FILES, Place
from conformance.extensions.audit.submissions.scores import by_denominator, giving
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
    """Its scalars by JSON pointer, spelled as in the file; long ones are cut."""
    problem: str | None = None
    """Why none or only some of it is shown."""


@cache
def _loader() -> Any:
    """A loader that creates only strings, lists and dicts, whatever the tags are."""
    import yaml  # slow to load, and often there is no metadata

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # PyYAML has no types
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise Refused("not-yaml", "it has aliases (*name), which are not followed", "")
            return super().compose_node(parent, index)

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
        for path, text in _leaves(value, ""):
            if len(values) == MOST_VALUES:
                return Metadata(name, values, f"only the first {MOST_VALUES} values are read")
            values[path] = shortened(text, LONGEST)
    except Refused as refused:
        wanted = f", {refused.due.split(' (')[0]} is expected" if refused.kind not in _OF_TEXT else ""
        return Metadata(name, problem=f"not shown: {refused.what}{wanted}")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark else ""
        return Metadata(name, problem=f"not shown: it is not YAML{line}")
    return Metadata(name, values)


_OF_TEXT = ("not-yaml", "not-json")


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every scalar with its JSON pointer."""
    if isinstance(value, list | dict):
        members = dict(value) if isinstance(value, Members | dict) else dict(enumerate(value))
        for key, member in members.items():
            yield from _leaves(member, path + pointer(key))
    elif isinstance(value, Number | str):
        yield path, value if isinstance(value, str) else value.text
    else:
        yield path, json.dumps(value)


_NUMBER = re.compile(r"\s*([+-]?\d{1,20}(?:\.(\d{0,20}))?)\s*(%?)\s*(?:(?:±|\+/-|\+-).*)?", re.DOTALL)
_OF_A_SCORE = re.compile(
    r"accuracy|score|mean|resolved|pass_?rate|success|solved|reward|pass@|pass_at", re.IGNORECASE
)
_FEWEST_DIGITS = 3
"""The least significant digits that make a number worth a look, whatever its name."""


def claims(metadata: Sequence[Metadata], found: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The numbers in metadata that state a score, or seem to by their name, as reported.

    Each has the reward key, and the denominators that give the number to its precision.
    """
    numbers = [
        (one["key"], by_denominator(one) | {f"pass@{k}": value for k, value in one["pass_at_k"].items()})
        for one in found
    ]
    for file, path, text in ((one.file, *pair) for one in metadata for pair in one.values.items()):
        match = _NUMBER.fullmatch(text)
        named = _OF_A_SCORE.search(path.rpartition("/")[2]) is not None
        if match is None or (not named and len(re.sub(r"\D", "", match[1]).lstrip("0")) < _FEWEST_DIGITS):
            continue
        value, half = float(match[1]), 0.5 * 10.0 ** -len(match[2] or "")
        readings = [] if match[3] else [(value, half)]
        if match[3] or 1 < abs(value) <= 100:
            readings.append((value / 100, half / 100))
        every = ((key, giving(value, by, within)) for key, by in numbers for value, within in readings)
        fits = ({"key": key, "by": fit} for key, fit in every if fit)
        claim: dict[str, Any] | None = next(fits, {"key": None, "by": []} if named else None)
        if claim is not None:
            yield {"file": file, "path": path, "text": text, **claim}
