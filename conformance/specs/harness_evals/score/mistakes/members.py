"""Mistakes in a score of harness-evals as an object, and in its text."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_DICT = "harness_evals.score.Score.as_dict"
_TEXT = "harness_evals.json_lines.as_text"


def _members(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes a score's members."""
    as_dict = reference.get(_DICT)
    reference.replace(_DICT, lambda score: change(as_dict(score)))


@mistake(
    "harness-nones-kept",
    says="members of a score without a value are written as null",
    op="harness.score",
    clause="004-1-dict-none-dropped",
    why="That is what a plain dump of the fields gives.",
    invited_by="dataclasses.asdict, serde without skip_serializing_if",
)
def _(reference: Variant) -> None:
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
    _members(reference, lambda members: {name: members.get(name) for name in names})


@mistake(
    "harness-empty-members-dropped",
    says="empty, zero and false members of a score are left out",
    op="harness.score",
    clause="004-1-dict-none-dropped",
    why="What is empty tells nothing.",
    invited_by="if value, omitempty in Go",
)
def _(reference: Variant) -> None:
    _members(reference, lambda members: {name: it for name, it in members.items() if it})


@mistake(
    "harness-nulls-dropped-everywhere",
    says="nulls inside the metadata are left out too",
    op="harness.score",
    clause="004-1-dict-none-dropped",
    why="The rule is applied at every level.",
    invited_by="exclude_none of pydantic",
)
def _(reference: Variant) -> None:
    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(item) for name, item in value.items() if item is not None}
        return [without(item) for item in value] if isinstance(value, list) else value

    _members(reference, without)


@mistake(
    "harness-members-sorted",
    says="a score's members are sorted by name",
    op="harness.score",
    clause="004-1-dict-order",
    why="Sorted keys make files comparable, and some maps keep no other order.",
    invited_by="Go's maps, BTreeMap, sort_keys=True",
)
def _(reference: Variant) -> None:
    _members(reference, lambda members: dict(sorted(members.items())))


@mistake(
    "harness-passed-last",
    says="passed is the last of a score's members",
    op="harness.score",
    clause="004-1-dict-order",
    why="It is computed last.",
    invited_by="properties added to a dump",
)
def _(reference: Variant) -> None:
    _members(
        reference,
        lambda members: {
            **{k: it for k, it in members.items() if k != "passed"},
            "passed": members["passed"],
        },
    )


@mistake(
    "harness-compact-text",
    says="scores are written without spaces",
    op="harness.score",
    clause="004-1-dict-order",
    why="Most writers put none; Python's default does.",
    invited_by="JSON.stringify, encoding/json, serde_json",
)
def _(reference: Variant) -> None:
    reference.replace(_TEXT, lambda value: json.dumps(value, separators=(",", ":")))


@mistake(
    "harness-raw-text",
    says="characters beyond ASCII stand unescaped in scores",
    op="harness.score",
    clause="004-8-json-record",
    why="JSON is UTF-8, and most writers escape only what they must.",
    invited_by="serde_json, JSON.stringify, ensure_ascii=False",
)
def _(reference: Variant) -> None:
    reference.replace(_TEXT, lambda value: json.dumps(value, ensure_ascii=False))
