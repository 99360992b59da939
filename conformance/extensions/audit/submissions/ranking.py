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


def read_aliases(texts: Iterable[str], files: Iterable[str] = ()) -> dict[str, str]:
    """Resolve aliases, given as texts `A=B` and as files of such lines; return each alias's final name.

    Raises:
        AuditError: a text has another form, or an alias leads back to itself.
    """
    aliases: dict[str, str] = {}
    lines = [line.partition("#")[0].strip() for text in files for line in text.splitlines()]
    for entry in (*texts, *filter(None, lines)):
        name, equals, dataset = (part.strip() for part in entry.partition("="))
        if not equals or not name or not dataset:
            raise AuditError(f"{entry!r} is not an alias: write A=B if the dataset A is B")
        aliases[name] = dataset
    last = {name: name for name in aliases}
    for _ in aliases:
        last = {name: aliases.get(target, target) for name, target in last.items()}
    for dataset in last.values():
        if dataset in aliases:
            raise AuditError(f"the alias of {dataset!r} leads back to itself")
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
    known_tasks: dict[str, set[str]] = {}
    joined: dict[str, str] = {}
    for name in sorted(tasks, key=lambda name: (-sizes[name], name)):
        own = tasks[name]
        like = max(known_tasks, key=lambda candidate: len(own & known_tasks[candidate]), default=name)
        known = known_tasks.get(like, own)
        most = len(own & known)
        is_same = most >= FEWEST_IN_COMMON and 2 * most >= min(len(own), len(known))
        joined[name] = like if is_same else name
        known_tasks.setdefault(joined[name], set()).update(own)
    return {source: joined[name] for source, name in names.items()}


def leaderboards(
    submissions: Sequence[Submission], aliases: Mapping[str, str] | None = None, rules: Sequence[Rules] = ()
) -> list[Json]:
    """Return a leaderboard in the report's form for each benchmark, the largest first.

    There are none for a single submission. Each is also ranked by other `rules`.
    """
    boards: dict[str, list[Group]] = {}
    for group in (group for submission in submissions for group in submission.groups if group.document):
        boards.setdefault(group.benchmark, []).append(group)
    sized = [(sum(len(part.rows) for part in board), board) for board in boards.values() if submissions[1:]]
    ranked = [(size, _leaderboard(board, aliases or {}, rules)) for size, board in sized]
    return [board for _, board in sorted(ranked, key=lambda pair: (-pair[0], pair[1]["source"] or ""))]


def labels(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a label for each entry: its submission, with agent, model and dataset if it has several."""
    several = Counter(entry["submission"] for entry in entries)
    sources = len({entry["source"] for entry in entries}) > 1
    texts = []
    for entry in entries:
        parts = (entry["agent"], entry["model"], entry["source"] if sources else "")
        more = f" ({' / '.join(filter(None, parts))})" if several[entry["submission"]] > 1 else ""
        texts.append(entry["submission"] + more)
    return texts


def _leaderboard(unsorted: list[Group], aliases: Mapping[str, str], rules: Sequence[Rules]) -> Json:
    names = Counter(row.source or "" for group in unsorted for row in group.rows)
    source = min({aliases.get(name, name) for name in names}, key=lambda name: (-names[name], name))
    short = short_names({task for group in unsorted for task in group.tasks})
    tasks = [{short.get(task, task) for task in group.tasks} for group in unsorted]
    having = Counter(task for own in tasks for task in own)
    common = sorted(task for task, count in having.items() if 2 * count > len(unsorted))
    entries: list[Json] = [
        {
            "submission": group.submission,
            **{name: group.document[name] for name in ("source", "agent", "model")},
            "score": by_denominator(main_scores(group.document)).get(HARBOR),
            "missing": [task for task in common if task not in own],
        }
        for group, own in zip(unsorted, tasks, strict=True)
    ]
    named = sorted(zip(labels(entries), unsorted, entries, strict=True), key=lambda item: item[0])
    entries, groups = [entry for *_, entry in named], [group for _, group, _ in named]
    is_ranked = [2 * len(entry["missing"]) <= len(common) for entry in entries]
    scores = [entry["score"] for entry in entries]
    ranks = _ranks(scores, is_ranked)
    for entry, rank in zip(entries, ranks, strict=True):
        entry["rank"] = rank
    ranked = zip(named, scores, ranks, strict=True)
    board = [{"submission": name, "score": score, "rank": rank} for (name, *_), score, rank in ranked]
    orders = [_reversed_pairs(board, _scores_by(groups, order), order) for order in OTHER_ORDERS]
    stated = _scores_by(groups, STATED)
    return {
        "source": source or None,
        "also": [name or None for name in sorted(names.keys() - {source})],
        "tasks": len(having),
        "entries": entries,
        "orders": [order for order in orders if order["swapped"]],
        "rated": _wrongly_rated(board, stated, _ranks(stated, is_ranked)),
        "under": [_changes_under(board, groups, is_ranked, rule_set) for rule_set in rules],
    }


def _scores_by(groups: Sequence[Group], denominator: str) -> list[float | None]:
    """Return scores by a denominator; harbor's mean replaces a missing stated mean."""
    all_scores = [main_scores(group.document) for group in groups]
    if denominator != STATED:
        return [by_denominator(scores).get(denominator) for scores in all_scores]
    both = ((scores["stated"]["value"], by_denominator(scores).get(HARBOR)) for scores in all_scores)
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
        {"submission": entry["submission"], "stated": value, **entry, "stated_rank": stated_rank}
        for entry, value, stated_rank in zip(board, stated, places, strict=True)
        if None not in (value, entry["score"]) and _is_different(value or 0.0, entry["score"], _TOLERANCE)
    ]
    return sorted(rated, key=lambda entry: (-abs(entry["stated"] - entry["score"]), entry["submission"]))


def _reversed_pairs(board: Sequence[Json], values: Values, denominator: str) -> Json:
    """Return the pairs whose order another denominator reverses, the highest ranks first."""
    pairs = [(entry, value) for entry, value in zip(board, values, strict=True) if entry["rank"] is not None]
    known = sorted((-row["score"], row["submission"], value) for row, value in pairs if value is not None)
    both = combinations(known[:MOST_RANKED], 2)
    swapped = ([upper[1], lower[1]] for upper, lower in both if upper[0] < lower[0] and upper[2] < lower[2])
    first = list(islice(swapped, MOST_NAMED))
    return {"denominator": denominator, "swapped": len(first) + sum(1 for _ in swapped), "first": first}


def _changes_under(board: list[Json], groups: list[Group], is_ranked: Sequence[bool], rules: Rules) -> Json:
    """Return the scores and ranks that other rules change, the largest changes first, unknown ones last."""
    under = [group.under(rules.name) for group in groups]
    keys = [main_scores(group.document)["key"] for group in groups]
    values = [harbor_mean(part.rows, key) if part else None for part, key in zip(under, keys, strict=True)]
    known = [item["score"] if value is None else value for item, value in zip(board, values, strict=True)]
    entries: list[Json] = []
    same_rank: list[str] = []
    ranked = zip(board, groups, values, _ranks(known, is_ranked), strict=True)
    for row, group, value, rank in (item for item in ranked if item[0]["score"] is not None):
        if value is None or _is_different(value, row["score"], _TIGHT_TOLERANCE) or rank != row["rank"]:
            entry = {"submission": row["submission"], "score": row["score"], "under": value}
            entries.append({**entry, "rank": row["rank"], "under_rank": rank})
        elif group.changes_under(rules.name):
            same_rank.append(row["submission"])
    entries.sort(key=lambda x: (x["under"] is None, -abs((x["under"] or 0.0) - x["score"]), x["submission"]))
    return {**rules.document(), "entries": entries, "others": same_rank}
