"""Generates the files of an overlay spec, which contain only what differs from its base."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.paths import vectors_dir
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.canonical import canonical_vector
from conformance.suite.overlays import DIFFERS, LEFT_OUT, OVERRIDES, inherited
from conformance.suite.vectors import Vector, load_spec, section_files
from conformance.wire.writing import dumps

__all__ = ["overlay_texts", "unreviewed"]


def overlay_texts(
    spec: str,
    every: list[Vector],
    answers: Mapping[str, Any],
    provenance: Mapping[str, str],
    variants: Mapping[str, Mapping[str, Any]],
) -> dict[Path, str | None]:
    """The texts of a spec's own vector files from its sources' answers; None for an empty file.

    Texts written for a vector stay as long as its answer differs from the base's.
    """
    base = SPEC_TABLE[spec].base
    assert base is not None
    known = inherited(load_spec(base, package=True), spec)
    documents = {path: json.loads(path.read_text(encoding="utf-8")) for path in section_files(spec)}
    entries = {entry["id"]: entry for document in documents.values() for entry in document.get(DIFFERS, ())}
    differs: dict[Path, list[dict[str, Any]]] = {}
    for vector in every:
        if vector.id not in known:
            continue
        answer = answers.get(vector.id, vector.expected)
        base_says = (known[vector.id].expected, known[vector.id].variants)
        if json.dumps((answer, dict(variants[vector.id]))) == json.dumps((base_says[0], dict(base_says[1]))):
            continue
        kept = {name: value for name, value in entries.get(vector.id, {}).items() if name in OVERRIDES}
        entry = {"id": vector.id, **kept, "expected": answer, "provenance": provenance[vector.id]}
        entry |= {"variants": dict(variants[vector.id])} if variants[vector.id] else {}
        differs.setdefault(vectors_dir(spec) / f"{vector.section}.json", []).append(entry)
    return {
        path: _text(spec, path, documents.get(path, {}), differs.get(path, []), answers, provenance, variants)
        for path in sorted({*documents, *differs})
    }


def _text(
    spec: str,
    path: Path,
    document: Mapping[str, Any],
    differs: list[dict[str, Any]],
    answers: Mapping[str, Any],
    provenance: Mapping[str, str],
    variants: Mapping[str, Mapping[str, Any]],
) -> str | None:
    new = [
        entry
        | {"expected": answers.get(entry["id"], entry.get("expected")), "provenance": provenance[entry["id"]]}
        | {"variants": dict(variants[entry["id"]])}
        for entry in document.get("vectors", ())
    ]
    gone = document.get(LEFT_OUT, [])
    if not (new or differs or gone):
        return None
    overlay: dict[str, Any] = {
        "$schema": "../../schemas/vector-file.schema.json",
        "spec": spec,
        "section": path.stem,
        "vectors": _canonical(new),
    }
    overlay |= {DIFFERS: _canonical(differs)} if differs else {}
    overlay |= {LEFT_OUT: sorted(gone, key=lambda entry: str(entry["id"]))} if gone else {}
    return dumps(overlay)


def _canonical(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(map(canonical_vector, entries), key=lambda entry: str(entry["id"]))


def unreviewed(texts: Mapping[Path, str | None]) -> list[str]:
    """The ids of differing vectors whose ``rule`` is still the base's."""
    documents = [json.loads(text) for text in texts.values() if text is not None]
    entries = (entry for document in documents for entry in document.get(DIFFERS, ()))
    return [entry["id"] for entry in entries if not {"rule", "clause"} <= entry.keys()]
