"""Generates vector files from answers: a spec's own, and those of an overlay, which has only differences."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.paths import vectors_dir
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.entries import canonical_vector
from conformance.suite.overlays import DIFFERS, LEFT_OUT, OVERRIDES, inherited
from conformance.suite.vectors import Vector, load_spec, section_files
from conformance.wire.writing import dumps

__all__ = ["Answered", "file_texts", "unreviewed"]


@dataclass(frozen=True, slots=True)
class Answered:
    """Answers by vector id; a vector without one keeps the answer in its file."""

    answers: Mapping[str, Any]
    provenance: Mapping[str, str]
    variants: Mapping[str, Mapping[str, Any]]

    def entries(self, entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The entries of a vector file with their answers, in canonical form, by id."""
        answered = (
            entry
            | {
                "expected": self.answers.get(entry["id"], entry.get("expected")),
                "provenance": self.provenance[entry["id"]],
                "variants": dict(self.variants[entry["id"]]),
            }
            for entry in entries
        )
        return sorted(map(canonical_vector, answered), key=lambda entry: str(entry["id"]))


def file_texts(spec: str, vectors: list[Vector], answered: Answered) -> dict[Path, str | None]:
    """The texts of a spec's own vector files; None for an empty file of an overlay."""
    documents = {path: json.loads(path.read_text(encoding="utf-8")) for path in section_files(spec)}
    if SPEC_TABLE[spec].base is not None:
        return _overlay_texts(spec, vectors, answered, documents)
    return {
        path: dumps({**document, "vectors": answered.entries(document["vectors"])})
        for path, document in documents.items()
    }


def _overlay_texts(
    spec: str, vectors: list[Vector], answered: Answered, documents: Mapping[Path, Any]
) -> dict[Path, str | None]:
    """The texts of an overlay's files. A vector's own texts stay while its answer differs from the base's."""
    base = SPEC_TABLE[spec].base
    assert base is not None
    known = inherited(load_spec(base, package=True), spec)
    entries = {entry["id"]: entry for document in documents.values() for entry in document.get(DIFFERS, ())}
    differs: dict[Path, list[dict[str, Any]]] = {}
    for vector in vectors:
        if vector.id not in known:
            continue
        says = answered.answers.get(vector.id, vector.expected), dict(answered.variants[vector.id])
        base_says = known[vector.id].expected, dict(known[vector.id].variants)
        if json.dumps(says) != json.dumps(base_says):
            kept = {name: value for name, value in entries.get(vector.id, {}).items() if name in OVERRIDES}
            path = vectors_dir(spec) / f"{vector.section}.json"
            differs.setdefault(path, []).append({"id": vector.id, **kept, "expected": says[0]})
    return {
        path: _text(spec, path, documents.get(path, {}), differs.get(path, []), answered)
        for path in sorted({*documents, *differs})
    }


def _text(
    spec: str, path: Path, document: Mapping[str, Any], differs: list[dict[str, Any]], answered: Answered
) -> str | None:
    new, gone = document.get("vectors", ()), document.get(LEFT_OUT, [])
    if not (new or differs or gone):
        return None
    overlay: dict[str, Any] = {
        "$schema": "../../schemas/vector-file.schema.json",
        "spec": spec,
        "section": path.stem,
        "vectors": answered.entries(new),
    }
    overlay |= {DIFFERS: answered.entries(differs)} if differs else {}
    overlay |= {LEFT_OUT: sorted(gone, key=lambda entry: str(entry["id"]))} if gone else {}
    return dumps(overlay)


def unreviewed(texts: Mapping[Path, str | None]) -> list[str]:
    """The ids of differing vectors whose ``rule`` is still the base's."""
    documents = [json.loads(text) for text in texts.values() if text is not None]
    entries = (entry for document in documents for entry in document.get(DIFFERS, ()))
    return [entry["id"] for entry in entries if not {"rule", "clause"} <= entry.keys()]
