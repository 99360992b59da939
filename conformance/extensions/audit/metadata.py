"""A submission's metadata file, next to its jobs: shown unchanged, not trusted, and compared with trials."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.extensions.audit.reading import Members, Number, parse, pointer
from conformance.extensions.audit.report import few
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.sources import METADATA_FILES, Place
from conformance.extensions.audit.submissions.scores import by_denominator, giving
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


_NUMBER = re.compile(
    r"\s*([+-]?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?)\s*(%?)\s*(?:(?:±|\+/-|\+-).*)?", re.DOTALL
)
_OF_A_SCORE = re.compile(
    r"accuracy|score|mean|resolved|pass_?rate|success|solved|reward|pass@|pass_at", re.IGNORECASE
)
_FEWEST_DIGITS = 3
"""The least significant digits that make a number worth a look, whatever its name."""


def claims(metadata: Sequence[Metadata], found: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The numbers in metadata that state a score, or seem to by their name, as reported."""
    for file in metadata:
        for path, text in file.values.items():
            claim = _claim(path, text, found)
            if claim is not None:
                yield {"file": file.file, "path": path, "text": text, **claim}


def _claim(path: str, text: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The reward key of the number, and the denominators that give it to its precision."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[1]) > 40:
        return None
    value, decimals = float(match[1]), len(match[3] or "") - int(match[4] or 0)
    digits = len((match[2] + (match[3] or "")).lstrip("0"))
    named = _OF_A_SCORE.search(path.rpartition("/")[2]) is not None
    if not math.isfinite(value) or abs(decimals) > 300 or (not named and digits < _FEWEST_DIGITS):
        return None
    half = 0.5 * 10.0**-decimals
    readings = [] if match[5] else [(value, half)]
    if match[5] or 1 < abs(value) <= 100:
        readings.append((value / 100, half / 100))
    for one in found:
        by = by_denominator(one) | {f"pass@{k}": value for k, value in one["pass_at_k"].items()}
        for reading, within in readings:
            if fits := giving(reading, by, within):
                return {"key": one["key"], "by": fits}
    return {"key": None, "by": []} if named else None


_AGENT = re.compile(r"agent|agent_?name|agent_display_name|agent/name", re.IGNORECASE)
_MODEL = re.compile(r"model|model_?name|model_display_name|models?/name", re.IGNORECASE)
_SHORTEST = 3
"""The shortest name that counts as equal to a longer name that contains it, in characters."""


def contradictions(metadata: Sequence[Metadata], rows: Sequence[TrialRow]) -> Iterator[str]:
    """The contradictions between metadata and trials: they name another agent or model."""
    for file in metadata if rows else ():
        names = {
            "agent": (_AGENT, {row.agent for row in rows}),
            "model": (_MODEL, {row.model for row in rows if row.model}),
        }
        for what, (key, found) in names.items():
            stated = []
            for path, text in file.values.items():
                keys = [part for part in path.split("/") if not part.isdigit()]  # without places in lists
                named = any(key.fullmatch("/".join(keys[-n:])) for n in (1, 2))
                stated += [text] if named and text.strip() and text != "null" else []
            unstated = sorted(name for name in found if not any(_is_similar(name, text) for text in stated))
            if stated and unstated:
                stated_names = few(dict.fromkeys(stated))
                yield f"{file.file} names the {what} {stated_names}, trials have {few(unstated)}"


def _is_similar(*names: str) -> bool:
    """Whether two names are the same but for case and punctuation, or one contains the other."""
    bare = (re.sub(r"[\W_]+", "", name.rpartition("/")[2].casefold()) for name in names)
    short, long = sorted(bare, key=len)
    return short == long or (len(short) >= _SHORTEST and short in long)
