"""Mistakes in rewards once they are read: their shape, their numbers, their keys."""

import math
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double, single_precision
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.hooks import changed_answers, changed_numbers, changed_rewards
from reference_impl import errors, reward, verifier_result
from reference_impl.cpython312 import parsing
from reference_impl.runner import wire

mistakes = family("parse_reward", clause="003-1.3-int-and-float-kept")
in_encode_number = family("parse_reward", of=wire.encode_number, clause="003-1.2-non-finite-words")
in_encode_rewards = family("parse_reward", of=wire.encode_rewards, clause="003-1.3-key-order")
in_parse_reward = family("parse_reward", of=reward.parse_reward, clause="003-1.2-range-is-open")
in_validate_rewards = family(
    "parse_reward", of=verifier_result.validate_rewards, clause="003-7.1-no-code-of-its-own"
)
rewards_read = way("parse_reward", clause="003-1.3-object-keys-are-free")(changed_rewards)
numbers_read = way("parse_reward", clause="003-1.2-range-is-open")(changed_numbers)
floats_answered = way("parse_reward")(changed_answers)
Validate = Callable[[Any], Any]


@way("parse_reward", clause="003-1.3-top-level-kinds")
def whole_first(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what reward.json holds before it is validated."""
    reference.wrap(verifier_result.validate_rewards, lambda validate: lambda value: validate(change(value)))


@way("parse_reward", clause="003-1.3-null-and-containers-refused")
def members_first(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes the object that reward.json holds before it is validated."""
    whole_first(reference, lambda value: change(value) if isinstance(value, dict) else value)


@way("parse_reward", clause="003-2-empty-object-is-not-null")
def answer_after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes valid rewards."""
    reference.wrap(verifier_result.validate_rewards, lambda validate: lambda value: change(validate(value)))


@members_first.made(invited_by="value || 0, Go's zero values, COALESCE, fillna(0)")
def null_value_is_zero(members: dict[str, Any]) -> dict[str, Any]:
    """Null as a reward is 0.0. Nothing was earned."""
    return {key: 0.0 if item is None else item for key, item in members.items()}


@members_first.made(invited_by="pandas, numpy, R's jsonlite")
def null_value_is_nan(members: dict[str, Any]) -> dict[str, Any]:
    """Null as a reward is NaN. A missing number is NaN in a table."""
    nan = float("nan")
    return {key: nan if item is None else item for key, item in members.items()}


@members_first.made(invited_by="omitempty, exclude_none, Option fields, JSON merge patch")
def null_values_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """Keys whose reward is null are dropped. null and absent are taken for the same."""
    return {key: item for key, item in members.items() if item is not None}


@members_first.made(
    clause="003-1.3-one-bad-value-refuses-all",
    invited_by="filter with isinstance, lenient readers, flatMap over Option",
)
def bad_values_dropped(reference: Variant, members: dict[str, Any]) -> dict[str, Any]:
    """Keys whose reward is no number are dropped, and the others kept. The other rewards are still good."""
    result = reference.its(verifier_result)

    def valid(key: str, item: Any) -> bool:
        try:
            result._validate_reward(key, item)
        except ValueError:
            return False
        return True

    return {key: item for key, item in members.items() if valid(key, item)}


@members_first.made(
    invited_by="JavaScript's Number([1]), Jackson's UNWRAP_SINGLE_VALUE_ARRAYS, numpy's item()"
)
def list_of_one_accepted(members: dict[str, Any]) -> dict[str, Any]:
    """A list with one number in it is accepted as a reward.
    A list of one turns into its element when a number is due."""

    def unwrapped(item: Any) -> Any:
        return item[0] if isinstance(item, list) and len(item) == 1 else item

    return {key: unwrapped(item) for key, item in members.items()}


@members_first.made(invited_by="pandas.json_normalize, flatten libraries")
def nested_objects_flattened(members: dict[str, Any]) -> dict[str, Any]:
    """An object as a reward is flattened to keys such as tests.unit.
    Groups of rewards are convenient to write."""
    result: dict[str, Any] = {}
    for key, item in members.items():
        inner = {f"{key}.{name}": value for name, value in item.items()} if isinstance(item, dict) else None
        result.update({key: item} if inner is None else inner)
    return result


@whole_first.made(invited_by="untagged enums, isinstance(data, (int, float)) branches")
def scalar_accepted(value: Any) -> Any:
    """A reward.json that holds a number alone is accepted as the reward.
    It is what reward.txt holds, and it is JSON."""
    return {"reward": value} if isinstance(value, int | float) else value


@whole_first.made(invited_by="JSON-lines readers, PHP's arrays, data[0]")
def list_accepted(value: Any) -> Any:
    """A reward.json that holds a list is accepted as its first object, or as no rewards.
    Some tools write a list of results."""
    if not isinstance(value, list):
        return value
    return value[0] if value and isinstance(value[0], dict) else value or {}


@whole_first.made(invited_by="Python's dict(data), Object.fromEntries")
def pairs_accepted(value: Any) -> Any:
    """A reward.json that holds a list of pairs is accepted as an object. dict() makes an object of it."""
    try:
        return dict(value) if isinstance(value, list) else value
    except (TypeError, ValueError):
        return value


@whole_first.made(
    clause="003-1.3-top-level-null", invited_by="isinstance(data, dict), serde structs, Go's map checks"
)
def top_level_null_refused(value: Any) -> Any:
    """A reward.json that holds null is refused. It is no object."""
    return False if value is None else value


@answer_after.made(invited_by="Go's maps, `data or {}`, unwrap_or_default")
def top_level_null_is_empty(rewards: Any) -> Any:
    """A reward.json that holds null gives an empty object of rewards.
    A nil map and an empty one look alike."""
    return {} if rewards is None else rewards


@answer_after.made(clause="003-2-none-is-not-zero", invited_by="defensive defaults, data?.reward ?? 0")
def top_level_null_is_zero(rewards: Any) -> Any:
    """A reward.json that holds null is a reward of 0.0. Nothing was earned."""
    return {"reward": 0.0} if rewards is None else rewards


@answer_after.made(invited_by="Python's or None, omitempty")
def empty_object_is_null(rewards: Any) -> Any:
    """A reward.json that holds an empty object gives null rewards.
    `rewards or None` takes both for nothing."""
    return rewards or None


@members_first.made(
    clause="003-1.3-object-keys-are-free",
    invited_by="structs with a field called reward, JSON Schema's required",
)
def reward_key_required(members: dict[str, Any]) -> dict[str, Any]:
    """A reward.json without the key `reward` is refused. The model has a field of that name."""
    return members if "reward" in members else {"reward": None}


@members_first.made(
    clause="003-1.3-object-keys-are-free", invited_by="structs with a field called reward, data['reward']"
)
def other_keys_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """Of several rewards only the one called `reward` is kept.
    The model has one field, and ignores what it does not know."""
    return {"reward": members["reward"]} if "reward" in members else members


@in_parse_reward.wrapped(invited_by="pydantic's Field(ge=0, le=1), asserts, zod's min and max")
def range_checked(reference: Variant, parse: Callable[[Any], Any], files: Any) -> Any:
    """Rewards below 0 or above 1 are refused. A reward is thought to be a share."""
    error = reference.its(errors.ValidationError)
    rewards = parse(files)
    for value in (rewards or {}).values():
        if value < 0 or value > 1:
            raise error("rewards", value)
    return rewards


@in_validate_rewards.wrapped(
    invited_by="except ValueError around reading and validation, serde's one step for both"
)
def bad_value_is_malformed(reference: Variant, validate: Validate, value: Any) -> Any:
    """A value that is no reward is VerifierOutputParseError, with its reason code.
    A file that cannot be used is one error, wherever it fails."""
    module = reference.its(errors)
    try:
        return validate(value)
    except module.ValidationError as error:
        raise module.VerifierOutputParseError("reward.json", "JSON") from error


@way("parse_reward", clause="003-1.3-int-and-float-kept")
def ints(reference: Variant, change: Callable[[int], Number]) -> None:
    """Changes the ints among rewards."""
    changed_numbers(reference, lambda value: change(value) if isinstance(value, int) else value)


@way("parse_reward", clause="003-1.2-non-finite-words")
def floats(reference: Variant, change: Callable[[float], Number]) -> None:
    """Changes the floats among rewards."""
    changed_numbers(reference, lambda value: change(value) if isinstance(value, float) else value)


@ints.made(invited_by="Rust's f64, Go's float64, pydantic's dict[str, float], Java's Double")
def ints_become_floats(value: int) -> Number:
    """Rewards that are ints become floats. A reward is declared as a float."""
    return as_double(value)


@floats_answered.made(
    clause="003-1.3-int-and-float-kept",
    invited_by="JavaScript's JSON.stringify, Go's encoding/json, Lua before 5.3, PHP",
)
def whole_floats_printed_as_ints(number: float) -> Any:
    """Floats that are whole are printed as ints, 1.0 as 1.
    There is one kind of number, printed as briefly as possible."""
    return int(number) if number == int(number) else number


@ints.made(invited_by="JavaScript's JSON.parse, jq, Lua, Go's any")
def big_ints_through_doubles(value: int) -> Number:
    """Ints beyond 2**53 are rounded to the nearest double. Every number is a double on its way in."""
    number = as_double(value)
    return number if math.isinf(number) else int(number)


@ints.made(invited_by="C, Java's BigInteger.longValue, Go's conversions")
def ints_wrap_at_64_bits(value: int) -> Number:
    """Ints beyond 64 bits wrap around. A cast keeps the low bits."""
    return (value + 2**63) % 2**64 - 2**63


@ints.made(invited_by="C's strtoll, Rust's `as i64`, Go's strconv.ParseInt with its error ignored")
def ints_saturate_at_64_bits(value: int) -> Number:
    """Ints beyond 64 bits become the largest or smallest 64-bit int. Conversion stops at the border."""
    return max(-(2**63), min(2**63 - 1, value))


@ints.made(invited_by="Rust's serde_json, PHP, Ruby's Oj in fast mode, simdjson")
def ints_beyond_64_bits_become_floats(value: int) -> Number:
    """Ints beyond 64 bits become floats. They fit no integer type, so the next larger one is taken."""
    return value if -(2**63) <= value < 2**64 else as_double(value)


@mistakes.changed(invited_by="Go's int64, Jackson's getLongValue, serde with i64, msgspec")
def ints_beyond_64_bits_refused(reference: Variant) -> None:
    """Ints beyond 64 bits are refused. They fit no integer type, so reading them fails."""

    def checked(value: int) -> int:
        if not -(2**63) <= value < 2**63:
            raise ValueError("the int does not fit")
        return value

    reference.wrap(parsing._parse_json_int, lambda parse: lambda digits: checked(parse(digits)))
    ints(reference, checked)


@numbers_read.made(invited_by="clamp, numpy.clip, reinforcement-learning habits")
def rewards_clamped(value: Number) -> Number:
    """Rewards are brought into the range from 0 to 1. A reward is thought to be a share."""
    return 0.0 if value < 0 else 1.0 if value > 1 else value


@floats.made(clause="003-6-reward-read", invited_by="f32, torch.tensor, protobuf's float, C's float")
def rewards_in_single_precision(value: float) -> Number:
    """Rewards are rounded to single precision. A reward needs no more digits, or a tensor has no more."""
    return single_precision(value)


@floats_answered.made(
    clause="003-6-exact-answers", invited_by="C's %.15g, Lua, older PHP and R, spreadsheets"
)
def answers_in_fifteen_digits(number: float) -> Any:
    """The floats of an answer have fifteen digits. It is the old default of many printf-style formats."""
    return float(f"{number:.15g}")


@floats.made(clause="003-6-ieee-double", invited_by="-ffast-math, CUDA's ftz, flush-to-zero set by a library")
def subnormals_flushed(value: float) -> Number:
    """Subnormal rewards become zeros. The processor is told to drop them for speed."""
    return math.copysign(0.0, value) if abs(value) < 2.2250738585072014e-308 else value


@floats_answered.made(
    clause="003-1.2-signed-zero", invited_by="JavaScript's JSON.stringify, value + 0.0, integer fast paths"
)
def minus_zero_lost(number: float) -> Any:
    """-0.0 becomes 0.0. The two are equal, and few printers show the sign."""
    return number + 0.0


@in_encode_number.wrapped(invited_by="JavaScript's JSON.stringify, serde_json, pandas' to_json")
def non_finite_answered_as_null(encode: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are answered as null. JSON has no words for them."""
    return None if isinstance(encode(number), str) else encode(number)


@floats.made(
    clause="003-1.2-overflow-is-infinity",
    invited_by="numpy.nan_to_num, saturating parsers, JSON printers without Infinity",
)
def infinities_answered_as_largest(value: float) -> Number:
    """Infinite rewards become the largest double of their sign.
    A finite number can be printed, summed and compared."""
    return math.copysign(1.7976931348623157e308, value) if math.isinf(value) else value


@floats.made(invited_by="JavaScript's || 0, numpy.nan_to_num, fillna(0)")
def nan_becomes_zero(value: float) -> Number:
    """A NaN reward becomes 0. `value || 0` and clean-up steps replace it."""
    return 0.0 if math.isnan(value) else value


@floats.made(invited_by="pydantic's allow_inf_nan=False, isfinite checks, zod")
def non_finite_refused(reference: Variant, value: float) -> float:
    """NaN and infinite rewards are refused as a ValidationError. No sensible reward is infinite."""
    if not math.isfinite(value):
        raise reference.its(errors.ValidationError)("rewards", value)
    return value


def _renamed(reference: Variant, change: Callable[[str], str]) -> None:
    changed_rewards(reference, lambda rewards: {change(key): value for key, value in rewards.items()})


renamed_in_pipeline = way("pipeline", clause="003-1.3-string-grammar")(_renamed)
renamed = way("parse_reward", clause="003-1.3-object-keys-are-free")(_renamed)


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
    """Reward keys that look like integers come first, in numeric order. Plain objects keep their keys so."""
    return encode(rewards and integers_first(rewards))


@in_encode_rewards.wrapped(
    invited_by="Go's encoding/json, Rust's BTreeMap in serde_json, std::map in nlohmann/json"
)
def reward_keys_sorted(encode: Callable[..., Any], rewards: Any) -> Any:
    """Reward keys come out sorted.
    A sorted map is the usual one, or maps are sorted when they are printed."""
    return encode(rewards and dict(sorted(rewards.items())))


@rewards_read.made(
    invited_by="JavaScript's plain objects, merge utilities that guard against prototype pollution"
)
def proto_key_lost(rewards: Rewards) -> Rewards:
    """A reward called __proto__ is lost. Assigning to it sets the object's prototype."""
    return {key: value for key, value in rewards.items() if key != "__proto__"}


@rewards_read.made(invited_by="truth tests, maps that use it as a marker")
def empty_key_lost(rewards: Rewards) -> Rewards:
    """A reward whose key is the empty string is lost. `if key` is false for it."""
    return {key: value for key, value in rewards.items() if key}


@renamed.made(invited_by="C#'s web defaults, case-insensitive maps, column names")
def keys_lower_cased(key: str) -> str:
    """Reward keys are put in lower case. Names are matched without regard to case."""
    return key.lower()


@renamed.made(invited_by="pydantic's str_strip_whitespace, form and CSV readers")
def keys_trimmed(key: str) -> str:
    """White space around reward keys is dropped. Cleaning input does no harm, it seems."""
    return key.strip()


@renamed.made(invited_by="Swift's String, Raku, unicodedata.normalize")
def keys_normalised(key: str) -> str:
    """Reward keys are normalised, so that composed and decomposed letters are one.
    Strings are compared by canonical equivalence, or normalised at the door."""
    return unicodedata.normalize("NFC", key)


@renamed.made(invited_by="C and C++ parsers with char*, bindings to them")
def keys_end_at_nul(key: str) -> str:
    """Reward keys end at a NUL. A C string ends there."""
    return key.partition("\0")[0]


@renamed_in_pipeline.made(
    invited_by="Go's encoding/json, simdjson's wobbly mode off, JavaScript's toWellFormed"
)
def lone_surrogates_replaced(key: str) -> str:
    """A lone surrogate in a reward key becomes U+FFFD. A string of Unicode characters cannot hold one."""
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in key)


@way("parse_reward", clause="003-1.2-non-finite-words")
def parsed_first(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes what either reader gives before it is validated."""

    def around(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def reading(content: bytes) -> Any:
            value = read(content)
            return change(value) if isinstance(value, dict) else value

        return reading

    reference.wrap(reward._parse_reward_text, around)
    reference.wrap(reward._parse_reward_json, around)


@parsed_first.made(invited_by="`if value == value`, filters on math.isnan before validation")
def nan_keys_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """Keys whose reward is NaN are dropped, that of reward.txt too; strings that spell it are kept.
    What is not a number is not a reward, and nobody thinks of strings."""
    return {key: value for key, value in members.items() if value == value}
