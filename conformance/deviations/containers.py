"""Changes that implementers make to lists and objects: rows of ``deviations.changes``."""

import base64
import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.deviations.lens import Row, content_of, text_of
from conformance.deviations.numbers import is_number

__all__ = ["LIST_ROWS", "OBJECT_ROWS", "OWN_KEYS"]

OWN_KEYS = ("reward", "mean")
"""Free keys that rules mention; each is a place of its own if many objects have it."""

_Object = dict[str, Any]


def _unique(values: list[Any]) -> list[Any]:
    return [value for index, value in enumerate(values) if value not in values[:index]]


def _rename_keys(rename: Callable[[str], str]) -> Callable[[_Object], _Object]:
    return lambda v: {rename(key): item for key, item in v.items()}


def _filter_members(keep: Callable[[str, Any], bool]) -> Callable[[_Object], _Object]:
    return lambda v: {key: item for key, item in v.items() if keep(key, item)}


def _keep_only(key: str) -> Callable[[_Object], _Object]:
    return _filter_members(lambda name, _: name == key)


def _only_if_any(key: str) -> Callable[[_Object], _Object]:
    return lambda v: {key: v[key]}


def _leave_out(key: str) -> Callable[[_Object], _Object]:
    return _filter_members(lambda name, _: name != key)


def _sort_keys(key: Callable[[tuple[str, Any]], Any], *, down: bool = False) -> Callable[[_Object], _Object]:
    return lambda v: dict(sorted(v.items(), key=key, reverse=down))


def _single_reward(combine: Callable[[list[Any]], Any]) -> Callable[[_Object], _Object]:
    def as_one_reward(v: _Object) -> _Object:
        if any(isinstance(item, dict) for item in v.values()):  # it holds other things than rewards
            return v
        return {"reward": combine(list(v.values()))}

    return as_one_reward


def _integer_first(pair: tuple[str, Any]) -> tuple[int, int]:
    return (0, int(pair[0])) if re.fullmatch("0|[1-9][0-9]{0,8}", pair[0]) else (1, 0)


def _decoded(decode: Callable[[bytes], str]) -> Callable[[_Object], _Object]:
    """Decodes a file's content that is not UTF-8 in another way."""

    def decoded_if_not_utf8(value: _Object) -> _Object:
        return value if text_of(value) is not None else content_of(decode(base64.b64decode(value["base64"])))

    return decoded_if_not_utf8


LIST_ROWS: tuple[Row, ...] = (
    ("sorted", 3, "the list is sorted", sorted),
    ("reversed", 1, "the list is reversed", lambda v: v[::-1]),
    ("unique", 3, "repeated items are dropped", _unique),
    ("first", 2, "only the first item is read", lambda v: v[:1]),
    ("first-two", 1, "only the first two items are read", lambda v: v[:2]),
    ("last", 2, "only the last item is read", lambda v: v[-1:]),
    ("without-first", 1, "the first item is left out", lambda v: v[1:]),
    ("without-last", 1, "the last item is left out", lambda v: v[:-1]),
    ("no-null-items", 3, "nulls are dropped", lambda v: [item for item in v if item is not None]),
    ("no-empty-items", 2, "empty items are dropped", lambda v: [i for i in v if i is not None and i not in ("", [], {})]),
    ("no-empty-objects", 2, "empty objects are dropped", lambda v: [item for item in v if item != {}]),
    ("empty-list-is-null", 3, "an empty list becomes null", lambda v: v or None),
    ("one-is-null", 1, "a list of one item becomes null", lambda v: None if len(v) == 1 else v),
    ("is-empty", 2, "the list becomes empty", lambda v: []),
)  # fmt: skip
OBJECT_ROWS: tuple[Row, ...] = (
    ("sorted-keys", 3, "keys are sorted", _sort_keys(lambda pair: pair[0])),
    ("sorted-keys-utf16", 1, "keys are sorted by UTF-16", _sort_keys(lambda p: p[0].encode("utf-16-be", "surrogatepass"))),
    ("integer-keys-first", 2, "integer keys come first", _sort_keys(_integer_first)),
    ("first-only", 2, "only the first key is read", lambda v: dict(list(v.items())[:1])),
    ("last-only", 1, "only the last key is read", lambda v: dict(list(v.items())[-1:])),
    ("no-null-members", 3, "members that are null are dropped", _filter_members(lambda key, item: item is not None)),
    ("no-zeros", 2, "members that are 0 are dropped", _filter_members(lambda key, item: bool(item) or item is None)),
    ("no-empty-keys", 2, "an empty key is dropped", _filter_members(lambda key, item: bool(key))),
    ("no-bools", 2, "members that are true or false are dropped", _filter_members(lambda key, item: not isinstance(item, bool))),
    ("numbers-only", 3, "members that are not numbers are dropped", _filter_members(lambda key, item: is_number(item))),
    ("empty-object-is-null", 3, "an empty object becomes null", lambda v: v or None),
    ("several-is-null", 2, "an object with several keys becomes null", lambda v: None if len(v) > 1 else v),
    ("not-one-is-null", 2, "an object with no key or several keys becomes null", lambda v: v if len(v) == 1 else None),
    ("keys-lower", 2, "keys are lower-cased", _rename_keys(str.lower)),
    ("keys-strip", 2, "white space around keys is stripped", _rename_keys(str.strip)),
    ("keys-nfc", 2, "keys are normalized to NFC", _rename_keys(lambda key: unicodedata.normalize("NFC", key))),
    ("only-key-is-reward", 2, "the only key is renamed to reward", lambda v: _single_reward(lambda x: x[0])(v) if len(v) == 1 else v),
    ("first-is-reward", 2, "the first value is taken as the reward", _single_reward(lambda values: values[0])),
    ("sum-is-reward", 1, "the sum of the values is taken as the reward", _single_reward(sum)),
    ("mean-is-reward", 2, "the mean of the values is taken as the reward", _single_reward(lambda values: sum(values) / len(values))),
    ("max-is-reward", 1, "the largest value is taken as the reward", _single_reward(max)),
    ("min-is-reward", 1, "the smallest value is taken as the reward", _single_reward(min)),
    ("reward-else-only", 3, "only the key reward is read, or else the only key",
     lambda v: {"reward": v["reward"]} if "reward" in v else _single_reward(lambda x: x[0])(v) if len(v) == 1 else {}),
    ("reward-else-first", 2, "only the key reward is read, or else the first key",
     lambda v: {"reward": v["reward"] if "reward" in v else next(iter(v.values()))}),
    ("reward-else-0", 3, "only the key reward is read, or else it is 0.0", lambda v: {"reward": v.get("reward", 0.0)}),
    ("reward-else-null", 2, "only the key reward is read, or else it is null", lambda v: {"reward": v["reward"]} if "reward" in v else None),
    *((f"only-{key}", 2, f"only the key {key} is read", _keep_only(key)) for key in OWN_KEYS),
    *((f"only-{key}-if-any", 1, f"only the key {key} is read if there is one", _only_if_any(key)) for key in OWN_KEYS),
    *((f"without-{key}", 1, f"the key {key} is left out", _leave_out(key)) for key in OWN_KEYS),
    ("is-empty-object", 2, "the object becomes empty", lambda v: {}),
    ("bytes-replaced", 2, "bytes that are not UTF-8 become U+FFFD", _decoded(lambda raw: raw.decode("utf-8", "replace"))),
    ("bytes-dropped", 2, "bytes that are not UTF-8 are dropped", _decoded(lambda raw: raw.decode("utf-8", "ignore"))),
    ("bytes-latin-1", 1, "bytes that are not UTF-8 are read as Latin-1", _decoded(lambda raw: raw.decode("latin-1"))),
    ("bytes-detected", 2, "UTF-16 and UTF-32 are read too", _decoded(lambda raw: raw.decode(json.detect_encoding(raw)))),
)  # fmt: skip
