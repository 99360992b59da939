"""Leaderboards on a page: submissions side by side, and what their order hangs on."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import (
    Block,
    Heat,
    HeatCell,
    HeatRow,
    Inline,
    Line,
    Lines,
    Link,
    Paragraph,
    Range,
    Ranges,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.checks.jobs import submission_anchor
from conformance.publishing.kinds.checks.scores import cells_of, fractional, main
from conformance.publishing.kinds.checks.words import DENOMINATORS, Below, cut, number, short_figure, spread

__all__ = ["Groups", "board_blocks", "board_details", "board_pairs", "groups_of", "told_of"]

Document = Mapping[str, Any]
Groups = Mapping[tuple[str, str | None, str, str | None], Document]
"""Groups by submission, dataset, agent and model."""
_SHORT, _NAME = 160, 60
_SHOWN = ("scored", "planned", "task-records", "errors-as-zero", "best-attempt")
"""The denominators beside harbor's mean."""
_HEADS = {
    "scored": "scored",
    "planned": "planned",
    "task-records": "by task",
    "errors-as-zero": "exceptions as zero",
    "best-attempt": "best attempt",
}
_MOST_TOLD, _FIRST = 12, 3
"""Submissions that have a place on the page, and how many of each leaderboard are first."""
_MOST_FIRST = 10
_MOST_RANGES = 60
_MOST_COLUMNS = 60
"""Submissions that a picture has room for."""
_MOST_TASKS = 500
_FEW = 5


def groups_of(document: Document) -> Groups:
    """All groups of a report's submissions."""
    return {
        (one["name"], group["source"], group["agent"], group["model"]): group
        for one in document["submissions"]
        for group in one["groups"]
    }


def told_of(document: Document) -> set[str]:
    """The submissions that have a place on the page: all, or of many the first and those to look at."""
    found = document["submissions"]
    if len(found) <= _MOST_TOLD:
        return {one["name"] for one in found}
    told = dict.fromkeys(
        entry["submission"]
        for board in document["leaderboards"]
        for entry in sorted(board["entries"], key=lambda one: (one["rank"] or math.inf, one["submission"]))
        if entry["rank"] is not None and entry["rank"] <= _FIRST
    )
    by_weight = sorted(
        found,
        key=lambda one: (-one["jobs"]["wrong"], -len(one["notes"]), -one["jobs"]["differs"], one["name"]),
    )
    told.update(dict.fromkeys(one["name"] for one in by_weight))
    return set(list(told)[:_MOST_TOLD])


def _weight(one: Document) -> tuple[int, int, int, str]:
    """A submission's place among those to look at."""
    jobs = one["jobs"]
    return -jobs["wrong"], -len(one["notes"]), -jobs["differs"], one["name"]


Pair = tuple[Document, Document]
"""A leaderboard's line, and the group that it is of."""


def board_pairs(board: Document, groups: Groups) -> list[Pair]:
    """The lines of a leaderboard, the first rank first, each with its group."""
    last = len(board["entries"]) + 1
    ranked = sorted(board["entries"], key=lambda one: (one["rank"] or last, one["submission"]))
    keys = [(one["submission"], board["source"], one["agent"], one["model"]) for one in ranked]
    return [(one, groups[key]) for one, key in zip(ranked, keys, strict=True) if key in groups]


def board_blocks(
    board: Document, pairs: Sequence[Pair], told: Collection[str], below: Below
) -> Iterator[Block]:
    """One dataset's first submissions, and what their order hangs on.

    Those that are ``told`` of have a place on the page, and are links.
    """
    if board["orders"]:
        yield Paragraph(("The order hangs on how trials are counted.",), Tone.WARN)
        yield _orders(board, below)
    elif len(pairs) > 1:
        yield Paragraph(("The order is the same under every denominator that is compared.",))
    share = all(fractional(main(group)) for _, group in pairs)
    rows = []
    for entry, group in pairs[:_MOST_FIRST]:
        by, stated = main(group)["by"], main(group)["stated"]
        mean, scored = by.get("records"), by.get("scored")
        rows.append(
            Row(
                (
                    (_named(entry["submission"], told, below),),
                    ("–" if entry["rank"] is None else str(entry["rank"]),),
                    (short_figure(None if mean is None else mean["value"], share),),
                    ("" if mean is None else spread(mean["standard_error"], share),),
                    (short_figure(None if scored is None else scored["value"], share),),
                    (short_figure(stated["value"], share),),
                )
            )
        )
    unit = ", in percent" if share else ""
    left = f"; {number(len(pairs) - len(rows))} more follow" if len(pairs) > len(rows) else ""
    head = ("submission", "rank", "score", "± standard error", "scored alone", "stated")
    caption = f"Submissions by harbor's mean, unscored as zero{unit}{left}"
    yield Table(head, tuple(rows), caption, frozenset(range(1, len(head))))


def board_details(pairs: Sequence[Pair], told: Collection[str], below: Below) -> Iterator[Block]:
    """All submissions of a dataset under each denominator, with their spread, and task by task."""
    yield _table(pairs, told, below, all(fractional(main(group)) for _, group in pairs))
    yield _ranges(pairs, below)
    yield from _heat(pairs, below)
    lacking = [one for one, _ in pairs if one["missing"]]
    if lacking:
        line = "Tasks that more than half of the submissions have, and these have not:"
        yield Paragraph((line,), Tone.WARN)
        yield Lines(tuple(_lacking(one, told, below) for one in lacking))


def _orders(board: Document, below: Below) -> Table:
    """Who changes places when trials are counted otherwise."""
    ranks = {one["submission"]: one["rank"] for one in board["entries"]}

    def named(name: str) -> str:
        short = cut(below.short(name), _SHORT)
        return f"{ranks[name]} {short}" if ranks.get(name) else short

    rows = []
    for order in board["orders"]:
        first = "; ".join(f"{named(one)} and {named(other)}" for one, other in order["first"])
        rest = order["swapped"] - len(order["first"])
        more = f"; and {number(rest)} more" if rest > 0 else ""
        counted = DENOMINATORS.get(order["denominator"], order["denominator"])
        rows.append(Row(((counted,), (number(order["swapped"]),), (f"{first}{more}",))))
    head = ("counted", "pairs", "nearest to the top, with their ranks by harbor's mean")
    return Table(head, tuple(rows), "Pairs that change places under another denominator", frozenset({1}))


def _lacking(one: Document, told: Collection[str], below: Below) -> Line:
    tasks = ", ".join(cut(task, _SHORT) for task in one["missing"][:_FEW])
    rest = len(one["missing"]) - _FEW
    more = f" and {number(rest)} more" if rest > 0 else ""
    return (_named(one["submission"], told, below), f": {tasks}{more}")


def _named(name: str, told: Collection[str], below: Below) -> Inline:
    """A submission, leading to its place on the page where it has one."""
    short = cut(below.short(name), _SHORT)
    return Link(short, submission_anchor(name)) if name in told else short


def _table(pairs: Sequence[Pair], told: Collection[str], below: Below, share: bool) -> Table:
    rows = []
    for entry, group in pairs:
        scores = main(group)
        by, stated = scores["by"], scores["stated"]
        mean = by.get("records")
        uneven = "*" if group["fewer"] or group["more"] else ""
        rows.append(
            Row(
                (
                    (_named(entry["submission"], told, below),),
                    ("–" if entry["rank"] is None else str(entry["rank"]),),
                    (short_figure(None if mean is None else mean["value"], share),),
                    ("" if mean is None else spread(mean["standard_error"], share),),
                    *((short_figure(by[name]["value"] if name in by else None, share),) for name in _SHOWN),
                    (short_figure(stated["value"], share),),
                    (f"{number(group['tasks'])} × {number(group['attempts'])}{uneven}",),
                    (number(group["records"]),),
                    (number(scores["unscored"]),),
                    (number(len(group["doubles"])),),
                ),
                tone=Tone.WARN if stated["odd"] or group["doubles"] or entry["missing"] else Tone.PLAIN,
            )
        )
    head = (
        *("submission", "rank", "score", "± standard error"),
        *(_HEADS[name] for name in _SHOWN),
        *("stated", "tasks × attempts", "records", "unscored", "doubles"),
    )
    unit = ", in percent" if share else ""
    caption = f"Submissions by harbor's mean, and under other denominators{unit}; *: not of all tasks"
    return Table(head, tuple(rows), caption, frozenset(range(1, len(head))))


def _ranges(pairs: Sequence[Pair], below: Below) -> Ranges:
    """Each submission's score with its spread."""
    ranges = []
    for entry, group in pairs:
        score = main(group)["by"].get("records")
        if score is not None:
            low, high = score["interval"] or (None, None)
            name = cut(below.short(entry["submission"]), _NAME)
            ranges.append(Range(name, score["value"], low, high, f"rank {entry['rank']}"))
    told = f"; the first {_MOST_RANGES} of {len(ranges)}" if len(ranges) > _MOST_RANGES else ""
    caption = (
        f"Harbor's mean with its 95 % interval over tasks{told}: where intervals overlap, a rank says little"
    )
    return Ranges(caption, tuple(ranges[:_MOST_RANGES]))


def _heat(pairs: Sequence[Pair], below: Below) -> Iterator[Heat]:
    """Tasks by submissions, each cell the mean of the attempts there."""
    shown = [(entry, group) for entry, group in pairs if group.get("trials") is not None][:_MOST_COLUMNS]
    columns = [_means(group) for _, group in shown]
    tasks = {task for column in columns for task in column}
    if not tasks or len(columns) < 2:
        return
    ease = {task: sum(column.get(task, (0.0, 0))[0] for column in columns) for task in tasks}
    hardest = sorted(tasks, key=lambda task: (-ease[task], task))
    values = [mean for column in columns for mean, _ in column.values()]
    rows = tuple(
        HeatRow(task, tuple(_cell(column.get(task)) for column in columns)) for task in hardest[:_MOST_TASKS]
    )
    left = [f"the first {len(shown)} of {len(pairs)} submissions"] if len(shown) < len(pairs) else []
    left += [f"the easiest {_MOST_TASKS} of {number(len(tasks))} tasks"] if len(tasks) > _MOST_TASKS else []
    told = f"; {', '.join(left)}" if left else ""
    yield Heat(
        f"Tasks, the easiest first, by submissions, the best first: the mean of the attempts{told}",
        tuple(f"{entry['rank'] or '–'} {cut(below.short(entry['submission']), _NAME)}" for entry, _ in shown),
        rows,
        min(0.0, *values),
        max(1.0, *values),
    )


def _means(group: Document) -> dict[str, tuple[float, int]]:
    """Each task's mean, unscored attempts as zero, and the number of its attempts."""
    grid = group["trials"]
    key = main(group)["key"]
    one = next((one for one in grid["rewards"] if one["key"] == key), grid["rewards"][0])
    found = {}
    for task, row in zip(grid["tasks"], one["cells"], strict=True):
        values = [value or 0.0 for value, state in cells_of(row) if state != "missing"]
        mean = math.fsum(value / len(values) for value in values) if values else 0.0
        found[task] = (mean, len(values))
    return found


def _cell(of: tuple[float, int] | None) -> HeatCell:
    if of is None or not of[1]:
        return HeatCell(None, "missing")
    return HeatCell(of[0])
