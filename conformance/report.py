"""The account of a run: counts, what each class reached and may claim, and the JSON report."""

import datetime
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.comparison import Level
from conformance.ops import CLASSES
from conformance.protocol import Hello
from conformance.vectors import Vector
from conformance.verdict import UNEXPECTED, Outcome, Verdict

__all__ = ["ClassAccount", "Record", "Report", "exit_code_meaning"]

SCHEMA = "urn:harbor-conformance:run-report:1"


def exit_code_meaning(code: int) -> str:
    """What an exit code says, for people."""
    return {0: "no unexpected failure", 1: "does not conform", 2: "could not be tried"}[code]


@dataclass(frozen=True, slots=True)
class Record:
    """One vector's outcome, small enough to cross a process boundary as JSON."""

    id: str
    outcome: str
    level: str | None
    seconds: float
    detail: str | None
    expected_by: str | None
    actual: str | None
    demanded: bool

    @classmethod
    def of(cls, verdict: Verdict) -> "Record":
        """What the report keeps of a verdict."""
        return cls(
            verdict.vector.id,
            str(verdict.outcome),
            None if verdict.level is None else str(verdict.level),
            round(verdict.seconds, 6),
            verdict.sentence or None,
            verdict.expected_by,
            None if verdict.actual is None else str(verdict.actual),
            verdict.demanded,
        )

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it."""
        return Outcome(self.outcome) in UNEXPECTED or self.demanded


@dataclass(frozen=True, slots=True)
class ClassAccount:
    """What one class of vectors came to."""

    name: str
    totals: Counter[str]
    reached: str | None
    """The highest level at which every vector of the class that ran agrees."""
    claimed: str | None
    """The level that the runner may claim: only after a whole, clean run of the class."""
    reason: str | None
    """Why there is no claim."""


@dataclass(slots=True)
class Report:
    """Collects records in any order; everything else is derived from them."""

    spec: str
    level: Level
    command: str
    every: list[Vector]
    """The whole set of the spec, selected or not."""
    hello: Hello | None = None
    records: dict[str, Record] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """What went wrong apart from any one vector, a sentence each; any problem fails the run."""
    started_at: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )
    start_up_seconds: float = 0.0
    duration_seconds: float = 0.0
    could_not_try: bool = False

    def add(self, record: Record) -> None:
        """Takes a vector's outcome; a later one for the same vector replaces it."""
        self.records[record.id] = record

    def outcomes(self) -> dict[str, str]:
        """Outcome by vector id, for the known-failures check."""
        return {record.id: record.outcome for record in self.records.values()}

    def totals(self) -> Counter[str]:
        """How often each outcome occurred."""
        return Counter(record.outcome for record in self.records.values())

    @property
    def complete(self) -> bool:
        """Whether every vector of the spec was selected and judged."""
        return all(vector.id in self.records for vector in self.every)

    def exit_code(self) -> int:
        """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried."""
        if self.could_not_try:
            return 2
        if self.problems or any(record.failed for record in self.records.values()):
            return 1
        return 0 if self.totals()[Outcome.PASSED.value] else 2

    def classes(self) -> list[ClassAccount]:
        """Every class of the spec, in the protocol's order."""
        by_class: dict[str, list[Vector]] = {name: [] for name in CLASSES}
        for vector in self.every:
            by_class[vector.conformance_class].append(vector)
        return [self._account(name, vectors) for name, vectors in by_class.items() if vectors]

    def _account(self, name: str, vectors: Iterable[Vector]) -> ClassAccount:
        ran = [self.records.get(vector.id) for vector in vectors]
        records = [record for record in ran if record is not None]
        totals = Counter(record.outcome for record in records)
        answered = [Level[record.level.upper()] for record in records if record.level]
        silent = any(record.level is None for record in records)
        lowest = min(answered, default=Level.NONE)
        reached = None if silent or lowest is Level.NONE else str(lowest)
        others = {outcome: count for outcome, count in totals.items() if outcome != "passed"}
        if not self.complete:
            reason: str | None = "not every vector was selected"
        elif others:
            reason = ", ".join(f"{count} {outcome}" for outcome, count in sorted(others.items()))
        elif self.problems:
            reason = "the run had problems"
        else:
            reason = None
        return ClassAccount(name, totals, reached, reached if reason is None else None, reason)

    def as_json(self) -> dict[str, Any]:
        """The report as the schema ``run-report`` has it."""
        vectors = {vector.id: vector for vector in self.every}
        totals = self.totals()
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "spec": self.spec,
            "level": str(self.level),
            "runner": {
                "command": self.command,
                "name": self.hello.runner if self.hello else None,
                "version": self.hello.version if self.hello else None,
                "numbers": ("string" if self.hello.numbers_as_strings else "json") if self.hello else None,
                "ops": sorted(self.hello.ops) if self.hello else [],
            },
            "started_at": self.started_at,
            "start_up_seconds": round(self.start_up_seconds, 3),
            "duration_seconds": round(self.duration_seconds, 3),
            "complete": self.complete,
            "exit_code": self.exit_code(),
            "problems": self.problems,
            "totals": {outcome.value: totals[outcome.value] for outcome in Outcome},
            "classes": {
                account.name: {
                    "claimed": account.claimed,
                    "reached": account.reached,
                    "totals": dict(sorted(account.totals.items())),
                    "reason": account.reason,
                }
                for account in self.classes()
            },
            "results": [
                {
                    "id": record.id,
                    "op": vectors[record.id].op.name,
                    "class": vectors[record.id].conformance_class,
                    "clause": vectors[record.id].clause,
                    "outcome": record.outcome,
                    "level": record.level,
                    "seconds": record.seconds,
                    "detail": record.detail,
                    "expected_by": record.expected_by,
                    "actual": record.actual,
                }
                for record in sorted(self.records.values(), key=lambda record: record.id)
            ],
        }

    def write(self, path: Path) -> None:
        """Writes the JSON report, replacing a file whole; a device or a pipe is written to.

        Raises:
            OSError: the file can't be written.
        """
        text = json.dumps(self.as_json(), indent=2, ensure_ascii=True) + "\n"
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        target = Path(os.path.realpath(path))  # a link stays one
        partial = target.with_name(target.name + ".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
