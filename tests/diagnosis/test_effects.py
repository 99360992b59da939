"""What each change that a learned deviation may consist of does, by example."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.diagnosis.effects import KEYS, ORDERS, UNCHANGED, VALUES, Effect

Examples = list[list[Any]]
# By what is said: what is due, and what comes; then what is left as it is.
EXAMPLES: dict[str, dict[str, Examples]] = json.loads(
    Path(__file__).with_name("effects.json").read_text("utf-8")
)
TABLES = [(VALUES, EXAMPLES["values"]), (KEYS, EXAMPLES["keys"]), (ORDERS, EXAMPLES["orders"])]
EFFECTS = [(effect, table[effect.says]) for effects, table in TABLES for effect in effects]


@pytest.mark.parametrize(("effect", "examples"), EFFECTS, ids=[effect.says for effect, _ in EFFECTS])
def test_an_effect(effect: Effect, examples: Examples) -> None:
    changed, left = examples
    for due, comes in changed:
        assert repr(effect.change(due)) == repr(comes)
    for due in left:
        assert effect.change(due) is UNCHANGED, due


def test_each_effect_has_words_of_its_own_and_an_example() -> None:
    for effects, table in TABLES:
        assert sorted(effect.says for effect in effects) == sorted(table)
        assert len({effect.says for effect in effects}) == len(effects)
        assert all(effect.mend for effect in effects)
