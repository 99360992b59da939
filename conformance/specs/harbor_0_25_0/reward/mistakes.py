"""Mistakes in recognising finite numbers, and in the choice of values to check."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import reward as before
from reference_impl import verifier_result
from reference_impl.harbor_0_25_0 import reward

Test = Callable[[Any], bool]
Files = Mapping[str, bytes]
Look = Callable[[Files], Iterable[Any]]
_FLOATS, _STRINGS = "003-1.3-finite-floats-only", "003-1.3-strings-refused"
_NULLS, _INTS = "003-1.3-null-and-containers-malformed", "003-1.3-ints-are-finite"
_BOOLS, _TOP = "003-1.3-bools-pass", "003-1.3-top-level-checked"
_ALL, _TEXT = "003-1.3-one-bad-value-spoils-all", "003-1.2-finite-text-only"
in_test = family("parse_reward", of=reward._is_finite_number, clause=_FLOATS)
in_written = family("parse_reward", of=reward._written, clause=_ALL)


@in_test.wrapped(invited_by="harbor before 0.23.0", clause=_ALL)
def every_value_passes(test: Test, value: Any) -> bool:
    """No value is checked before the result is validated. harbor did this before 0.23.0."""
    return True


@in_test.wrapped(invited_by="harbor before 0.23.0, pydantic", clause=_STRINGS)
def numeric_strings_pass(reference: Variant, test: Test, value: Any) -> bool:
    """A string that spells a number is accepted. The result's validation would convert it anyway."""
    if not isinstance(value, str):
        return test(value)
    number = reference.get(verifier_result._read_float)(value)
    return number is not None and math.isfinite(number)


@in_written.wrapped(invited_by="rewards['reward']")
def reward_key_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """In an object, only the value of the key reward is checked. It is the value that counts."""
    value = before._parse_reward_json(files["reward.json"]) if _is_object(files) else None
    return [value["reward"]] if isinstance(value, dict) and "reward" in value else look(files)


@in_written.wrapped(invited_by="if isinstance(rewards, dict)", clause=_TOP)
def top_level_is_left_to_validation(look: Look, files: Files) -> Iterable[Any]:
    """A document that is not an object is left to the validation of the result. It has no values to check."""
    return look(files) if "reward.json" not in files or _is_object(files) else []


@in_written.wrapped(invited_by="a check next to the JSON reader alone", clause=_TEXT)
def reward_txt_is_not_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """The number in reward.txt is not checked. The check is in the JSON reader."""
    return look(files) if "reward.json" in files else []


def _is_object(files: Files) -> bool:
    content = files.get("reward.json", b"")
    return content.strip().startswith(b"{")
