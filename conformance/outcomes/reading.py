"""Reads a stored report: once, with limits, checked against its schema."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from conformance.errors import UserError
from conformance.outcomes.claims import outcomes
from conformance.suite.schemas import first_fault, schema
from conformance.wire.text import printable, shortened

__all__ = ["KINDS", "PACKED", "TRANSCRIPT", "Document", "ReportError", "document_of", "read", "read_file"]

_LONGEST = 256 << 20
_URN = "urn:harbor-conformance:"
_MOST_DIGITS = 4_300
"""The default limit of Python for digits of an int; vectors need as many."""

KINDS = {
    "run-report": "run",
    "check-report": "check",
    "metric-report": "metric",
    "matrix-report": "matrix",
    "fuzz-report": "fuzz",
}
"""The kind of report by schema."""


class ReportError(UserError):
    """A report can't be used, or its page can't be written; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Document:
    """A report that matches its schema."""

    kind: str
    name: str
    """Its name in messages: the file."""
    content: Mapping[str, Any]


def read(path: Path) -> Document:
    """Reads a report and determines its kind from its schema.

    Raises:
        ReportError: it can't be read, or is not a report that this kit knows.
    """
    return document_of(read_file(path), str(path))


def read_file(path: Path) -> bytes:
    """The content of a report or transcript.

    Raises:
        ReportError: it can't be read, or is longer than a report may be.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}") from None
    if len(content) > _LONGEST:
        raise ReportError(f"{path} is longer than a report may be, {_LONGEST >> 20} MiB")
    return content


PACKED = b"\x1f\x8b"
"""The first bytes of a gzip file."""
TRANSCRIPT = b'{"schema":"urn:harbor-conformance:transcript:'
"""The first bytes of an unpacked transcript."""


def document_of(content: bytes, name: str) -> Document:
    """Parses a report.

    Raises:
        ReportError: the content is not a report that this kit can read.
    """
    if content.startswith((PACKED, TRANSCRIPT)):
        raise ReportError(
            f"{name} is not a report, but the transcript of a shard: merge all shards with "
            "'harbor-conformance report --merge'"
        )
    try:
        parsed = json.loads(
            content.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, parse_int=_int_or_text
        )
        urn = parsed.get("schema") if isinstance(parsed, dict) else None
        kind, _, version = (urn if isinstance(urn, str) else "").removeprefix(_URN).partition(":")
        if kind not in KINDS:
            raise ReportError(f"{name} is not a report: its `schema` names none of {', '.join(KINDS)}")
        by = parsed.get("kit_version")
        kit = shortened(printable(by), 30) if isinstance(by, str) else None
        if version.isdecimal() and urn != schema(kind)["$id"]:
            raise ReportError(
                f"{name} is a {kind} of schema {shortened(version, 10)}, and this kit reads schema "
                f"{schema(kind)['$id'].rpartition(':')[2]}: harbor-conformance "
                f"{kit or 'of the version that wrote it'} shows it"
            )
        fault = first_fault(kind, parsed)
    except (ValueError, RecursionError):
        raise ReportError(f"{name} is not JSON that can be read") from None
    if fault is not None:
        by_kit = f", of kit {kit}" if kit else ""
        raise ReportError(f"{name} is not a {kind} that this kit can read{by_kit}: {printable(fault)}")
    if kind == "run-report" and (contradiction := _contradiction(parsed)) is not None:
        raise ReportError(f"{name} contradicts itself: {contradiction}")
    return Document(KINDS[kind], name, parsed)


def _contradiction(content: Mapping[str, Any]) -> str | None:
    """A contradiction between two parts of a run report, which a schema can't express."""
    asked_again = content["asked_again"] or {"results": [], "passed": {}}
    again = [result["id"] for result in asked_again["results"]]
    again += itertools.chain.from_iterable(asked_again["passed"].values())
    vectors = [key for key, _, _ in outcomes(content)]
    for noun, ids in (
        ("vector", vectors),
        ("rephrased vector", again),
        ("property", [result["id"] for result in content["properties"]]),
    ):
        twice = next((key for key, count in Counter(ids).items() if count > 1), None)
        if twice is not None:
            return f"it has two results of the {noun} {shortened(twice, 60)}"
    if unasked := sorted(set(again) - set(vectors)):
        return f"it has no result of {shortened(unasked[0], 60)}, which it asked again"
    vector_counts, total = content["asked"], content["vectors"]["total"]
    counts = sum(count for clauses in vector_counts.values() for count in clauses.values())
    failed = Counter((result["op"], result["clause"]) for result in content["results"])
    missing = any(count > vector_counts.get(op, {}).get(clause, 0) for (op, clause), count in failed.items())
    if missing or counts != len(vectors) or len(vectors) > total:
        return f"it has {len(vectors):,} results of {counts:,} vectors asked, {total:,} in all"
    return None


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(text)
    return value


def _int_or_text(text: str) -> int | str:
    """An int; its text if it has too many digits for Python, as in some answers."""
    return int(text) if len(text.lstrip("-")) <= _MOST_DIGITS else text
