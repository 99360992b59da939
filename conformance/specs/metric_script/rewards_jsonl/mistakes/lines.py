"""Mistakes in the file of rewards: which trials and keys it has, and how it is written."""

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number
from conformance.mistakes.variant import Variant
from reference_impl import metric_script

mistakes = family("rewards_jsonl", clause="000-lines-numbers")
in_rewards_jsonl = family("rewards_jsonl", of=metric_script.rewards_jsonl, clause="000-lines-object")
Rewards = dict[str, Number] | None


def _numbers(number: Callable[[Number], str]) -> Callable[[Rewards], str]:
    """A writer of lines that spells numbers its own way."""

    def line(reward: Rewards) -> str:
        if reward is None:
            return "null"
        members = (f"{json.dumps(key)}: {number(value)}" for key, value in reward.items())
        return "{" + ", ".join(members) + "}"

    return line


@way("rewards_jsonl")
def lines(reference: Variant, line: Callable[[Rewards], str]) -> None:
    """Lets each line be written by ``line``."""
    _text(reference, lambda rewards: "".join(f"{line(reward)}\n" for reward in rewards))


def _text(reference: Variant, text: Callable[[Sequence[Rewards]], str]) -> None:
    """Lets the whole file be written by ``text``, which may refuse what the rules refuse."""
    plain = reference.get(metric_script.rewards_jsonl)

    def write(rewards: Sequence[Rewards]) -> bytes:
        plain(rewards)
        return text(rewards).encode("utf-8")

    reference.replace(metric_script.rewards_jsonl, write)


@way("rewards_jsonl", clause="000-lines-null")
def given(reference: Variant, change: Callable[[list[Rewards]], Sequence[Rewards]]) -> None:
    """Lets the file be written of other rewards."""
    reference.wrap(metric_script.rewards_jsonl, lambda write: lambda rewards: write(change(list(rewards))))


@way("rewards_jsonl", clause="000-lines-key-order")
def each(reference: Variant, change: Callable[[dict[str, Number]], Any]) -> None:
    """Lets each line be written of other rewards; trials without rewards stay as they are."""
    given(reference, lambda rewards: [None if reward is None else change(reward) for reward in rewards])


@way("rewards_jsonl", clause="000-lines-ascii")
def escapes(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of the file as it is usually written."""
    plain = reference.get(metric_script.rewards_jsonl)
    reference.replace(
        metric_script.rewards_jsonl, lambda rewards: change(plain(rewards).decode("ascii")).encode("utf-8")
    )


@lines.made(clause="000-lines-separators", invited_by="JSON.stringify, encoding/json, serde_json")
def jsonl_compact_separators(reward: Rewards) -> str:
    """rewards.jsonl has no space behind commas and colons. Most writers put none; Python's default does."""
    return json.dumps(reward, separators=(",", ":"))


@each.made(invited_by="Go's maps, BTreeMap, sort_keys=True")
def jsonl_keys_sorted(reward: dict[str, Number]) -> Any:
    """Keys in rewards.jsonl are sorted.
    Sorted keys make files comparable, and some maps keep no other order."""
    return dict(sorted(reward.items()))


@each.made(invited_by="JavaScript and TypeScript objects")
def jsonl_integer_like_keys_first(reward: dict[str, Number]) -> dict[str, Number]:
    """Keys of digits come first in rewards.jsonl, in ascending order.
    JavaScript's objects order their keys so."""
    first = sorted((key for key in reward if re.fullmatch(r"0|[1-9][0-9]{0,8}", key)), key=int)
    return {key: reward[key] for key in (*first, *(key for key in reward if key not in first))}


@lines.made(clause="000-lines-ascii", invited_by="serde_json, JSON.stringify, ensure_ascii=False")
def jsonl_raw_utf_8(reward: Rewards) -> str:
    """Characters beyond ASCII stand unescaped in rewards.jsonl.
    JSON is UTF-8, and most writers escape only what they must."""
    return json.dumps(reward, ensure_ascii=False)


@escapes.made(invited_by="Java and .NET libraries")
def jsonl_upper_case_escapes(text: str) -> str:
    """Escapes in rewards.jsonl have upper-case digits.
    Both are valid, and many writers take the upper case."""
    return re.sub(r"(?<=\\u)[0-9a-f]{4}", lambda m: m[0].upper(), text)


@escapes.made(invited_by="hand-written escaping")
def jsonl_delete_raw(text: str) -> str:
    """U+007F stands unescaped in rewards.jsonl.
    It is ASCII, and JSON does not count it among the control characters."""
    return text.replace("\\u007f", "\x7f")


@escapes.made(clause="000-lines-string-escapes", invited_by="Go's encoding/json, System.Text.Json, Gson")
def jsonl_html_escaped(text: str) -> str:
    """<, > and & are escaped in rewards.jsonl. Some writers make their JSON safe for web pages."""
    return re.sub("[<>&]", lambda m: f"\\u{ord(m[0]):04x}", text)


@mistakes.changed(clause="000-lines-non-finite", invited_by="JSON.stringify, pydantic, orjson")
def jsonl_non_finite_as_null(reference: Variant) -> None:
    """NaN and the infinities are null in rewards.jsonl. JSON has no NaN, and result.json has null there."""
    lines(reference, _numbers(lambda value: json.dumps(value) if math.isfinite(value) else "null"))


@each.made(clause="000-lines-non-finite", invited_by="data cleaning before a dump")
def jsonl_non_finite_left_out(reward: dict[str, Number]) -> Any:
    """Members that are NaN or infinite are left out of rewards.jsonl.
    JSON has no NaN, so there seems to be nothing to write."""
    return {key: it for key, it in reward.items() if math.isfinite(it)}


@mistakes.changed(invited_by="JavaScript, Go, PHP")
def jsonl_whole_floats_as_ints(reference: Variant) -> None:
    """Floats without a fraction lose their .0 in rewards.jsonl.
    Where there is one kind of number, 1.0 is 1."""
    lines(reference, _numbers(lambda value: re.sub(r"\.0\Z", "", json.dumps(value))))


@mistakes.changed(invited_by="double fields, float() on every reward")
def jsonl_ints_as_floats(reference: Variant) -> None:
    """Ints become floats in rewards.jsonl. Rewards are declared as floats in many a port."""

    def number(value: Number) -> str:
        try:
            return json.dumps(float(value))
        except OverflowError:
            return "Infinity"

    lines(reference, _numbers(number))


@mistakes.changed(invited_by="Ryū, Rust, Zig")
def jsonl_bare_exponents(reference: Variant) -> None:
    """Exponents in rewards.jsonl have no plus sign and no leading zero.
    Shortest-digits libraries write 1e22 and 1e-5."""

    def number(value: Number) -> str:
        return re.sub(r"e(\+|-)0?", lambda m: "e" + m[1].strip("+"), json.dumps(value))

    lines(reference, _numbers(number))


@mistakes.changed(invited_by="JavaScript's Number::toString")
def jsonl_plain_decimals_to_1e21(reference: Variant) -> None:
    """Floats in rewards.jsonl get an exponent from 1e21 on, not from 1e16.
    The digits agree everywhere, the border does not."""

    def number(value: Number) -> str:
        plain = isinstance(value, float) and 1e16 <= abs(value) < 1e21
        return f"{value:.0f}.0" if plain else json.dumps(value)

    lines(reference, _numbers(number))


@escapes.made(clause="000-lines-one-per-trial", invited_by='"\\n".join, String.join, Array.join')
def jsonl_no_final_newline(text: str) -> str:
    """The last line of rewards.jsonl lacks its line feed. Joining lines puts line feeds between them only."""
    return text.removesuffix("\n")


@mistakes.changed(clause="000-lines-one-per-trial", invited_by="json.dump of the whole list")
def jsonl_one_array(reference: Variant) -> None:
    """rewards.jsonl is one JSON list. A list is written with one call."""
    _text(reference, json.dumps)


@given.made(invited_by="filter(None, rewards), Option::flatten")
def jsonl_nulls_left_out(rewards: list[Rewards]) -> Sequence[Rewards]:
    """Trials without rewards have no line in rewards.jsonl. There is nothing to write for them."""
    return [reward for reward in rewards if reward is not None]


@given.made(invited_by="rewards or {}, unwrap_or_default")
def jsonl_null_as_empty_object(rewards: list[Rewards]) -> Sequence[Rewards]:
    """Trials without rewards are {} in rewards.jsonl. A missing map is easily read as an empty one."""
    return [reward or {} for reward in rewards]


@given.made(clause="000-lines-object", invited_by="if rewards in place of if rewards is not None")
def jsonl_empty_object_as_null(rewards: list[Rewards]) -> Sequence[Rewards]:
    """Empty rewards are null in rewards.jsonl. An empty dict counts as false."""
    return [reward or None for reward in rewards]


@in_rewards_jsonl.wrapped(
    clause="000-lines-trial-order", invited_by="partitions, databases that sort nulls last"
)
def jsonl_unverified_last(write: Callable[..., Any], rewards: Any) -> Any:
    """Trials without rewards come last in rewards.jsonl.
    They are gathered apart, and put behind the others."""
    return write(sorted(rewards, key=lambda it: it is None))


@in_rewards_jsonl.wrapped(clause="000-lines-one-per-trial", invited_by="sets, SELECT DISTINCT")
def jsonl_equal_rewards_once(write: Callable[..., Any], rewards: Any) -> Any:
    """Equal rewards have one line in rewards.jsonl. What is collected in a set loses its repetitions."""

    def once(rewards: Sequence[Any]) -> list[Any]:
        return list({json.dumps(reward): reward for reward in rewards}.values())

    return write(once(rewards))


@in_rewards_jsonl.wrapped(invited_by="data frames, CSV writers")
def jsonl_columns_filled(write: Callable[..., Any], rewards: Any) -> Any:
    """Every line of rewards.jsonl has the keys of all trials, 0 where they were not measured.
    A table has the same columns in every row."""

    def filled(rewards: Sequence[Any]) -> list[Any]:
        columns = dict.fromkeys((key for reward in rewards for key in reward or ()), 0)
        return [None if reward is None else columns | reward for reward in rewards]

    return write(filled(rewards))


@in_rewards_jsonl.wrapped(invited_by="if key, required names")
def jsonl_empty_keys_left_out(write: Callable[..., Any], rewards: Any) -> Any:
    """Members with an empty key are left out of rewards.jsonl. An empty name is taken for a missing one."""

    def named(reward: Any) -> Any:
        return None if reward is None else {key: it for key, it in reward.items() if key}

    return write(list(map(named, rewards)))
