"""What is said of the recorded answers of real implementations, held to the truth about them."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.assessment.recorded import recorded_evidence
from conformance.diagnosis import Diagnosis, Evidence, Kind, diagnose
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes

pytestmark = pytest.mark.slow

ANSWERS = Path(__file__).with_name("answers")
TRUTH: dict[str, Any] = json.loads((ANSWERS / "truth.json").read_text(encoding="utf-8"))
_NAMED = 0.8


@pytest.fixture(scope="module", params=sorted(TRUTH))
def told(request: pytest.FixtureRequest) -> tuple[str, list[Evidence], Diagnosis]:
    evidence = recorded_evidence(ANSWERS / f"{request.param}.jsonl.gz")
    return request.param, evidence, diagnose(evidence, Level.BYTES)


def test_each_file_has_its_truth_and_each_name_is_known() -> None:
    files = {path.name.removesuffix(".jsonl.gz") for path in ANSWERS.glob("*.jsonl.gz")}
    assert files == TRUTH.keys()
    for name, truth in TRUTH.items():
        assert set(truth["names"]) <= all_mistakes().keys(), name
        assert {one for group in truth["must"] for one in group} <= set(truth["names"]), name
        assert f"`{name}`" in (ANSWERS / "README.md").read_text(encoding="utf-8")


def test_every_failure_is_in_one_of_ten_lines(
    runs: ModuleType, told: tuple[str, list[Evidence], Diagnosis]
) -> None:
    _, evidence, diagnosis = told
    failures = {item.key for item in evidence if not item.passed}
    assert len(failures) == diagnosis.total > 90
    assert runs.covered(diagnosis) == failures
    assert len(diagnosis.lines) <= 10


def test_most_failures_are_named(runs: ModuleType, told: tuple[str, list[Evidence], Diagnosis]) -> None:
    name, _, diagnosis = told
    explained = runs.covered(diagnosis, Kind.MISTAKE, Kind.LEARNED) - set(diagnosis.unexplained)
    enough = len(explained) >= _NAMED * diagnosis.total
    assert enough, f"{name}: {len(explained)} of {diagnosis.total}"


def test_no_name_is_given_that_is_not_true(told: tuple[str, list[Evidence], Diagnosis]) -> None:
    name, _, diagnosis = told
    wrong = [
        explanation.names
        for explanation in diagnosis.explanations
        if not {one.name for one in explanation.mistakes} & set(TRUTH[name]["names"])
    ]
    assert not wrong, f"{name} does not do {wrong}"


def test_what_has_to_be_named_is(runs: ModuleType, told: tuple[str, list[Evidence], Diagnosis]) -> None:
    name, _, diagnosis = told
    given = runs.named(diagnosis)
    missing = [" or ".join(group) for group in TRUTH[name]["must"] if not given & set(group)]
    assert not missing, f"{name} does {missing}"
