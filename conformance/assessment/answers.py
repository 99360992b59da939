"""How many expected answers come from which source: a table that documents show between two comments."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from conformance.assessment.markdown import table
from conformance.paths import DEFAULT_SPEC, checkout_root
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.writing import write_if_changed

__all__ = ["answer_counts", "renew_documents", "renewed_documents", "source_table"]

_DOCUMENTS = {"README.md": (DEFAULT_SPEC,), "vectors/README.md": SPECS, "SELF-ASSESSMENT.md": SPECS}
"""Which specs' answers each document counts."""
_BEGIN, _END = "<!-- answers-by-source -->\n", "\n<!-- end -->"


def answer_counts(spec: str) -> dict[str, int]:
    """The number of a spec's vectors by what gave their answers."""
    return dict(Counter(map(_source, load_spec(spec))))


def source_table(counts: Mapping[str, Mapping[str, int]]) -> str:
    """The table, a column for each spec; ``counts`` are ``answer_counts`` by spec."""
    sources = dict.fromkeys(source for each in counts.values() for source in each)
    rows = [[source, *(each.get(source) for each in counts.values())] for source in sources]
    return table(["the answer comes from", *counts], rows)


def renewed_documents(root: Path) -> Iterator[tuple[Path, str]]:
    """The documents of a checkout, each with the text that it should have."""
    counts = {spec: answer_counts(spec) for spec in SPECS}
    for name, specs in _DOCUMENTS.items():
        path = root / name
        before, begin, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
        _, end, after = rest.partition(_END)
        shown = source_table({spec: counts[spec] for spec in specs})
        yield path, "".join([before, begin, shown, end, after])


def renew_documents() -> list[Path]:
    """Writes the documents whose table is out of date; returns which."""
    root = checkout_root()
    return [path for path, text in renewed_documents(root) if write_if_changed(path, text)] if root else []


def _source(vector: Vector) -> str:
    oracle = SPEC_TABLE[vector.op.spec].oracle
    further = {one.provenance: one.answered_by for one in oracle.further}
    own = oracle.partly_own.get(vector.op.name, oracle.answered_by)
    source = further.get(vector.provenance or "", own)
    if vector.op.completed_by is None:
        return source
    rest = OPS[vector.op.completed_by]
    return f"{source}, and for the {rest.ok_lines[0][0]} {further[rest.source]}"
