"""What every known mistake answers to every vector, worked out once and kept beside the code.

To ask two thousand mistakes for their answers to thousands of vectors takes minutes; a diagnosis has a
second. So ``harbor-conformance foretell`` asks them and writes one file a spec: by vector the departures that
any mistake makes (path, level and mark, see ``deviation``) and which mistakes make which. The file is a memo,
no source: it holds the fingerprint of the code that it was made from, and each vector's of its question, and
whatever does not fit any more is asked again instead.
"""

import functools
import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import conformance.mistakes
import reference_impl
from conformance.diagnosis.deviation import deviations, marks
from conformance.diagnosis.evidence import expected_answer
from conformance.diagnosis.scratch import Scratch
from conformance.judging import comparison, content, key_order
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes
from conformance.mistakes.modules import REFERENCE, overlays
from conformance.registry.ops import SPEC_TABLE, lineage, ops_of
from conformance.suite.vectors import Vector
from conformance.wire import pointers
from conformance.wire.messages import Ok, Refused

__all__ = ["Foretold", "Row", "file_of", "foretell", "foretold", "question", "save"]

Row = list[tuple[dict[str, tuple[Level, str]], tuple[str, ...]]]
"""The wrong answers to one vector: each one's departures, by path, and the mistakes that give it."""


@dataclass(frozen=True)
class Foretold:
    """What the mistakes of a spec answer to its vectors."""

    fingerprint: str
    rows: Mapping[str, Row]
    """By ``question``."""


def question(op: str, given: Any, expected: Ok | Refused, unordered: frozenset[str]) -> str:
    """A digest of all that decides which answers are wrong."""
    due = (
        ["ok", expected.value] if isinstance(expected, Ok) else ["error", expected.type, expected.reason_code]
    )
    try:
        text = json.dumps([op, given, due, sorted(unordered)], separators=(",", ":"))
    except (ValueError, RecursionError):  # an int of any length; no vector has one
        text = f"{op} {id(given)}"
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()


def file_of(spec: str) -> Path:
    """Where the memo of a spec lies."""
    return Path(__file__).with_name("foretold") / f"{spec}.json.xz"


@functools.cache
def foretold(spec: str) -> Foretold | None:
    """The memo of a spec; None where there is none, or it was made from other code."""
    try:
        memo = json.loads(lzma.decompress(file_of(spec).read_bytes()))
    except (OSError, lzma.LZMAError, ValueError):
        return None
    if memo["fingerprint"] != fingerprint(spec):
        return None
    names: list[str] = memo["mistakes"]
    rows: dict[str, Row] = {}
    base = SPEC_TABLE[spec].base
    if base is not None:
        of_base = foretold(base)
        if of_base is None:
            return None
        rows |= of_base.rows
    for key, (places, answers) in memo["vectors"].items():
        rows[key] = _row(places, answers, names)
    return Foretold(memo["fingerprint"], rows)


def _row(places: Sequence[Any], answers: Sequence[Any], names: Sequence[str]) -> Row:
    """A row, from places and mistakes by their numbers."""
    found = [(path, (Level(level), mark)) for path, level, mark in places]
    return [
        ({found[place][0]: found[place][1] for place in at}, tuple(names[number] for number in who))
        for at, who in answers
    ]


def _plain(row: Row) -> set[tuple[frozenset[tuple[str, tuple[Level, str]]], frozenset[str]]]:
    """What a row says, in no order."""
    return {(frozenset(at.items()), frozenset(who)) for at, who in row}


@functools.cache
def fingerprint(spec: str) -> str:
    """A digest of the reference, of the mistakes of a spec, and of what compares answers and marks them."""
    packages = [reference_impl, conformance.mistakes]
    files = [path for one in packages for path in Path(str(one.__file__)).parent.rglob("*.py")]
    files += [Path(str(one.__file__)) for one in (comparison, content, key_order, pointers)]
    others = [REFERENCE / package for one, package in overlays().items() if one not in lineage(spec)]
    files = [path for path in files if not any(path.is_relative_to(other) for other in others)]
    for section in {package for op in ops_of(spec) for package in (op.package, *op.inherited)}:
        folder = Path(__file__).parents[2].joinpath(*section.split("."))
        files += [*folder.rglob("mistakes.py"), *folder.rglob("mistakes/**/*.py"), *folder.rglob("op.py")]
    files += [Path(__file__), Path(__file__).with_name("deviation.py")]
    digest = hashlib.blake2b(digest_size=16)
    root = Path(__file__).parents[2]
    for path in sorted(set(files)):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def foretell(
    scratch: Scratch, vectors: Sequence[Vector], mistakes: Iterable[Mistake]
) -> Iterator[tuple[str, dict[str, list[tuple[str, int, str]]]]]:
    """Asks mistakes for their answers: each one's name, and its departures by vector id."""
    called = {vector.id: scratch.called(vector.op.name, vector.input) for vector in vectors}
    for mistake in mistakes:
        footprint = scratch.footprint(mistake)
        found: dict[str, list[tuple[str, int, str]]] = {}
        for vector in vectors:
            if footprint is not None and footprint.isdisjoint(called[vector.id]):
                continue
            scratch.make(mistake)
            answer = scratch.answer(vector.op.name, vector.input)
            wrong = deviations(vector.op, expected_answer(vector), answer, Level.BYTES, vector.unordered)
            if wrong:
                lowest: dict[str, int] = {}
                for one in wrong:
                    lowest[one.path] = min(one.breaks, lowest.get(one.path, one.breaks))
                found[vector.id] = [(path, int(lowest[path]), mark) for path, mark in marks(wrong).items()]
        yield mistake.name, found


def save(spec: str, vectors: Iterable[Vector], told: Mapping[str, Mapping[str, list[Any]]]) -> bytes:
    """The content of the memo: the same bytes for the same answers.

    Of a spec that is a difference to another, what the other's memo says is not said again.
    """
    base = SPEC_TABLE[spec].base
    of_base = foretold(base) if base is not None else None
    names = list(all_mistakes(spec))
    rows: dict[str, Any] = {}
    for vector in vectors:
        wrong: dict[tuple[Any, ...], list[int]] = {}
        for number, name in enumerate(names):
            found = told[name].get(vector.id)
            if found:
                wrong.setdefault(tuple(tuple(one) for one in found), []).append(number)
        places = list(dict.fromkeys(place for answer in wrong for place in answer))
        answers = [[[places.index(place) for place in answer], who] for answer, who in wrong.items()]
        key = question(vector.op.name, vector.input, expected_answer(vector), vector.unordered)
        known = of_base.rows.get(key) if of_base is not None else None
        if known is None or _plain(known) != _plain(_row(places, answers, names)):
            rows[key] = [places, answers]
    memo = {"fingerprint": fingerprint(spec), "mistakes": names, "vectors": rows}
    text = json.dumps(memo, separators=(",", ":"), ensure_ascii=True)
    return lzma.compress(text.encode("ascii"), preset=9)
