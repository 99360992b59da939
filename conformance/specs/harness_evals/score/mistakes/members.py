"""Mistakes in a score of harness-evals as an object, and in its text."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.json_lines import as_text

in_as_text = family("harness.score", of=as_text, clause="004-1-dict-order")

_DICT = score_rules.Score.as_dict
_TEXT = as_text


@way("harness.score", clause="004-1-dict-none-dropped")
def members_family(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes a score's members."""
    as_dict = reference.get(_DICT)
    reference.replace(_DICT, lambda score: change(as_dict(score)))


@members_family.made(invited_by="dataclasses.asdict, serde without skip_serializing_if")
def harness_nones_kept(members: dict[str, Any]) -> dict[str, Any]:
    """Members of a score without a value are written as null.
    That is what a plain dump of the fields gives."""
    names = (
        "name",
        "value",
        "threshold",
        "passed",
        "reason",
        "metadata",
        "scoring_duration_ms",
        "created_at",
    )
    return {name: members.get(name) for name in names}


@members_family.made(invited_by="if value, omitempty in Go")
def harness_empty_members_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """Empty, zero and false members of a score are left out. What is empty tells nothing."""
    return {name: it for name, it in members.items() if it}


@members_family.made(invited_by="exclude_none of pydantic")
def harness_nulls_dropped_everywhere(value: Any) -> Any:
    """Nulls inside the metadata are left out too. The rule is applied at every level."""
    if isinstance(value, dict):
        return {
            name: harness_nulls_dropped_everywhere(item) for name, item in value.items() if item is not None
        }
    return [harness_nulls_dropped_everywhere(item) for item in value] if isinstance(value, list) else value


@members_family.made(clause="004-1-dict-order", invited_by="Go's maps, BTreeMap, sort_keys=True")
def harness_members_sorted(members: dict[str, Any]) -> dict[str, Any]:
    """A score's members are sorted by name.
    Sorted keys make files comparable, and some maps keep no other order."""
    return dict(sorted(members.items()))


@members_family.made(clause="004-1-dict-order", invited_by="properties added to a dump")
def harness_passed_last(members: dict[str, Any]) -> dict[str, Any]:
    """Passed is the last of a score's members. It is computed last."""
    return {
        **{k: it for k, it in members.items() if k != "passed"},
        "passed": members["passed"],
    }


@in_as_text.replaced(invited_by="JSON.stringify, encoding/json, serde_json")
def harness_compact_text(value: Any) -> Any:
    """Scores are written without spaces. Most writers put none; Python's default does."""
    return json.dumps(value, separators=(",", ":"))


@in_as_text.replaced(clause="004-8-json-record", invited_by="serde_json, JSON.stringify, ensure_ascii=False")
def harness_raw_text(value: Any) -> Any:
    """Characters beyond ASCII stand unescaped in scores.
    JSON is UTF-8, and most writers escape only what they must."""
    return json.dumps(value, ensure_ascii=False)
