"""Mistakes in recognising finite numbers, and in the choice of values to check."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import errors, verifier_result
from reference_impl import reward as before
from reference_impl.harbor_0_25_0 import reward

Test = Callable[[Any], bool]
Files = Mapping[str, bytes]
Read = Callable[[Files], Any]
Look = Callable[[Files], Iterable[Any]]
_FLOATS, _STRINGS = "003-1.3-finite-floats-only", "003-1.3-strings-refused"
_NULLS, _INTS = "003-1.3-null-and-containers-malformed", "003-1.3-ints-are-finite"
_BOOLS, _TOP = "003-1.3-bools-pass", "003-1.3-top-level-checked"
_ALL, _TEXT = "003-1.3-one-bad-value-spoils-all", "003-1.2-finite-text-only"
in_test = family("parse_reward", of=reward._is_finite_number, clause=_FLOATS)
in_written = family("parse_reward", of=reward._written, clause=_ALL)
in_parse = family("parse_reward", of=reward.parse_finite_reward, clause=_ALL)


@in_test.wrapped(invited_by="harbor before 0.23.0", clause=_ALL)
def every_value_passes(test: Test, value: Any) -> bool:
    """No value is looked at before the result is validated. harbor did this before 0.23.0."""
    return True


@in_test.wrapped(invited_by="harbor before 0.23.0, pydantic", clause=_STRINGS)
def numeric_strings_pass(reference: Variant, test: Test, value: Any) -> bool:
    """A string that spells a number is one. The result's validation would convert it anyway."""
    if not isinstance(value, str):
        return test(value)
    number = reference.get(verifier_result._read_float)(value)
    return number is not None and math.isfinite(number)


@in_test.wrapped(invited_by="two checks of one thing", clause=_STRINGS)
def strings_are_left_to_validation(test: Test, value: Any) -> bool:
    """Strings are left to the validation of the result. Only floats can be infinite."""
    return isinstance(value, str) or test(value)


@in_written.wrapped(invited_by="rewards['reward']")
def reward_key_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Of an object only the value of the key reward is looked at. It is the value that counts."""
    value = before._parse_reward_json(files["reward.json"]) if _is_object(files) else None
    return [value["reward"]] if isinstance(value, dict) and "reward" in value else look(files)


@in_written.wrapped(invited_by="next(iter(values))")
def first_value_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Only the first value is looked at. Most files have only one."""
    return list(look(files))[:1]


@in_written.wrapped(invited_by="if isinstance(rewards, dict)", clause=_TOP)
def top_level_is_left_to_validation(look: Look, files: Files) -> Iterable[Any]:
    """What is no object is left to the validation of the result. It has no values to check."""
    return look(files) if "reward.json" not in files or _is_object(files) else []


@in_written.wrapped(invited_by="a check next to the JSON reader alone", clause=_TEXT)
def reward_txt_is_not_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """The number of reward.txt is not looked at. The check is in the JSON reader."""
    return look(files) if "reward.json" in files else []


@in_written.wrapped(invited_by="a check next to the text reader alone", clause=_ALL)
def reward_json_is_not_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """The values of reward.json are not looked at. The check is in the text reader."""
    return [] if "reward.json" in files else look(files)


@in_written.wrapped(invited_by="a loop over the files that there are", clause="003-1.1-json-wins")
def both_files_are_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """A reward.txt next to reward.json is looked at too. Every file is checked before one is chosen."""
    texts = {name: content for name, content in files.items() if name != "reward.json"}
    return [*look(files), *look(texts)]


def _is_object(files: Files) -> bool:
    content = files.get("reward.json", b"")
    return content.strip().startswith(b"{")


@in_parse.wrapped(invited_by="except (ParseError): try the other file", clause="003-1.1-no-fallback")
def refused_json_falls_back_to_txt(reference: Variant, parse: Read, files: Files) -> Any:
    """Where reward.json holds what is no finite number, reward.txt is read. It may still be valid."""
    rest = {name: content for name, content in files.items() if name != "reward.json"}
    try:
        return parse(files)
    except reference.its(errors.VerifierOutputParseError):
        if len(rest) == len(files) or not rest:
            raise
        return parse(rest)
