"""What is behind each failure, by the run's diagnosis: the likely mistake, and what to do."""

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.publishing.blocks import Line
from conformance.publishing.kinds.runs.account import Run, counted, sentence
from conformance.publishing.kinds.runs.classes import trust
from conformance.report.consistency import Entry

__all__ = ["Causes"]

_LAST = 1_000


@dataclass(frozen=True)
class Causes:
    """The lines of the to-do list, by failure."""

    lines: Mapping[str, tuple[tuple[int, Entry], ...]]
    """The lines that account for a failure, each with its number."""
    examples: Mapping[str, int]
    """The failures that a line shows, with its number."""

    @classmethod
    def of(cls, run: Run) -> "Causes":
        """The causes that a run's diagnosis names; none where there is none."""
        diagnosis = run.document["diagnosis"]
        lines: dict[str, tuple[tuple[int, Entry], ...]] = {}
        examples: dict[str, int] = {}
        for place, line in enumerate(diagnosis["todo"] if diagnosis else (), start=1):
            examples.setdefault(line["example"]["id"], place)
            for key in line["failures"]:
                lines[key] = (*lines.get(key, ()), (place, line))
        return cls(lines, examples)

    def place(self, key: str) -> tuple[int, int]:
        """Where to look at a failure: first one of each line, then the others line by line."""
        if key in self.examples:
            return (0, self.examples[key])
        return (1, self.lines[key][0][0] if key in self.lines else _LAST)

    def fields(self, key: str) -> list[tuple[str, Line]]:
        """The likely mistake and what to do, of each line that accounts for the failure."""
        found: list[tuple[str, Line]] = []
        for place, line in self.lines.get(key, ()):
            likely = "likely" if line["kind"] in ("mistake", "learned") else "shared"
            beside = len(line["failures"]) - 1
            also = f"; so do {counted(beside, 'other failure')}" if beside else ""
            found.append(
                (
                    likely,
                    (sentence(line["says"]), " (", trust(line), f", line {place} of the to-do list{also})"),
                )
            )
            found.append(("do", (sentence(line["do"]),)))
        return found
