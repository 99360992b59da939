"""Mistakes in what reward.json may hold as a whole, and in what is not a number there."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

Validate = Callable[[Any], Any]


def _whole_first(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what reward.json holds before it is validated."""
    reference.wrap("verifier_result.validate_rewards", lambda validate: lambda value: validate(change(value)))


def _members_first(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes the object that reward.json holds before it is validated."""
    _whole_first(reference, lambda value: change(value) if isinstance(value, dict) else value)


def _answer_after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes valid rewards."""
    reference.wrap("verifier_result.validate_rewards", lambda validate: lambda value: change(validate(value)))


@mistake(
    "null-value-is-zero",
    says="null as a reward is 0.0",
    op="parse_reward",
    clause="003-1.3-null-and-containers-refused",
    why="Nothing was earned.",
    invited_by="value || 0, Go's zero values, COALESCE, fillna(0)",
)
def _(reference: Variant) -> None:
    _members_first(
        reference, lambda members: {key: 0.0 if item is None else item for key, item in members.items()}
    )


@mistake(
    "null-value-is-nan",
    says="null as a reward is NaN",
    op="parse_reward",
    clause="003-1.3-null-and-containers-refused",
    why="A missing number is NaN in a table.",
    invited_by="pandas, numpy, R's jsonlite",
)
def _(reference: Variant) -> None:
    nan = float("nan")
    _members_first(
        reference, lambda members: {key: nan if item is None else item for key, item in members.items()}
    )


@mistake(
    "null-values-dropped",
    says="keys whose reward is null are dropped",
    op="parse_reward",
    clause="003-1.3-null-and-containers-refused",
    why="null and absent are taken for the same.",
    invited_by="omitempty, exclude_none, Option fields, JSON merge patch",
)
def _(reference: Variant) -> None:
    _members_first(
        reference, lambda members: {key: item for key, item in members.items() if item is not None}
    )


@mistake(
    "bad-values-dropped",
    says="keys whose reward is no number are dropped, and the others kept",
    op="parse_reward",
    clause="003-1.3-one-bad-value-refuses-all",
    why="The other rewards are still good.",
    invited_by="filter with isinstance, lenient readers, flatMap over Option",
)
def _(reference: Variant) -> None:
    result = reference.module("verifier_result")

    def valid(key: str, item: Any) -> bool:
        try:
            result._validate_reward(key, item)
        except ValueError:
            return False
        return True

    _members_first(
        reference, lambda members: {key: item for key, item in members.items() if valid(key, item)}
    )


@mistake(
    "list-of-one-accepted",
    says="a list with one number in it is accepted as a reward",
    op="parse_reward",
    clause="003-1.3-null-and-containers-refused",
    why="A list of one turns into its element when a number is due.",
    invited_by="JavaScript's Number([1]), Jackson's UNWRAP_SINGLE_VALUE_ARRAYS, numpy's item()",
)
def _(reference: Variant) -> None:
    def unwrapped(item: Any) -> Any:
        return item[0] if isinstance(item, list) and len(item) == 1 else item

    _members_first(reference, lambda members: {key: unwrapped(item) for key, item in members.items()})


@mistake(
    "nested-objects-flattened",
    says="an object as a reward is flattened to keys such as tests.unit",
    op="parse_reward",
    clause="003-1.3-null-and-containers-refused",
    why="Groups of rewards are convenient to write.",
    invited_by="pandas.json_normalize, flatten libraries",
)
def _(reference: Variant) -> None:
    def flat(members: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in members.items():
            inner = (
                {f"{key}.{name}": value for name, value in item.items()} if isinstance(item, dict) else None
            )
            result.update({key: item} if inner is None else inner)
        return result

    _members_first(reference, flat)


@mistake(
    "scalar-accepted",
    says="a reward.json that holds a number alone is accepted as the reward",
    op="parse_reward",
    clause="003-1.3-top-level-kinds",
    why="It is what reward.txt holds, and it is JSON.",
    invited_by="untagged enums, isinstance(data, (int, float)) branches",
)
def _(reference: Variant) -> None:
    def change(value: Any) -> Any:
        return {"reward": value} if isinstance(value, int | float) else value

    _whole_first(reference, change)


@mistake(
    "list-accepted",
    says="a reward.json that holds a list is accepted as its first object, or as no rewards",
    op="parse_reward",
    clause="003-1.3-top-level-kinds",
    why="Some tools write a list of results.",
    invited_by="JSON-lines readers, PHP's arrays, data[0]",
)
def _(reference: Variant) -> None:
    def change(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return value[0] if value and isinstance(value[0], dict) else value or {}

    _whole_first(reference, change)


@mistake(
    "pairs-accepted",
    says="a reward.json that holds a list of pairs is accepted as an object",
    op="parse_reward",
    clause="003-1.3-top-level-kinds",
    why="dict() makes an object of it.",
    invited_by="Python's dict(data), Object.fromEntries",
)
def _(reference: Variant) -> None:
    def change(value: Any) -> Any:
        try:
            return dict(value) if isinstance(value, list) else value
        except (TypeError, ValueError):
            return value

    _whole_first(reference, change)


@mistake(
    "top-level-null-refused",
    says="a reward.json that holds null is refused",
    op="parse_reward",
    clause="003-1.3-top-level-null",
    why="It is no object.",
    invited_by="isinstance(data, dict), serde structs, Go's map checks",
)
def _(reference: Variant) -> None:
    _whole_first(reference, lambda value: False if value is None else value)


@mistake(
    "top-level-null-is-empty",
    says="a reward.json that holds null gives an empty object of rewards",
    op="parse_reward",
    clause="003-2-empty-object-is-not-null",
    why="A nil map and an empty one look alike.",
    invited_by="Go's maps, `data or {}`, unwrap_or_default",
)
def _(reference: Variant) -> None:
    _answer_after(reference, lambda rewards: {} if rewards is None else rewards)


@mistake(
    "top-level-null-is-zero",
    says="a reward.json that holds null is a reward of 0.0",
    op="parse_reward",
    clause="003-2-none-is-not-zero",
    why="Nothing was earned.",
    invited_by="defensive defaults, data?.reward ?? 0",
)
def _(reference: Variant) -> None:
    _answer_after(reference, lambda rewards: {"reward": 0.0} if rewards is None else rewards)


@mistake(
    "empty-object-is-null",
    says="a reward.json that holds an empty object gives null rewards",
    op="parse_reward",
    clause="003-2-empty-object-is-not-null",
    why="`rewards or None` takes both for nothing.",
    invited_by="Python's or None, omitempty",
)
def _(reference: Variant) -> None:
    _answer_after(reference, lambda rewards: rewards or None)


@mistake(
    "reward-key-required",
    says="a reward.json without the key `reward` is refused",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="The model has a field of that name.",
    invited_by="structs with a field called reward, JSON Schema's required",
)
def _(reference: Variant) -> None:
    _members_first(reference, lambda members: members if "reward" in members else {"reward": None})


@mistake(
    "other-keys-dropped",
    says="of several rewards only the one called `reward` is kept",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="The model has one field, and ignores what it does not know.",
    invited_by="structs with a field called reward, data['reward']",
)
def _(reference: Variant) -> None:
    _members_first(
        reference, lambda members: {"reward": members["reward"]} if "reward" in members else members
    )


@mistake(
    "range-checked",
    says="rewards below 0 or above 1 are refused",
    op="parse_reward",
    clause="003-1.2-range-is-open",
    why="A reward is thought to be a share.",
    invited_by="pydantic's Field(ge=0, le=1), asserts, zod's min and max",
)
def _(reference: Variant) -> None:
    error = reference.get("errors.ValidationError")

    def around(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def checking(files: Any) -> Any:
            rewards = parse(files)
            for value in (rewards or {}).values():
                if value < 0 or value > 1:
                    raise error("rewards", value)
            return rewards

        return checking

    reference.wrap("reward.parse_reward", around)


@mistake(
    "bad-value-is-malformed",
    says="a value that is no reward is VerifierOutputParseError, with its reason code",
    op="parse_reward",
    clause="003-7.1-no-code-of-its-own",
    why="A file that cannot be used is one error, wherever it fails.",
    invited_by="except ValueError around reading and validation, serde's one step for both",
)
def _(reference: Variant) -> None:
    module = reference.module("errors")

    def around(validate: Validate) -> Validate:
        def mapping(value: Any) -> Any:
            try:
                return validate(value)
            except module.ValidationError as error:
                raise module.VerifierOutputParseError("reward.json", "JSON") from error

        return mapping

    reference.wrap("verifier_result.validate_rewards", around)
