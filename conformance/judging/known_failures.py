"""Known failures: a list of ``<id or fnmatch> <outcome> [#fingerprint]  # reason`` lines, applied strictly.

A line that names an id expects exactly that outcome: a pass is an unexpected pass, and if the line has a
fingerprint, another wrong answer is a new failure. A pattern expects the outcome of at least one vector that
it matches; if none of its selected vectors has it, it is stale. An entry that matches no vector of the whole
set is an error of the list.

``# offers:`` lines record what the runner offered when the list was made, so that a run held to the list
fails when the runner offers less. A ``# vectors:`` line names the version of the vectors: newer ones do not
count until the list is updated. A ``# level:`` line is the level of the run: a run at a lower level can't use
the list.
"""

import fnmatch
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conformance.errors import UserError
from conformance.judging.comparison import Level

__all__ = [
    "FINGERPRINTED",
    "LISTABLE",
    "Entry",
    "KnownFailures",
    "KnownFailuresError",
    "Offered",
    "VectorSet",
]

LISTABLE = frozenset(
    {"mismatch", "wrong-error", "crash", "timeout", "protocol-error", "unsupported", "not-run"}
)
"""The outcomes that a list may expect."""
FINGERPRINTED = frozenset({"mismatch", "wrong-error"})
"""The outcomes with an answer, whose fingerprint a list may have."""
_UNDECIDED = frozenset({"flaky", "not-run"})
"""The outcomes of vectors that may fail in another way the next time. They fail a run, listed or not."""

_MAX_BYTES = 4 << 20


class KnownFailuresError(UserError):
    """The list can't be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list."""

    pattern: str
    outcome: str
    reason: str
    line: int
    fingerprint: str = ""
    """The fingerprint of the expected wrong answer; empty for any answer with the outcome."""

    @property
    def text(self) -> str:
        """The entry as written in the list, without its reason."""
        return f"{self.pattern} {self.outcome}"

    @property
    def is_pattern(self) -> bool:
        """Whether it may match several vectors."""
        return any(character in self.pattern for character in "*?[")

    @classmethod
    def parsed(cls, line: str, number: int, name: str) -> "Entry | None":
        """The entry on a line of the list ``name``; None if there is only a comment or nothing.

        Raises:
            KnownFailuresError: the line is malformed.
        """
        content, _, reason = line.partition("#")
        if not (words := content.split()):
            return None
        if len(words) != 2 or words[1] not in LISTABLE:
            raise KnownFailuresError(
                f"{name}, line {number}: write '<id or pattern> <outcome>  # reason', "
                f"the outcome one of {', '.join(sorted(LISTABLE))}"
            )
        match = _FINGERPRINT.fullmatch(reason.rstrip()) if words[1] in FINGERPRINTED else None
        fingerprint, reason = ("", reason) if match is None else (match[1], match[2] or "")
        return cls(words[0], words[1], reason.strip(), number, fingerprint)

    def expects(self, outcome: str, fingerprint: str) -> bool:
        """Return whether it expects this outcome, and this wrong answer."""
        return self.outcome == outcome and self.fingerprint in ("", fingerprint)

    def stale(self, selected: Collection[tuple[str, str]]) -> str | None:
        """Why a pattern is stale; None if it is not, or if that is not decided.

        Args:
            selected: the outcomes and fingerprints of the selected vectors that it matches.
        """
        outcomes = {outcome for outcome, _ in selected}
        if not selected or outcomes & _UNDECIDED or any(self.expects(*pair) for pair in selected):
            return None
        if outcomes == {"passed"}:
            return "every selected vector that it matches passed: remove it"
        expected = self.outcome + (f" #{self.fingerprint}" if self.fingerprint else "")
        return f"no selected vector that it matches has the outcome {expected}: remove or correct it"


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors that a list was made with: its ``# vectors:`` line."""

    version: str
    spec: str

    @property
    def text(self) -> str:
        """The line of the list."""
        return f"# vectors: {self.version} of {self.spec}"


@dataclass(frozen=True, slots=True)
class Offered:
    """A runner's offer of one operation: a ``# offers:`` line of the list.

    Counts are vectors. For a run of more or fewer vectors, the requirement is derived from them. Without any
    vector the operation is required completely: it must be offered, and none of its vectors may be
    unsupported.
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
        return f"# offers: {self.op}, {self.sentence}"

    def shortfall(self, *, vectors: int, passed: int, failed: int, unsupported: int) -> str | None:
        """Return a clause on what a run lacks of this offer; None if it lacks nothing.

        Args:
            vectors: the number of judged vectors of the operation.
            passed: the number that passed.
            failed: the number that fail the run, which reports them one by one.
            unsupported: the number that the runner does not support.
        """
        added = max(0, vectors - self.vectors) if self.vectors else 0
        gone = max(0, self.vectors - vectors)
        if unsupported > self.unsupported + added:
            return f"{unsupported} of {vectors} vectors are unsupported"
        if passed + failed < self.passed - gone:
            return f"{passed} of {vectors} vectors pass"
        return None


_FINGERPRINT = re.compile(r"([0-9a-f]{8})(?:\s+#(.*))?", re.DOTALL)
"""Directly after the ``#``; a reason follows a second one."""
_DIRECTIVES = {
    "vectors": (
        re.compile(r"# vectors: ([0-9]{1,9}(?:\.[0-9]{1,9}){0,3}) of ([a-z0-9.-]{1,60})"),
        "'# vectors: VERSION of SPEC', once",
    ),
    "level": (re.compile(r"# level: (value|exact|bytes)"), "'# level: value', 'exact' or 'bytes', once"),
    "again-seed": (re.compile(r"# again-seed: ([0-9]{1,18})(?: .*)?"), "'# again-seed: NUMBER', once"),
    "offers": (
        re.compile(
            r"# offers: ([A-Za-z0-9_.]{1,100}), ([0-9]{1,9}) of ([0-9]{1,9}) passed"
            r"(?:, ([0-9]{1,9}) unsupported)?",
            re.ASCII,
        ),
        "'# offers: OPERATION, N of M passed', once for each operation",
    ),
}
"""The form of each directive, and how to write it."""
_DIRECTIVE = re.compile(rf"\s*# ({'|'.join(_DIRECTIVES)}):")


@dataclass(frozen=True)
class KnownFailures:
    """A whole list."""

    entries: tuple[Entry, ...]
    offers: tuple[Offered, ...] = ()
    """The runner's offers when the list was made; empty if not recorded."""
    vectors: VectorSet | None = None
    """The vectors that it was made with; None if not recorded."""
    level: Level | None = None
    """The level that it was made at; None if not recorded."""
    seed: int | None = None
    """The seed that chose the rephrased vectors; None if not recorded."""
    newer: frozenset[str] = frozenset()
    """The ids of newer vectors, which don't count."""
    retired: frozenset[str] = frozenset()
    """The ids of retired vectors: an entry for one is not an error."""

    @cached_property
    def _by_id(self) -> dict[str, Entry]:
        return {entry.pattern: entry for entry in self.entries if not entry.is_pattern}

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Entry]]:
        return [(re.compile(fnmatch.translate(row.pattern)), row) for row in self.entries if row.is_pattern]

    @classmethod
    def read(cls, path: Path) -> "KnownFailures":
        """Reads a list from a file.

        Raises:
            KnownFailuresError: the file can't be read, or a line is malformed.
        """
        try:
            if path.is_fifo():  # nobody may write to it
                raise KnownFailuresError(f"{path} is a pipe, and a list is read twice: write it to a file")
            with path.open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
            if len(content) > _MAX_BYTES:
                raise KnownFailuresError(f"{path} is larger than 4 MiB: is it a known-failures list?")
            text = content.decode("utf-8-sig")
        except FileNotFoundError:
            writes = "'harbor-conformance baseline --runner … -o FILE' writes a list"
            raise KnownFailuresError(f"{path} does not exist: {writes}") from None
        except OSError as error:
            raise KnownFailuresError(f"{path} can't be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise KnownFailuresError(f"{path} is not UTF-8 text") from None
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str) -> "KnownFailures":
        """Reads a list from text; ``name`` is its name in messages.

        Raises:
            KnownFailuresError: a line is malformed.
        """
        entries: list[Entry] = []
        lines: dict[str, int] = {}
        directives: dict[tuple[str, str], re.Match[str]] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            if (mark := _DIRECTIVE.match(line)) is not None:
                form, usage = _DIRECTIVES[mark[1]]
                match = form.fullmatch(line.strip())
                op = match[1] if match is not None and mark[1] == "offers" else ""
                if match is None or directives.setdefault((mark[1], op), match) is not match:
                    raise KnownFailuresError(
                        f"{name}, line {number}: write {usage}; "
                        "'harbor-conformance baseline --update' writes this line"
                    )
                continue
            entry = Entry.parsed(line, number, name)
            if entry is None:
                continue
            first = lines.setdefault(entry.text if entry.is_pattern else entry.pattern, number)
            if first != number:  # an id has one outcome, a pattern may have several
                raise KnownFailuresError(f"{name}, line {number}: the entry is already on line {first}")
            entries.append(entry)
        once = {kind: match for (kind, _), match in directives.items()}
        return cls(
            tuple(entries),
            tuple(Offered(op, *map(int, line.groups("0")[1:])) for (_, op), line in directives.items() if op),
            VectorSet(*once["vectors"].groups()) if "vectors" in once else None,
            Level[once["level"][1].upper()] if "level" in once else None,
            int(once["again-seed"][1]) if "again-seed" in once else None,
        )

    def expecting(self, vector_id: str, outcome: str, fingerprint: str = "") -> Entry | None:
        """The entry that expects this failure; one with the vector's id overrides patterns."""
        named = self.naming(vector_id)
        if named is not None:
            return named if named.expects(outcome, fingerprint) else None
        matching = self._matching(vector_id)
        return next((entry for entry in matching if entry.expects(outcome, fingerprint)), None)

    def _matching(self, vector_id: str) -> Iterator[Entry]:
        """The patterns that match an id, in the list's order."""
        return (entry for pattern, entry in self._patterns if pattern.match(vector_id))

    def naming(self, vector_id: str) -> Entry | None:
        """The entry that names this vector's id."""
        return self._by_id.get(vector_id)

    def mentions(self, vector_id: str) -> bool:
        """Return whether an entry expects any failure of this vector."""
        return vector_id in self._by_id or any(self._matching(vector_id))

    def problems(self, all_ids: Iterable[str], judged: Mapping[str, tuple[str, str]]) -> list[str]:
        """A sentence for each problem of the list after a run.

        ``all_ids`` are the ids of the whole set; ``judged`` maps the selected ones to their outcomes, as if
        there were no list, and to the fingerprints of their answers.
        """
        known_ids = {*all_ids, *self.retired}
        matched: dict[int, list[tuple[str, str]]] = {}
        for vector_id in known_ids:
            for entry in self._matching(vector_id):
                outcomes = matched.setdefault(entry.line, [])
                if vector_id in judged:
                    outcomes.append(judged[vector_id])
        sentences: list[str] = []
        for entry in self.entries:
            where = f"known failures, line {entry.line}: {json.dumps(entry.pattern)}"
            if not (entry.line in matched or entry.pattern in known_ids):
                sentences.append(f"{where} matches no vector: remove or correct it")
                continue
            selected = matched.get(entry.line, [])  # none of an id: that it passes is an unexpected pass
            if (why := entry.stale(selected)) is not None:
                sentences.append(f"{where} is stale: {why}")
        return sentences
