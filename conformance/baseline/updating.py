"""Updates an existing list, leaving entries that still hold unchanged.

Comments, blank lines, order, reasons, dates, line ends and a byte order mark are kept. An entry is removed if
the gate would fail because of it: its vector passes, or it matches nothing. If a vector fails in another way,
the outcome and the fingerprint are replaced. Unexpected failures are added below their rule. A list with
which the run would pass keeps all its entries.
"""

import codecs
import fnmatch
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.baseline.listing import entries, fingerprint, seed_line
from conformance.baseline.today import BaselineError, Today, reasons_to_fail
from conformance.judging.known_failures import Entry, KnownFailures, Offered
from conformance.outcomes.claims import REPHRASED_SUFFIX
from conformance.wire.text import printable

__all__ = ["Updated", "updated"]

_ENTRY = re.compile(r"(\s*\S+\s+)([^\s#]+)(\s*#[0-9a-f]{8}(?=\s|$))?(.*)", re.DOTALL)
"""An entry's id, its outcome, its fingerprint if any, and the rest."""
_PASSED, _FLAKY = "passed", "flaky"


@dataclass(slots=True)
class Updated:
    """The result of updating a list."""

    content: bytes
    kept: int = 0
    corrected: list[str] = field(default_factory=list)
    """A sentence for each entry that now expects another failure."""
    removed: list[str] = field(default_factory=list)
    """A sentence on why each entry was removed."""
    added: list[str] = field(default_factory=list)
    """The new lines."""
    offers: list[str] = field(default_factory=list)
    """A sentence for each operation whose recorded offer changed, and for the vectors."""

    @property
    def changes(self) -> int:
        """The number of changed entries."""
        return len(self.corrected) + len(self.removed) + len(self.added) + len(self.offers)

    @property
    def sentence(self) -> str:
        """A summary in one sentence."""
        return (
            f"{self.kept:,} kept, {len(self.corrected):,} corrected, {len(self.removed):,} removed, "
            f"{len(self.added):,} added"
            + (f", {len(self.offers):,} of the offers changed" if self.offers else "")
        )


class _Lines:
    """The lines of a list, each of which may be removed or changed."""

    def __init__(self, content: bytes, name: str) -> None:
        self._mark = content.startswith(codecs.BOM_UTF8)
        self._name = name
        self._lines = content.decode("utf-8-sig").split("\n")
        windows = sum(line.endswith("\r") for line in self._lines) * 2 >= max(2, len(self._lines) - 1)
        self._end = "\r" if windows else ""
        """The characters before a line feed: a carriage return, or none."""

    def known(self) -> KnownFailures:
        """Parse the list."""
        return KnownFailures.parse("\n".join(self._lines), self._name)

    def content(self) -> bytes:
        """The list's bytes."""
        return (codecs.BOM_UTF8 if self._mark else b"") + "\n".join(self._lines).encode("utf-8")

    def correct(self, entry: Entry, outcome: str, answer: str) -> None:
        """Replaces the outcome and the fingerprint."""
        line = self._lines[entry.line - 1]
        match = _ENTRY.fullmatch(line.rstrip())
        assert match is not None
        beginning, _, mark, ending = match.groups(default="")
        if not entry.fingerprint:
            ending = mark.replace("#", "# ") + ending  # a reason must not become a fingerprint
        new = f"{beginning}{outcome}" + (f" #{answer}" if answer else "")
        self._lines[entry.line - 1] = new + ending + line[len(line.rstrip()) :]

    def remove(self, gone: Collection[Entry], headings: Collection[str]) -> None:
        """Removes entries, and the headings of rules without entries."""
        numbers = {entry.line - 1 for entry in gone}
        kept = [(number, line) for number, line in enumerate(self._lines) if number not in numbers]
        after = [*(line for _, line in kept[1:]), ""]
        empty = {
            index
            for index, (number, line) in enumerate(kept)
            if line.strip() in headings and number + 1 in numbers and not _is_entry(after[index])
        }
        blank = {index - 1 for index in empty if index and not kept[index - 1][1].strip()}
        self._lines = [line for index, (_, line) in enumerate(kept) if index not in empty | blank] or [""]

    def replace_directives(self, kind: str, lines: Iterable[str]) -> None:
        """Replace the directives of a kind; if there are none, insert them after the comments at the top."""
        recorded = re.compile(rf"\s*# {kind}:")
        other_lines = [line for line in self._lines if not recorded.match(line)]
        index = next((number for number, line in enumerate(self._lines) if recorded.match(line)), None)
        if index is None:
            heads = (number for number, line in enumerate(other_lines) if not line.startswith("#"))
            index = next(heads, len(other_lines))
        self._lines = [*other_lines[:index], *(line + self._end for line in lines), *other_lines[index:]]

    def add(self, lines: Iterable[str], heading: str) -> None:
        """Add entries below their heading, which is added at the end if it is missing."""
        added = [line + self._end for line in lines]
        index = next((number for number, line in enumerate(self._lines) if line.strip() == heading), None)
        if heading and index is not None:
            while index + 1 < len(self._lines) and _is_entry(self._lines[index + 1]):
                index += 1
            if index + 1 == len(self._lines):
                self._close()
            self._lines[index + 1 : index + 1] = added
            return
        self._close()
        if any(line.strip() for line in self._lines):
            self._lines[-1:] = [self._end, ""]
        self._lines[-1:] = [*([heading + self._end] if heading else []), *added, ""]

    def _close(self) -> None:
        """Adds a line end to the last line if it has none."""
        if self._lines[-1]:
            self._lines[-1] += "" if self._lines[-1].endswith("\r") else self._end
            self._lines.append("")


def _is_entry(line: str) -> bool:
    return bool(line.partition("#")[0].strip())


def updated(content: bytes, name: str, today: Today, day: str) -> Updated:
    """Update a valid list to the outcomes of ``today``.

    Raises:
        KnownFailuresError: a line is malformed.
        BaselineError: no list can make the run pass.
    """
    lines = _Lines(content, name)
    known = lines.known()
    update = Updated(content, kept=len(known.entries))
    if reasons_to_fail(known, today):
        _correct_entries(lines, known, today, update)
        known = lines.known()
        new = {
            key
            for key in today.failing
            if known.expecting(key, today.outcomes[key], today.fingerprints.get(key, "")) is None
        }
        if any(key.endswith(REPHRASED_SUFFIX) for key in new):
            line = seed_line(today.again_seed).rstrip("\n")
            if line and line.split(" (")[0].encode() not in content:
                lines.replace_directives("again-seed", [line])
        for heading, added in entries(today, new, day).items():
            lines.add(added, heading)
            update.added += added
        update.kept -= len(update.corrected) + len(update.removed)
        if left := reasons_to_fail(lines.known(), today):
            raise BaselineError(f"no list makes this run pass: {printable(left[0])}")
    _update_directives(lines, known, today, update)
    if update.changes:
        update.content = lines.content()
    return update


def _update_directives(lines: _Lines, known: KnownFailures, today: Today, update: Updated) -> None:
    """Update the directives for offers, vectors and level."""
    if today.vectors is not None and today.vectors != known.vectors:
        lines.replace_directives("vectors", [today.vectors.text])
        was = f" (was {known.vectors.version})" if known.vectors is not None else ""
        update.offers.append(f"vectors {today.vectors.version}{was}")
    if today.level != known.level and (known.level is not None or today.vectors is not None):
        lines.replace_directives("level", [f"# level: {today.level}"])
        was = f" (was {known.level})" if known.level is not None else ""
        update.offers.append(f"level {today.level}{was}")
    offers = _merged_offers(known.offers, today)
    before = {offer.op: offer for offer in known.offers}
    changes = list(_offer_changes(before, {offer.op: offer for offer in offers}))
    if changes:
        lines.replace_directives("offers", [offer.text for offer in offers])
        update.offers += changes


def _merged_offers(recorded: Iterable[Offered], today: Today) -> list[Offered]:
    """Return the offers to record, in the list's order; an op that was only partly asked keeps its offer."""
    kept = {offer.op: offer for offer in recorded if not today.ops or offer.op in today.ops}
    for op, offered in today.offers.items():
        if offered is None:
            kept.pop(op, None)
        elif op not in kept or today.vectors is not None or offered.vectors >= kept[op].vectors:
            kept[op] = offered
    return [*kept.values()]


def _offer_changes(before: Mapping[str, Offered], after: Mapping[str, Offered]) -> Iterator[str]:
    for op in sorted({*before, *after}):
        old, new = before.get(op), after.get(op)
        if old != new:
            is_now = "is no longer offered" if new is None else new.sentence
            yield f"{op}: {is_now}" + ("" if old is None else f" (was {old.sentence})")


def _correct_entries(lines: _Lines, known: KnownFailures, today: Today, update: Updated) -> None:
    """Corrects and removes the entries that would make the gate fail."""
    ids, gone = set(today.ids), []
    for entry in known.entries:
        if entry.is_pattern:
            why = _removal_reason(entry, today)
        elif entry.pattern not in ids:
            why = "it names no vector"
        else:
            outcome = today.outcomes.get(entry.pattern, _FLAKY)
            answer = today.fingerprints.get(entry.pattern, "")
            if outcome == _FLAKY or entry.expects(outcome, answer):
                continue
            why = "it passes" if outcome == _PASSED else ""
            if not why:
                change = f"{outcome} now" if outcome != entry.outcome else "wrong in another way now"
                update.corrected.append(f"{_label(entry)}: {change}")
                lines.correct(entry, outcome, fingerprint(today, entry.pattern))
        if why:
            update.removed.append(f"{_label(entry)}: {why}")
            gone.append(entry)
    lines.remove(gone, set(today.headings.values()))


def _removal_reason(entry: Entry, today: Today) -> str:
    """Why a pattern must be removed; empty if it may stay."""
    matched, judged = fnmatch.filter(today.ids, entry.pattern), today.judged
    selected = [judged[key] for key in matched if key in judged]
    if not matched:
        return "it matches no vector"
    if entry.stale(selected) is None:
        return ""
    only_pass = all(outcome == _PASSED for outcome, _ in selected)
    return "it matches only vectors that pass" if only_pass else "no vector that it matches fails like this"


def _label(entry: Entry) -> str:
    return f"line {entry.line}: {printable(entry.text)}"
