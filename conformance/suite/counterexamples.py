"""Counterexamples from fuzzing and properties as a vector file, ready to be asked again.

``harbor-conformance run --vectors FILE`` repeats it. To keep one, a maintainer moves it into the file of its
section, says which rule it tests, and runs ``regen`` to ask the real harbor; here the answers are the
reference's.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.registry.ops import op_of
from conformance.suite.clauses import successors
from conformance.suite.entries import canonical_vector
from conformance.suite.vectors import Vector
from conformance.version import RELEASE
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported, encoded
from conformance.wire.text import shortened
from conformance.wire.writing import dumps, write_text

__all__ = [
    "FLAG",
    "SECTION",
    "counterexample",
    "counterexample_id",
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


def expected_of(answer: Ok | Refused) -> dict[str, Any]:
    """An answer of the reference as a vector's ``expected``."""
    if isinstance(answer, Ok):
        return {"ok": answer.value}
    return {"error": {"type": answer.type, "reason_code": answer.reason_code}}


def counterexample_id(spec: str, op: str, input_: Any) -> str:
    """The id of a counterexample, which depends only on the input."""
    digest = hashlib.sha256(encoded([op, input_]).encode("ascii")).hexdigest()
    return f"{spec}/{op_of(spec, op).section}/fuzz-{digest[:12]}"


def counterexample(
    spec: str,
    op: str,
    input_: Any,
    expected: Ok | Refused,
    *,
    actual: Answer,
    likely: str | None,
    unordered: frozenset[str],
    note: str,
    path: Path,
) -> Vector:
    """An input on which a runner and the reference disagree, as a vector in the file ``path``.

    ``actual`` is the runner's answer, ``likely`` the likely mistake, ``note`` how it was found.
    """
    match actual:
        case Ok(value):
            answer = json.dumps(value)
        case Refused(error_type, reason_code, _):
            answer = f"the error {error_type}" + (f" ({reason_code})" if reason_code else "")
        case Unsupported(reason):
            answer = f"unsupported: {reason}"
        case Failed(outcome, sentence):
            answer = f"none: {outcome}, {sentence}"
    catches = f"{likely}; answering" if likely else "Answering"
    op_ = op_of(spec, op)
    return Vector(
        id=counterexample_id(spec, op, input_),
        op=op_,
        rule=f"The answer to this {op} is the reference's.",
        clause=successors(spec).get(op_.fallback_clause) or op_.fallback_clause,
        flags=(FLAG,),
        input=input_,
        expected=expected_of(expected),
        unordered=unordered if isinstance(expected, Ok) else frozenset(),
        catches=f"{catches} {shortened(answer, _MOST)}. {note}.",
        since=RELEASE,
        provenance="reference",
        file=path,
    )


def is_counterexample_file(path: Path) -> bool:
    """Return whether ``write_counterexamples`` wrote a file, and so may replace it."""
    if not path.is_file():  # such as a device, which may be endless
        return False
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("section") == SECTION


def write_counterexamples(path: Path, spec: str, counterexamples: Sequence[Vector]) -> None:
    """Writes the counterexamples to a vector file, replacing it completely; each input appears once.

    Raises:
        OSError: the file can't be written.
        ValueError: there are none, but a vector file needs at least one.
    """
    if not counterexamples:
        raise ValueError("no counterexample, no file")
    vectors = {vector.id: vector for vector in counterexamples}
    document = {
        "$schema": "../../schemas/vector-file.schema.json",
        "spec": spec,
        "section": SECTION,
        "vectors": [_entry(vectors[key]) for key in sorted(vectors)],
    }
    write_text(path, dumps(document))


def _entry(vector: Vector) -> dict[str, Any]:
    """The vector as in its file."""
    named = ("id", "rule", "clause", "input", "expected", "catches", "since", "provenance")
    entry: dict[str, Any] = {name: getattr(vector, name) for name in named}
    entry |= {"op": vector.op.name, "flags": [*vector.flags], "unordered": sorted(vector.unordered)}
    return canonical_vector(entry)
