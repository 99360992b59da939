"""Vectors: reads their files, and turns a vector into a request."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from conformance.errors import UserError
from conformance.option_names import option
from conformance.paths import spec_names, vectors_dir
from conformance.registry.op import Op
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS, classes_of, lineage, ops_of
from conformance.registry.spec import MAIN
from conformance.suite import overlays
from conformance.suite.entries import check_entry
from conformance.suite.schemas import first_fault
from conformance.wire import messages
from conformance.wire.messages import Request
from conformance.wire.text import printable, shortened

__all__ = [
    "NOT_SECTIONS",
    "Vector",
    "VectorFileError",
    "is_of_kit",
    "known_spec",
    "load_checked",
    "load_file",
    "load_files",
    "load_set_of",
    "load_spec",
    "refuse_others",
    "section_files",
    "unique",
    "vector_of",
]

NOT_SECTIONS = frozenset({"clauses.json", "flags.json", "lock.json", "properties.json"})
"""Files next to the sections that are not vector files."""

_MAX_BYTES = 256 << 20
_AS_WRITTEN = (
    *("id", "rule", "clause", "input", "expected", "catches", "since"),
    *("provenance", "twin", "played", "variants"),
)
"""The members of an entry that are a vector's fields as they are."""


class VectorFileError(UserError):
    """The vector file can't be used; the message is one sentence."""


@dataclass(frozen=True)
class Vector:
    """One question to a runner, and harbor's answer."""

    id: str
    """``<spec>/<section>/<slug>``; never reused for another meaning."""
    op: Op
    rule: str
    """What a conforming runner must do here, in one sentence."""
    clause: str
    """The id of the clause that it traces, in clauses.json."""
    also: tuple[str, ...] = ()
    """Further clauses that it exercises."""
    flags: tuple[str, ...] = ()
    input: Any = field(default_factory=dict)
    expected: dict[str, Any] | None = None
    """``{"ok": …}`` or ``{"error": {"type", "reason_code"}}``; None before ``regen`` has asked."""
    catches: str = ""
    since: str = ""
    provenance: str | None = None
    twin: str | None = None
    unordered: frozenset[str] = frozenset()
    """JSON pointers into ``ok`` to objects whose key order is free; after a ``#``, into a file's JSON."""
    file: Path = Path()
    played: dict[str, Any] | None = None
    """The same situation as a job that the oracle plays back; ``regen`` requires the same answer."""
    variants: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """The differing answers of other environments (``registry.spec.EnvironmentVariant``), by name."""

    environment: str = MAIN
    """The environment of the ``expected`` answer, if that differs from the main one's."""

    def for_environment(self, environment: str) -> "Vector":
        """The vector with the expected answer of an environment."""
        if environment not in self.variants:
            return self
        return replace(self, expected=self.variants[environment], variants={}, environment=environment)

    @property
    def section(self) -> str:
        """The section of the spec, which also names the file."""
        return self.id.split("/")[1]

    @property
    def conformance_class(self) -> str:
        """The class that it belongs to."""
        return self.op.conformance_class

    @cached_property
    def tail(self) -> bytes:
        """The bytes of the request after its id, for a runner that writes numbers as numbers."""
        return self.op.tail(self.input, numbers_as_strings=False)

    def request(self, *, numbers_as_strings: bool = False) -> Request:
        """The request to send, without the expected answer."""
        respelled = numbers_as_strings and self.op.input_numbers
        tail = self.op.tail(self.input, numbers_as_strings=True) if respelled else self.tail
        limit = messages.LARGE_LINE if "large" in self.flags else messages.LINE
        return Request(self.id, self.op.name, tail, limit)


def known_spec(spec: str) -> str:
    """Checks and returns the name of a spec.

    Raises:
        VectorFileError: there is no such spec.
    """
    if spec not in SPECS:
        raise VectorFileError(f"there is no spec {spec!r}; choose one of {', '.join(SPECS)}")
    return spec


def section_files(spec: str) -> list[Path]:
    """The vector files of a spec, sorted by name, without its base's.

    Raises:
        VectorFileError: there is no such spec, or it has no vectors.
    """
    folder = vectors_dir(known_spec(spec))
    if spec not in spec_names():
        raise VectorFileError(f"{spec} has no vectors: there is no folder {folder}")
    return sorted(path for path in folder.glob("*.json") if path.name not in NOT_SECTIONS)


def _document(path: Path) -> dict[str, Any]:
    """The content of a vector file; raises VectorFileError as ``load_file``."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise VectorFileError(f"{path} is larger than {_MAX_BYTES >> 20} MiB: is it a vector file?")
        own = _is_in(path, vectors_dir(), SPECS)
        document = json.loads(content) if own else messages.strict_json(content)
    except OSError as error:
        raise VectorFileError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise VectorFileError(f"{path} is not a vector file: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("vectors"), list):
        raise VectorFileError(f'{path} is not a vector file: it has no list "vectors"')
    return document


def load_file(path: Path) -> list[Vector]:
    """The vectors of one file, in order; for an overlay, only the file's own.

    A spec's own files are cached until they change, since comparing and merging load them repeatedly.

    Raises:
        VectorFileError: the file can't be read, is not JSON, or has an invalid vector.
    """
    spec = SPEC_TABLE.get(path.parent.name)
    if spec is None or spec.base is not None or not path.exists():  # an overlay depends on its base's files
        return _read_file(path)
    now = path.stat()
    return list(_unchanged(path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))


@lru_cache(100)
def _unchanged(path: Path, *_: int) -> tuple[Vector, ...]:
    return tuple(_read_file(path))


def _read_file(path: Path) -> list[Vector]:
    document = _document(path)
    base = None
    if overlays.DIFFERS in document or overlays.LEFT_OUT in document:
        spec = document.get("spec")
        base = SPEC_TABLE[spec].base if spec in SPECS else None
        if base is None:
            raise VectorFileError(f"{path} says what differs, but {spec!r} is no difference to another spec")
    return _vectors(
        document, path, overlays.inherited(load_spec(base, package=True), document["spec"]) if base else {}
    )


def _vectors(document: dict[str, Any], path: Path, known: dict[str, Vector]) -> list[Vector]:
    """A file's own vectors; ``known`` are the inherited vectors."""
    spec = document.get("spec")
    ops = {**OPS, **({op.name: op for op in ops_of(spec, package=True)} if spec in SPECS else {})}
    vectors = [_vector(entry, path, index, ops) for index, entry in enumerate(document["vectors"])]
    for index, entry in enumerate(document.get(overlays.DIFFERS, ())):
        try:
            vectors.append(overlays.differing(entry, known, path))
        except (KeyError, TypeError, ValueError) as error:
            raise VectorFileError(f"{path}: difference {index} is none: {error!r}") from None
    twice = [vector_id for vector_id, count in Counter(vector.id for vector in vectors).items() if count > 1]
    if twice:
        raise VectorFileError(f"{path} holds {twice[0]} more than once")
    return sorted(vectors, key=lambda vector: vector.id) if overlays.DIFFERS in document else vectors


def load_files(spec: str) -> dict[Path, list[Vector]]:
    """All vectors of a spec by the file that has their answers, sorted by file name.

    Raises:
        VectorFileError: as ``load_file`` and ``section_files``; or a spec changes a vector that its base does
        not have, or has a new vector with an id of its base.
    """
    paths, base = section_files(spec), SPEC_TABLE[spec].base
    if base is None:
        return {path: load_file(path) for path in paths}
    by_file = {path: overlays.inherited(vectors, spec) for path, vectors in load_files(base).items()}
    known = {vector_id: vector for vectors in by_file.values() for vector_id, vector in vectors.items()}
    own, gone = {}, set[str]()
    for path in paths:
        document = _document(path)
        own[path] = _vectors(document, path, known)
        try:
            gone |= overlays.left_out(document, known)
        except (KeyError, TypeError, ValueError) as error:
            raise VectorFileError(f"{path} omits a vector that does not exist: {error}") from None
        new = {entry["id"] for entry in document["vectors"]} & known.keys()
        if new:
            raise VectorFileError(f"{path}: {min(new)} is an id of {base}'s vectors: choose another")
    changed = {vector.id: vector for vectors in own.values() for vector in vectors}
    gone |= changed.keys()
    by_id = {key: vector for key, vector in known.items() if key not in gone} | changed
    shared = {
        path: [overlays.with_valid_twin(by_id[key], by_id) for key in vectors if key not in gone]
        for path, vectors in by_file.items()
    }
    return dict(sorted({**shared, **own}.items(), key=lambda item: (item[0].name, item[0] in own)))


def is_of_kit(vector: Vector) -> bool:
    """Return whether this is one of the spec's own vectors, not from a user's file."""
    return _is_in(vector.file, vectors_dir(), lineage(vector.op.spec))


@cache
def _is_in(path: Path, root: Path, specs: tuple[str, ...]) -> bool:
    """Return whether a file is one of these specs' own."""
    return path.absolute().parent in [root / spec for spec in specs]


def load_checked(path: Path) -> list[Vector]:
    """The vectors of a user's file, which must match the schema ``vector-file``.

    Raises:
        VectorFileError: as ``load_file``; for an invalid vector the message names it and its fault.
    """
    vectors = load_file(path)
    if _is_in(path, vectors_dir(), SPECS) or any(vector.expected is None for vector in vectors):
        return vectors  # a file without answers is unfinished
    document = messages.strict_json(path.read_bytes())
    of_file = "vector-file"
    parts = [
        (f": vector {shortened(entry['id'], 200)}", f"{of_file}#/$defs/vector", entry)
        for entry in document["vectors"]
    ]
    for which, schema, part in (*parts, ("", of_file, document)):
        if (fault := first_fault(schema, part)) is not None:
            schema_file = f"schemas/{of_file}.schema.json"
            raise VectorFileError(f"{path}{which} does not match {schema_file}: {printable(fault)}")
    return vectors


def _vector(entry: Any, path: Path, index: int, ops: Mapping[str, Op]) -> Vector:
    try:
        check_entry(entry)
        return vector_of(entry, ops[entry["op"]], path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = entry.get("id", index) if isinstance(entry, dict) else index
        raise VectorFileError(f"{path}: vector {shortened(str(name), 200)} is no vector: {error!r}") from None


def vector_of(entry: Mapping[str, Any], op: Op, path: Path) -> Vector:
    """The vector of an entry in a vector file."""
    return Vector(
        op=op,
        also=tuple(entry.get("also", ())),
        flags=tuple(entry["flags"]),
        unordered=frozenset(entry.get("unordered", ())),
        file=path,
        **{name: entry[name] for name in _AS_WRITTEN if name in entry},
    )


def load_spec(spec: str, *, package: bool = False) -> list[Vector]:
    """The vectors of a spec for any runner, section by section.

    With ``package``, also those for only the spec's package, or a fork of it.

    Raises:
        VectorFileError: as ``load_files``.
    """
    all_vectors = (vector for vectors in load_files(spec).values() for vector in vectors)
    return [vector for vector in all_vectors if package or not vector.op.package_only]


def load_set_of(spec: str, classes: Iterable[str]) -> list[Vector]:
    """The vectors of a run whose set has these classes, including the package's if it has theirs.

    Raises:
        VectorFileError: as ``load_files``.
    """
    return load_spec(spec, package=not set(classes) <= set(classes_of(spec)))


def refuse_others(vectors: Iterable[Vector], spec: str) -> None:
    """Refuses vectors of another spec.

    Raises:
        VectorFileError: one of the vectors belongs to another spec.
    """
    for vector in vectors:
        if vector.op.spec != spec:
            raise VectorFileError(
                f"{vector.file}: {vector.id} belongs to {vector.op.spec}, not to {spec}: "
                f"run it with {option('spec')} {vector.op.spec}"
            )


def unique(vectors: Iterable[Vector]) -> list[Vector]:
    """The vectors without duplicates.

    Raises:
        VectorFileError: one id stands for different vectors, so that outcomes could not be distinguished.
    """
    by_id: dict[str, Vector] = {}
    for vector in vectors:
        other = by_id.setdefault(vector.id, vector)
        if other is not vector and repr(replace(other, file=vector.file)) != repr(vector):  # 1 is not 1.0
            raise VectorFileError(
                f"{vector.file}: {vector.id} differs from {other.file}'s: choose another id"
            )
    return list(by_id.values())
