"""A run report as tests look at it: every vector with its result, what passed among them."""

from typing import Any

from conformance.outcomes import claims

Json = Any


def results(document: Json) -> list[Json]:
    """What became of every vector, by id; of what passed there is a row alone."""
    nothing = dict.fromkeys(("detail", "expected", "actual", "expected_by", "real_outcome", "stderr"))
    passed = [
        {"id": key, "class": name, "outcome": "passed", "level": level, "seconds": seconds, "demanded": False}
        | nothing
        for name, rows in document["passed"].items()
        for key, level, seconds in rows
    ]
    return sorted([*passed, *document["results"]], key=lambda one: one["id"])


TIMES = {"started_at", "duration_seconds", "start_up_seconds", "seconds"}


def timeless(value: Json) -> Json:
    """A report, or a part of one, without what is another the next time."""
    if isinstance(value, dict):
        return {key: 0 if key in TIMES else timeless(one) for key, one in value.items()}
    if isinstance(value, list) and len(value) == 3 and isinstance(value[2], float):
        return value[:2]  # a row of what passed
    return [timeless(one) for one in value] if isinstance(value, list) else value


def classes(document: Json) -> dict[str, claims.ClassAccount]:
    return {one.name: one for one in claims.classes(document)}
