"""Roll-ups and comparisons for people: a submission in full, leaderboards and differences as tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.extensions.audit.report import Below, common_folder, few, many
from conformance.extensions.audit.submissions.board_tables import (
    board_name,
    board_rows,
    grouped,
    order_table,
    rated_table,
    under_table,
)
from conformance.extensions.audit.submissions.ranking import labels
from conformance.extensions.audit.submissions.rollup import ABOUT, Remark, RollUp
from conformance.extensions.audit.submissions.scores import (
    DENOMINATORS,
    HARBOR,
    coverage,
    figure,
    is_share,
    shares,
    signed,
    spread,
    statement,
    under,
)
from conformance.pages.model import Cell, Mark, Spread, Table
from conformance.pages.words import enumerated
from conformance.wire.text import printable, shortened

Json = Mapping[str, Any]
IN_FULL = 3
"""Submissions that are shown in full; of more there is a table."""
_FEW = 5
_MOST_GROUPS = 20
_MOST_ENTRIES = 10
"""Submissions of a benchmark that are listed where there are many more."""
_HEAD = (
    *("rank", "tasks", "records", "unscored", "score", "scored", "planned", "by task", "jobs"),
    "submission",
)
_LEGEND = (
    "tasks × attempts (*: not of all); score: harbor's mean, unscored trials as zero, ± standard error;",
    "scored: unscored left out; planned: missing as zero; by task: the mean over tasks; "
    "jobs: clean/differs/wrong, + not judged or unfinished",
)
_LONGEST = 160
"""Characters of a line of remarks, names aside."""
_LONGEST_REMARK = 120


def table_lines(head: Sequence[str], rows: Sequence[Sequence[Cell]], last: str = "submission") -> list[str]:
    """A table as lines: numbers to the right, and the column of names, which may be long, at the end."""
    at = head.index(last)
    cells = [[*row[:at], *row[at + 1 :], row[at]] for row in (head, *rows)]
    texts = [
        [printable(cell.text if isinstance(cell, Mark | Spread) else str(cell)) for cell in row]
        for row in cells
    ]
    columns = list(zip(*texts, strict=True))[:-1]
    widths = [max(map(len, column)) for column in columns]
    sides = [">" if any(map(str.isdigit, "".join(column[1:]))) else "<" for column in columns]
    return [
        "  ".join([*(f"{cell:{s}{w}}" for cell, s, w in zip(row, sides, widths, strict=False)), row[-1]])
        for row in texts
    ]


def _titled(table: Table | None, most: int | None) -> Iterator[str]:
    """A table with its title, of its rows at most so many."""
    if table is not None:
        yield printable(table.title)
        last = "submission" if "submission" in table.head else table.head[-1]
        yield from (f"    {line}" for line in table_lines(table.head, table.rows[:most], last))
        if most is not None and table.rows[most:]:
            yield f"    … and {len(table.rows) - most} more (-v lists all)"


def roll_up_lines(
    found: Sequence[RollUp],
    boards: Sequence[Json],
    by_score: bool = False,
    below: Below | None = None,
    every: bool = False,
) -> Iterator[str]:
    """All about the submissions: each in full where they are few, tables for each of the `boards`.

    Names are shown `below` a folder; `every` says whether all of what is alike is listed.
    """
    below = below or Below()
    if len(found) <= IN_FULL:
        for one in found:
            yield from (*submission_lines(one.document, below), "")
    else:
        remarks = [(below.short(one.name), remark) for one in found for remark in one.remarks]
        yield from _remark_lines(remarks, below, every)
        if remarks:
            yield ""
    documents = [one.document for one in found]
    groups, wrong = grouped(documents), {one["name"]: one["jobs"]["wrong"] for one in documents}
    single = [board for board in boards if len(board["entries"]) == 1] if len(boards) > 1 else []
    most = None if every else _FEW
    if (rated := rated_table(boards, wrong, below)) is not None:
        yield from (*_titled(rated, most), "")
    for board in boards:
        if board not in single:
            yield from (*_board_lines(board, groups, by_score, below, every), "")
    if single:
        rows = [
            {**row, "submission": f"{row['submission']} in {board_name(board)}"}
            for board in single
            for row in board_rows(board, groups, below)
        ]
        head = _HEAD[1:]
        lines = table_lines(head, [[row[name] for name in head] for row in rows])
        yield from (lines[0].removesuffix("submission") + "one submission in a benchmark", *lines[1:])
    if boards:
        yield from (*_LEGEND, "")


def _remark_lines(found: Sequence[tuple[str, Remark]], below: Below, every: bool) -> Iterator[str]:
    """A line for each thing that remarks are about, with the submissions that it holds for.

    The most striking come first, as many as a line takes; with `every` all of them, on lines of their own.
    """
    for about, what in ABOUT.items():
        of = sorted((one for one in found if one[1].about == about), key=lambda one: -one[1].weight)
        if every and of:
            yield f"{what}:"
            yield from (f"    {printable(name)}: {printable(below.in_text(one.text))}" for name, one in of)
        elif of:
            texts = [
                f"{printable(name)} {shortened(below.in_text(one.brief), _LONGEST_REMARK)}"
                for name, one in of[:_FEW]
            ]
            shown = texts[:1]
            room = _LONGEST + sum(len(name) for name, _ in of[:_FEW])
            for text in texts[1:]:
                if len(what) + sum(map(len, (*shown, text))) > room:
                    break
                shown.append(text)
            rest = [f"… and {len(of) - len(shown):,} more"] if of[len(shown) :] else []
            yield f"{what}: {'; '.join([*shown, *rest])}"


def submission_lines(one: Json, below: Below) -> Iterator[str]:
    """One submission in full."""
    short = below.short(one["name"])
    name = printable(one["name"] if short == "." else short)
    yield f"submission {name}: {many(sum(one['jobs'].values()), 'job')} ({_verdicts(one)})"
    for file in one["metadata"]:
        texts = [f"{path.lstrip('/')}: {text}" for path, text in file["values"].items()]
        more = f" and {len(texts) - 2 * _FEW} more" if len(texts) > 2 * _FEW else ""
        said = f" says (not checked): {shortened('; '.join(texts[: 2 * _FEW]), 600)}{more}"
        yield f"  {file['file']}" + (
            said if texts or not file["problem"] else f": {printable(file['problem'])}"
        )
    for group in one["groups"][:_MOST_GROUPS]:
        who = " / ".join(filter(None, (group["agent"], group["model"])))
        tasks = f"{many(group['tasks'], 'task')} × {group['attempts']}"
        yield f"  {printable(group['source'] or 'adhoc')}, {printable(who)}: {tasks}"
        for scores in group["scores"]:
            if len(group["scores"]) > 1:
                yield f"    {printable(scores['key'])}:"
            odd = [below.short(job) for job in scores["stated"]["odd"]]
            yield f"    {printable(coverage(group, scores))}"
            yield from _score_lines(scores)
            yield f"    {printable(statement(scores, odd))}"
    if len(one["groups"]) > _MOST_GROUPS:
        yield f"  … and {len(one['groups']) - _MOST_GROUPS} more datasets, agents and models (--json)"
    for claim in one["claims"]:
        if HARBOR in claim["by"]:  # of the others there is a note
            what = f"{printable(claim['path'])} {printable(claim['text'])}"
            yield f"  stated by {claim['file']} at {what}: {under(claim['by'])}"
    yield from (f"  note: {printable(below.in_text(note))}" for note in one["notes"])


def _verdicts(one: Json) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in one["jobs"].items() if count)


def _score_lines(scores: Json) -> Iterator[str]:
    """The score under each denominator, those that give the same in one line; pass@k; each attempt."""
    share = is_share(scores)
    same: dict[tuple[float, str, str], list[str]] = {}
    for name, score in scores["by"].items():
        value, error = score["value"], spread(score, share)
        known = [key for key in same if key[0] == value and error in ("", key[2])]
        same.setdefault(known[0] if known else (value, figure(value, share), error), []).append(name)
    wide = [max(map(len, column)) for column in zip(*(key[1:] for key in same), strict=True)]
    for (_, text, error), (first, *others) in same.items():
        also = f"; the same: {', '.join(others)}" if others else ""
        yield f"    {text:>{wide[0]}}  {error:{wide[1]}}  {DENOMINATORS[first]}{also}"
    if len(same) > 1 and len(set(scores["extent"])) > 1:
        ends = [f"{figure(scores['by'][name]['value'], share)} ({name})" for name in scores["extent"]]
        yield f"    from {ends[0]} to {ends[1]}"
    if passes := [f"pass@{k} {figure(value, True)}" for k, value in scores["pass_at_k"].items()]:
        yield f"    {', '.join(passes[:_FEW])}"
    if len(scores["attempts"]) > 1:
        each = [one["score"] for one in scores["attempts"]]
        low, high, *shown = (figure(one, share) for one in (min(each), max(each), *each))
        error = spread({"standard_error": scores["attempts_error"], "interval": None}, share)
        fixed = f"; {error} for these tasks" if error else ""
        yield f"    attempt by attempt from {low} to {high}: {few(shown, 2 * _FEW)}{fixed}"


def _board_lines(board: Json, groups: Any, by_score: bool, below: Below, every: bool) -> Iterator[str]:
    """A benchmark's table, of many submissions the best unless `every`, and what its order depends on."""
    most = None if every else _FEW
    names = [below.short(name) for name in labels(board["entries"])]
    folder = common_folder(names)
    below = Below(below.folder + folder)
    rows = list(board_rows(board, groups, below))
    shown = rows if every or len(rows) <= _MOST_ENTRIES + _FEW else rows[:_MOST_ENTRIES]
    also = few((printable(name or "adhoc") for name in board["also"]), _FEW)
    called = f" (also called {also})" if also else ""
    where = f" in {printable(folder.rstrip('/'))}" if folder else ""
    first = f", the first {len(shown)} by score (-v lists all)" if len(shown) < len(rows) else ""
    yield f"{printable(board_name(board))}{called}: {many(len(rows), 'submission')}{where}{first}"
    if not by_score:
        shown.sort(key=lambda row: str(row["submission"]))
    yield from table_lines(_HEAD, [[row[name] for name in _HEAD] for row in shown])
    lacking = [(name, one["missing"]) for name, one in zip(names, board["entries"], strict=True)]
    lacking = [(name, tasks) for name, tasks in lacking if tasks]
    for name, tasks in lacking[:most]:
        lacks = f"lacks {many(len(tasks), 'task')} that most have: {few(map(printable, tasks), _FEW)}"
        yield f"{printable(name.removeprefix(folder))} {lacks}"
    if lacking[len(lacking[:most]) :]:
        yield f"… and {len(lacking) - _FEW} more lack tasks"
    yield from _titled(order_table(board, below), None)
    for one in board["under"]:
        yield from _titled(under_table(board, one, below), most)


def comparison_lines(document: Json, most: int | None) -> Iterator[str]:
    """A comparison; of the tasks that differ `most` are listed, all where it is None."""
    names = [printable(side["name"]) for side in document["submissions"]]
    for letter, name, side in zip("AB", names, document["submissions"], strict=True):
        yield f"{letter} {name}: {_verdicts(side)}"
        yield from (f"  note: {printable(note)}" for note in side["notes"])
    for one in document["compared"]:
        yield ""
        yield f"{printable(one['source'] or 'adhoc')}, {printable(one['key'])}:"
        yield f"    A {printable(one['agents'][0])}, B {printable(one['agents'][1])}"
        yield from _difference_lines(one)
        for name, what in _LISTED.items():
            of, _, side = name.partition(" ")
            if tasks := one[of][int(side)] if side else one[of]:
                yield f"    {what}, {len(tasks)}: {enumerated(map(printable, tasks), 2 * _FEW)}"
        yield from _task_lines(one, most)
        yield from (f"    note: {printable(note)}" for note in one["notes"])
        for by in one.get("under", ()):
            yield f"under {by['rules']} ({by['text']}):"
            yield from ["    not known of all jobs"] if by["by"] is None else _difference_lines(by["by"])
    if names[0] == names[1]:
        yield "note: both have the same name"


_LISTED = {
    "only 0": "only in A",
    "only 1": "only in B",
    "unscored 0": "without a trial that counts in A",
    "unscored 1": "without a trial that counts in B",
    "passed_then_failed": "all passed in A, all failed in B",
    "failed_then_passed": "all failed in A, all passed in B",
}


def _difference_lines(one: Json) -> Iterator[str]:
    if one["means"] is None:
        yield "    no task has trials that count in both"
        return
    share, count = _is_share(one), len(one["tasks"])
    a, b = (figure(mean, share) for mean in one["means"])
    text = f"    {count} tasks in both: A {a}, B {b}; B - A {signed(one['difference'], share)}"
    if one["interval"] is not None:
        low, high = (signed(end, share) for end in one["interval"])
        text += f" {spread(one, share, brief=True)} (95 %: {low} to {high})"
    yield text
    same = count - one["gained"] - one["lost"]
    yield (
        f"    B is better in {one['gained']}, worse in {one['lost']}, the same in {same}; "
        f"sign test p = {one['sign_test']:.3g}"
    )


def _is_share(one: Json) -> bool:
    return shares(*(mean for task in one["tasks"] for mean in task["means"]))


def _task_lines(one: Json, most: int | None) -> Iterator[str]:
    """The tasks that differ, the widest apart first."""
    differ = [task for task in one["tasks"] if task["difference"]]
    differ.sort(key=lambda task: (-abs(task["difference"]), task["task"]))
    if differ[:most]:
        share = _is_share(one)
        rows = [
            (
                signed(task["difference"], share),
                *(figure(mean, share) for mean in task["means"]),
                " / ".join(map(str, task["attempts"])),
                task["task"],
            )
            for task in differ[:most]
        ]
        head = ("B - A", "A", "B", "attempts", "task")
        yield from (f"    {line}" for line in table_lines(head, rows, "task"))
        if len(differ) > len(rows):
            yield f"    … and {len(differ) - len(rows)} more (--all shows them)"
