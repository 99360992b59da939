"""The words that the tables of a matrix share, on a terminal, in Markdown and on its page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from conformance.registry.ops import classes_of

__all__ = [
    "MOVES",
    "account",
    "class_names",
    "counts",
    "failing_rules",
    "listed",
    "no_claims",
    "one_class",
    "plural",
    "rows_of",
    "unsupported_reasons",
    "verdict",
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


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counts(totals: Mapping[str, int]) -> tuple[int, int, int, int]:
    """How many passed, failed (in whatever way), were unsupported, were not run."""
    passed, unsupported, left = (totals.get(name, 0) for name in ("passed", "unsupported", "not-run"))
    return passed, sum(totals.values()) - passed - unsupported - left, unsupported, left


def verdict(row: Mapping[str, Any]) -> str:
    """What a row says, in a word or three."""
    if row["why_not"] is not None or row["result"] is None:
        return "not tried"
    return "conforms" if row["result"]["exit_code"] == 0 else "does not conform"


def rows_of(document: Mapping[str, Any], spec: str) -> list[dict[str, Any]]:
    """The rows of one spec, in order."""
    return [row for row in document["rows"] if row["spec"] == spec]


def account(rows: Sequence[Mapping[str, Any]], spell: Callable[[str], str]) -> list[list[str]]:
    """The table of what each row came to, its head first; names of subjects are spelled by ``spell``."""
    told = [(row, counts(row["result"]["totals"]) if row["result"] else None) for row in rows]
    head = ["passed", "failed", "unsupported", "not run"]
    shown = head if any(found and found[3] for _, found in told) else head[:3]
    lines = [["subject", *shown, "seconds", "verdict"]]
    for row, found in told:
        numbers = [str(count) for count in found] if found else ["-"] * len(head)
        seconds = f"{row['result']['seconds']:.1f}" if found else "-"
        lines.append([spell(row["subject"]), *numbers[: len(shown)], seconds, verdict(row)])
    return lines


def one_class(account: Mapping[str, Any] | None, *, short: bool = False) -> str:
    """What a row reaches in a class: the level that it may claim, or what hinders."""
    if account is None:
        return ""
    if account["claimed"] is not None:
        return str(account["claimed"])
    passed, failed, unsupported, left = counts(account["totals"])
    if not passed and not failed and not left:
        return "-"
    told = [(failed, "failed"), (unsupported, "unsupported"), (left, "not run")]
    if short:
        return " ".join(f"{count}{word[0]}" for count, word in told if count) or "none"
    return ", ".join(f"{count} {word}" for count, word in told if count) or "no claim"


def class_names(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], spec: str) -> list[str]:
    """The classes that a table of this spec shows: those that were named, or all that some row has."""
    told = dict.fromkeys(name for row in rows if row["result"] for name in row["result"]["classes"])
    known = [name for name in classes_of(spec, package=True) if name in told]
    wanted = set(document["classes"])
    return [name for name in known if name in wanted] if wanted & set(known) else known


def listed(names: Iterable[str], order: Sequence[str]) -> str:
    """Names of subjects; several that follow each other in the list as a range."""
    places = sorted({order.index(name) for name in names})
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(
        f"{order[run[0]]} to {order[run[-1]]}" if len(run) > 2 else ", ".join(order[at] for at in run)
        for run in runs
    )


def no_claims(rows: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> list[tuple[str, str, str]]:
    """Classes, why they are not claimed, and by whom."""
    order = [row["subject"] for row in rows]
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for name in classes:
            account = (row["result"] or {"classes": {}})["classes"].get(name)
            if account is not None and account["reason"] is not None:
                found.setdefault((account["reason"], row["subject"]), []).append(name)
    merged: dict[tuple[str, str], list[str]] = {}
    for (reason, subject), names in found.items():
        merged.setdefault((", ".join(names), reason), []).append(subject)
    return [(names, reason, listed(subjects, order)) for (names, reason), subjects in merged.items()]


def _span(numbers: Iterable[int]) -> str:
    found = sorted(numbers)
    return str(found[0]) if found[0] == found[-1] else f"{found[0]} to {found[-1]}"


def failing_rules(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str, str]]:
    """Clauses and ops that fail, on how many vectors, of whom, with an example; the largest first."""
    order = [row["subject"] for row in rows]
    found: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
    for row in rows:
        for one in (row["result"] or {"failures": []})["failures"]:
            found.setdefault((one["clause"], one["op"]), []).append(
                (row["subject"], one["count"], one["example"])
            )
    told = sorted(found.items(), key=lambda item: (-max(count for _, count, _ in item[1]), item[0]))
    return [
        (
            clause,
            op,
            _span(count for _, count, _ in who),
            listed((name for name, *_ in who), order),
            who[0][2],
        )
        for (clause, op), who in told
    ]


def unsupported_reasons(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Ops that are unsupported, on how many vectors, why, and by whom."""
    order = [row["subject"] for row in rows]
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in rows:
        for one in (row["result"] or {"unsupported": []})["unsupported"]:
            found.setdefault((one["op"], one["reason"] or "no reason was given"), []).append(
                (row["subject"], one["count"])
            )
    told = []
    for (op, reason), who in found.items():
        span = _span(count for _, count in who)
        told.append((op, span, reason, listed((name for name, _ in who), order)))
    return told
