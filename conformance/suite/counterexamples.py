"""Counterexamples from fuzzing and properties as a vector file, ready to be asked again.

``harbor-conformance run --vectors FILE`` repeats it. To keep one, a maintainer moves it into the file of its
section, says which rule it tests, and runs ``regen`` to ask the real harbor; here the answers are the
reference's.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.registry.ops import op_of
from conformance.suite.canonical import canonical_vector
from conformance.suite.clauses import successors
from conformance.suite.vectors import Vector, vector_of
from conformance.version import RELEASE
from conformance.wire.messages import Ok, Refused, encoded
from conformance.wire.text import shortened
from conformance.wire.writing import dumps, write_text

__all__ = [
    "FLAG",
    "SECTION",
    "Counterexample",
    "counterexample_id",
    "counterexample_vector",
    "expected_of",
    "is_counterexample_file",
    "write_counterexamples",
]

SECTION = "counterexamples"
"""The section name of such a file, whose vectors may belong to several."""
FLAG = "counterexample"
"""The flag of vectors whose kind of bug is not yet classified."""

_MOST = 300
"""The most characters of a runner's answer that a vector quotes."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which a runner and the reference disagree."""

    op: str
    input: Any
    expected: dict[str, Any]
    """``{"ok": …}`` or ``{"error": {"type", "reason_code"}}``, as the reference answers."""
    actual: str
    """The runner's answer as text."""
    likely: str | None
    """The likely mistake, if one is known."""
    unordered: frozenset[str]
    """Pointers to the objects whose key order is free."""
    note: str
    """How it was found, with the seed."""
    clause: str | None = None
    """The clause that it breaks, if the likely mistake names one."""


def expected_of(answer: Ok | Refused) -> dict[str, Any]:
    """An answer of the reference as a vector's ``expected``."""
    if isinstance(answer, Ok):
        return {"ok": answer.value}
    return {"error": {"type": answer.type, "reason_code": answer.reason_code}}


def counterexample_id(spec: str, op: str, given: Any) -> str:
    """The id of a counterexample, which depends only on the input."""
    digest = hashlib.sha256(encoded([op, given]).encode("ascii")).hexdigest()
    return f"{spec}/{op_of(spec, op).section}/fuzz-{digest[:12]}"


def _fallback(spec: str, op: str) -> str:
    """The spec's default clause for a disagreement on an op."""
    clause = op_of(spec, op).fallback_clause
    return successors(spec).get(clause) or clause


def _entry(spec: str, found: Counterexample) -> dict[str, Any]:
    catches = f"{found.likely}; answering" if found.likely else "Answering"
    catches = f"{catches} {shortened(found.actual, _MOST)}. {found.note}."
    ordered = found.unordered if "ok" in found.expected else ()
    return canonical_vector(
        {
            "id": counterexample_id(spec, found.op, found.input),
            "op": found.op,
            "rule": f"The answer to this {found.op} is the reference's.",
            "clause": found.clause or _fallback(spec, found.op),
            "flags": [FLAG],
            "input": found.input,
            "expected": found.expected,
            "unordered": sorted(ordered),
            "catches": catches,
            "since": RELEASE,
            "provenance": "reference",
        }
    )


def counterexample_vector(spec: str, found: Counterexample, path: Path) -> Vector:
    """The counterexample as a vector in the file ``path``."""
    return vector_of(_entry(spec, found), op_of(spec, found.op), path)


def is_counterexample_file(path: Path) -> bool:
    """Whether ``write_counterexamples`` wrote a file, and so may replace it."""
    if not path.is_file():  # such as a device, which may be endless
        return False
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("section") == SECTION


def write_counterexamples(path: Path, spec: str, found: Sequence[Counterexample]) -> None:
    """Writes the counterexamples to a vector file, replacing it completely; each input appears once.

    Raises:
        OSError: the file can't be written.
        ValueError: there are none, but a vector file needs at least one.
    """
    if not found:
        raise ValueError("no counterexample, no file")
    entries = {entry["id"]: entry for entry in (_entry(spec, one) for one in found)}
    document = {
        "$schema": "../../schemas/vector-file.schema.json",
        "spec": spec,
        "section": SECTION,
        "vectors": [entries[key] for key in sorted(entries)],
    }
    write_text(path, dumps(document))
