"""The misreadings that the page counts."""

import json

import pytest

from conformance.assessment.measurements import AssessmentError
from conformance.assessment.measuring import load_readings
from conformance.paths import DEFAULT_SPEC


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, None),
        ({"became": "equivalent"}, "is equivalent without a reason"),
        ({"became": "gone"}, "is no list of misreadings"),
        ({"op": "no_op"}, "is not an op"),
    ],
)
def test_misreadings_are_held_strictly(changes, sentence, tmp_path) -> None:
    one = {"name": "a", "op": "aggregate", "at_first": "caught", "became": "same", "says": "it does"}
    document = {"document": "003", "misreadings": [{**one, **changes}]}
    (tmp_path / "003.json").write_text(json.dumps(document), encoding="utf-8")
    if sentence is None:
        assert [one.document for one in load_readings(tmp_path)[DEFAULT_SPEC]] == ["003"]
        return
    with pytest.raises(AssessmentError, match=sentence):
        load_readings(tmp_path)
