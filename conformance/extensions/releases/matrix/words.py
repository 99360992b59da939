"""What a matrix says of one spec: two tables and sentences, the same on a terminal and on a page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.outcomes.words import counted
from conformance.registry.ops import classes_of

__all__ = [
    "MOVES",
    "Section",
    "class_names",
    "counts",
    "one_class",
    "rows_of",
    "sections",
    "unsupported_reasons",
]

MOVES = {
    ("passed", "failed"): "ceased to pass",
    ("failed", "passed"): "began to pass",
    ("passed", "unsupported"): "became unsupported, and had passed",
    ("failed", "unsupported"): "became unsupported, and had failed",
    ("unsupported", "passed"): "began to be answered, and pass",
    ("unsupported", "failed"): "began to be answered, and fail",
    ("failed", "failed"): "fail with another answer",
}
"""What a change of state is called, for people."""

Document = Mapping[str, Any]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A table, or sentences."""

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    sentences: Sequence[str] = ()
    prefix: str = ""
    """What begins each sentence."""


def sections(document: Document, spec: str, *, short: bool = False) -> Iterator[Section]:
    """All of one spec; ``short`` for a terminal."""
    rows = rows_of(document, spec)
    tried = [row for row in rows if row["result"]]
    names = class_names(document, rows, spec)
    head = ["passed", "failed", "unsupported", "not run"]
    totals = [counts(row["result"]["totals"]) if row["result"] else None for row in rows]
    head = head if any(found and found[3] for found in totals) else head[:3]
    cells = []
    for row, found in zip(rows, totals, strict=True):
        numbers = [str(count) for count in found] if found else ["-"] * 4
        seconds = f"{row['result']['seconds']:.1f}" if found else "-"
        cells.append([row["subject"], *numbers[: len(head)], seconds, _verdict(row)])
    yield Section("Subjects", ["subject", *head, "seconds", "verdict"], cells)
    if tried and names:
        by_class = [
            [row["subject"], *(one_class(row["result"]["classes"].get(name), short=short) for name in names)]
            for row in tried
        ]
        yield Section(
            "By class: the level that may be claimed, or what hinders", ["subject", *names], by_class
        )
    yield Section("Notes", sentences=list(_notes(rows, names)))
    yield Section("What fails, by rule", sentences=_failing_rules(rows))
    for change in document["changes"]:
        if change["spec"] == spec:
            between = f"{change['from']} -> {change['to']}: "
            yield Section("Changes between neighbours", sentences=_change(change), prefix=between)


def counts(totals: Mapping[str, int]) -> tuple[int, int, int, int]:
    """How many passed, failed (in whatever way), were unsupported, were not run."""
    passed, unsupported, left = (totals.get(name, 0) for name in ("passed", "unsupported", "not-run"))
    return passed, sum(totals.values()) - passed - unsupported - left, unsupported, left


def _verdict(row: Row) -> str:
    if row["why_not"] is not None or row["result"] is None:
        return "not tried"
    return "conforms" if row["result"]["exit_code"] == 0 else "does not conform"


def rows_of(document: Document, spec: str) -> list[dict[str, Any]]:
    """The rows of one spec, in order."""
    return [row for row in document["rows"] if row["spec"] == spec]


def one_class(account: Mapping[str, Any] | None, *, short: bool = False) -> str:
    """What a row reaches in a class: the level that it may claim, or what hinders; ``-``: all unsupported."""
    if account is None or account["claimed"] is not None:
        return "" if account is None else str(account["claimed"])
    passed, failed, unsupported, left = counts(account["totals"])
    if not passed and not failed and not left:
        return "-"
    found = [(failed, "failed"), (unsupported, "unsupported"), (left, "not run")]
    if short:
        return " ".join(f"{count}{word[0]}" for count, word in found if count) or "none"
    return ", ".join(f"{count} {word}" for count, word in found if count) or "no claim"


def class_names(document: Document, rows: Sequence[Row], spec: str) -> list[str]:
    """The classes that a table of this spec shows: those that were named, or all that some row has."""
    found = {name for row in rows if row["result"] for name in row["result"]["classes"]}
    known = [name for name in classes_of(spec) if name in found]
    wanted = set(document["classes"])
    return [name for name in known if name in wanted] if wanted & set(known) else known


def _notes(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    for row in rows:
        who = row["subject"]
        if row["why_not"]:
            yield f"{who} could not be tried: {row['why_not']}"
        yield from (f"{who}: {note}" for note in row["notes"])
        if row["result"] and not row["why_not"]:
            yield from (f"{who}: problem: {problem}" for problem in row["result"]["problems"])
    hindered: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        accounts = (row["result"] or {"classes": {}})["classes"]
        reasons: dict[str, list[str]] = {}
        for name in names:
            if name in accounts and accounts[name]["reason"] is not None:
                reasons.setdefault(accounts[name]["reason"], []).append(name)
        for reason, classes in reasons.items():
            hindered.setdefault((", ".join(classes), reason), []).append(row["subject"])
    for (classes_text, reason), subjects in hindered.items():
        yield f"no claim for {classes_text}: {reason} ({_listed(subjects, rows)})"
    for op, count, why, who in unsupported_reasons(rows):
        yield f"unsupported, {op} ({count}): {why} ({who})"


def _by_key(
    rows: Sequence[Row], member: str, key: Callable[[Mapping[str, Any]], tuple[str, str]]
) -> dict[tuple[str, str], list[tuple[str, dict[str, Any]]]]:
    """What the results list under ``member``, with the subject of each, by a key."""
    found: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {}
    for row in rows:
        for one in (row["result"] or {member: []})[member]:
            found.setdefault(key(one), []).append((row["subject"], one))
    return found


def unsupported_reasons(rows: Sequence[Row]) -> list[tuple[str, str, str, str]]:
    """Ops that are unsupported, on how many vectors, why, and by whom."""
    found = _by_key(rows, "unsupported", lambda one: (one["op"], one["reason"] or "no reason was given"))
    return [(op, _span(each), why, _listed(dict(each), rows)) for (op, why), each in found.items()]


def _failing_rules(rows: Sequence[Row]) -> list[str]:
    """Clauses and ops that fail, on how many vectors, of whom, with an example; the largest first."""
    found = _by_key(rows, "failures", lambda one: (one["clause"], one["op"]))
    ranked = sorted(found.items(), key=lambda item: (-max(one["count"] for _, one in item[1]), item[0]))
    sentences = []
    for (clause, op), each in ranked:
        who, example = _listed(dict(each), rows), each[0][1]["example"]
        sentences.append(f"{clause} ({op}): {_span(each)} failed ({who}), such as {example}")
    return sentences


def _span(found: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    numbers = sorted(one["count"] for _, one in found)
    return str(numbers[0]) if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def _listed(names: Iterable[str], rows: Sequence[Row]) -> str:
    """Names of subjects; several that follow each other in the list as a range."""
    order = [row["subject"] for row in rows]
    runs: list[list[int]] = []
    for place in sorted({order.index(name) for name in names}):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(
        f"{order[run[0]]} to {order[run[-1]]}" if len(run) > 2 else ", ".join(order[at] for at in run)
        for run in runs
    )


def _change(change: Mapping[str, Any]) -> list[str]:
    """What changed between two neighbours, the largest changes first."""
    ops = [(one, "went") for one in change["ops_gone"]] + [(one, "is new") for one in change["ops_new"]]
    found = [f"op {one['op']} {what} ({counted(one['vectors'], 'vector')})" for one, what in ops]
    for one in sorted(change["rules"], key=lambda one: -int(one["count"])):
        move = MOVES[one["from"], one["to"]]
        found.append(f"{one['clause']}: {one['count']} {move}, such as {one['example']}")
    return found or [f"nothing changed in {counted(change['compared'], 'vector')}"]
