"""A new spec's answers: gets them from its oracle in a new process, and describes them for a person."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conformance.extensions.releases.asking import Question
from conformance.extensions.releases.changes import what_changed
from conformance.extensions.releases.package import TODO, vector_text
from conformance.oracle.python import OracleError, run
from conformance.outcomes.words import counted
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.canonical import canonical_vector
from conformance.suite.overlays import renamed
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Answer, Failed, Ok, Refused
from conformance.wire.writing import dumps, write_text

__all__ = ["describe", "expected_answer", "regenerated"]

_SECONDS = 3600.0
_PROGRAM = "from conformance.cli import main; main()"
_PLAYED = re.compile(r"([!-~]+): (the job that is played back .*)")
_MOST = 20
"""The most vectors omitted because of their jobs, before giving up."""


def regenerated(spec: str, root: Path, folder: Path, progress: Callable[[str], None]) -> list[str]:
    """Runs ``regen``; returns the vectors omitted because their played job disagrees.

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
        progress(f"omitted, since its job gives another answer: {played[1]}")
        _leave_out(spec, folder, played[1], played[2])


def _leave_out(spec: str, folder: Path, vector_id: str, why: str) -> None:
    section = vector_id.split("/")[1]
    path = folder / f"{section}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    vectors = [entry for entry in known.get("vectors", []) if entry["id"] != vector_id]
    left_out = known.get("left_out", [])
    if len(vectors) == len(known.get("vectors", [])):  # the base's, not a new one
        left_out = [*left_out, {"id": vector_id, "reason": f"{TODO}: say why {why}"}]
    write_text(path, vector_text(spec, section, vectors, left_out))


def describe(spec: str, base: str, folder: Path) -> tuple[int, list[str], dict[str, dict[str, Any]]]:
    """Adds TODOs for differences; returns their number, the changes, and a clause for each change."""
    known = {renamed(vector.id, spec): vector for vector in load_spec(base, package=True)}
    traced: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for entry in document.get("differs", ()):
            vector = known[entry["id"]]
            question = Question(1, vector.op.name, vector.op, vector.input, vector)
            before, now = expected_answer(vector.expected), expected_answer(entry["expected"])
            found = what_changed(question, vector.input, before, now)
            what = found[1] if found else "the same at every level"
            traced.setdefault((vector.op.name, what), []).append(vector.clause)
            entry["rule"] = f"{TODO}: {what}, where {base} says: {vector.rule}"
            entry["clause"] = f"{TODO}-{[*traced].index((vector.op.name, what)) + 1}"
        if document.get("differs"):
            document["differs"] = [canonical_vector(entry) for entry in document["differs"]]
            write_text(path, dumps(document))
    changes, clauses = [], {}
    for number, ((op, what), ids) in enumerate(traced.items(), 1):
        changes.append(f"{op}: {what} ({counted(len(ids), 'vector')})")
        names = [name for name, _ in Counter(ids).most_common(3)]
        more = f" and {len(set(ids)) - len(names)} more" if len(set(ids)) > len(names) else ""
        section = re.match(r"[0-9]{3}-([0-9]+(?:\.[0-9]+)*)-", ids[0])
        clauses[f"{TODO}-{number}"] = {
            "id": f"{TODO}-{number}",
            "document": SPEC_TABLE[base].document,
            "section": section[1] if section else "general",
            "statement": f"{TODO}: {op}: {what}; likely in place of {', '.join(names)}{more}.",
            "untested": None,
            "from": spec.rpartition("-")[2],
        }
    return sum(map(len, traced.values())), changes, clauses


def expected_answer(expected: Mapping[str, Any] | None) -> Answer:
    """The expected answer of a vector."""
    if expected is None:
        return Failed("none", "no answer")
    if "ok" in expected:
        return Ok(expected["ok"])
    return Refused(expected["error"]["type"], expected["error"]["reason_code"])
