"""Failures for which a page has no more room than a line or two: each can still be found and linked to.

A failure whose row among all vectors leads to it has its account in that row, where its rule stands anyway;
the others stand in brief after those that are shown with all that is known of them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from conformance.publishing.blocks import Failure, Failures, Link, Row, Table
from conformance.publishing.formats.html.budget import Budget
from conformance.publishing.model import Page

__all__ = ["Briefs", "own_command", "shared_command", "shared_prefix"]

_ID = "ID"


class Briefs:
    """Which failures of a page are in brief, and where."""

    def __init__(self, page: Page, budget: Budget) -> None:
        """They are those behind the ones for which there is more room."""
        blocks = [
            block for section in page.sections[: budget.rows] for block in section.blocks[: budget.rows]
        ]
        rows = {
            row.anchor: row
            for block in blocks
            if isinstance(block, Table)
            for row in block.rows[: budget.rows]
            if row.anchor is not None
        }
        self.in_rows: dict[str, Failure] = {}
        """Those with a row of their own, by the row's anchor."""
        for block in blocks:
            if isinstance(block, Failures):
                for failure in block.failures[: budget.rows][budget.failures :]:
                    place = _place(failure, rows)
                    if place is not None and place not in self.in_rows:
                        self.in_rows[place] = failure
        self._placed = {failure.anchor for failure in self.in_rows.values()}

    def loose(self, failures: Sequence[Failure]) -> list[Failure]:
        """Those that stand in no row."""
        return [one for one in failures if one.anchor not in self._placed]


def _place(failure: Failure, rows: Mapping[str, Row]) -> str | None:
    """The anchor of the row that leads to the failure and the failure to it: of several the last."""
    for _, line in reversed(failure.fields):
        for piece in line:
            if (
                isinstance(piece, Link)
                and piece.anchor in rows
                and _leads(rows[piece.anchor], failure.anchor)
            ):
                return piece.anchor
    return None


def _leads(row: Row, anchor: str) -> bool:
    return any(isinstance(piece, Link) and piece.anchor == anchor for cell in row.cells for piece in cell)


def shared_prefix(failures: Sequence[Failure]) -> str:
    """How the title of each begins, as far as the last ``/``."""
    titles = [one.title for one in failures]
    if len(titles) < 2:
        return ""
    first, last = min(titles), max(titles)  # what these two share, all share
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: first.rfind("/", 0, same) + 1]


def shared_command(failures: Sequence[Failure]) -> str | None:
    """The command that repeats most of them, with ``ID`` for what each is called."""
    shapes = Counter(shape for one in failures if (shape := _shape(one)) is not None)
    return shapes.most_common(1)[0][0] if shapes else None


def own_command(failure: Failure, shared: str | None) -> str | None:
    """The command that repeats it, where it is not as that of the others."""
    return failure.repeat if shared is None or _shape(failure) != shared else None


def _shape(failure: Failure) -> str | None:
    """The command with ``ID`` for the failure's own id; None where it does not end in it."""
    if failure.repeat is None or not failure.repeat.endswith(f" {failure.title}"):
        return None
    return f"{failure.repeat[: -len(failure.title)]}{_ID}"
