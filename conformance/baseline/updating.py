"""An existing list brought up to date: what holds stays as it is, to the byte.

Comments, blank lines, order, reasons, dates, line ends and a byte order mark are the user's. An entry goes
where the gate would fail because of it: its vector passes, or it matches nothing. Where a vector fails in
another way the outcome alone is exchanged, and the reason says which it was. What fails and is not expected
comes at the end. A list under which the run would not fail is not touched at all.
"""

import codecs
import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.baseline.listing import by_ids, by_patterns, seed_line
from conformance.baseline.today import BaselineError, Today, complaints
from conformance.judging.known_failures import Entry, KnownFailures, KnownFailuresError, Offered
from conformance.judging.verdict import Outcome
from conformance.report.records import AGAIN
from conformance.wire.text import printable

__all__ = ["Updated", "read_list", "updated"]

_WORDS = re.compile(r"\S+")
_WAS = re.compile(r" ?\(was [a-z-]+ until [0-9-]+\)$")
_CHOICE = re.compile(r"\[!?\]?[^\]]*\]")
"""A choice of characters, which is no literal text."""
_NO_LITERAL = re.compile(r"[*?\[\]]")
_PASSED = str(Outcome.PASSED)


@dataclass(slots=True)
class Updated:
    """What became of a list."""

    content: bytes
    kept: int = 0
    corrected: list[str] = field(default_factory=list)
    """A sentence for each entry whose outcome is another now."""
    removed: list[str] = field(default_factory=list)
    """A sentence for each entry that went, saying why."""
    added: list[str] = field(default_factory=list)
    """The new lines."""
    offers: list[str] = field(default_factory=list)
    """A sentence for each operation whose recorded offer changed."""
    idle: list[str] = field(default_factory=list)
    """A sentence for each pattern that expects nothing today, though the gate does not mind."""

    @property
    def changes(self) -> int:
        """How many entries are other than they were."""
        return len(self.corrected) + len(self.removed) + len(self.added) + len(self.offers)

    @property
    def sentence(self) -> str:
        """The summary, for people."""
        return (
            f"{self.kept:,} kept, {len(self.corrected):,} corrected, {len(self.removed):,} removed, "
            f"{len(self.added):,} added"
            + (f", {len(self.offers):,} of the offers changed" if self.offers else "")
        )


def read_list(path: Path) -> bytes:
    """The bytes of a list that can be used.

    Raises:
        KnownFailuresError: the file can't be read, or a line is not of the form.
    """
    KnownFailures.read(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise KnownFailuresError(f"{path} can't be read: {error.strerror}") from None


class _Lines:
    """The lines of a list as they are written, each of which may go or be changed."""

    def __init__(self, content: bytes, name: str) -> None:
        self._mark = content.startswith(codecs.BOM_UTF8)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise KnownFailuresError(f"{name} is not UTF-8 text") from None
        self._name = name
        self._lines: list[str | None] = [*text.split("\n")]
        self._added: list[str] = []

    def known(self) -> KnownFailures:
        """The list as it stands; an entry's line is its place here, from 1."""
        text = "\n".join("" if line is None else line for line in self._lines)
        return KnownFailures.parse(text, self._name)

    def remove(self, entry: Entry) -> None:
        self._lines[entry.line - 1] = None

    def correct(self, entry: Entry, outcome: str, day: str) -> None:
        """Exchanges the outcome; the reason tells what it was."""
        line = self._lines[entry.line - 1]
        assert line is not None
        end = line[len(line.rstrip()) :]
        content, mark, reason = line.rstrip().partition("#")
        word = list(_WORDS.finditer(content))[1]
        content = content[: word.start()] + outcome + content[word.end() :]
        note = f"(was {entry.outcome} until {day})"
        if mark and reason.strip():
            reason = f"{_WAS.sub('', reason)} {note}"
        else:
            content, mark, reason = content.rstrip() + "  ", "#", f" {note[1:-1]}"
        self._lines[entry.line - 1] = content + mark + reason + end

    def record(self, offers: Iterable[Offered]) -> None:
        """Puts what is offered where that was recorded, else behind the comments at the head."""
        kept = [line for line in self._lines if line is not None]
        others = [line for line in kept if Offered.parsed(line) is None]
        place = next((number for number, line in enumerate(kept) if Offered.parsed(line)), None)
        if place is None:
            heads = (number for number, line in enumerate(others) if not line.startswith(("#", "\ufeff#")))
            place = next(heads, len(others))
        end = self._end(kept)
        self._lines = [*others[:place], *(one.text + end for one in offers), *others[place:]]

    @staticmethod
    def _end(kept: list[str]) -> str:
        """What a line of the file ends with before its line feed."""
        windows = sum(line.endswith("\r") for line in kept) * 2 >= max(2, len(kept) - 1)
        return "\r" if windows else ""

    def append(self, lines: Iterable[str], day: str) -> None:
        """Puts lines behind all others, under a heading that says when."""
        kept = [line for line in self._lines if line is not None]
        end = self._end(kept)
        if kept and not kept[-1]:
            kept.pop()
        elif kept and not kept[-1].endswith("\r"):
            kept[-1] += end
        heading = f"# New on {day}"
        if not _is_under(kept, heading):
            if any(line.strip() for line in kept):
                kept.append(end)
            kept.append(heading + end)
        self._lines = [*kept, *(line + end for line in lines), ""]

    def content(self) -> bytes:
        text = "\n".join(line for line in self._lines if line is not None)
        return (codecs.BOM_UTF8 if self._mark else b"") + text.encode("utf-8")


def _is_under(lines: list[str], heading: str) -> bool:
    """Whether what comes next stands under this heading: no other comment or blank line is between."""
    for line in reversed(lines):
        text = line.strip()
        if text == heading:
            return True
        if not text or text.startswith("#"):
            return False
    return False


def updated(content: bytes, name: str, today: Today, day: str, *, patterns: bool = False) -> Updated:
    """The list as it has to be for the outcomes of ``today``.

    With ``patterns`` what is new is covered in the fewest patterns, else by ids.

    Raises:
        KnownFailuresError: a line is not of the form.
        BaselineError: no list can make the run pass.
    """
    lines = _Lines(content, name)
    before = lines.known()
    found = Updated(content, kept=len(before.entries))
    if complaints(before, today):
        _correct_ids(lines, before, today, day, found)
        while _correct_patterns(lines, today, day, found):
            pass
        known = lines.known()
        new = [one for one in today.failing if known.expecting(one, today.outcomes[one]) is None]
        found.added = list(by_patterns(today, new, day).lines) if patterns else by_ids(today, new, day)
        found.kept = len(known.entries) - len(found.corrected)
        if found.added:
            again = any(one.endswith(AGAIN) for one in new)
            lines.append([*_other_seed(content, today, again=again), *found.added], day)
        found.content = lines.content()
        left = complaints(lines.known(), today)
        if left:
            raise BaselineError(f"no list makes this run pass: {printable(left[0])}")
    known = lines.known()
    offers = _offers(known.offers, today.offers)
    found.offers = _changes({one.op: one for one in known.offers}, {one.op: one for one in offers})
    if found.offers:
        lines.record(offers)
        found.content = lines.content()
    found.idle = list(_idle(lines.known(), today))
    return found


def _offers(recorded: Iterable[Offered], today: Mapping[str, Offered | None]) -> list[Offered]:
    """What the list records from now on; of operations that the run did not ask whole, what it recorded."""
    kept = {one.op: one for one in recorded}
    for op, offered in today.items():
        if offered is None:
            kept.pop(op, None)
        elif op not in kept or offered.vectors >= kept[op].vectors:
            kept[op] = offered
    return [kept[op] for op in sorted(kept)]


def _changes(before: Mapping[str, Offered], after: Mapping[str, Offered]) -> list[str]:
    found = []
    for op in sorted({*before, *after}):
        old, new = before.get(op), after.get(op)
        if old == new:
            continue
        is_now = "is no longer offered" if new is None else new.sentence
        found.append(f"{op}: {is_now}" + ("" if old is None else f" (was {old.sentence})"))
    return found


def _other_seed(content: bytes, today: Today, *, again: bool) -> list[str]:
    """What names the seed, where new lines hold with another than the list names."""
    line = seed_line(today.again_seed).rstrip("\n")
    return [line] if again and line and line.split(" (")[0].encode() not in content else []


def _correct_ids(lines: _Lines, known: KnownFailures, today: Today, day: str, found: Updated) -> None:
    every = set(today.ids)
    for entry in known.entries:
        if entry.is_pattern:
            continue
        outcome = today.outcomes.get(entry.pattern)
        if entry.pattern not in every:
            found.removed.append(f"{_place(entry)} names no vector")
        elif outcome == _PASSED:
            found.removed.append(f"{_place(entry)} passes")
        elif outcome is not None and outcome != entry.outcome:
            found.corrected.append(f"{_place(entry)} is {outcome} now")
            lines.correct(entry, outcome, day)
            continue
        else:
            continue
        lines.remove(entry)


def _correct_patterns(lines: _Lines, today: Today, day: str, found: Updated) -> bool:
    """Takes away or corrects patterns because of which the gate would fail; whether there was one."""
    known = lines.known()
    texts = {entry.text for entry in known.entries}
    changed = False
    for entry in known.entries:
        if not entry.is_pattern:
            continue
        matched = _matched(entry, today.ids)
        outcomes = {one: today.outcomes[one] for one in matched if one in today.outcomes}
        own = {one: outcome for one, outcome in outcomes.items() if known.naming(one) is None}
        if not matched:
            found.removed.append(f"{_place(entry)} matches no vector")
        elif outcomes and all(outcome == _PASSED for outcome in outcomes.values()):
            found.removed.append(f"{_place(entry)} matches only what passes")
        elif entry.outcome not in outcomes.values():
            new = {
                outcome
                for one, outcome in own.items()
                if one in today.failing and known.expecting(one, outcome) is None
            }
            if len(new) != 1 or f"{entry.pattern} {min(new)}" in texts:
                continue
            outcome = min(new)
            texts.add(f"{entry.pattern} {outcome}")
            found.corrected.append(f"{_place(entry)} is {outcome} now")
            lines.correct(entry, outcome, day)
            changed = True
            continue
        else:
            continue
        lines.remove(entry)
        changed = True
    return changed


def _matched(entry: Entry, ids: Iterable[str]) -> list[str]:
    """What a pattern matches, as the gate matches; only what holds its longest literal text is tried."""
    literal = max(_NO_LITERAL.split(_CHOICE.sub("*", entry.pattern)), key=len)
    match = re.compile(fnmatch.translate(entry.pattern)).match
    return [one for one in ids if literal in one and match(one)]


def _idle(known: KnownFailures, today: Today) -> Iterator[str]:
    """Patterns that expect nothing of what was judged."""
    for entry in known.entries:
        if entry.is_pattern:
            matched = [one for one in _matched(entry, today.ids) if one in today.outcomes]
            if matched and not any(today.outcomes[one] == entry.outcome for one in matched):
                yield f"{_place(entry)} expects nothing that happens today"


def _place(entry: Entry) -> str:
    return f"line {entry.line}: {printable(entry.text)}"
