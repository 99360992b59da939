"""Mistakes in what is a finite number, and in which values are looked at."""

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl import errors, verifier_result
from reference_impl import reward as before
from reference_impl.harbor_0_25_0 import reward

__all__: list[str] = []

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
    """No value is looked at before the result is validated. So harbor did before 0.23.0."""
    return True


@in_test.wrapped(invited_by="harbor before 0.23.0, pydantic", clause=_STRINGS)
def numeric_strings_pass(reference: Variant, test: Test, value: Any) -> bool:
    """A string that spells a number is one. The result's validation converts it all the same."""
    if not isinstance(value, str):
        return test(value)
    number = reference.get(verifier_result._read_float)(value)
    return number is not None and math.isfinite(number)


@in_test.wrapped(invited_by="two checks of one thing", clause=_STRINGS)
def strings_are_left_to_validation(test: Test, value: Any) -> bool:
    """Strings are left to the validation of the result. Only floats can be infinite."""
    return isinstance(value, str) or test(value)


@in_test.wrapped(invited_by="two checks of one thing", clause=_STRINGS)
def strings_of_no_number_are_left_to_validation(reference: Variant, test: Test, value: Any) -> bool:
    """A string that spells no number is left to the validation of the result.
    Refusing it there is enough."""
    if isinstance(value, str):
        return reference.get(verifier_result._read_float)(value) is None
    return test(value)


@in_test.wrapped(invited_by="type(value) in (int, float)", clause=_BOOLS)
def bools_are_refused(test: Test, value: Any) -> bool:
    """A bool is no number. In most languages it is none."""
    return not isinstance(value, bool) and test(value)


@in_test.wrapped(invited_by="truth tests", clause=_BOOLS)
def false_is_refused(test: Test, value: Any) -> bool:
    """Of the bools true alone passes. A truth test stands where a test of the type should."""
    return value is not False and test(value)


@in_test.wrapped(invited_by="x != math.inf")
def nan_passes(test: Test, value: Any) -> bool:
    """NaN passes and the infinities do not. Finite is taken for not infinite."""
    return test(value) or (isinstance(value, float) and math.isnan(value))


@in_test.wrapped(invited_by="math.isnan, Number.isNaN")
def infinities_pass(test: Test, value: Any) -> bool:
    """The infinities pass and NaN does not. Only NaN is known to spoil a mean."""
    return test(value) or (isinstance(value, float) and math.isinf(value))


@in_test.wrapped(invited_by="value < math.inf")
def minus_infinity_passes(test: Test, value: Any) -> bool:
    """Minus infinity passes. One comparison with infinity is made, not two."""
    return test(value) or (isinstance(value, float) and value == -math.inf)


@in_test.wrapped(invited_by="value is None or ...", clause=_NULLS)
def null_is_left_to_validation(test: Test, value: Any) -> bool:
    """Null passes. It stands for no reward."""
    return value is None or test(value)


@in_test.wrapped(invited_by="checking leaves alone", clause=_NULLS)
def arrays_are_left_to_validation(test: Test, value: Any) -> bool:
    """An array is left to the validation of the result. Only single values are looked at."""
    return isinstance(value, list) or test(value)


@in_test.wrapped(invited_by="checking leaves alone", clause=_NULLS)
def objects_are_left_to_validation(test: Test, value: Any) -> bool:
    """An object as a value is left to the validation of the result. Only single values are looked at."""
    return isinstance(value, dict) or test(value)


@in_test.wrapped(invited_by="np.isfinite, math.isfinite of an int", clause=_INTS)
def ints_beyond_doubles_are_refused(test: Test, value: Any) -> bool:
    """An int beyond the double range is not finite. It is made a double to be tested."""
    try:
        return test(value) and math.isfinite(float(value))
    except OverflowError:
        return False


@in_test.wrapped(invited_by="int64, JSON libraries with 64-bit ints", clause=_INTS)
def ints_beyond_64_bits_are_refused(test: Test, value: Any) -> bool:
    """An int of more than 64 bits is refused. Ints have a width there."""
    return test(value) and not (isinstance(value, int) and abs(value) >= 2**63)


@in_test.wrapped(invited_by="abs(value) < sys.float_info.max")
def largest_double_is_refused(test: Test, value: Any) -> bool:
    """The largest double is refused too. It is taken for the border that nothing reaches."""
    return test(value) and not (isinstance(value, float) and abs(value) >= sys.float_info.max)


@in_test.wrapped(invited_by="abs(value) < 1e308")
def above_1e308_is_refused(test: Test, value: Any) -> bool:
    """A float above 1e308 is refused. A round number stands for the largest double."""
    return test(value) and not (isinstance(value, float) and abs(value) > 1e308)


@in_test.wrapped(invited_by="math.isnormal, std::isnormal")
def subnormals_are_refused(test: Test, value: Any) -> bool:
    """A subnormal float is refused. Normal is taken for finite."""
    small = isinstance(value, float) and 0 < abs(value) < sys.float_info.min
    return test(value) and not small


@in_test.wrapped(invited_by="a schema with a minimum of 0", clause="003-1.2-range-is-open")
def negative_numbers_are_refused(test: Test, value: Any) -> bool:
    """A negative number is refused. A reward is thought to be 0 or more."""
    return test(value) and not (isinstance(value, int | float) and value < 0)


@in_test.wrapped(invited_by="a schema with a maximum of 1", clause="003-1.2-range-is-open")
def numbers_above_one_are_refused(test: Test, value: Any) -> bool:
    """A number above 1 is refused. A reward is thought to be a share."""
    return test(value) and not (isinstance(value, int | float) and value > 1)


@in_written.wrapped(invited_by="rewards['reward']")
def reward_key_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Of an object only the value of the key reward is looked at. It is the one that counts."""
    value = before._parse_reward_json(files["reward.json"]) if _is_object(files) else None
    return [value["reward"]] if isinstance(value, dict) and "reward" in value else look(files)


@in_written.wrapped(invited_by="next(iter(values))")
def first_value_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Only the first value is looked at. Most files have one."""
    return list(look(files))[:1]


@in_written.wrapped(invited_by="a loop that keeps one flag")
def last_value_alone_is_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Only the last value decides. Each round of the loop overwrites what the one before found."""
    return list(look(files))[-1:]


@in_written.wrapped(invited_by="if isinstance(rewards, dict)", clause=_TOP)
def top_level_is_left_to_validation(look: Look, files: Files) -> Iterable[Any]:
    """What is no object is left to the validation of the result. It has no values to look at."""
    return look(files) if "reward.json" not in files or _is_object(files) else []


@in_written.wrapped(invited_by="if rewards is None", clause=_TOP)
def top_level_null_is_no_rewards(look: Look, files: Files) -> Iterable[Any]:
    """A top-level null is still no rewards. It is no value to look at."""
    return [] if [*look(files)] == [None] and not _is_object(files) else look(files)


@in_written.wrapped(invited_by="for value in rewards", clause=_TOP)
def items_of_a_top_level_array_are_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """Of a top-level array the items are looked at. Whatever holds values is walked through."""
    values = [*look(files)]
    return values[0] if len(values) == 1 and isinstance(values[0], list) and not _is_object(files) else values


@in_written.wrapped(invited_by="a check beside the JSON reader alone", clause=_TEXT)
def reward_txt_is_not_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """The number of reward.txt is not looked at. The check stands beside the reader of JSON."""
    return look(files) if "reward.json" in files else []


@in_written.wrapped(invited_by="a check beside the text reader alone", clause=_ALL)
def reward_json_is_not_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """The values of reward.json are not looked at. The check stands beside the reader of text."""
    return [] if "reward.json" in files else look(files)


@in_written.wrapped(invited_by="a loop over the files that there are", clause="003-1.1-json-wins")
def both_files_are_looked_at(look: Look, files: Files) -> Iterable[Any]:
    """A reward.txt beside reward.json is looked at too. Every file is checked before one is chosen."""
    texts = {name: content for name, content in files.items() if name != "reward.json"}
    return [*look(files), *look(texts)]


def _is_object(files: Files) -> bool:
    content = files.get("reward.json", b"")
    return content.strip().startswith(b"{")


@way("parse_reward", clause=_ALL)
def values_first(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes the object of a reward.json before its values are looked at."""
    parse = reference.get(before._parse_reward_json)

    def parsed(content: bytes) -> Any:
        value = parse(content)
        return change(value) if isinstance(value, dict) else value

    reference.replace(before._parse_reward_json, parsed)


def _finite(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


@values_first.made(invited_by="dropna, filter(math.isfinite)")
def values_that_are_not_finite_are_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """A key whose float is not finite is dropped, and the rest kept. It is one among others."""
    return {key: item for key, item in members.items() if not isinstance(item, float) or _finite(item)}


@values_first.made(invited_by="filter(isinstance)")
def values_that_are_no_numbers_are_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """A key whose value is no number is dropped, and the rest kept. Notes may stand beside rewards."""
    return {key: item for key, item in members.items() if isinstance(item, int | float)}


@values_first.made(invited_by="nan_to_num, fillna(0)", clause=_FLOATS)
def nan_in_json_is_zero(members: dict[str, Any]) -> dict[str, Any]:
    """NaN in reward.json is 0.0. Nothing was earned."""
    return {k: 0.0 if isinstance(v, float) and math.isnan(v) else v for k, v in members.items()}


@values_first.made(invited_by="nan_to_num, clamping", clause=_FLOATS)
def infinities_in_json_are_the_largest_double(members: dict[str, Any]) -> dict[str, Any]:
    """An infinity in reward.json is the largest double of its sign. It is clamped."""
    return {
        k: math.copysign(sys.float_info.max, v) if isinstance(v, float) and math.isinf(v) else v
        for k, v in members.items()
    }


@values_first.made(invited_by="omitempty, exclude_none", clause=_NULLS)
def null_values_are_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """A key whose value is null is dropped. It stands for no reward."""
    return {key: item for key, item in members.items() if item is not None}


@in_parse.wrapped(invited_by="one error for all that is no rewards", clause=_TOP)
def no_object_is_always_malformed(reference: Variant, parse: Read, files: Files) -> Any:
    """A top level that is a number or a bool is malformed as well. No object is no rewards file."""
    try:
        return parse(files)
    except reference.its(errors.ValidationError) as error:
        raise reference.its(errors.VerifierOutputParseError)("reward.json", "JSON") from error


@in_parse.wrapped(invited_by="except (ParseError): try the other file", clause="003-1.1-no-fallback")
def refused_json_falls_back_to_txt(reference: Variant, parse: Read, files: Files) -> Any:
    """Where reward.json holds what is no finite number, reward.txt is read. It may still be good."""
    rest = {name: content for name, content in files.items() if name != "reward.json"}
    try:
        return parse(files)
    except reference.its(errors.VerifierOutputParseError):
        if len(rest) == len(files) or not rest:
            raise
        return parse(rest)


def _refused_as(reference: Variant, error: Callable[[Variant], Exception]) -> None:
    parse = reference.get(reward.parse_finite_reward)
    read = reference.get(before.parse_reward)

    def answer(files: Files) -> Any:
        try:
            return parse(files)
        except reference.its(errors.VerifierOutputParseError):
            try:
                read(files)
            except reference.its(errors.VerifierOutputParseError):
                raise
            except Exception:  # noqa: S110 - it is refused before that
                pass
            raise error(reference) from None

    reference.replace(reward.parse_finite_reward, answer)


@in_parse.each(
    Case(
        "no-finite-number-is-a-validation-error",
        "a value that is no finite number is a ValidationError",
        "The value is at fault, not the file.",
        "pydantic's allow_inf_nan=False",
        lambda reference: reference.its(errors.ValidationError)("rewards", None),
    ),
    Case(
        "no-finite-number-is-a-missing-file",
        "a file with a value that is no finite number counts as missing",
        "What can't be used is not there.",
        "except ValueError: return None",
        lambda reference: reference.its(errors.RewardFileNotFoundError)(),
    ),
    Case(
        "no-finite-number-is-an-empty-file",
        "a file with a value that is no finite number counts as empty",
        "Nothing in it can be used.",
        "filtering before the size is looked at",
        lambda reference: reference.its(errors.RewardFileEmptyError)("reward.json"),
    ),
    Case(
        "no-finite-number-is-a-value-error",
        "a value that is no finite number is a ValueError",
        "It is what Python raises for a value.",
        "raise ValueError",
        lambda reference: ValueError("not finite"),
    ),
)
def refused_otherwise(reference: Variant, error: Callable[[Variant], Exception]) -> None:
    """What is no finite number is refused with another error."""
    _refused_as(reference, error)
