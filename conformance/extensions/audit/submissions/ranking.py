"""Leaderboards: the submissions on one benchmark, whatever they call it, and how stable their order is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.rules import Rules
from conformance.extensions.audit.submissions.attempts import Group, Submission, short_names
from conformance.extensions.audit.submissions.scores import HARBOR, harbor_mean, main_scores

Json = dict[str, Any]
STATED = "stated"
"""Another order of a leaderboard: by the means that the jobs state."""
OTHER_ORDERS = (STATED, "planned", "scored", "task-records", "errors-as-zero", "best-attempt")
"""The denominators by which a leaderboard is ranked again."""
MOST_RANKED = 2000
MOST_NAMED = 3
_TOLERANCE, _TIGHT_TOLERANCE = 1e-9, 1e-12


class _Ranked(NamedTuple):
    """A submission's group on a benchmark."""

    name: str
    group: Group
    score: float | None
    rank: int | None

    def value(self, denominator: str) -> float | None:
        """Its score by a denominator; if its jobs state none, harbor's mean replaces the stated one."""
        scores = main_scores(self.group.document)
        stated = scores["stated"]["value"] if denominator == STATED else None
        score = scores["by"].get(HARBOR if denominator == STATED else denominator)
        return stated if stated is not None else None if score is None else score["value"]

    def differs(self, value: float, close: float) -> bool:
        """Whether its score is not that value."""
        return self.score is None or abs(value - self.score) > close * max(1.0, abs(self.score))


def read_aliases(given: Iterable[str], files: Iterable[str] = ()) -> dict[str, str]:
    """Each dataset's last name, which is no alias, from texts `A=B` and files of such lines.

    Raises:
        AuditError: one is of another form, or leads back to itself.
    """
    aliases: dict[str, str] = {}
    lines = [line.partition("#")[0].strip() for text in files for line in text.splitlines()]
    for one in (*given, *filter(None, lines)):
        name, equals, of = (part.strip() for part in one.partition("="))
        if not equals or not name or not of:
            raise AuditError(f"{one!r} is not an alias: A=B says that the dataset A is B")
        aliases[name] = of
    last: dict[str, str] = {}
    for name, of in aliases.items():
        seen = {name}
        while of in aliases and of not in seen:
            seen.add(of)
            of = aliases[of]
        if of in seen:
            raise AuditError(f"the alias of {of!r} leads back to itself")
        last[name] = of
    return last


def leaderboards(
    found: Sequence[Submission], aliases: Mapping[str, str] | None = None, rules: Sequence[Rules] = ()
) -> list[Json]:
    """Leaderboards in the report's form, one for each benchmark with several submissions, the largest first.

    Datasets are one benchmark if an alias says so, or if at least half of the smaller one's tasks are also
    tasks of the other. Each is ranked by other `rules` too.
    """
    boards: dict[str, list[Group]] = {}
    for group in (group for one in found for group in one.groups if group.document):
        boards.setdefault(group.benchmark, []).append(group)
    sized = [(sum(len(one.rows) for one in board), board) for board in boards.values() if len(found) > 1]
    made = [(size, _leaderboard(board, aliases or {}, rules)) for size, board in sized]
    return [board for _, board in sorted(made, key=lambda one: (-one[0], one[1]["source"] or ""))]


def labels(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The name of each entry: its submission, with agent, model and dataset if it has several."""
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
            "score": _Ranked("", one, None, None).value(HARBOR),
            "missing": [task for task in common if task not in own],
        }
        for one, own in zip(found, tasks, strict=True)
    ]
    named = sorted(zip(labels(entries), found, entries, strict=True), key=lambda one: one[0])
    ranks = _ranks(
        entry["score"] if 2 * len(entry["missing"]) <= len(common) else None for *_, entry in named
    )
    ranked = []
    for (name, group, entry), rank in zip(named, ranks, strict=True):
        entry["rank"] = rank
        ranked.append(_Ranked(name, group, entry["score"], rank))
    orders = [_reversed_pairs(ranked, denominator) for denominator in OTHER_ORDERS]
    return {
        "source": source or None,
        "also": [name or None for name in sorted(names.keys() - {source})],
        "tasks": len(having),
        "entries": [entry for *_, entry in named],
        "orders": [one for one in orders if one["swapped"]],
        "rated": _wrongly_rated(ranked),
        "under": [_changes_under(ranked, one) for one in rules],
    }


def _ranks(scores: Iterable[float | None]) -> list[int | None]:
    """The rank of each value, 1 for the highest; equal values share a rank, and None has none."""
    values = list(scores)
    known = sorted((value for value in values if value is not None), reverse=True)
    places = {value: place for place, value in reversed(list(enumerate(known, 1)))}
    return [None if value is None else places[value] for value in values]


def _wrongly_rated(ranked: Sequence[_Ranked]) -> list[Json]:
    """Entries whose jobs state another mean than their records give, the largest errors first."""
    stated = [one.value(STATED) for one in ranked]
    places = _ranks(None if one.rank is None else value for one, value in zip(ranked, stated, strict=True))
    members = ("submission", "stated", "score", "stated_rank", "rank")
    rated: list[Json] = [
        dict(zip(members, (one.name, value, one.score, place, one.rank), strict=True))
        for one, value, place in zip(ranked, stated, places, strict=True)
        if value is not None and one.score is not None and one.differs(value, _TOLERANCE)
    ]
    return sorted(rated, key=lambda one: (-abs(one["stated"] - one["score"]), one["submission"]))


def _reversed_pairs(ranked: Sequence[_Ranked], denominator: str) -> Json:
    """Pairs whose order another denominator reverses, those nearest to the top first."""
    every = ((one, one.value(denominator)) for one in ranked)
    known = sorted(
        (-one.score, one.name, there)
        for one, there in every
        if one.rank is not None and one.score is not None and there is not None
    )[:MOST_RANKED]
    swapped = (
        [name, other]
        for (here, name, there), (other_here, other, other_there) in combinations(known, 2)
        if here < other_here and there < other_there
    )
    first = list(islice(swapped, MOST_NAMED))
    return {"denominator": denominator, "swapped": len(first) + sum(1 for _ in swapped), "first": first}


def _changes_under(ranked: Sequence[_Ranked], rules: Rules) -> Json:
    """The changes by other rules: scores and places, the largest first, unknown ones last."""
    scored = [one for one in ranked if one.score is not None]
    groups = [one.group.under(rules.name) for one in scored]
    values = [
        None if group is None else harbor_mean(group.rows, main_scores(one.group.document)["key"])
        for one, group in zip(scored, groups, strict=True)
    ]
    places = _ranks(
        None if one.rank is None else one.score if value is None else value
        for one, value in zip(scored, values, strict=True)
    )
    entries: list[Json] = []
    others: list[str] = []
    for one, value, place in zip(scored, values, places, strict=True):
        if value is None or one.differs(value, _TIGHT_TOLERANCE) or place != one.rank:
            entry = {"submission": one.name, "score": one.score, "under": value}
            entries.append({**entry, "rank": one.rank, "under_rank": place})
        elif one.group.changes_under(rules.name):
            others.append(one.name)
    entries.sort(
        key=lambda one: (one["under"] is None, -abs((one["under"] or 0.0) - one["score"]), one["submission"])
    )
    made = {"rules": rules.name, "text": rules.text, "source": rules.source}
    return {**made, "entries": entries, "others": others}
