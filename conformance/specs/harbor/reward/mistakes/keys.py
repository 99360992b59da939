"""Mistakes in the keys of rewards: how they are spelt, told apart and ordered."""

import unicodedata
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Rewards, changed_rewards
from conformance.mistakes.variant import Variant


def _renamed(reference: Variant, change: Callable[[str], str]) -> None:
    changed_rewards(reference, lambda rewards: {change(key): value for key, value in rewards.items()})


def integers_first(rewards: Rewards) -> Rewards:
    """Keys that look like array indices come first, in numeric order."""
    indices = [
        key
        for key in rewards
        if key.isascii() and key.isdigit() and str(int(key[:11])) == key and int(key) < 2**32 - 1
    ]
    ordered = {key: rewards[key] for key in sorted(indices, key=int)}
    return {**ordered, **{key: value for key, value in rewards.items() if key not in ordered}}


@mistake(
    "integer-keys-first",
    says="reward keys that look like integers come first, in numeric order",
    op="parse_reward",
    clause="003-1.3-key-order",
    why="Plain objects keep their keys so.",
    invited_by="JavaScript's objects, V8's JSON.parse",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "runner.wire.encode_rewards",
        lambda encode: lambda rewards: encode(rewards and integers_first(rewards)),
    )


@mistake(
    "reward-keys-sorted",
    says="reward keys come out sorted",
    op="parse_reward",
    clause="003-1.3-key-order",
    why="A sorted map is the usual one, or maps are sorted when they are printed.",
    invited_by="Go's encoding/json, Rust's BTreeMap in serde_json, std::map in nlohmann/json",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "runner.wire.encode_rewards",
        lambda encode: lambda rewards: encode(rewards and dict(sorted(rewards.items()))),
    )


@mistake(
    "proto-key-lost",
    says="a reward called __proto__ is lost",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="Assigning to it sets the object's prototype.",
    invited_by="JavaScript's plain objects, merge utilities that guard against prototype pollution",
)
def _(reference: Variant) -> None:
    changed_rewards(
        reference,
        lambda rewards: {key: value for key, value in rewards.items() if key != "__proto__"},
    )


@mistake(
    "empty-key-lost",
    says="a reward whose key is the empty string is lost",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="`if key` is false for it.",
    invited_by="truth tests, maps that use it as a marker",
)
def _(reference: Variant) -> None:
    changed_rewards(reference, lambda rewards: {key: value for key, value in rewards.items() if key})


@mistake(
    "keys-lower-cased",
    says="reward keys are put in lower case",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="Names are matched without regard to case.",
    invited_by="C#'s web defaults, case-insensitive maps, column names",
)
def _(reference: Variant) -> None:
    _renamed(reference, str.lower)


@mistake(
    "keys-trimmed",
    says="white space around reward keys is dropped",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="Cleaning input does no harm, it seems.",
    invited_by="pydantic's str_strip_whitespace, form and CSV readers",
)
def _(reference: Variant) -> None:
    _renamed(reference, str.strip)


@mistake(
    "keys-normalised",
    says="reward keys are normalised, so that composed and decomposed letters are one",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="Strings are compared by canonical equivalence, or normalised at the door.",
    invited_by="Swift's String, Raku, unicodedata.normalize",
)
def _(reference: Variant) -> None:
    _renamed(reference, lambda key: unicodedata.normalize("NFC", key))


@mistake(
    "keys-end-at-nul",
    says="reward keys end at a NUL",
    op="parse_reward",
    clause="003-1.3-object-keys-are-free",
    why="A C string ends there.",
    invited_by="C and C++ parsers with char*, bindings to them",
)
def _(reference: Variant) -> None:
    _renamed(reference, lambda key: key.partition("\0")[0])


@mistake(
    "lone-surrogates-replaced",
    says="a lone surrogate in a reward key becomes U+FFFD",
    op="pipeline",
    clause="003-1.3-string-grammar",
    why="A string of Unicode characters cannot hold one.",
    invited_by="Go's encoding/json, simdjson's wobbly mode off, JavaScript's toWellFormed",
)
def _(reference: Variant) -> None:
    _renamed(
        reference,
        lambda key: "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in key),
    )
