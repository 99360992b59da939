"""Mistakes in the keys of rewards: how they are spelt, told apart and ordered."""

import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.hooks import Rewards, changed_rewards
from conformance.mistakes.variant import Variant
from reference_impl.runner import wire

in_encode_rewards = family("parse_reward", of=wire.encode_rewards, clause="003-1.3-key-order")
mistakes = family("parse_reward", clause="003-1.3-object-keys-are-free")


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


changed_rewards_family = way("parse_reward", clause="003-1.3-object-keys-are-free")(changed_rewards)


@changed_rewards_family.made(
    invited_by="JavaScript's plain objects, merge utilities that guard against prototype pollution"
)
def proto_key_lost(rewards: Rewards) -> Rewards:
    """A reward called __proto__ is lost. Assigning to it sets the object's prototype."""
    return {key: value for key, value in rewards.items() if key != "__proto__"}


@changed_rewards_family.made(invited_by="truth tests, maps that use it as a marker")
def empty_key_lost(rewards: Rewards) -> Rewards:
    """A reward whose key is the empty string is lost. `if key` is false for it."""
    return {key: value for key, value in rewards.items() if key}


@mistakes.changed(invited_by="C#'s web defaults, case-insensitive maps, column names")
def keys_lower_cased(reference: Variant) -> None:
    """Reward keys are put in lower case. Names are matched without regard to case."""
    _renamed(reference, str.lower)


@mistakes.changed(invited_by="pydantic's str_strip_whitespace, form and CSV readers")
def keys_trimmed(reference: Variant) -> None:
    """White space around reward keys is dropped. Cleaning input does no harm, it seems."""
    _renamed(reference, str.strip)


renamed = way("parse_reward", clause="003-1.3-object-keys-are-free")(_renamed)


@renamed.made(invited_by="Swift's String, Raku, unicodedata.normalize")
def keys_normalised(key: str) -> str:
    """Reward keys are normalised, so that composed and decomposed letters are one.
    Strings are compared by canonical equivalence, or normalised at the door."""
    return unicodedata.normalize("NFC", key)


@renamed.made(invited_by="C and C++ parsers with char*, bindings to them")
def keys_end_at_nul(key: str) -> str:
    """Reward keys end at a NUL. A C string ends there."""
    return key.partition("\0")[0]


renamed_in_pipeline = way("pipeline", clause="003-1.3-string-grammar")(_renamed)


@renamed_in_pipeline.made(
    invited_by="Go's encoding/json, simdjson's wobbly mode off, JavaScript's toWellFormed"
)
def lone_surrogates_replaced(key: str) -> str:
    """A lone surrogate in a reward key becomes U+FFFD. A string of Unicode characters cannot hold one."""
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in key)
