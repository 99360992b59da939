"""Mistakes in the values and keys of rewards, and in writing an answer."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double, from_javascript
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.hooks import changed_answers, changed_numbers, changed_rewards
from reference_impl import errors, reward, verifier_result
from reference_impl.cpython312 import parsing
from reference_impl.runner import wire

mistakes = family("parse_reward", clause="003-1.3-int-and-float-kept")
in_encode_rewards = family("parse_reward", of=wire.encode_rewards, clause="003-1.3-key-order")
in_parse_reward = family("parse_reward", of=reward.parse_reward, clause="003-1.2-range-is-open")
rewards_read = way("parse_reward", clause="003-1.3-object-keys-are-free")(changed_rewards)
floats_answered = way("parse_reward")(changed_answers)
numbers_read = way("parse_reward", clause="003-1.2-non-finite-words")(changed_numbers)


@mistakes.changed(
    clause="003-1.3-one-bad-value-refuses-all", invited_by="json.loads, JSON.parse without a schema, `any`"
)
def rewards_not_validated(reference: Variant) -> None:
    """reward.json is taken as it is, whatever it holds. The document says that types are not checked."""

    def encoded(encode: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def any_value(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: any_value(item) for key, item in value.items()}
            if isinstance(value, list):
                return [any_value(item) for item in value]
            return encode({"": value})[""] if isinstance(value, int | float) else value

        return any_value

    reference.replace(verifier_result.validate_rewards, lambda value: value)
    reference.wrap(wire.encode_rewards, encoded)


@in_parse_reward.wrapped(invited_by="pydantic's Field(ge=0, le=1), asserts, zod's min and max")
def range_checked(reference: Variant, parse: Callable[[Any], Any], files: Any) -> Any:
    """Rewards below 0 or above 1 are refused. A reward seems to be a share."""
    error = reference.its(errors.ValidationError)
    rewards = parse(files)
    for value in (rewards or {}).values():
        if value < 0 or value > 1:
            raise error("rewards", value)
    return rewards


@way("parse_reward", clause="003-1.3-int-and-float-kept")
def ints(reference: Variant, change: Callable[[int], Number]) -> None:
    """Changes the ints among rewards."""
    changed_numbers(reference, lambda value: change(value) if isinstance(value, int) else value)


@floats_answered.made(
    clause="003-1.3-int-and-float-kept",
    invited_by="JavaScript's JSON.stringify, Go's encoding/json, Lua before 5.3, PHP",
)
def whole_floats_printed_as_ints(number: float) -> Any:
    """Whole floats are printed as ints, 1.0 as 1.
    A language with one kind of number prints it as briefly as possible."""
    return int(number) if number == int(number) else number


@ints.made(invited_by="JavaScript's JSON.parse, jq, Lua, Go's any")
def big_ints_through_doubles(value: int) -> Number:
    """Ints beyond 2**53 are rounded to the nearest double. Every number is parsed as a double."""
    number = as_double(value)
    return number if math.isinf(number) else int(number)


@mistakes.changed(invited_by="Go's int64, Jackson's getLongValue, serde with i64, msgspec")
def ints_beyond_64_bits_refused(reference: Variant) -> None:
    """Ints beyond 64 bits are refused. They fit no integer type, so parsing them fails."""

    def checked(value: int) -> int:
        if not -(2**63) <= value < 2**63:
            raise ValueError("the int does not fit")
        return value

    reference.wrap(parsing._parse_json_int, lambda parse: lambda digits: checked(parse(digits)))
    ints(reference, checked)


@floats_answered.made(
    clause="003-6-exact-answers", invited_by="C's %.15g, Lua, older PHP and R, spreadsheets"
)
def answers_in_fifteen_digits(number: float) -> Any:
    """The floats of an answer have fifteen digits. Many printf-style formats have this default."""
    return float(f"{number:.15g}")


@numbers_read.made(invited_by="pydantic's allow_inf_nan=False, isfinite checks, zod")
def non_finite_refused(reference: Variant, value: Number) -> Number:
    """NaN and infinite rewards are refused as a ValidationError. No sensible reward is infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise reference.its(errors.ValidationError)("rewards", value)
    return value


def integers_first(rewards: Rewards) -> Rewards:
    """Keys that look like array indices come first, in numeric order."""
    indices = [
        key
        for key in rewards
        if key.isascii() and key.isdigit() and str(int(key[:11])) == key and int(key) < 2**32 - 1
    ]
    ordered = {key: rewards[key] for key in sorted(indices, key=int)}
    return {**ordered, **{key: value for key, value in rewards.items() if key not in ordered}}


@in_encode_rewards.wrapped(invited_by="JavaScript's objects, V8's JSON.parse")
def integer_keys_first(encode: Callable[..., Any], rewards: Any) -> Any:
    """Reward keys that look like integers come first, in numeric order.
    Plain JavaScript objects have this order."""
    return encode(rewards and integers_first(rewards))


@in_encode_rewards.wrapped(
    invited_by="Go's encoding/json, Rust's BTreeMap in serde_json, std::map in nlohmann/json"
)
def reward_keys_sorted(encode: Callable[..., Any], rewards: Any) -> Any:
    """Reward keys come out sorted. The usual map is sorted, or maps are sorted when they are printed."""
    return encode(rewards and dict(sorted(rewards.items())))


@rewards_read.made(
    invited_by="JavaScript's plain objects, merge utilities that guard against prototype pollution"
)
def proto_key_lost(rewards: Rewards) -> Rewards:
    """A reward called __proto__ is lost. Assigning to it sets the object's prototype."""
    return {key: value for key, value in rewards.items() if key != "__proto__"}


@mistakes.changed(
    clause="003-1.2-non-finite-words", invited_by="`if value == value`, math.isnan before validation"
)
def nan_keys_dropped(reference: Variant) -> None:
    """Keys whose reward is NaN are dropped, in reward.txt too; strings that spell it are kept.
    NaN does not seem to be a reward, and strings are forgotten."""

    def kept(value: Any) -> Any:
        return {k: v for k, v in value.items() if v == v} if isinstance(value, dict) else value

    for reader in (reward._parse_reward_text, reward._parse_reward_json):
        reference.wrap(reader, lambda read: lambda content: kept(read(content)))


in_read_int = family("parse_reward", of=verifier_result._read_int)
ValidateOne = Callable[[str, Any], Any]


@way("parse_reward", clause="003-1.3-numeric-string-becomes-float")
def value_first(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes each value before it is validated."""
    reference.wrap(
        verifier_result._validate_reward, lambda validate: lambda key, value: validate(key, change(value))
    )


@family("parse_reward", clause="003-1.3-bool-becomes-float").each(
    Case(
        "booleans-kept",
        "true and false stay booleans",
        "The document says that the types of values are not checked.",
        "json.loads without a model, the document's section 1.3",
        bool,
    ),
    Case(
        "strings-kept",
        "numeric strings stay strings",
        "The document says that the types of values are not checked.",
        "json.loads without a model, the document's section 1.3",
        str,
        clause="003-1.3-numeric-string-becomes-float",
    ),
)
def keep(reference: Variant, kept: type) -> None:
    """Leaves values of this type alone."""

    def around(validate: ValidateOne) -> ValidateOne:
        return lambda key, value: value if isinstance(value, kept) else validate(key, value)

    reference.wrap(verifier_result._validate_reward, around)
    reference.wrap(
        wire.encode_number,
        lambda encode: lambda number: number if isinstance(number, kept) else encode(number),
    )


@value_first.made(
    clause="003-1.3-bool-becomes-float",
    invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number",
)
def booleans_refused(value: Any) -> Any:
    """True and false are refused as rewards. They are not numbers."""
    return None if isinstance(value, bool) else value


@value_first.made(invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number")
def numeric_strings_refused(value: Any) -> Any:
    """Numeric strings are refused as rewards. They are not numbers."""
    return None if isinstance(value, str) else value


@value_first.made(invited_by="float(value) for every value")
def strings_read_as_text_is(reference: Variant, value: Any) -> Any:
    """Strings in reward.json are read like the number in reward.txt, by Python's float().
    One function parses both."""
    try:
        return reference.its(parsing).parse_float(value) if isinstance(value, str) else value
    except ValueError:
        return None


@in_read_int.replaced(
    clause="003-1.3-string-second-reading-is-int", invited_by="dict[str, float] models, every float parser"
)
def no_second_reading_of_strings(text: Any) -> Any:
    """A string that is not a float is refused, although pydantic would read it as an int.
    No documentation says that a float field falls back to ints."""
    return None


@family("parse_reward", of=verifier_result.validate_rewards, clause="003-1.3-top-level-kinds").wrapped(
    invited_by="untagged enums, isinstance(data, (int, float)) branches"
)
def scalar_accepted(validate: Callable[[Any], Any], value: Any) -> Any:
    """A reward.json that is just a number is accepted as the reward.
    reward.txt has the same content, and it is JSON."""
    return validate({"reward": value} if isinstance(value, int | float) else value)


@value_first.made(invited_by="JavaScript's Number() and unary plus")
def strings_read_by_javascript(value: Any) -> Any:
    """Strings in reward.json are read by JavaScript's Number(): "" is 0, "0x10" is 16, "inf" is refused.
    Number() is the language's conversion, followed by a check for NaN."""
    try:
        return from_javascript(value) if isinstance(value, str) else value
    except ValueError:
        return None
