"""The texts that the pages of a matrix share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.registry.ops import classes_of

__all__ = ["MOVES", "class_names", "counts", "one_class", "rows_of", "unsupported_reasons"]

MOVES = {
    ("passed", "failed"): "ceased to pass",
    ("failed", "passed"): "began to pass",
    ("passed", "unsupported"): "became unsupported, and had passed",
    ("failed", "unsupported"): "became unsupported, and had failed",
    ("unsupported", "passed"): "began to be answered, and pass",
    ("unsupported", "failed"): "began to be answered, and fail",
    ("failed", "failed"): "fail with another answer",
}
"""Descriptions of changes of state."""

Document = Mapping[str, Any]
Row = Mapping[str, Any]


def counts(totals: Mapping[str, int]) -> tuple[int, int, int, int]:
    """The numbers of passed, failed (in any way), unsupported and not-run vectors."""
    passed, unsupported, left = (totals.get(name, 0) for name in ("passed", "unsupported", "not-run"))
    return passed, sum(totals.values()) - passed - unsupported - left, unsupported, left


def rows_of(document: Document, spec: str) -> list[dict[str, Any]]:
    """The rows of one spec, in order."""
    return [row for row in document["rows"] if row["spec"] == spec]


def one_class(account: Mapping[str, Any] | None) -> str:
    """A row's level in a class that it may claim, or what prevents it; ``-`` if all are unsupported."""
    if account is None or account["claimed"] is not None:
        return "" if account is None else str(account["claimed"])
    passed, failed, unsupported, left = counts(account["totals"])
    if not passed and not failed and not left:
        return "-"
    found = [(failed, "failed"), (unsupported, "unsupported"), (left, "not run")]
    return ", ".join(f"{count} {word}" for count, word in found if count) or "no claim"


def class_names(document: Document, rows: Sequence[Row], spec: str) -> list[str]:
    """The classes in a table of this spec: the named ones, or all that some row has."""
    found = {name for row in rows if row["result"] for name in row["result"]["classes"]}
    known = [name for name in classes_of(spec, package=True) if name in found]
    wanted = set(document["classes"])
    return [name for name in known if name in wanted] if wanted & set(known) else known


def unsupported_reasons(rows: Sequence[Row]) -> list[tuple[str, str, str, str]]:
    """The unsupported ops with the number of vectors, the reasons and the subjects."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        for one in (row["result"] or {"unsupported": []})["unsupported"]:
            key = (one["op"], one["reason"] or "no reason was given")
            found.setdefault(key, {})[row["subject"]] = one["count"]
    return [(op, _span(who.values()), why, _listed(who, rows)) for (op, why), who in found.items()]


def _span(counts: Iterable[int]) -> str:
    numbers = sorted(counts)
    return str(numbers[0]) if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def _listed(names: Iterable[str], rows: Sequence[Row]) -> str:
    """Names of subjects, with consecutive ones as a range."""
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
