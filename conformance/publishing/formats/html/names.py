"""Ids of elements: made of a page's anchors, harmless, unique, and each link's way to one."""

import hashlib
import re
from collections.abc import Iterator

from conformance.publishing.blocks import Failures, Table
from conformance.publishing.model import Page

__all__ = ["Names"]

_SAFE = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,159}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_OWN = "page-"
"""What the ids that the template gives begin with; no anchor may."""


class Names:
    """Which anchors a page has, and which id each got."""

    def __init__(self, page: Page, most: int) -> None:
        """Sections, failures and then rows take their anchors; one that is taken is not given again.

        Of each list the first ``most`` are on the page.
        """
        self._ids: dict[str, str] = {}
        self._given: set[str] = set()
        used: set[str] = set()
        for anchor in _anchors(page, most):
            if anchor not in self._ids:
                self._ids[anchor] = _id(anchor, used)
                used.add(self._ids[anchor])

    def target(self, anchor: str) -> str | None:
        """The id that a link to the anchor leads to; None where the page has no such place."""
        return self._ids.get(anchor)

    def given(self, anchor: str | None) -> str | None:
        """The id of the element that has the anchor; None for a second one with the same."""
        if anchor is None or anchor in self._given:
            return None
        self._given.add(anchor)
        return self._ids.get(anchor)


def _anchors(page: Page, most: int) -> Iterator[str]:
    sections = page.sections[:most]
    blocks = [block for section in sections for block in section.blocks[:most]]
    yield from (section.anchor for section in sections)
    for block in blocks:
        if isinstance(block, Failures):
            yield from (failure.anchor for failure in block.failures[:most])
    for block in blocks:
        if isinstance(block, Table):
            yield from (row.anchor for row in block.rows[:most] if row.anchor is not None)


def _id(anchor: str, used: set[str]) -> str:
    if _SAFE.fullmatch(anchor) and not anchor.startswith(_OWN) and anchor not in used:
        return anchor
    digest = hashlib.sha256(anchor.encode("utf-8", "surrogatepass")).hexdigest()
    safe = "x-" + _UNSAFE.sub("-", anchor)[:60].strip("-")
    found, count = f"{safe}-{digest[:8]}", 1
    while found in used:  # another anchor is called so on purpose
        count += 1
        found = f"{safe}-{digest[:8]}-{count}"
    return found
