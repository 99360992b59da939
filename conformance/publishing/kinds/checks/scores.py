"""A group of trials on a page: its coverage, its score under each denominator, its trials as a heat map."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import (
    Block,
    Heat,
    HeatCell,
    HeatRow,
    Line,
    Lines,
    Paragraph,
    Range,
    Ranges,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.checks.words import DENOMINATORS, Below, cut, figure, many, number, who

__all__ = ["cells_of", "fractional", "group_blocks", "heats", "main"]

Document = Mapping[str, Any]
_SHORT, _FEW = 160, 5
_HARBOR, _MEAN = "records", "harbor's mean"


def main(group: Document) -> Document:
    """The scores that a table shows: of the key `reward`, or of the first one."""
    scores: Sequence[Document] = group["scores"]
    return next((one for one in scores if one["key"] == "reward"), scores[0])


def fractional(scores: Document) -> bool:
    """Whether the scores look like shares: none of them, and no interval, is beyond 0 and 1.

    The report does not say whether all rewards are; where a score is beyond, some are.
    """
    ends = [end for score in scores["by"].values() for end in (score["value"], *(score["interval"] or ()))]
    return all(0 <= end <= 1 for end in ends)


def group_blocks(group: Document, below: Below, noted: bool) -> Iterator[Block]:
    """All about one group but its trials; what is remarkable may be ``noted`` elsewhere already."""
    where = f"{cut(group['source'] or 'tasks of no dataset', _SHORT)}, {cut(who(group), _SHORT)}"
    tasks = f"{many(group['tasks'], 'task')} × {number(group['attempts'])}"
    yield Paragraph((f"{where}: {tasks}. {_coverage(group)}",))
    if remarks := tuple(_remarks(group, noted)):
        yield Lines(remarks)
    for scores in group["scores"]:
        yield from _score_blocks(scores, below, len(group["scores"]) > 1)


def _coverage(group: Document) -> str:
    """Records of those planned, and what came of them."""
    planned, records, scores = group["planned"], group["records"], main(group)
    told = f"{many(records, 'trial')} with a record"
    if planned is None:
        told += ", of how many planned is not known"
    else:
        told += f" of {number(planned)} planned"
    told += f": {number(scores['scored'])} scored, {number(scores['unscored'])} not"
    if group["errored"]:
        of_them = number(group["errored_scored"])
        told += f"; {number(group['errored'])} ended in an exception, {of_them} of them scored"
    return f"{told}."


def _remarks(group: Document, noted: bool) -> Iterator[Line]:
    for name in ("fewer", "more"):
        if group[name]:
            few = [f"{cut(task, _SHORT)} {count}" for task, count in list(group[name].items())[:_FEW]]
            yield (f"tasks with {name} attempts than most: {_first(few, len(group[name]))}",)
    if noted:
        return
    if doubles := group["doubles"]:
        unlike = sum(not double["same"] for double in doubles)
        other = f", {number(unlike)} with different rewards" if unlike else ""
        few = [cut(double["trial"], _SHORT) for double in doubles[:_FEW]]
        told = f"{many(len(doubles), 'trial')} in more than one job, counted each time{other}"
        yield (f"{told}: {_first(few, len(doubles))}",)
    if uncounted := group["uncounted"]:
        few = [cut(f"{one['key']} {one['value']} of {one['trial']}", _SHORT) for one in uncounted[:_FEW]]
        told = f"{many(len(uncounted), 'reward')} that are no finite double, and so in no score"
        yield (f"{told}: {_first(few, len(uncounted))}",)


def _first(few: Sequence[str], count: int) -> str:
    """The first of so many."""
    return ", ".join(few) + (f" and {number(count - len(few))} more" if count > len(few) else "")


def _score_blocks(scores: Document, below: Below, named: bool) -> Iterator[Block]:
    of = f" of {cut(scores['key'], _SHORT)}" if named else ""
    if not scores["by"]:
        yield Paragraph((f"There is no score{of}: no trial has a record.",))
        return
    share, stated = fractional(scores), scores["stated"]
    yield Ranges(
        f"The score{of} under each denominator, with its 95 % interval over tasks",
        tuple(_range(name, score, name in stated["by"]) for name, score in scores["by"].items()),
        stated["value"],
    )
    yield Paragraph((_stated(scores, below, share),), Tone.WARN if stated["odd"] else Tone.PLAIN)
    if at_k := scores["pass_at_k"]:
        row = Row((("pass@k",), *((figure(value, True),) for value in at_k.values())))
        head = ("", *(f"k = {k}" for k in at_k))
        caption = f"harbor's pass@k{of} over all attempts"
        yield Table(head, (row,), caption, frozenset(range(1, len(head))))


def _range(name: str, score: Document, stated: bool) -> Range:
    low, high = score["interval"] or (None, None)
    over = f"over {number(score['over'])}"
    return Range(DENOMINATORS.get(name, name), score["value"], low, high, over, stated)


def _stated(scores: Document, below: Below, share: bool) -> str:
    """What the jobs state, and under which denominator it is that."""
    stated = scores["stated"]
    jobs, odd, by = sum(stated["jobs"].values()), stated["odd"], stated["by"]
    if not jobs:
        return "No job states it in its result.json."
    told = f"Stated in result.json of {many(jobs, 'job')}"
    if stated["unstated"]:
        told += f", and not in {number(stated['unstated'])}"
    if stated["value"] is not None:
        under = DENOMINATORS.get(by[0], by[0]) if by else "which is none of these"
        told += f": {figure(stated['value'], share)}, {_MEAN if _HARBOR in by else under}"
    if odd:
        few = [cut(below.short(name), _SHORT) for name in odd[:_FEW]]
        told += f". Another number than harbor's mean of their trials: {_first(few, len(odd))}"
    return f"{told}."


def cells_of(row: str) -> Iterator[tuple[float | None, str]]:
    """The cells of a row of a grid: the reward, and what came of the trial."""
    for cell in row.split(" "):
        if cell in "-.!":
            yield None, {"-": "unscored", ".": "missing", "!": "errored"}[cell]
        else:
            value = float(cell.removesuffix("!"))
            raised = cell.endswith("!")
            if math.isfinite(value):  # a kit writes no other, an editor may
                yield value, "errored" if raised else "scored"
            else:
                yield None, "errored" if raised else "unscored"


def heats(group: Document, name: str = "") -> Iterator[Heat]:
    """Tasks by attempts, by each reward key that the report has room for."""
    grid = group.get("trials")
    if grid is None or not grid["tasks"]:
        return
    for one in grid["rewards"]:
        rows = [list(cells_of(row)) for row in one["cells"]]
        width = max(map(len, rows))
        values = [value for row in rows for value, _ in row if value is not None]
        of = f" of {cut(one['key'], _SHORT)}" if len(group["scores"]) > 1 else ""
        yield Heat(
            f"Trials{name}: tasks by attempts in the order in which they began{of}{_left_out(grid)}",
            tuple(str(at + 1) for at in range(width)),
            tuple(
                HeatRow(task, tuple(HeatCell(value, state, _told(value, state)) for value, state in row))
                for task, row in zip(grid["tasks"], rows, strict=True)
            ),
            min(0.0, *values) if values else 0.0,
            max(1.0, *values) if values else 1.0,
        )


def _told(value: float | None, state: str) -> str:
    """What a cell does not show by itself."""
    return f"{value:g}, with an exception" if state == "errored" and value is not None else ""


def _left_out(grid: Document) -> str:
    told = {"tasks": "tasks", "attempts": "attempts", "keys": "reward keys"}
    left = [f"{number(count)} {told[name]}" for name, count in grid["left_out"].items() if count]
    return f"; the report leaves out {', '.join(left)}" if left else ""
