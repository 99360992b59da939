"""What is said of the recorded answers of real implementations, held to the truth about them."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.assessment.recorded import recorded_evidence
from conformance.diagnosis.account import Kind
from conformance.diagnosis.diagnose import diagnose
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes
from tests.diagnosis import runs

pytestmark = pytest.mark.slow

ANSWERS = Path(__file__).with_name("answers")
TRUTH: dict[str, Any] = json.loads((ANSWERS / "truth.json").read_text(encoding="utf-8"))
_NAMED = 0.8


def test_each_file_has_its_truth_and_each_name_is_known() -> None:
    files = {path.name.removesuffix(".jsonl.gz") for path in ANSWERS.glob("*.jsonl.gz")}
    assert files == TRUTH.keys()
    for name, truth in TRUTH.items():
        assert set(truth["names"]) <= all_mistakes().keys(), name
        assert {one for group in truth["must"] for one in group} <= set(truth["names"]), name
        assert f"`{name}`" in (ANSWERS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_what_is_said_of_real_answers_is_true(name: str) -> None:
    """Every failure is in one of ten lines, most are named, no name is false, and the surest are given."""
    evidence = recorded_evidence(ANSWERS / f"{name}.jsonl.gz")
    diagnosis = diagnose(evidence, Level.BYTES)
    failures = {item.key for item in evidence if not item.passed}
    assert len(failures) == diagnosis.total > 90
    assert runs.covered(diagnosis) == failures
    assert len(diagnosis.lines) <= 10
    explained = runs.covered(diagnosis, Kind.MISTAKE, Kind.DEVIATION) - set(diagnosis.unexplained)
    assert len(explained) >= _NAMED * diagnosis.total, f"{len(explained)} of {diagnosis.total}"
    true = set(TRUTH[name]["names"])
    wrong = [one.names for one in diagnosis.explanations if not {each.name for each in one.mistakes} & true]
    assert not wrong, f"{name} does not do {wrong}"
    given = runs.named(diagnosis)
    missing = [" or ".join(group) for group in TRUTH[name]["must"] if not given & set(group)]
    assert not missing, f"{name} does {missing}"
