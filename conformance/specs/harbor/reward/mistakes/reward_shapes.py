"""Mistakes in what reward.json may hold as a whole, and in what is not a number there."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import errors, reward, verifier_result

mistakes = family("parse_reward", clause="003-1.3-one-bad-value-refuses-all")

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


@mistakes.changed(invited_by="filter with isinstance, lenient readers, flatMap over Option")
def bad_values_dropped(reference: Variant) -> None:
    """Keys whose reward is no number are dropped, and the others kept. The other rewards are still good."""
    result = reference.its(verifier_result)

    def valid(key: str, item: Any) -> bool:
        try:
            result._validate_reward(key, item)
        except ValueError:
            return False
        return True

    members_first(reference, lambda members: {key: item for key, item in members.items() if valid(key, item)})


@mistakes.changed(
    clause="003-1.3-null-and-containers-refused",
    invited_by="JavaScript's Number([1]), Jackson's UNWRAP_SINGLE_VALUE_ARRAYS, numpy's item()",
)
def list_of_one_accepted(reference: Variant) -> None:
    """A list with one number in it is accepted as a reward.
    A list of one turns into its element when a number is due."""

    def unwrapped(item: Any) -> Any:
        return item[0] if isinstance(item, list) and len(item) == 1 else item

    members_first(reference, lambda members: {key: unwrapped(item) for key, item in members.items()})


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


@mistakes.changed(
    clause="003-1.2-range-is-open", invited_by="pydantic's Field(ge=0, le=1), asserts, zod's min and max"
)
def range_checked(reference: Variant) -> None:
    """Rewards below 0 or above 1 are refused. A reward is thought to be a share."""
    error = reference.get(errors.ValidationError)

    def around(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def checking(files: Any) -> Any:
            rewards = parse(files)
            for value in (rewards or {}).values():
                if value < 0 or value > 1:
                    raise error("rewards", value)
            return rewards

        return checking

    reference.wrap(reward.parse_reward, around)


@mistakes.changed(
    clause="003-7.1-no-code-of-its-own",
    invited_by="except ValueError around reading and validation, serde's one step for both",
)
def bad_value_is_malformed(reference: Variant) -> None:
    """A value that is no reward is VerifierOutputParseError, with its reason code.
    A file that cannot be used is one error, wherever it fails."""
    module = reference.its(errors)

    def around(validate: Validate) -> Validate:
        def mapping(value: Any) -> Any:
            try:
                return validate(value)
            except module.ValidationError as error:
                raise module.VerifierOutputParseError("reward.json", "JSON") from error

        return mapping

    reference.wrap(verifier_result.validate_rewards, around)
