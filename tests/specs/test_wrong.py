"""Plausible wrong implementations, each a change of the reference's text: the vectors notice every one."""

import json
from pathlib import Path

import pytest

from conformance.mistakes.modules import REFERENCE
from conformance.mutants.fate import Fate
from conformance.mutants.workers import Attempt, tried

WRONG = json.loads(Path(__file__).with_name("wrong.json").read_text("utf-8"))


def attempt(one):
    text = (REFERENCE / one["file"]).read_text("utf-8")
    assert text.count(one["old"]) == 1, one["does"]
    name = one["file"].removesuffix(".py").replace("/", ".")
    return Attempt(name, one["does"], 0, text.replace(one["old"], one["new"]))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["evsys", "harness-evals"])
def test_every_wrong_implementation_is_caught(spec) -> None:
    """The reference itself passes, also where numbers are strings: ``tried`` begins with that."""
    wrong = [one for one in WRONG if one["spec"] == spec]
    fates = {wrong[place]["does"]: one.fate for place, one in tried([*map(attempt, wrong)], 1, spec=spec)}
    assert fates == dict.fromkeys((one["does"] for one in wrong), Fate.KILLED)
