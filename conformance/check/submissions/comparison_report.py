"""What a comparison of two submissions tells: for people, and as the schema `comparison` has it."""

from collections.abc import Sequence
from typing import Any

from conformance import __version__
from conformance.check.submissions.comparison import Compared, TaskPair
from conformance.check.submissions.documents import submission_json
from conformance.check.submissions.figures import figure, signed, spread
from conformance.check.submissions.rollup import RollUp
from conformance.wire.text import encodable, printable

__all__ = ["SCHEMA", "comparison_json", "comparison_lines"]

SCHEMA = "urn:harbor-conformance:comparison:1"
_FEW = 10


def comparison_lines(found: Sequence[Compared], sides: Sequence[RollUp], most: int | None) -> list[str]:
    """The comparison for people; of the tasks that differ `most` are listed, all where it is None."""
    names = [printable(side.name) for side in sides]
    lines = []
    for letter, side in zip("AB", sides, strict=True):
        jobs = ", ".join(f"{count} {verdict}" for verdict, count in side.jobs.items() if count)
        lines.append(f"{letter} {printable(side.name)}: {jobs}")
        lines += [f"  note: {printable(note)}" for note in side.notes]
    for one in found:
        lines += ["", *_lines(one, most)]
    if names[0] == names[1]:
        lines.append("note: both have the same name")
    return lines


def _lines(one: Compared, most: int | None) -> list[str]:
    lines = [f"{printable(one.source or 'adhoc')}, {printable(one.key)}:"]
    lines.append(f"    A {printable(one.agents[0])}, B {printable(one.agents[1])}")
    if one.means is None or one.difference is None:
        lines.append("    no task has trials that count in both")
    else:
        a, b = (figure(mean, one.fractional) for mean in one.means)
        difference = signed(one.difference, one.fractional)
        text = f"    {len(one.pairs)} tasks in both: A {a}, B {b}; B - A {difference}"
        if one.interval is not None:
            low, high = (signed(end, one.fractional) for end in one.interval)
            text += f" {spread(one.standard_error, one.fractional)} (95 %: {low} to {high})"
        same = len(one.pairs) - one.gained - one.lost
        lines.append(text)
        lines.append(
            f"    B is better in {one.gained}, worse in {one.lost}, the same in {same}; "
            f"sign test p = {one.sign_test:.3g}"
        )
    for names, what in (
        (one.only[0], "only in A"),
        (one.only[1], "only in B"),
        (one.unscored[0], "without a trial that counts in A"),
        (one.unscored[1], "without a trial that counts in B"),
        (one.flipped(1), "all passed in A, all failed in B"),
        (one.flipped(-1), "all failed in A, all passed in B"),
    ):
        if names:
            shown = ", ".join(map(printable, names[:_FEW]))
            more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
            lines.append(f"    {what}, {len(names)}: {shown}{more}")
    lines += _table(one, most)
    return lines + [f"    note: {printable(note)}" for note in one.notes]


def _table(one: Compared, most: int | None) -> list[str]:
    """The tasks that differ, the widest apart first."""
    differ = sorted(
        (pair for pair in one.pairs if pair.difference), key=lambda pair: (-abs(pair.difference), pair.task)
    )
    shown = differ if most is None else differ[:most]
    if not shown:
        return []
    rows = [("B - A", "A", "B", "attempts", "task"), *(_row(pair, one.fractional) for pair in shown)]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    lines = []
    for row in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=False)]
        lines.append("    " + "  ".join([*cells, row[-1]]))
    if len(shown) < len(differ):
        lines.append(f"    … and {len(differ) - len(shown)} more (--all shows them)")
    return lines


def _row(pair: TaskPair, fractional: bool) -> tuple[str, ...]:
    a, b = (figure(mean, fractional) for mean in pair.means)
    attempts = f"{pair.attempts[0]} / {pair.attempts[1]}"
    return signed(pair.difference, fractional), a, b, attempts, printable(pair.task)


def comparison_json(found: Sequence[Compared], sides: Sequence[RollUp], left_out: bool) -> dict[str, Any]:
    """The comparison as a document."""
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "unscored": "left-out" if left_out else "zero",
        "submissions": [submission_json(side) for side in sides],
        "compared": [_json(one) for one in found],
    }


def _json(one: Compared) -> dict[str, Any]:
    return {
        "source": encodable(one.source) or None,
        "key": encodable(one.key),
        "agents": list(map(encodable, one.agents)),
        "means": None if one.means is None else list(one.means),
        "difference": one.difference,
        "standard_error": one.standard_error,
        "interval": None if one.interval is None else list(one.interval),
        "gained": one.gained,
        "lost": one.lost,
        "sign_test": one.sign_test,
        "tasks": [
            {
                "task": encodable(pair.task),
                "means": list(pair.means),
                "attempts": list(pair.attempts),
                "difference": pair.difference,
            }
            for pair in one.pairs
        ],
        "only": [list(map(encodable, names)) for names in one.only],
        "unscored": [list(map(encodable, names)) for names in one.unscored],
        "passed_then_failed": list(map(encodable, one.flipped(1))),
        "failed_then_passed": list(map(encodable, one.flipped(-1))),
        "notes": list(map(encodable, one.notes)),
    }
