"""Mistakes in the file of rewards that a metric script is given."""

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number
from conformance.mistakes.variant import Variant

Rewards = dict[str, Number] | None
_PATH = "metric_script.rewards_jsonl"


def _numbers(number: Callable[[Number], str]) -> Callable[[Rewards], str]:
    """A writer of lines that spells numbers its own way."""

    def line(reward: Rewards) -> str:
        if reward is None:
            return "null"
        members = (f"{json.dumps(key)}: {number(value)}" for key, value in reward.items())
        return "{" + ", ".join(members) + "}"

    return line


def _lines(reference: Variant, line: Callable[[Rewards], str]) -> None:
    """Lets each line be written by ``line``."""
    _text(reference, lambda rewards: "".join(f"{line(reward)}\n" for reward in rewards))


def _text(reference: Variant, text: Callable[[Sequence[Rewards]], str]) -> None:
    """Lets the whole file be written by ``text``, which may refuse what the rules refuse."""
    plain = reference.get(_PATH)

    def write(rewards: Sequence[Rewards]) -> bytes:
        plain(rewards)
        return text(rewards).encode("utf-8")

    reference.replace(_PATH, write)


def _given(reference: Variant, change: Callable[[list[Rewards]], Sequence[Rewards]]) -> None:
    """Lets the file be written of other rewards."""
    reference.wrap(_PATH, lambda write: lambda rewards: write(change(list(rewards))))


def _each(reference: Variant, change: Callable[[dict[str, Number]], Any]) -> None:
    """Lets each line be written of other rewards; trials without rewards stay as they are."""
    _given(reference, lambda rewards: [None if reward is None else change(reward) for reward in rewards])


def _escapes(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of the file as it is usually written."""
    plain = reference.get(_PATH)
    reference.replace(_PATH, lambda rewards: change(plain(rewards).decode("ascii")).encode("utf-8"))


@mistake(
    "jsonl-compact-separators",
    says="rewards.jsonl has no space behind commas and colons",
    op="rewards_jsonl",
    clause="000-lines-separators",
    why="Most writers put none; Python's default does.",
    invited_by="JSON.stringify, encoding/json, serde_json",
)
def _(reference: Variant) -> None:
    _lines(reference, lambda reward: json.dumps(reward, separators=(",", ":")))


@mistake(
    "jsonl-keys-sorted",
    says="keys in rewards.jsonl are sorted",
    op="rewards_jsonl",
    clause="000-lines-key-order",
    why="Sorted keys make files comparable, and some maps keep no other order.",
    invited_by="Go's maps, BTreeMap, sort_keys=True",
)
def _(reference: Variant) -> None:
    _each(reference, lambda reward: dict(sorted(reward.items())))


@mistake(
    "jsonl-integer-like-keys-first",
    says="keys of digits come first in rewards.jsonl, in ascending order",
    op="rewards_jsonl",
    clause="000-lines-key-order",
    why="JavaScript's objects order their keys so.",
    invited_by="JavaScript and TypeScript objects",
)
def _(reference: Variant) -> None:
    def moved(reward: dict[str, Number]) -> dict[str, Number]:
        first = sorted((key for key in reward if re.fullmatch(r"0|[1-9][0-9]{0,8}", key)), key=int)
        return {key: reward[key] for key in (*first, *(key for key in reward if key not in first))}

    _each(reference, moved)


@mistake(
    "jsonl-raw-utf-8",
    says="characters beyond ASCII stand unescaped in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-ascii",
    why="JSON is UTF-8, and most writers escape only what they must.",
    invited_by="serde_json, JSON.stringify, ensure_ascii=False",
)
def _(reference: Variant) -> None:
    _lines(reference, lambda reward: json.dumps(reward, ensure_ascii=False))


@mistake(
    "jsonl-upper-case-escapes",
    says="escapes in rewards.jsonl have upper-case digits",
    op="rewards_jsonl",
    clause="000-lines-ascii",
    why="Both are valid, and many writers take the upper case.",
    invited_by="Java and .NET libraries",
)
def _(reference: Variant) -> None:
    _escapes(reference, lambda text: re.sub(r"(?<=\\u)[0-9a-f]{4}", lambda m: m[0].upper(), text))


@mistake(
    "jsonl-delete-raw",
    says="U+007F stands unescaped in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-ascii",
    why="It is ASCII, and JSON does not count it among the control characters.",
    invited_by="hand-written escaping",
)
def _(reference: Variant) -> None:
    _escapes(reference, lambda text: text.replace("\\u007f", "\x7f"))


@mistake(
    "jsonl-html-escaped",
    says="<, > and & are escaped in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-string-escapes",
    why="Some writers make their JSON safe for web pages.",
    invited_by="Go's encoding/json, System.Text.Json, Gson",
)
def _(reference: Variant) -> None:
    _escapes(reference, lambda text: re.sub("[<>&]", lambda m: f"\\u{ord(m[0]):04x}", text))


@mistake(
    "jsonl-non-finite-as-null",
    says="NaN and the infinities are null in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-non-finite",
    why="JSON has no NaN, and result.json has null there.",
    invited_by="JSON.stringify, pydantic, orjson",
)
def _(reference: Variant) -> None:
    _lines(reference, _numbers(lambda value: json.dumps(value) if math.isfinite(value) else "null"))


@mistake(
    "jsonl-non-finite-left-out",
    says="members that are NaN or infinite are left out of rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-non-finite",
    why="JSON has no NaN, so there seems to be nothing to write.",
    invited_by="data cleaning before a dump",
)
def _(reference: Variant) -> None:
    _each(reference, lambda reward: {key: it for key, it in reward.items() if math.isfinite(it)})


@mistake(
    "jsonl-whole-floats-as-ints",
    says="floats without a fraction lose their .0 in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-numbers",
    why="Where there is one kind of number, 1.0 is 1.",
    invited_by="JavaScript, Go, PHP",
)
def _(reference: Variant) -> None:
    _lines(reference, _numbers(lambda value: re.sub(r"\.0\Z", "", json.dumps(value))))


@mistake(
    "jsonl-ints-as-floats",
    says="ints become floats in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-numbers",
    why="Rewards are declared as floats in many a port.",
    invited_by="double fields, float() on every reward",
)
def _(reference: Variant) -> None:
    def number(value: Number) -> str:
        try:
            return json.dumps(float(value))
        except OverflowError:
            return "Infinity"

    _lines(reference, _numbers(number))


@mistake(
    "jsonl-bare-exponents",
    says="exponents in rewards.jsonl have no plus sign and no leading zero",
    op="rewards_jsonl",
    clause="000-lines-numbers",
    why="Shortest-digits libraries write 1e22 and 1e-5.",
    invited_by="Ryū, Rust, Zig",
)
def _(reference: Variant) -> None:
    def number(value: Number) -> str:
        return re.sub(r"e(\+|-)0?", lambda m: "e" + m[1].strip("+"), json.dumps(value))

    _lines(reference, _numbers(number))


@mistake(
    "jsonl-plain-decimals-to-1e21",
    says="floats in rewards.jsonl get an exponent from 1e21 on, not from 1e16",
    op="rewards_jsonl",
    clause="000-lines-numbers",
    why="The digits agree everywhere, the border does not.",
    invited_by="JavaScript's Number::toString",
)
def _(reference: Variant) -> None:
    def number(value: Number) -> str:
        plain = isinstance(value, float) and 1e16 <= abs(value) < 1e21
        return f"{value:.0f}.0" if plain else json.dumps(value)

    _lines(reference, _numbers(number))


@mistake(
    "jsonl-no-final-newline",
    says="the last line of rewards.jsonl lacks its line feed",
    op="rewards_jsonl",
    clause="000-lines-one-per-trial",
    why="Joining lines puts line feeds between them only.",
    invited_by='"\\n".join, String.join, Array.join',
)
def _(reference: Variant) -> None:
    _escapes(reference, lambda text: text.removesuffix("\n"))


@mistake(
    "jsonl-one-array",
    says="rewards.jsonl is one JSON list",
    op="rewards_jsonl",
    clause="000-lines-one-per-trial",
    why="A list is written with one call.",
    invited_by="json.dump of the whole list",
)
def _(reference: Variant) -> None:
    _text(reference, json.dumps)


@mistake(
    "jsonl-nulls-left-out",
    says="trials without rewards have no line in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-null",
    why="There is nothing to write for them.",
    invited_by="filter(None, rewards), Option::flatten",
)
def _(reference: Variant) -> None:
    _given(reference, lambda rewards: [reward for reward in rewards if reward is not None])


@mistake(
    "jsonl-null-as-empty-object",
    says="trials without rewards are {} in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-null",
    why="A missing map is easily read as an empty one.",
    invited_by="rewards or {}, unwrap_or_default",
)
def _(reference: Variant) -> None:
    _given(reference, lambda rewards: [reward or {} for reward in rewards])


@mistake(
    "jsonl-empty-object-as-null",
    says="empty rewards are null in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-object",
    why="An empty dict counts as false.",
    invited_by="if rewards in place of if rewards is not None",
)
def _(reference: Variant) -> None:
    _given(reference, lambda rewards: [reward or None for reward in rewards])
