"""A run of which there are only reports of parts: the same vectors, the same options, the same records."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.judging.comparison import Level
from conformance.judging.environments import of_spec
from conformance.judging.known_failures import Entry, KnownFailures, Offered
from conformance.publishing.parts import Part
from conformance.publishing.reading import PublishingError
from conformance.registry.spec import MAIN
from conformance.report.for_merging import ForMerging
from conformance.report.records import AGAIN
from conformance.report.run_report import RepeatCommands, Report
from conformance.report.selection import Selection, newer_than, vector_set_json
from conformance.report.shards import Missing, shard_by_id, sizes
from conformance.run.commands import CommandError
from conformance.run.options import RunOptions, repeat_again, repeat_property, repeat_vector
from conformance.runner.conversation import SettingsError
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector, VectorFileError, load_checked, load_spec, refuse_others, unique
from conformance.wire.text import printable, shortened

__all__ = ["Rebuilding", "first_other", "for_merging", "same"]

_ALIKE = (
    *(("kit_version",), ("spec",), ("level",), ("vectors",), ("required",), ("runner", "command")),
    *(("selection", name) for name in ("patterns", "files", "classes", "vectors_version")),
    *(("for_merging", name) for name in ("oneshot", "timeout", "fuzz", "fuzz_seed")),
)
"""What the parts of one run have in common, whatever became of them."""
_SAID = (*(("runner", name) for name in ("name", "version", "numbers", "ops")), ("asked_again", "seed"))
"""What those have in common whose runner could be tried."""


class Rebuilding:
    """A run, of its parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """Takes the parts.

        Raises:
            PublishingError: they are not of one run, or one is there twice, or the kit has other vectors.
        """
        self.parts = sorted(parts, key=lambda part: part.number)
        self._first = parts[0]
        self.of = self._first.of
        _of_this_kit(self._first)
        for part in parts[1:]:
            self._same_run(part)
        self._once_each()
        self.options = self._options()
        self.every, self.newer = self._vectors()
        self._ids = {vector.id for vector in self.every}
        for part in self.parts:
            self._known(part)

    def _same_run(self, part: Part) -> None:
        first = self._first
        if part.of != first.of:
            raise PublishingError(
                f"{part.name} is of another run than {first.name}: "
                f"`selection.shard.of` is {part.of}, not {first.of}"
            )
        _alike(part, first, _ALIKE)
        known = _entries(part.content.get("known_failures")), _entries(first.content.get("known_failures"))
        if known[0] != known[1]:
            where, mine, its = first_other(known[0], known[1], "known_failures")
            raise _of_another(part, first, where, mine, its)
        tried = [other for other in self.parts if other.hello is not None]
        if part.hello is not None and tried:
            _alike(part, tried[0], _SAID)

    def _once_each(self) -> None:
        by_number: dict[int, Part] = {}
        for part in self.parts:
            other = by_number.setdefault(part.number, part)
            if other is part:
                continue
            if _text(other.content) == _text(part.content):
                raise PublishingError(f"{part.name} is there twice: {other.name} is the same {part.told}")
            raise PublishingError(f"{other.name} and {part.name} are both {part.told}, and differ")

    def _options(self) -> RunOptions:
        content, rest = self._first.content, self._first.rest
        selection = content["selection"]
        try:
            return RunOptions(
                command=content["runner"]["command"],
                spec=content["spec"],
                level=Level[content["level"].upper()],
                timeout=rest["timeout"],
                oneshot=rest["oneshot"],
                classes=frozenset(selection["classes"]),
                vector_files=tuple(map(Path, selection["files"])),
                patterns=tuple(selection["patterns"]),
                fuzz=rest["fuzz"],
                fuzz_seed=rest["fuzz_seed"],
                vectors_version=selection["vectors_version"],
            )
        except (CommandError, SettingsError, VectorFileError) as error:
            raise PublishingError(f"{self._first.name} is of no run that there can be: {error}") from None

    def _vectors(self) -> tuple[list[Vector], list[Vector]]:
        """The vectors that count in the run, and those that are newer."""
        options, first = self.options, self._first
        try:
            every = load_spec(options.spec, package=options.package)
            for path in options.vector_files:
                if not path.is_file():
                    raise PublishingError(f"{first.name} is a run of {path}, which is not here")
                every += load_checked(path)
            every = unique(every)
            refuse_others(every, options.spec)
            late = newer_than(options.vectors_version, every, options.spec)
        except VectorFileError as error:
            raise PublishingError(f"{first.name} is of vectors that can't be read: {error}") from None
        kept = [vector for vector in every if vector.id not in late]
        newer = [vector for vector in every if vector.id in late]
        here, told = vector_set_json(kept, newer), first.content["vectors"]
        if here != told:
            where, mine, its = first_other(told, here, "vectors")
            raise PublishingError(
                f"{first.name} is of other vectors than this kit has: `{where}` is {mine}, not {its}"
            )
        return kept, newer

    def _known(self, part: Part) -> None:
        """Sees to it that a part's results are of the vectors and properties that are in it."""
        properties = set(property_ids(self.options.spec))
        environments = {MAIN, *of_spec(self.options.spec)}
        named = [
            *(("results", key, self._ids, "vector") for key in part.records),
            *(("asked_again.results", key, self._ids, "vector") for key in part.again),
            *(("properties", key, properties, "property") for key in part.properties),
        ]
        for where, key, ids, what in named:
            if key not in ids:
                raise PublishingError(
                    f"{part.name}: `{where}` has {key}, which is no {what} of {self.options.spec}"
                )
            if (home := shard_by_id(key, self.of)) != part.number:
                raise PublishingError(f"{part.name}: `{where}` has {key}, which is in shard {home}/{self.of}")
        _ = part.answers  # each is looked at
        for key, each in part.held.items():
            asked = key.removesuffix(AGAIN)
            ran = key in part.records or key in part.properties or asked in part.again
            if not ran or set(each) != environments or any(one.id != asked for one in each.values()):
                raise PublishingError(
                    f"{part.name}: `for_merging.environments` has {printable(shortened(key, 200))}, "
                    "which is not what a run holds back"
                )

    @cached_property
    def sizes(self) -> list[int]:
        """How many vectors were selected in each part; where no part knows, all are taken for it.

        Raises:
            PublishingError: the parts say it differently.
        """
        return self._told("vectors", sizes((vector.id for vector in self.every), self.of))

    @cached_property
    def property_sizes(self) -> list[int]:
        """The same of properties."""
        return self._told("properties", [0] * self.of)

    def _told(self, what: str, otherwise: list[int]) -> list[int]:
        telling = [part for part in self.parts if part.rest[what]]
        for part in telling:
            if part.rest[what] != telling[0].rest[what]:
                raise _of_another(
                    part, telling[0], *first_other(part.rest[what], telling[0].rest[what], what)
                )
            if len(part.rest[what]) != self.of:
                raise PublishingError(
                    f"{part.name} contradicts itself: `for_merging.{what}` has not {self.of} numbers"
                )
            if what == "vectors" and part.rest[what][part.number - 1] != part.chosen:
                raise PublishingError(
                    f"{part.name} contradicts itself: `selection.filtered` leaves {part.chosen} vectors, and "
                    f"`for_merging.vectors` says {part.rest[what][part.number - 1]}"
                )
        return list(telling[0].rest[what]) if telling else otherwise

    def missing(self) -> Missing | None:
        """The parts that are not there."""
        here = {part.number for part in self.parts}
        gone = [number for number in range(1, self.of + 1) if number not in here]
        if not gone:
            return None
        counts = [sum(each[number - 1] for number in gone) for each in (self.sizes, self.property_sizes)]
        return Missing(tuple(gone), self.of, counts[0], counts[1])

    def selection(self, part: Part | None, missing: Missing | None = None) -> Selection:
        """What was asked for, of a part or of the whole run."""
        options = self.options
        return Selection(
            patterns=options.patterns,
            files=options.vector_files,
            classes=options.classes,
            vectors_version=options.vectors_version,
            shard=None if part is None else (part.number, part.of),
            missing=missing,
        )

    def report(self, parts: Sequence[Part], selection: Selection) -> Report:
        """The report with all that these parts say, before anything is judged as a whole."""
        content, options = self._first.content, self.options
        known = content.get("known_failures")
        required = tuple(Offered(**one) for one in content.get("required", ()))
        report = Report(
            *(options.spec, options.level, options.command, self.every),
            newer=self.newer,
            selection=selection,
            known=None if known is None else KnownFailures.of(map(_entry, known["entries"])),
            required=required,
            known_path=None if known is None else Path(known["file"]),
            repeats=RepeatCommands(
                partial(repeat_vector, options),
                partial(repeat_again, options),
                partial(repeat_property, options),
            ),
            hello=next((part.hello for part in parts if part.hello is not None), None),
            again_seed=next((part.again_seed for part in parts if part.again_seed is not None), None),
            started_at=min(part.content["started_at"] for part in parts),
            start_up_seconds=max(part.content["start_up_seconds"] for part in parts),
            duration_seconds=sum(part.content["duration_seconds"] for part in parts),
            not_diagnosed=sum(part.rest["not_diagnosed"] for part in parts),
        )
        records = {key: record for part in parts for key, record in part.records.items()}
        for vector in self.every:
            if vector.id in records:
                report.add(records[vector.id])
        for part in parts:
            report.again |= part.again
            report.properties |= part.properties
            for key, each in part.held.items():
                report.environments.hold(key, each)
        return report


def for_merging(part: Part) -> ForMerging:
    """What the part says for the merge alone, as the run noted it."""
    rest = part.rest
    return ForMerging(
        *(rest["vectors"], rest["properties"], rest["oneshot"], rest["timeout"], rest["fuzz"]),
        *(rest["fuzz_seed"], dict(rest["answers"])),
    )


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON."""
    return _text(one) == _text(other)


def first_other(told: Any, other: Any, where: str) -> tuple[str, str, str]:
    """The first place where two values differ, and what each has there, for people."""
    if isinstance(told, dict) and isinstance(other, dict):
        for key in (*told, *other):
            if key not in told or key not in other or _text(told[key]) != _text(other[key]):
                return first_other(told.get(key), other.get(key), f"{where}.{printable(shortened(key, 100))}")
    if isinstance(told, list) and isinstance(other, list):
        if len(told) != len(other):
            return where, f"of {len(told)} items", f"of {len(other)}"
        for place, (one, two) in enumerate(zip(told, other, strict=True)):
            if _text(one) != _text(two):
                return first_other(one, two, f"{where}[{place}]")
    return where, shortened(_text(told), 100), shortened(_text(other), 100)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=list)


def _alike(part: Part, other: Part, members: Sequence[tuple[str, ...]]) -> None:
    for path in members:
        mine, its = (_at(one.content, path) for one in (part, other))
        if _text(mine) != _text(its):
            raise _of_another(part, other, *first_other(mine, its, ".".join(path)))


def _of_another(part: Part, other: Part, where: str, mine: str, its: str) -> PublishingError:
    return PublishingError(f"{part.name} is of another run than {other.name}: `{where}` is {mine}, not {its}")


def _at(content: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = content
    for name in path:
        found = None if found is None else found.get(name)
    return found


def _of_this_kit(part: Part) -> None:
    version = part.content["kit_version"]
    if version != __version__:
        raise PublishingError(
            f"{part.name} was written by kit {shortened(version, 30)}, not by {__version__}: merge with that"
        )


def _entries(known: Mapping[str, Any] | None) -> Any:
    """The list as it was read; how many results each entry expects differs from part to part."""
    if known is None:
        return None
    return {
        "file": known["file"],
        "entries": [{key: one[key] for key in one if key != "expected"} for one in known["entries"]],
    }


def _entry(said: Mapping[str, Any]) -> Entry:
    return Entry(said["pattern"], said["outcome"], said["reason"], said["line"])
