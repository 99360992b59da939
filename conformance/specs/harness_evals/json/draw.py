"""Random cases with their scores, to be written to a file."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import plain, score, unit

__all__ = ["INPUTS"]

_IDENTITIES: tuple[Any, ...] = ({}, {"golden_id": "g"}, {"id": 7}, {"golden_id": "", "id": "é"}, [])
_TAGS: tuple[Any, ...] = (None, {}, {"suite": "smoke"}, {"b": "é", "a": "1"})


def _score(source: Source) -> dict[str, Any]:
    return {**score(source, 0), "value": unit(source)}


def _case(source: Source) -> dict[str, Any]:
    identity = source.pick(_IDENTITIES)
    tags = source.pick(_TAGS)
    return {
        "input": {"text": json.dumps(plain(source))},
        "tags": tags and dict(tags),
        "metadata": None if source.chance(40) else {"text": json.dumps(identity)},
        "scores": source.times(3, _score),
    }


def _json(source: Source) -> Any:
    cases = source.items(_case, (3,))
    return {"cases": cases, "include_summary": source.chance(70), "finalize": source.chance(80)}


INPUTS: Mapping[str, Draw[Any]] = {"harness.json": _json}
"""An input for every op of the section."""
