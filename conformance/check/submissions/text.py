"""Roll-ups for people: a submission in full, a leaderboard as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conformance.check.below import Below, common_folder
from conformance.check.report import CLEAN, NOT_JUDGED, UNFINISHED
from conformance.check.submissions.figures import figure, spread, under
from conformance.check.submissions.metadata import Metadata
from conformance.check.submissions.ranking import Entry, Leaderboard, Order, leaderboards
from conformance.check.submissions.remarks import remark_lines
from conformance.check.submissions.rollup import GroupRollUp, RollUp
from conformance.check.submissions.scores import DENOMINATORS, HARBOR, Score, Scores, interval
from conformance.check.submissions.stated import JobsClaim
from conformance.wire.text import printable, shortened

__all__ = ["leaderboard_lines", "roll_up_lines", "submission_lines"]

IN_FULL = 3
"""Submissions that are shown in full; of more there is a table."""
_FEW = 5
_MOST_GROUPS = 20
_MOST_ENTRIES = 10
"""Submissions of a benchmark that are listed where there are many more."""
_SHOWN = {"scored": "scored", "planned": "planned", "task-records": "by task"}
"""The columns of a leaderboard beside harbor's mean."""
_HEAD = ("#", "tasks", "records", "unscored", "score", "", *_SHOWN.values(), "jobs")
_LEGEND = (
    "tasks × attempts (*: not of all); score: harbor's mean, unscored trials as zero, ± standard error;",
    "scored: unscored left out; planned: missing as zero; by task: the mean over tasks; "
    "jobs: clean/differs/wrong, + not judged or unfinished",
)
_WHOLE = Below()


def roll_up_lines(
    found: Sequence[RollUp], by_score: bool = False, below: Below = _WHOLE, every: bool = False
) -> list[str]:
    """All about the submissions: each in full where they are few, a table for each benchmark.

    Names are shown `below` a folder; `every` says whether all of what is alike is listed.
    """
    lines: list[str] = []
    boards = leaderboards(found)
    if len(found) <= IN_FULL:
        for one in found:
            lines += [*submission_lines(one, below), ""]
    else:
        remarks = [
            (below.short(one.name), replace(remark, text=below.in_text(remark.text)))
            for one in found
            for remark in one.remarks
        ]
        lines += remark_lines(remarks, every)
        lines += [""] if lines else []
    single = [board for board in boards if len(board.entries) == 1] if len(boards) > 1 else []
    for board in boards:
        if board not in single:
            lines += [*leaderboard_lines(board, by_score, below, every), ""]
    if single:
        lines += _alone_lines(single, below)
    if boards:
        lines += [*_LEGEND, ""]
    return lines


def submission_lines(one: RollUp, below: Below = _WHOLE) -> list[str]:
    """One submission in full."""
    jobs = ", ".join(f"{count} {verdict}" for verdict, count in one.jobs.items() if count)
    name = printable(below.short(one.name))
    lines = [f"submission {name}: {_many(sum(one.jobs.values()), 'job')} ({jobs})"]
    for metadata in one.metadata:
        lines += _metadata_lines(metadata)
    for group in one.groups[:_MOST_GROUPS]:
        lines += _group_lines(group)
    if len(one.groups) > _MOST_GROUPS:
        lines.append(f"  … and {len(one.groups) - _MOST_GROUPS} more datasets, agents and models (--json)")
    for claim in one.claims:
        if HARBOR in claim.by:  # of the others there is a note
            what = f"{printable(claim.path)} {printable(claim.text)}"
            lines.append(f"  stated by {claim.file} at {what}: {under(claim.by)}")
    return lines + [f"  note: {printable(below.in_text(note))}" for note in one.notes]


def _metadata_lines(metadata: Metadata) -> list[str]:
    if metadata.problem is not None and not metadata.values:
        return [f"  {metadata.file}: {printable(metadata.problem)}"]
    texts = [f"{path.lstrip('/')}: {text}" for path, text in metadata.values.items()]
    more = f" and {len(texts) - 2 * _FEW} more" if len(texts) > 2 * _FEW else ""
    says = shortened("; ".join(texts[: 2 * _FEW]), 600)
    return [f"  {metadata.file} says (not checked): {says}{more}"]


def _group_lines(one: GroupRollUp) -> list[str]:
    group = one.group
    who = " / ".join(filter(None, (group.agent, group.model)))
    tasks = _many(len(group.tasks), "task")
    lines = [f"  {printable(group.source or 'adhoc')}, {printable(who)}: {tasks} × {group.usual}"]
    main = one.main
    planned = "" if group.planned is None else f"{group.planned} planned, "
    counts = (
        f"{planned}{_many(len(group.attempts), 'record')}, {main.scored} scored, {main.unscored} unscored"
    )
    if one.errored:
        counts += f", {one.errored} with an exception ({one.errored_scored} of them scored)"
    lines.append(f"    {counts}")
    lines += _uneven("fewer attempts", one.fewer, group.usual)
    lines += _uneven("more attempts", one.more, group.usual)
    for scores, claim in zip(one.scores, one.stated, strict=True):
        lines += _score_lines(scores, claim, len(one.scores) > 1)
    return lines


def _uneven(what: str, tasks: Mapping[str, int], usual: int) -> list[str]:
    if not tasks:
        return []
    shown = ", ".join(f"{printable(task)} {count} of {usual}" for task, count in list(tasks.items())[:_FEW])
    return [f"    {what}: {shown}" + (f" and {len(tasks) - _FEW} tasks more" if len(tasks) > _FEW else "")]


def _score_lines(scores: Scores, claim: JobsClaim, named: bool) -> list[str]:
    lines = [f"    {printable(scores.key)}:"] if named else []
    same: dict[tuple[float, str, str], list[str]] = {}
    for name, score in scores.by.items():
        value, error = figure(score.value, scores.fractional), _spread(score, scores.fractional)
        told = [key for key in same if key[0] == score.value and error in ("", key[2])]
        same.setdefault(told[0] if told else (score.value, value, error), []).append(name)
    wide = [max(map(len, column)) for column in zip(*(key[1:] for key in same), strict=True)]
    for (_, value, error), (first, *others) in same.items():
        also = f"; the same: {', '.join(others)}" if others else ""
        lines.append(f"    {value:>{wide[0]}}  {error:{wide[1]}}  {DENOMINATORS[first]}{also}")
    if len(same) > 1 and scores.extent[0] != scores.extent[1]:
        low, high = (figure(scores.by[name].value, scores.fractional) for name in scores.extent)
        lines.append(f"    from {low} ({scores.extent[0]}) to {high} ({scores.extent[1]})")
    if scores.pass_at_k:
        values = [f"pass@{k} {figure(value, True)}" for k, value in list(scores.pass_at_k.items())[:_FEW]]
        lines.append(f"    {', '.join(values)}")
    if len(scores.attempts) > 1:
        values = [figure(value, scores.fractional) for value, _ in scores.attempts]
        ends = [figure(of(value for value, _ in scores.attempts), scores.fractional) for of in (min, max)]
        each = ", ".join(values[: 2 * _FEW]) + (", …" if len(values) > 2 * _FEW else "")
        fixed = (
            f"; {spread(scores.attempts_error, scores.fractional)} for these tasks"
            if scores.attempts_error is not None
            else ""
        )
        lines.append(f"    attempt by attempt from {ends[0]} to {ends[1]}: {each}{fixed}")
    return [*lines, _stated(scores, claim)]


def _spread(score: Score, fractional: bool) -> str:
    ends = interval(score, fractional)
    if ends is None:
        return ""
    low, high = (figure(end, fractional) for end in ends)
    return f"{spread(score.standard_error, fractional)} (95 %: {low.removesuffix(' %')} to {high})"


def _stated(scores: Scores, claim: JobsClaim) -> str:
    stated = sum(claim.jobs.values())
    if not stated:
        return "    no job states it in result.json"
    where = f"result.json of {_many(stated, 'job')}"
    if not claim.odd and claim.value is not None and HARBOR in claim.by:
        return f"    stated by {where}: {figure(claim.value, scores.fractional)}, harbor's mean"
    each = ", ".join(
        f"{count} × {under([name] if name != 'none' else [])}" for name, count in claim.jobs.items()
    )
    whole = "" if claim.value is None else f"together {figure(claim.value, scores.fractional)}; "
    return f"    stated by {where}: {whole}{each}"


def leaderboard_lines(
    board: Leaderboard, by_score: bool = False, below: Below = _WHOLE, every: bool = True
) -> list[str]:
    """The table of a benchmark, of many submissions the best unless `every`, and what its order hangs on."""
    entries, last = board.entries, len(board.entries) + 1
    short = {entry.name: below.short(entry.name) for entry in entries}
    folder = common_folder(short.values())
    names = {name: printable(text[len(folder) :]) for name, text in short.items()}
    ranked = sorted(entries, key=lambda entry: (entry.rank or last, entry.name))
    shown = ranked if every or len(ranked) <= _MOST_ENTRIES + _FEW else ranked[:_MOST_ENTRIES]
    left_out = len(entries) - len(shown)
    if not by_score:
        shown = sorted(shown, key=lambda entry: entry.name)
    where = f" in {printable(folder.rstrip('/'))}" if folder else ""
    head = f"{printable(board.source or 'adhoc')}: {_many(len(entries), 'submission')}{where}"
    if left_out:
        head += f", the first {len(shown)} by score (-v lists all)"
    table = [(_row(entry), names[entry.name]) for entry in shown]
    lines = [head, *_table(_HEAD, table)]
    lacking = [entry for entry in entries if entry.missing]
    for entry in lacking if every else lacking[:_FEW]:
        tasks = ", ".join(map(printable, entry.missing[:_FEW])) + (", …" if entry.missing[_FEW:] else "")
        count = _many(len(entry.missing), "task")
        lines.append(f"{names[entry.name]} lacks {count} that most have: {tasks}")
    if len(lacking) > _FEW and not every:
        lines.append(f"… and {len(lacking) - _FEW} more lack tasks")
    numbered = {entry.name: f"{entry.rank} {names[entry.name]}" for entry in entries}
    return lines + [_order(order, numbered) for order in board.orders]


def _alone_lines(boards: Sequence[Leaderboard], below: Below) -> list[str]:
    """The benchmarks with one submission each, in one table."""
    table = []
    for board in boards:
        (entry,) = board.entries
        name = f"{printable(below.short(entry.name))} in {printable(board.source or 'adhoc')}"
        table.append((_row(entry)[1:], name))
    return _table(_HEAD[1:], table, "one submission in a benchmark")


def _table(
    head: Sequence[str], rows: Sequence[tuple[Sequence[str], str]], last: str = "submission"
) -> list[str]:
    """Columns to the right, and a name at the end."""
    cells = [head, *(row for row, _ in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row, name in zip(cells, (last, *(name for _, name in rows)), strict=True):
        lines.append("  ".join([*(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)), name]))
    return lines


def _row(entry: Entry) -> tuple[str, ...]:
    one, main = entry.group, entry.group.main
    score = main.by.get(HARBOR)
    jobs = entry.roll_up.jobs
    scores = [main.by.get(name) for name in _SHOWN]
    other = jobs[NOT_JUDGED] + jobs[UNFINISHED]
    return (
        str(entry.rank or "-"),
        f"{len(one.group.tasks)} × {one.group.usual}{'*' if one.fewer or one.more else ''}",
        str(len(one.group.attempts)),
        str(main.unscored),
        "-" if score is None else figure(score.value, main.fractional),
        "" if score is None else spread(score.standard_error, main.fractional),
        *("-" if score is None else figure(score.value, main.fractional) for score in scores),
        f"{jobs[CLEAN]}/{jobs['differs']}/{jobs['wrong']}" + (f" +{other}" if other else ""),
    )


_WHEN = {
    "planned": "when missing trials count as zero",
    "scored": "when unscored trials are left out",
    "task-records": "when each task counts the same",
    "errors-as-zero": "when trials with an exception count as zero",
    "best-attempt": "when the best attempt of each task counts",
}


def _order(order: Order, numbered: Mapping[str, str]) -> str:
    """What changes under another denominator; `numbered` are the names with their ranks."""
    pairs = [f"{numbered[one]} and {numbered[other]}" for one, other in order.first]
    more = f"; and {order.swapped - len(pairs)} pairs more" if order.swapped > len(pairs) else ""
    return f"change places {_WHEN[order.denominator]}: {'; '.join(pairs)}{more}"


def _many(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"
