"""Roll-ups as JSON, as the schemas `submission` and `leaderboard` have them."""

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from conformance.check.submissions.grids import grids
from conformance.check.submissions.metadata import Metadata
from conformance.check.submissions.ranking import Leaderboard
from conformance.check.submissions.rollup import GroupRollUp, RollUp
from conformance.check.submissions.scores import HARBOR, Scores, interval
from conformance.check.submissions.stated import JobsClaim
from conformance.wire.text import encodable

__all__ = ["leaderboard_json", "metadata_json", "submission_json", "submissions_json"]

MOST = 1000
"""Double trials, and rewards that do not count, that are listed."""


def submissions_json(
    found: Sequence[RollUp], alone: Sequence[RollUp] = ()
) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Submissions, and the groups of jobs that are of none by path, all with their trials as grids."""
    every = [group for one in (*found, *alone) for group in one.groups]
    made = iter(grids(every))
    submissions = [submission_json(one, [next(made) for _ in one.groups]) for one in found]
    groups = {one.name: [_group(group, next(made)) for group in one.groups] for one in alone}
    return submissions, groups


def submission_json(roll_up: RollUp, trials: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """One submission, with the grid of each group's trials where there are any."""
    return {
        "name": encodable(roll_up.name),
        "jobs": dict(roll_up.jobs),
        "planned": roll_up.submission.planned,
        "metadata": [metadata_json(one) for one in roll_up.metadata],
        "claims": [
            {
                "file": claim.file,
                "path": encodable(claim.path),
                "text": encodable(claim.text),
                "key": None if claim.key is None else encodable(claim.key),
                "by": claim.by,
            }
            for claim in roll_up.claims
        ],
        "groups": [_group(one, grid) for one, grid in zip_longest(roll_up.groups, trials)],
        "notes": [encodable(note) for note in roll_up.notes],
    }


def metadata_json(one: Metadata) -> dict[str, Any]:
    """A file of metadata."""
    values = {encodable(path): encodable(text) for path, text in one.values.items()}
    return {"file": one.file, "values": values, "problem": one.problem}


def _group(one: GroupRollUp, trials: Mapping[str, Any] | None = None) -> dict[str, Any]:
    group = one.group
    told = {
        "source": encodable(group.source) or None,
        "agent": encodable(group.agent),
        "model": encodable(group.model) or None,
        "tasks": len(group.tasks),
        "attempts": group.usual,
        "planned": group.planned,
        "records": len(group.attempts),
        "errored": one.errored,
        "errored_scored": one.errored_scored,
        "fewer": {encodable(task): count for task, count in one.fewer.items()},
        "more": {encodable(task): count for task, count in one.more.items()},
        "doubles": [
            {
                "trial": encodable(double.trial),
                "task": encodable(double.task),
                "jobs": list(map(encodable, double.jobs)),
                "same": double.same,
            }
            for double in one.doubles[:MOST]
        ],
        "uncounted": [
            {"trial": encodable(trial), "key": encodable(key), "value": value}
            for trial, key, value in group.uncounted[:MOST]
        ],
        "scores": [_scores(found, claim) for found, claim in zip(one.scores, one.stated, strict=True)],
    }
    return told if trials is None else {**told, "trials": trials}


def _scores(found: Scores, claim: JobsClaim) -> dict[str, Any]:
    return {
        "key": encodable(found.key),
        "scored": found.scored,
        "unscored": found.unscored,
        "by": {
            name: {
                "value": score.value,
                "over": score.over,
                "standard_error": _finite(score.standard_error),
                "interval": _pair(interval(score, found.fractional)),
            }
            for name, score in found.by.items()
        },
        "extent": found.extent,
        "pass_at_k": {str(k): value for k, value in found.pass_at_k.items()},
        "attempts": [{"score": score, "tasks": tasks} for score, tasks in found.attempts],
        "attempts_error": _finite(found.attempts_error),
        "stated": {
            "value": claim.value,
            "by": claim.by,
            "jobs": claim.jobs,
            "odd": list(map(encodable, claim.odd)),
            "unstated": claim.unstated,
        },
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _pair(ends: tuple[float, float] | None) -> list[float] | None:
    return list(ends) if ends is not None and all(map(math.isfinite, ends)) else None


def leaderboard_json(one: Leaderboard) -> dict[str, Any]:
    """The submissions on one benchmark."""
    return {
        "source": encodable(one.source) or None,
        "tasks": one.tasks,
        "entries": [
            {
                "submission": encodable(entry.roll_up.name),
                "agent": encodable(entry.group.group.agent),
                "model": encodable(entry.group.group.model) or None,
                "rank": entry.rank,
                "score": _value(entry.group.main.by),
                "missing": list(map(encodable, entry.missing)),
            }
            for entry in one.entries
        ],
        "orders": [
            {
                "denominator": order.denominator,
                "swapped": order.swapped,
                "first": [list(map(encodable, pair)) for pair in order.first],
            }
            for order in one.orders
        ],
    }


def _value(by: Mapping[str, Any]) -> float | None:
    return by[HARBOR].value if HARBOR in by else None
