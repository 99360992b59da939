"""Tables of scores for pages: leaderboards, wrongly stated means, other rules, comparisons."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.extensions.audit.submissions import scores as scoring
from conformance.extensions.audit.submissions.ranking import STATED, labels
from conformance.extensions.audit.submissions.scores import (
    are_shares,
    format_difference,
    format_error,
    format_score,
)
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Mark, Page, Spread, Table, Tone
from conformance.pages.words import enumerated, one_line

Json = Mapping[str, Any]
Groups = Mapping[tuple[Any, ...], Json]
"""The groups of all submissions, by submission, dataset, agent and model, as in a leaderboard's entries."""
_OTHER_DENOMINATORS = ("scored", "task-records", "best-attempt")
"""The denominators of the columns after harbor's mean."""
_BOARD_COLUMNS = (
    *("rank", "submission", "agent and model", "score", "scored", "by task", "best", "stated", "tasks"),
    *("unscored", "remarks"),
)
MOST_GROUPS = 60
"""The most groups of trials whose scores are shown."""
_FEW_GROUPS = 3
"""The most groups that get a table each."""
_DENOMINATOR_TEXTS = {STATED: "as result.json states it", **scoring.DENOMINATORS}


_LONG_TEXTS = ("notes", "note", "problem", "aside", "unknown")


def readable(value: Any, folder: str = "", most: int = 160) -> Any:
    """Return a document for display: texts on one line, truncated, and names without the common `folder`."""
    if isinstance(value, str):
        value = re.sub(f"(^|(?<=[:,] )){re.escape(folder)}(?=.)", "", value) if folder else value
        return one_line(value, most)
    if isinstance(value, dict):
        long = {key: 600 if key in _LONG_TEXTS else most for key in value}
        return {readable(key, folder): readable(item, folder, long[key]) for key, item in value.items()}
    return [readable(item, folder, most) for item in value] if isinstance(value, list | tuple) else value


def _benchmark_name(board: Json) -> str:
    """Return the displayed name of a benchmark."""
    return str(board["source"] or "adhoc")


def _board_table(board: Json, groups: Groups) -> Table:
    """Return the table of the submissions on a benchmark, by rank."""
    pairs = []
    for entry, name in zip(board["entries"], labels(board["entries"]), strict=True):
        key = (entry["submission"], entry["source"], entry["agent"], entry["model"])
        if key in groups:
            pairs.append((entry, name, groups[key], scoring.main_scores(groups[key])))
    pairs.sort(key=lambda pair: (pair[0]["rank"] or math.inf, pair[1]))
    share = all(scoring.is_share(scores) for *_, scores in pairs)
    ends = common_scale(score for *_, scores in pairs if (score := scores["by"].get(scoring.HARBOR)))
    rows: list[tuple[Cell, ...]] = []
    for entry, name, group, scores in pairs:
        by, stated, missing = scoring.by_denominator(scores), scores["stated"], entry["missing"]
        remarks = [counted(len(group["doubles"]), "duplicate")] * bool(group["doubles"])
        remarks += [f"missing: {enumerated(missing, 5)}"] * bool(missing)
        remarks += ["states a different mean"] * bool(stated["odd"])
        uneven = "*" if group["fewer"] or group["more"] else ""
        drawn_score = score_cell(scores["by"].get(scoring.HARBOR), share, ends, brief=True)
        other_scores = (format_score(by.get(denominator), share) for denominator in _OTHER_DENOMINATORS)
        tasks = f"{group['tasks']:,} × {group['attempts']:,}{uneven}"
        remark = Mark("; ".join(remarks), Tone.WARN) if remarks else ""
        first = (str(entry["rank"] or "-"), name, agent_and_model(entry), drawn_score)
        rows.append(
            (*first, *other_scores, format_score(stated["value"], share), tasks, scores["unscored"], remark)
        )
    names = enumerated([alias or "adhoc" for alias in board["also"]], 6)
    also = f", also called {names}" if board["also"] else ""
    return Table(f"Leaderboard: {_benchmark_name(board)}{also}", _BOARD_COLUMNS, rows)


def score_cell(score: Json | None, share: bool, ends: tuple[float, float], *, brief: bool = False) -> Cell:
    """Return a cell with a score, its standard error and, unless `brief`, its interval, drawn on a scale."""
    if score is None:
        return "-"
    text = f"{format_score(score['value'], share)} {format_error(score, share, brief=brief)}".rstrip()
    if score["interval"] is None:
        return text
    low, high = score["interval"]
    return Spread(text, score["value"], low, high, ends)


def common_scale(scores: Iterable[Json]) -> tuple[float, float]:
    """Return the ends of a common scale for several scores."""
    values = [end for score in scores for end in (score["value"], *(score["interval"] or ()))]
    return min([0.0, *values]), max([1.0, *values])


def _rank_change(before: int | None, after: int | None) -> str:
    names = [str(rank or "-") for rank in (before, after)]
    return names[0] if names[0] == names[1] else " → ".join(names)


def first_tables(document: Json) -> Iterator[Table]:
    """Yield the tables before the findings: wrong means, ranks, changes by other rules; some may be empty."""
    boards = document["leaderboards"]
    pairs = [(entry["name"], group) for entry in document["submissions"] for group in entry["groups"]]
    groups = {(name, *(group[key] for key in ("source", "agent", "model"))): group for name, group in pairs}
    yield from _wrong_tables(document)
    for board in boards:
        yield _board_table(board, groups)
        yield _order_table(board)
    for board in boards:
        yield from (_under_table(board, under) for under in board["under"])
    yield from _numbers_under(document)


def _wrong_tables(document: Json) -> Iterator[Table]:
    """Yield the submissions that state a wrong mean, with their correct rank, and others with wrong jobs."""
    counts = {submission["name"]: submission["jobs"]["wrong"] for submission in document["submissions"]}
    owners: dict[str, str] = {}
    for entries in (board["entries"] for board in document["leaderboards"]):
        owners |= zip(labels(entries), (entry["submission"] for entry in entries), strict=True)
    rated = [entry for board in document["leaderboards"] for entry in board["rated"]]
    rows: list[tuple[Cell, ...]] = []
    for rating in rated:
        stated, score, name = rating["stated"], rating["score"], rating["submission"]
        share, ranks = are_shares(stated, score), _rank_change(rating["stated_rank"], rating["rank"])
        difference = Mark(format_difference(stated - score, share), Tone.BAD)
        wrong = f"{counts.get(owners.get(name, ''), 0):,}"
        rows.append((name, format_score(stated, share), format_score(score, share), difference, ranks, wrong))
    columns = ("submission", "stated", "from records", "difference", "rank", "wrong jobs")
    yield Table("Wrong scores: the stated mean is not the mean of the trials", columns, rows)
    listed = {owners.get(entry["submission"]) for entry in rated}
    kinds: dict[str, dict[str, None]] = {}
    for job in document["jobs"] if document["leaderboards"] else ():
        if job["verdict"] == "wrong" and job["submission"] not in listed:
            kinds.setdefault(job["submission"], {}).update(dict.fromkeys(job["wrong"]))
    rows = [(name, counts.get(name, 0), enumerated(names)) for name, names in kinds.items()]
    title = "Other submissions with wrong jobs, whose stated mean is right or missing"
    yield Table(title, ("submission", "wrong jobs", "kinds of findings"), rows)


def _order_table(board: Json) -> Table:
    """Return the table of pairs of submissions that change places under another denominator."""
    ranks = dict(zip(labels(board["entries"]), (entry["rank"] for entry in board["entries"]), strict=True))
    rows: list[tuple[Cell, ...]] = []
    for order in board["orders"]:
        pairs = (" and ".join(f"{ranks.get(name, '?')} {name}" for name in pair) for pair in order["first"])
        rows.append((_DENOMINATOR_TEXTS[order["denominator"]], f"{order['swapped']:,}", enumerated(pairs)))
    nearest = "the top ones, with ranks by harbor's mean"
    title = f"{_benchmark_name(board)}: pairs that change places"
    return Table(title, ("average", "pairs that change places", nearest), rows)


def _under_table(board: Json, under: Json) -> Table:
    """Return the table of the scores and ranks that other rules change."""
    rows: list[tuple[Cell, ...]] = []
    for row in under["entries"]:
        share, ranks = (are_shares(row["score"], row["under"]), _rank_change(row["rank"], row["under_rank"]))
        cells = ("not known", "")
        if row["under"] is not None:
            cells = (format_score(row["under"], share), format_difference(row["under"] - row["score"], share))
        mark = Mark(ranks, Tone.WARN) if "→" in ranks else ranks
        rows.append((row["submission"], format_score(row["score"], share), *cells, mark))
    empty = ("",) * 4
    if under["others"]:
        rows.append((f"only other numbers change in {counted(len(under['others']), 'submission')}", *empty))
    title = f"{_benchmark_name(board)} under {under['rules']}: {under['text']}"
    rows = rows or [("scores and ranks are the same", *empty)]
    return Table(title, ("submission", "score", "under these rules", "difference", "rank"), rows)


def _numbers_under(document: Json) -> Iterator[Table]:
    """Yield the numbers of jobs that other rules change, and the reasons, with what is unknown."""
    numbers: list[tuple[Cell, ...]] = []
    reasons: list[tuple[Cell, ...]] = []
    for job, under in ((owner, under) for owner in document["jobs"] for under in owner.get("under", ())):
        prefix = (job["path"], under["rules"])
        for group, changed in under["groups"].items():
            for name, ends in changed.items():
                values = ("-" if number is None else str(number) for number in ends)
                numbers.append((*prefix, f"{group} {name}", *values))
        for change in under["changes"]:
            names = f"{change['what']}: {enumerated(change['trials'], 5)}"
            reasons.append((*prefix, f"{counted(len(change['trials']), 'trial')} {names}"))
        reasons += [(*prefix, f"not known: {text}") for text in under["unknown"]]
    long = len(document["jobs"]) > _FEW_GROUPS
    if numbers or reasons:
        columns = ("job", "rules", "number", "as stated", "under these rules")
        numbers = numbers or [("all numbers are the same", "", "", "", "")]
        yield Table("Jobs' numbers under other rules", columns, numbers, long=long)
    if reasons:
        yield Table("Changes under other rules", ("job", "rules", "change"), reasons, long=long)


def score_tables(document: Json) -> Iterator[Table]:
    """Yield the scores of each group of trials: a table each if they are few, otherwise one for all."""
    owners = [(submission["name"], submission["groups"]) for submission in document["submissions"]]
    owners += [(job["path"], job["groups"]) for job in document["jobs"] if job.get("groups")]
    triples = [(owner, part, score) for owner, parts in owners for part in parts for score in part["scores"]]
    titled_rows, covered = [], []
    for owner, group, scores in triples[:MOST_GROUPS]:
        where = f"{owner}: " if len(document["jobs"]) > 1 else ""
        suffix = f", {scores['key']}" if len(group["scores"]) > 1 else ""
        titled_rows.append(
            (f"{where}{agent_and_model(group, group['source'])}{suffix}", list(_score_rows(group, scores)))
        )
        counts = (group["records"], scores["scored"], scores["unscored"], group["errored"])
        planned = "not known" if group["planned"] is None else f"{group['planned']:,}"
        covered.append((titled_rows[-1][0], *counts, planned, scoring.stated_text(scores)))
    columns = ("average", "score ± standard error (95 % interval)", "values", "stated")
    few = len(titled_rows) <= _FEW_GROUPS
    if few:
        yield from (Table(f"Scores of {title}", columns, rows) for title, rows in titled_rows)
    else:
        left = len(triples) - len(titled_rows)
        more = f"; {left:,} more groups of trials are in the JSON report" if left else ""
        rows = [(title, *row) for title, rows in titled_rows for row in rows]
        yield Table(f"Scores under each denominator{more}", ("scores of", *columns), rows, long=True)
    titles = ("scores of", "records", "scored", "unscored", "with an exception", "planned", "stated")
    yield Table("Coverage of the scores", titles, covered, long=not few)


def agent_and_model(group: Json, *before: str | None) -> str:
    """Return the agent and model of a group or an entry."""
    return " / ".join(filter(None, (*before, group["agent"], group["model"])))


def _score_rows(group: Json, scores: Json) -> Iterator[tuple[Cell, ...]]:
    """Yield the score under each denominator, with a mark if the jobs state it, and pass@k."""
    share, stated, ends = scoring.is_share(scores), scores["stated"], common_scale(scores["by"].values())
    for name, score in scores["by"].items():
        mark: Cell = Mark("stated", Tone.GOOD) if name in stated["by"] else ""
        yield scoring.DENOMINATORS[name], score_cell(score, share, ends), score["over"], mark
    for k, value in scores["pass_at_k"].items():
        yield f"pass@{k}", format_score(value, True), group["tasks"], ""


_TASK_LISTS = (
    *("only in A", "only in B", "no trial counts in A", "no trial counts in B"),
    *("all passed in A, all failed in B", "all failed in A, all passed in B"),
)
_FEW_TASKS, _FEW_NAMES = 20, 10


def comparison_page(document: Json, all_tasks: bool) -> Page:
    """Return the page of a comparison; lists `all_tasks` that differ, or those that differ most."""
    document = readable(document)
    facts: dict[str, Cell] = {}
    problems = []
    names = [side["name"] for side in document["submissions"]]
    for letter, name, side in zip("AB", names, document["submissions"], strict=True):
        jobs = ", ".join(f"{count:,} {verdict}" for verdict, count in side["jobs"].items() if count)
        facts[letter] = f"{name}: {jobs}"
        problems += [f"{letter}: {note}" for note in side["notes"]]
    problems += ["both submissions have the same name"] * (names[0] == names[1])
    return Page(
        kind="comparison",
        title=f"{names[0]} and {names[1]}, task by task",
        verdict=Mark("compared", Tone.QUIET),
        sentence="; ".join(_difference_text(pair) for pair in document["compared"]),
        exit_code=0,
        facts=facts,
        counts=(),
        problems=problems,
        items=(),
        tables=[table for pair in document["compared"] for table in _comparison_tables(pair, all_tasks)],
        findings_only=True,
    )


def _is_share(pair: Json) -> bool:
    return are_shares(*(mean for task in pair["tasks"] for mean in task["means"]))


def _difference_text(pair: Json) -> str:
    """Describe both means over tasks, and their difference."""
    if pair["means"] is None:
        return "no task has trials that count in both submissions"
    share = _is_share(pair)
    a, b = (format_score(mean, share) for mean in pair["means"])
    text = f"{counted(len(pair['tasks']), 'common task')}: A {a}, B {b}; "
    difference, error = (format_difference(pair["difference"], share), format_error(pair, share, brief=True))
    text += f"B - A {difference} {error}".rstrip()
    if pair["interval"] is not None:
        text += " (95 %: {} to {})".format(*(format_difference(end, share) for end in pair["interval"]))
    return text


def _comparison_rows(pair: Json) -> Iterator[tuple[Cell, Cell]]:
    yield "difference", _difference_text(pair)
    if pair["means"] is not None:
        same = len(pair["tasks"]) - pair["gained"] - pair["lost"]
        yield "B is better in", f"{pair['gained']}, worse in {pair['lost']}, the same in {same}"
        yield "sign test", f"p = {pair['sign_test']:.3g}"
    listed = (*pair["only"], *pair["unscored"], pair["passed_then_failed"], pair["failed_then_passed"])
    for label, tasks in zip(_TASK_LISTS, listed, strict=True):
        if tasks:
            yield label, f"{len(tasks)}: {enumerated(tasks, _FEW_NAMES)}"
    yield from (("note", note) for note in pair["notes"])


def _comparison_tables(pair: Json, all_tasks: bool) -> Iterator[Table]:
    first, second = pair["agents"]
    agents = ("agent and model of A", first), ("agent and model of B", second)
    yield Table(f"{_benchmark_name(pair)}, {pair['key']}", ("", ""), [*agents, *_comparison_rows(pair)])
    differ = [task for task in pair["tasks"] if task["difference"]]
    differ.sort(key=lambda task: (-abs(task["difference"]), task["task"]))
    share, listed = _is_share(pair), differ if all_tasks else differ[:_FEW_TASKS]
    tasks: list[tuple[Cell, ...]] = []
    for task in listed:
        means = (format_score(mean, share) for mean in task["means"])
        attempts = " / ".join(map(str, task["attempts"]))
        tasks.append((task["task"], *means, format_difference(task["difference"], share), attempts))
    if tasks:
        count = f": {len(tasks)} of {len(differ)} (--all shows them)" if len(tasks) < len(differ) else ""
        yield Table(f"Tasks that differ{count}", ("task", "A", "B", "B - A", "attempts"), tasks)
    for by in pair.get("under", ()):
        rows = [("difference", "not known for all jobs")] if by["by"] is None else _comparison_rows(by["by"])
        yield Table(f"Under {by['rules']}: {by['text']}", ("", ""), list(rows))
