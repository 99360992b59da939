"""Gets a new spec's answers from its oracle in a new process, and describes the differences for a person."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.extensions.releases.package import TODO, vector_text
from conformance.oracle.python import OracleError, run
from conformance.outcomes.words import counted
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.clauses import load_clauses
from conformance.suite.entries import canonical_vector
from conformance.suite.overlays import renamed
from conformance.suite.vectors import load_spec
from conformance.wire.writing import dumps, write_text

__all__ = ["describe", "regenerated"]

_SECONDS = 3600.0
_PROGRAM = "from conformance.cli import main; main()"
_PLAYED = re.compile(r"([!-~]+): (the job that is played back .*)")
_MOST = 20
"""The most vectors that are omitted because of their jobs before giving up."""


def regenerated(spec: str, root: Path, folder: Path, progress: Callable[[str], None]) -> list[str]:
    """Run ``regen``; return the vectors that were omitted because their played job disagrees.

    Raises:
        OracleError: an answer is not available.
    """
    path = os.pathsep.join(part for part in (str(root), os.environ.get("PYTHONPATH")) if part)
    words = ("env", f"PYTHONPATH={path}", sys.executable, "-c", _PROGRAM, "kit", "regen", "--spec", spec)
    gone: list[str] = []
    while True:
        done = run(words, _SECONDS, "regen", cwd=root)
        if done.returncode == 0:
            return gone
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        message = message.removeprefix("harbor-conformance: ")
        played = _PLAYED.fullmatch(message)
        if played is None or len(gone) >= _MOST or played[1] in gone:
            raise OracleError(f"The answers of {spec} are not available: {message}")
        gone.append(played[1])
        progress(f"omitted, because its job gives another answer: {played[1]}")
        _leave_out(spec, folder, played[1], played[2])


def _leave_out(spec: str, folder: Path, vector_id: str, why: str) -> None:
    section = vector_id.split("/")[1]
    path = folder / f"{section}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    vectors = [entry for entry in known.get("vectors", []) if entry["id"] != vector_id]
    left_out = known.get("left_out", [])
    if len(vectors) == len(known.get("vectors", [])):  # it is one of the base's
        left_out = [*left_out, {"id": vector_id, "reason": f"{TODO}: say why {why}"}]
    write_text(path, vector_text(spec, section, vectors, left_out))


def describe(spec: str, base: str, folder: Path) -> tuple[int, list[str], dict[str, dict[str, Any]]]:
    """Add TODOs for differences; return their number, the changes, and a clause for each change.

    All vectors of one op and one clause of the base are a single change.
    """
    known = {renamed(vector.id, spec): vector for vector in load_spec(base, package=True)}
    changed: dict[tuple[str, str], int] = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for entry in document.get("differs", ()):
            vector = known[entry["id"]]
            change = (vector.op.name, vector.clause)
            changed[change] = changed.get(change, 0) + 1
            entry["rule"] = f"{TODO}: {base} says: {vector.rule}"
            entry["clause"] = f"{TODO}-{[*changed].index(change) + 1}"
        if document.get("differs"):
            document["differs"] = [canonical_vector(entry) for entry in document["differs"]]
            write_text(path, dumps(document))
    section_of = {clause.id: clause.section for clause in load_clauses(base)}
    clauses = {
        f"{TODO}-{number}": {
            "id": f"{TODO}-{number}",
            "document": SPEC_TABLE[base].document,
            "section": section_of[clause],
            "statement": f"{TODO}: what {op} does now, probably instead of {clause}.",
            "untested": None,
            "from": spec.rpartition("-")[2],
        }
        for number, (op, clause) in enumerate(changed, 1)
    }
    changes = [f"{op}: {clause} ({counted(n, 'vector')})" for (op, clause), n in changed.items()]
    return sum(changed.values()), changes, clauses
