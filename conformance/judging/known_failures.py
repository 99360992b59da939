"""Known failures: a list of ``<id or fnmatch> <outcome>  # reason`` lines, held to strictly.

A line that names an id expects exactly that outcome of it: a pass is an unexpected pass. A pattern expects
the outcome of at least one vector it matches; where all of its selected vectors pass, it is stale. An
entry that matches no vector of the whole set is an error of the list.

``# offers:`` lines record what the runner offered when the list was made, so that a run held to the list
fails when the runner offers less.
"""

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["LISTABLE", "Entry", "KnownFailures", "KnownFailuresError", "Offered"]

LISTABLE = frozenset(
    {"mismatch", "wrong-error", "crash", "timeout", "protocol-error", "unsupported", "not-run"}
)
"""The outcomes that a list may expect."""

_MAX_BYTES = 4 << 20


class KnownFailuresError(Exception):
    """A list that can't be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list."""

    pattern: str
    outcome: str
    reason: str
    line: int

    @property
    def text(self) -> str:
        """The entry as the list has it, without its reason."""
        return f"{self.pattern} {self.outcome}"

    @property
    def is_pattern(self) -> bool:
        """Whether it may match several vectors."""
        return any(character in self.pattern for character in "*?[")


@dataclass(frozen=True, slots=True)
class Offered:
    """What a runner offered of one operation: a ``# offers:`` line of the list.

    Counts are vectors. A run of more or fewer vectors is held to what follows from them. Without any vector
    the operation is required whole: it must be offered, and none of its vectors may be unsupported.
    """

    op: str
    passed: int
    vectors: int
    unsupported: int = 0

    @property
    def sentence(self) -> str:
        """The counts."""
        refused = f", {self.unsupported} unsupported" if self.unsupported else ""
        return f"{self.passed} of {self.vectors} passed{refused}"

    @property
    def text(self) -> str:
        """The line of the list."""
        return f"{_MARK} {self.op}, {self.sentence}"

    @classmethod
    def parsed(cls, line: str) -> "Offered | None":
        """The offer in a line of a list; None where it has none."""
        found = _OFFERS.fullmatch(line.strip())
        if found is None:
            return None
        op, *counts = found.groups(default="0")
        return cls(op, *map(int, counts))

    def shrunk(self, *, vectors: int, passed: int, failed: int, unsupported: int) -> str | None:
        """How a run shows less than this, as a clause; None where it does not.

        Args:
            vectors: how many vectors of the operation were judged.
            passed: how many of them passed.
            failed: how many fail the run, which reports them one by one.
            unsupported: how many the runner does not support.
        """
        added = max(0, vectors - self.vectors) if self.vectors else 0
        gone = max(0, self.vectors - vectors)
        if unsupported > self.unsupported + added:
            return f"{unsupported} of {vectors} vectors are unsupported"
        if passed + failed < self.passed - gone:
            return f"{passed} of {vectors} vectors pass"
        return None


_MARK = "# offers:"
_OFFERS = re.compile(
    r"# offers: ([A-Za-z0-9_.]{1,100}), ([0-9]{1,9}) of ([0-9]{1,9}) passed(?:, ([0-9]{1,9}) unsupported)?",
    re.ASCII,
)
_GRAM = 3
_BRACKETS = re.compile(r"\[!?\]?[^\]]*\]")
"""A choice of characters, which is no literal text."""
_LITERAL = re.compile(r"[^*?\[\]]+")


def _grams(text: str) -> list[str]:
    """All pieces of three characters."""
    return [text[place : place + _GRAM] for place in range(len(text) - _GRAM + 1)]


class _Patterns:
    """Finds the patterns that match an id among tens of thousands, without trying each on it.

    Every pattern is filed under a piece of its literal text, the one that fewest others have: only an id that
    has the piece can match.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._every = tuple(entries)
        pieces = [self._pieces(entry.pattern) for entry in self._every]
        common = Counter(piece for several in pieces for piece in several)
        self._filed: dict[str, list[int]] = {}
        for place, several in enumerate(pieces):
            piece = min(several, key=lambda one: (common[one], one), default="")
            self._filed.setdefault(piece, []).append(place)
        self._compiled: dict[int, re.Pattern[str]] = {}

    @staticmethod
    def _pieces(pattern: str) -> set[str]:
        literals = _LITERAL.findall(_BRACKETS.sub("*", pattern))
        return {piece for literal in literals for piece in _grams(literal)}

    def matching(self, vector_id: str) -> Iterator[Entry]:
        """Those that match, in the list's order."""
        filed = {place for piece in {"", *_grams(vector_id)} for place in self._filed.get(piece, ())}
        return (self._every[place] for place in sorted(filed) if self._matches(place, vector_id))

    def _matches(self, place: int, vector_id: str) -> bool:
        compiled = self._compiled.get(place)
        if compiled is None:
            compiled = self._compiled[place] = re.compile(fnmatch.translate(self._every[place].pattern))
        return compiled.match(vector_id) is not None


@dataclass(frozen=True, slots=True)
class KnownFailures:
    """A whole list."""

    entries: tuple[Entry, ...]
    _by_id: Mapping[str, Entry] = field(repr=False)
    _patterns: _Patterns = field(repr=False)
    offers: tuple[Offered, ...] = ()
    """What the runner offered when the list was made; empty where the list does not record it."""

    @classmethod
    def of(cls, entries: Iterable[Entry], offers: Iterable[Offered] = ()) -> "KnownFailures":
        """The list of these entries."""
        every = tuple(entries)
        by_id = {entry.pattern: entry for entry in every if not entry.is_pattern}
        patterns = _Patterns(entry for entry in every if entry.is_pattern)
        return cls(every, by_id, patterns, tuple(offers))

    @classmethod
    def read(cls, path: Path) -> "KnownFailures":
        """Reads a list from a file.

        Raises:
            KnownFailuresError: the file can't be read, or a line is not of the form.
        """
        try:
            with path.open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
            if len(content) > _MAX_BYTES:
                raise KnownFailuresError(f"{path} is larger than 4 MiB: is it a known-failures list?")
            text = content.decode("utf-8-sig")
        except OSError as error:
            raise KnownFailuresError(f"{path} can't be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise KnownFailuresError(f"{path} is not UTF-8 text") from None
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str) -> "KnownFailures":
        """Reads a list from text; ``name`` is what messages call it.

        Raises:
            KnownFailuresError: a line is not of the form.
        """
        entries: list[Entry] = []
        lines: dict[str, int] = {}
        offers: dict[str, Offered] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            if line.lstrip().startswith(_MARK):
                offered = Offered.parsed(line)
                if offered is None or offered.op in offers:
                    raise KnownFailuresError(
                        f"{name}, line {number}: write '# offers: OPERATION, N of M passed', once for each "
                        "operation; 'harbor-conformance baseline --update' writes these lines"
                    )
                offers[offered.op] = offered
                continue
            content, _, reason = line.partition("#")
            words = content.split()
            if not words:
                continue
            if len(words) != 2 or words[1] not in LISTABLE:
                raise KnownFailuresError(
                    f"{name}, line {number}: write '<id or pattern> <outcome>  # reason', "
                    f"the outcome one of {', '.join(sorted(LISTABLE))}"
                )
            entry = Entry(words[0], words[1], reason.strip(), number)
            first = lines.setdefault(entry.text if entry.is_pattern else entry.pattern, number)
            if first != number:  # an id has one outcome, a pattern may stand for several
                raise KnownFailuresError(f"{name}, line {number}: the entry stands already on line {first}")
            entries.append(entry)
        return cls.of(entries, offers.values())

    def expecting(self, vector_id: str, outcome: str) -> Entry | None:
        """The entry that expects this very outcome; one that names the vector overrules the patterns."""
        named = self.naming(vector_id)
        if named is not None:
            return named if named.outcome == outcome else None
        if outcome not in LISTABLE:
            return None
        return next((one for one in self._patterns.matching(vector_id) if one.outcome == outcome), None)

    def naming(self, vector_id: str) -> Entry | None:
        """The entry that names this very vector."""
        return self._by_id.get(vector_id)

    def problems(self, all_ids: Iterable[str], judged: Mapping[str, str]) -> list[str]:
        """What is wrong with the list after a run, a sentence each.

        ``all_ids`` are the vectors of the whole set; ``judged`` maps the selected ones to their outcomes.
        """
        every = set(all_ids)
        matched: dict[int, list[str]] = {}
        for vector_id in every:
            for entry in self._patterns.matching(vector_id):
                outcomes = matched.setdefault(entry.line, [])
                if vector_id in judged:
                    outcomes.append(judged[vector_id])
        found: list[str] = []
        for entry in self.entries:
            where = f"known failures, line {entry.line}: {_quoted(entry.pattern)}"
            if not (entry.line in matched or entry.pattern in every):
                found.append(f"{where} matches no vector: remove or correct it")
                continue
            if not entry.is_pattern:
                continue  # an id that passes is an unexpected pass of its own
            outcomes = matched.get(entry.line, [])
            if outcomes and all(outcome == "passed" for outcome in outcomes):
                found.append(f"{where} is stale: every selected vector that it matches passed: remove it")
        return found


def _quoted(text: str) -> str:
    return json.dumps(text)
