"""Scores on the page of a report of ``check``: under each denominator with their spread, and leaderboards."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Mark, Spread, Table, Tone
from conformance.pages.words import enumerated, one_line

__all__ = ["MOST_GROUPS", "Below", "leaderboard", "scores_tables"]

Document = Mapping[str, Any]
MOST_GROUPS = 60
"""The most groups of trials, or jobs, whose tables every format shows."""
_DENOMINATORS = {
    "records": "all records, unscored as zero (harbor's mean)",
    "planned": "all trials planned, missing as zero",
    "scored": "only scored trials",
    "task-records": "by task, unscored as zero",
    "task-attempts": "by task, missing attempts as zero",
    "task-scored": "by task, only scored trials",
    "errors-as-zero": "all records, exceptions as zero",
    "errors-left-out": "trials without an exception",
    "best-attempt": "the best attempt at each task",
    "first-attempt": "the first attempt at each task",
}
"""What a score is divided by."""
_COLUMNS = {
    "scored": "scored",
    "planned": "planned",
    "task-records": "by task",
    "errors-as-zero": "exceptions as zero",
    "best-attempt": "best attempt",
}
"""The denominators of a leaderboard's table, next to harbor's mean."""


class Below:
    """The folder that the names of all jobs share: said once, and left out elsewhere."""

    def __init__(self, jobs: Iterable[Mapping[str, Any]]) -> None:
        names = {job["submission"] or job["path"] for job in jobs}
        common: list[str] = []
        for parts in zip(*(name.split("/")[:-1] for name in names), strict=False):
            if len(set(parts)) > 1:
                break
            common.append(f"{parts[0]}/")
        prefix = "".join(common)
        self.folder = prefix if any(part != "/" and not part.endswith(":/") for part in common) else ""

    def short(self, name: str) -> str:
        """The name below the folder."""
        return name[len(self.folder) :] or name if name.startswith(self.folder) else name

    def in_text(self, text: str) -> str:
        """A sentence with the names shortened that come in a list at its end."""
        return re.sub(f"(?<=[:,] ){re.escape(self.folder)}(?=.)", "", text) if self.folder else text


def _main(group: Mapping[str, Any]) -> Mapping[str, Any]:
    """The scores that a table shows: of the key `reward`, or of the first one."""
    scores: Sequence[Mapping[str, Any]] = group["scores"]
    return next((one for one in scores if one["key"] == "reward"), scores[0])


def _is_share(scores: Mapping[str, Any]) -> bool:
    """Whether scores look like shares: none of them, and no interval, is beyond 0 and 1."""
    ends = [end for score in scores["by"].values() for end in (score["value"], *(score["interval"] or ()))]
    return all(0 <= end <= 1 for end in ends)


def _figure(value: float | None, share: bool) -> str:
    """A score: in percent where rewards are from 0 to 1; a dash where there is none."""
    if value is None:
        return "–"
    return f"{100 * value:.1f} %" if share else f"{value:.6g}"


def _spread(score: Mapping[str, Any] | None, share: bool, ends: tuple[float, float]) -> Cell:
    """A score with its standard error and its interval, drawn on a scale."""
    if score is None:
        return "–"
    said = _figure(score["value"], share)
    if score["standard_error"] is not None:
        error = score["standard_error"]
        said += f" ± {100 * error:.1f}" if share else f" ± {error:.3g}"
    if score["interval"] is None:
        return said
    low, high = score["interval"]
    said += f" ({_figure(low, share)} to {_figure(high, share)})"
    return Spread(said, score["value"], low, high, ends)


def _ends(scores: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """The scale of several scores."""
    every = [end for one in scores for end in (one["value"], *(one["interval"] or ()))]
    return (min(0.0, *every), max(1.0, *every)) if every else (0.0, 1.0)


def leaderboard(board: Mapping[str, Any], groups: Mapping[Any, Any], below: Below) -> Iterator[Table]:
    """Submissions by rank with their spread and under other denominators; what their order depends on."""
    name = one_line(board["source"] or "tasks of no dataset", 160)
    ranked = sorted(board["entries"], key=lambda one: (one["rank"] or math.inf, one["submission"]))
    pairs = [
        (entry, groups[key])
        for entry in ranked
        if (key := (entry["submission"], board["source"], entry["agent"], entry["model"])) in groups
    ]
    share = all(_is_share(_main(group)) for _, group in pairs)
    ends = _ends(score for _, group in pairs if (score := _main(group)["by"].get("records")))
    rows: list[tuple[Cell, ...]] = []
    for entry, group in pairs:
        scores = _main(group)
        by, stated = scores["by"], scores["stated"]
        uneven = "*" if group["fewer"] or group["more"] else ""
        remarks = [f"{counted(len(group['doubles']), 'double')}"] if group["doubles"] else []
        if entry["missing"]:
            remarks.append(f"lacks {enumerated([one_line(task, 100) for task in entry['missing']], 5)}")
        if stated["odd"]:
            remarks.append("states another mean")
        others = (_figure(by[column]["value"] if column in by else None, share) for column in _COLUMNS)
        rows.append(
            (
                "–" if entry["rank"] is None else str(entry["rank"]),
                one_line(below.short(entry["submission"]), 160),
                one_line(" / ".join(filter(None, (entry["agent"], entry["model"]))), 120),
                _spread(by.get("records"), share, ends),
                *others,
                _figure(stated["value"], share),
                f"{group['tasks']:,} × {group['attempts']:,}{uneven}",
                f"{group['records']:,}, {scores['unscored']:,} unscored",
                Mark("; ".join(remarks), Tone.WARN) if remarks else "",
            )
        )
    score = "score ± standard error (95 % interval)"
    rest = ("stated", "tasks × attempts", "records", "remarks")
    head = ("rank", "submission", "agent and model", score, *_COLUMNS.values(), *rest)
    yield Table(f"Leaderboard: {name}", head, rows)
    if board["orders"]:
        ranks = {one["submission"]: one["rank"] for one in board["entries"]}
        changed = []
        for order in board["orders"]:
            pairs_said = [
                f"{_ranked(one, ranks, below)} and {_ranked(two, ranks, below)}"
                for one, two in order["first"]
            ]
            changed.append((_DENOMINATORS[order["denominator"]], order["swapped"], enumerated(pairs_said)))
        told = (
            "counted",
            "pairs that change places",
            "nearest to the top, with their ranks by harbor's mean",
        )
        yield Table(f"{name}: what the order depends on", told, changed)


def _ranked(name: str, ranks: Mapping[str, int | None], below: Below) -> str:
    short = one_line(below.short(name), 160)
    return f"{ranks[name]} {short}" if ranks.get(name) else short


def scores_tables(document: Document, below: Below) -> Iterator[Table]:
    """The score of each group of trials under each denominator, of submissions and of jobs of their own."""
    owners = [(one["name"], one["groups"]) for one in document["submissions"]]
    owners += [(job["path"], job["groups"]) for job in document["jobs"] if job.get("groups")]
    named = len(document["jobs"]) > 1
    every = [
        (owner, group, scores) for owner, groups in owners for group in groups for scores in group["scores"]
    ]
    for owner, group, scores in every[:MOST_GROUPS]:
        share, stated = _is_share(scores), scores["stated"]
        ends = _ends(scores["by"].values())
        rows: list[tuple[Cell, ...]] = [
            (
                _DENOMINATORS.get(name, name),
                _spread(score, share, ends),
                score["over"],
                Mark("stated", Tone.GOOD) if name in stated["by"] else "",
            )
            for name, score in scores["by"].items()
        ]
        rows += [
            (f"pass@{k}", _figure(value, True), group["tasks"], "")
            for k, value in scores["pass_at_k"].items()
        ]
        where = f"{one_line(below.short(owner), 160)}: " if named else ""
        who = " / ".join(filter(None, (group["source"], group["agent"], group["model"])))
        of = f", {one_line(scores['key'], 60)}" if len(group["scores"]) > 1 else ""
        title = f"Scores of {where}{one_line(who, 160)}{of}"
        rows.append((_coverage(group, scores), "", "", _stated(scores, below, share)))
        head = ("counted", "score ± standard error (95 % interval)", "over", "stated in result.json")
        yield Table(title, head, rows, long=len(every) > 3)
    if len(every) > MOST_GROUPS:
        left = len(every) - MOST_GROUPS
        yield Table(
            "Further scores", ("what",), [(f"{left:,} more groups of trials are in the JSON report",)]
        )


def _coverage(group: Mapping[str, Any], scores: Mapping[str, Any]) -> str:
    """Records of those planned, what came of them, and what is remarkable about them."""
    planned = (
        "of how many planned is not known" if group["planned"] is None else f"of {group['planned']:,} planned"
    )
    said = f"{counted(group['records'], 'record')} {planned}: "
    said += f"{scores['scored']:,} scored, {scores['unscored']:,} not"
    if group["errored"]:
        said += f"; {group['errored']:,} ended in an exception, {group['errored_scored']:,} of them scored"
    for name in ("fewer", "more"):
        if group[name]:
            few = enumerated([f"{one_line(task, 100)} {count}" for task, count in group[name].items()], 5)
            said += f"; tasks with {name} attempts than most: {few}"
    if doubles := group["doubles"]:
        unlike = sum(not one["same"] for one in doubles)
        said += f"; {counted(len(doubles), 'trial')} in more than one job, counted each time"
        said += f", {unlike:,} with different rewards" if unlike else ""
        said += f": {enumerated([one_line(one['trial'], 100) for one in doubles], 5)}"
    if uncounted := group["uncounted"]:
        few = enumerated(
            [one_line(f"{one['key']} {one['value']} of {one['trial']}", 100) for one in uncounted], 5
        )
        said += f"; {counted(len(uncounted), 'reward')} that no score counts: {few}"
    return said


def _stated(scores: Mapping[str, Any], below: Below, share: bool) -> str:
    """What the jobs state, and under which denominator it is that."""
    stated = scores["stated"]
    jobs = sum(stated["jobs"].values())
    if not jobs:
        return "no job states it in its result.json"
    said = f"stated by {counted(jobs, 'job')}" + (
        f", not by {stated['unstated']:,}" if stated["unstated"] else ""
    )
    if stated["value"] is not None:
        under = _DENOMINATORS.get(stated["by"][0], "") if stated["by"] else "none of these"
        said += f": {_figure(stated['value'], share)}, {under}"
    if stated["odd"]:
        few = enumerated([one_line(below.short(name), 160) for name in stated["odd"]], 5)
        said += f"; another number than harbor's mean of their trials: {few}"
    return said
