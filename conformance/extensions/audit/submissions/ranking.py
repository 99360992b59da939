"""Builds leaderboards: the submissions on one benchmark, ranked, and how stable their order is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.rules import Rules
from conformance.extensions.audit.submissions.rollup import Group, Submission, short_names
from conformance.extensions.audit.submissions.scores import HARBOR, by_denominator, harbor_mean, main_scores

Json = dict[str, Any]
Values = Sequence[float | None]
STATED = "stated"
"""The name of the order by the means that the jobs state."""
OTHER_ORDERS = (STATED, "planned", "scored", "task-records", "errors-as-zero", "best-attempt")
"""The denominators of the other orders of a leaderboard."""
FEWEST_IN_COMMON = 3
"""The least number of common tasks of two datasets of one benchmark."""
MOST_RANKED = 2000
MOST_NAMED = 3
_TOLERANCE, _TIGHT_TOLERANCE = 1e-9, 1e-12


def read_aliases(given: Iterable[str], files: Iterable[str] = ()) -> dict[str, str]:
    """Resolve aliases, given as texts `A=B` and as files of such lines; return each alias's final name.

    Raises:
        AuditError: a text has another form, or an alias leads back to itself.
    """
    aliases: dict[str, str] = {}
    lines = [line.partition("#")[0].strip() for text in files for line in text.splitlines()]
    for one in (*given, *filter(None, lines)):
        name, equals, of = (part.strip() for part in one.partition("="))
        if not equals or not name or not of:
            raise AuditError(f"{one!r} is not an alias: write A=B if the dataset A is B")
        aliases[name] = of
    last = {name: name for name in aliases}
    for _ in aliases:
        last = {name: aliases.get(of, of) for name, of in last.items()}
    for of in last.values():
        if of in aliases:
            raise AuditError(f"the alias of {of!r} leads back to itself")
    return last


def benchmarks(rows: Iterable[TrialRow], aliases: Mapping[str, str]) -> dict[str, str]:
    """Map each dataset to its benchmark, which is named after its dataset with most trials.

    Datasets belong together if `aliases` gives them the same final name, or if at least half of the smaller
    one's tasks are also tasks of the other.
    """
    names: dict[str, str] = {}
    tasks: dict[str, set[str]] = {}
    sizes = Counter[str]()
    for row in rows:
        source = row.source or ""
        name = names[source] = aliases.get(source, source)
        tasks.setdefault(name, set()).add(row.task.rpartition("/")[2])
        sizes[name] += 1
    found: dict[str, set[str]] = {}
    joined: dict[str, str] = {}
    for name in sorted(tasks, key=lambda name: (-sizes[name], name)):
        own = tasks[name]
        like = max(found, key=lambda other: len(own & found[other]), default=name)
        known = found.get(like, own)
        most = len(own & known)
        is_same = most >= FEWEST_IN_COMMON and 2 * most >= min(len(own), len(known))
        joined[name] = like if is_same else name
        found.setdefault(joined[name], set()).update(own)
    return {source: joined[name] for source, name in names.items()}


def leaderboards(
    found: Sequence[Submission], aliases: Mapping[str, str] | None = None, rules: Sequence[Rules] = ()
) -> list[Json]:
    """Return a leaderboard in the report's form for each benchmark, the largest first.

    There are none for a single submission. Each is also ranked by other `rules`.
    """
    boards: dict[str, list[Group]] = {}
    for group in (group for one in found for group in one.groups if group.document):
        boards.setdefault(group.benchmark, []).append(group)
    sized = [(sum(len(one.rows) for one in board), board) for board in boards.values() if len(found) > 1]
    made = [(size, _leaderboard(board, aliases or {}, rules)) for size, board in sized]
    return [board for _, board in sorted(made, key=lambda one: (-one[0], one[1]["source"] or ""))]


def labels(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a label for each entry: its submission, with agent, model and dataset if it has several."""
    several = Counter(entry["submission"] for entry in entries)
    sources = len({entry["source"] for entry in entries}) > 1
    made = []
    for entry in entries:
        of = (entry["agent"], entry["model"], entry["source"] if sources else "")
        more = f" ({' / '.join(filter(None, of))})" if several[entry["submission"]] > 1 else ""
        made.append(entry["submission"] + more)
    return made


def _leaderboard(found: list[Group], aliases: Mapping[str, str], rules: Sequence[Rules]) -> Json:
    names = Counter(row.source or "" for one in found for row in one.rows)
    source = min({aliases.get(name, name) for name in names}, key=lambda name: (-names[name], name))
    short = short_names({task for one in found for task in one.tasks})
    tasks = [{short.get(task, task) for task in one.tasks} for one in found]
    having = Counter(task for own in tasks for task in own)
    common = sorted(task for task, count in having.items() if 2 * count > len(found))
    entries: list[Json] = [
        {
            "submission": one.submission,
            **{name: one.document[name] for name in ("source", "agent", "model")},
            "score": by_denominator(main_scores(one.document)).get(HARBOR),
            "missing": [task for task in common if task not in own],
        }
        for one, own in zip(found, tasks, strict=True)
    ]
    named = sorted(zip(labels(entries), found, entries, strict=True), key=lambda one: one[0])
    entries, groups = [entry for *_, entry in named], [group for _, group, _ in named]
    is_ranked = [2 * len(entry["missing"]) <= len(common) for entry in entries]
    scores = [entry["score"] for entry in entries]
    ranks = _ranks(scores, is_ranked)
    for entry, rank in zip(entries, ranks, strict=True):
        entry["rank"] = rank
    every = zip(named, scores, ranks, strict=True)
    board = [{"submission": name, "score": score, "rank": rank} for (name, *_), score, rank in every]
    orders = [_reversed_pairs(board, _scores_by(groups, one), one) for one in OTHER_ORDERS]
    stated = _scores_by(groups, STATED)
    return {
        "source": source or None,
        "also": [name or None for name in sorted(names.keys() - {source})],
        "tasks": len(having),
        "entries": entries,
        "orders": [one for one in orders if one["swapped"]],
        "rated": _wrongly_rated(board, stated, _ranks(stated, is_ranked)),
        "under": [_changes_under(board, groups, is_ranked, one) for one in rules],
    }


def _scores_by(groups: Sequence[Group], denominator: str) -> list[float | None]:
    """Return scores by a denominator; harbor's mean replaces a missing stated mean."""
    every = [main_scores(group.document) for group in groups]
    if denominator != STATED:
        return [by_denominator(scores).get(denominator) for scores in every]
    both = ((scores["stated"]["value"], by_denominator(scores).get(HARBOR)) for scores in every)
    return [mean if stated is None else stated for stated, mean in both]


def _ranks(scores: Values, is_ranked: Sequence[bool]) -> list[int | None]:
    """Return the rank of each value, 1 for the highest; equal values share a rank, and None has none."""
    values = [value if ranked else None for value, ranked in zip(scores, is_ranked, strict=True)]
    known = sorted((value for value in values if value is not None), reverse=True)
    return [None if value is None else known.index(value) + 1 for value in values]


def _is_different(value: float, score: float, close: float) -> bool:
    return abs(value - score) > close * max(1.0, abs(score))


def _wrongly_rated(board: list[Json], stated: Values, places: Sequence[int | None]) -> list[Json]:
    """Return the entries whose stated mean is not the mean of their records, the largest errors first."""
    rated = [
        {"submission": one["submission"], "stated": value, **one, "stated_rank": place}
        for one, value, place in zip(board, stated, places, strict=True)
        if None not in (value, one["score"]) and _is_different(value or 0.0, one["score"], _TOLERANCE)
    ]
    return sorted(rated, key=lambda one: (-abs(one["stated"] - one["score"]), one["submission"]))


def _reversed_pairs(board: Sequence[Json], values: Values, denominator: str) -> Json:
    """Return the pairs whose order another denominator reverses, the highest ranks first."""
    pairs = [(one, value) for one, value in zip(board, values, strict=True) if one["rank"] is not None]
    known = sorted((-one["score"], one["submission"], value) for one, value in pairs if value is not None)
    both = combinations(known[:MOST_RANKED], 2)
    swapped = ([one[1], other[1]] for one, other in both if one[0] < other[0] and one[2] < other[2])
    first = list(islice(swapped, MOST_NAMED))
    return {"denominator": denominator, "swapped": len(first) + sum(1 for _ in swapped), "first": first}


def _changes_under(board: list[Json], groups: list[Group], is_ranked: Sequence[bool], rules: Rules) -> Json:
    """Return the scores and ranks that other rules change, the largest changes first, unknown ones last."""
    under = [group.under(rules.name) for group in groups]
    keys = [main_scores(group.document)["key"] for group in groups]
    values = [harbor_mean(one.rows, key) if one else None for one, key in zip(under, keys, strict=True)]
    known = [one["score"] if value is None else value for one, value in zip(board, values, strict=True)]
    entries: list[Json] = []
    others: list[str] = []
    every = zip(board, groups, values, _ranks(known, is_ranked), strict=True)
    for one, group, value, place in (each for each in every if each[0]["score"] is not None):
        if value is None or _is_different(value, one["score"], _TIGHT_TOLERANCE) or place != one["rank"]:
            entry = {"submission": one["submission"], "score": one["score"], "under": value}
            entries.append({**entry, "rank": one["rank"], "under_rank": place})
        elif group.changes_under(rules.name):
            others.append(one["submission"])
    entries.sort(
        key=lambda one: (one["under"] is None, -abs((one["under"] or 0.0) - one["score"]), one["submission"])
    )
    return {**rules.document(), "entries": entries, "others": others}
