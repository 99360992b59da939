"""The tables of where expected answers come from, in each document that claims something of them."""

from collections import Counter
from pathlib import Path

import pytest

from conformance.assessment.answers import answer_counts, renewed_documents
from conformance.registry.ops import SPECS
from conformance.suite.vectors import load_spec

ROOT = Path(__file__).resolve().parents[2]


def test_the_documents_have_todays_table() -> None:
    for path, text in renewed_documents(ROOT):
        assert path.read_text(encoding="utf-8") == text, "harbor-conformance regen writes it"
        assert "| the kit's own decision table | 536 |" in text, path


def test_a_table_that_is_out_of_date_is_written_anew(tmp_path: Path) -> None:
    for path, text in renewed_documents(ROOT):
        stale = tmp_path / path.relative_to(ROOT)
        stale.parent.mkdir(exist_ok=True)
        stale.write_text(text.replace("| 536 |", "| 535 |"), encoding="utf-8")
    for path, text in renewed_documents(tmp_path):
        assert text == (ROOT / path.relative_to(tmp_path)).read_text(encoding="utf-8")
        assert text != path.read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", SPECS)
def test_every_vector_is_counted_by_its_provenance(spec: str) -> None:
    provenance = Counter(vector.provenance for vector in load_spec(spec))
    counts = answer_counts(spec)
    assert sum(counts.values()) == sum(provenance.values())
    own = counts.get("the kit's own decision table", 0)
    program = counts.get("the program that document 003 prints, executed", 0)
    assert (own, program) == (provenance["decision-table"], provenance["document-003-5"])
