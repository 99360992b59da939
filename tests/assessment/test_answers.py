"""The tables of where expected answers come from, in each document that claims something of them."""

from pathlib import Path

import pytest

from conformance.assessment.measuring import answer_counts
from conformance.assessment.page import outdated_documents
from conformance.registry.ops import SPECS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.release
def test_the_documents_have_todays_table() -> None:
    assert list(outdated_documents(ROOT)) == [], "harbor-conformance kit assess writes them"


def test_a_table_that_is_out_of_date_is_written_anew(tmp_path) -> None:
    row = "| the kit's own decision table | "
    for name in ("README.md", "vectors/README.md"):
        stale = tmp_path / name
        stale.parent.mkdir(exist_ok=True)
        stale.write_text((ROOT / name).read_text("utf-8").replace(row, f"{row}1"), encoding="utf-8")
    renewed = outdated_documents(tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in renewed] == ["README.md", "vectors/README.md"]
    own = answer_counts(SPECS[0])["the kit's own decision table"]
    for path, text in renewed.items():
        assert f"{row}{own} |" in text
        path.write_text(text, encoding="utf-8")
    assert outdated_documents(tmp_path) == {}
