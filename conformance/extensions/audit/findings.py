"""The results of an audit: one finding per cause, and notes on what was not checked."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cache
from typing import Any

from conformance.errors import UserError
from conformance.judging.levels import Level
from conformance.suite.schemas import schema
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import Refused


class AuditError(UserError):
    """A request can't be carried out; the message says why, or what to do."""


class Severity(IntEnum):
    """How much a finding affects the numbers."""

    NOTE = 1
    """Information; nothing is wrong."""
    DIFFERS = 2
    """Not what harbor of that release writes, but no numbers contradict each other."""
    WRONG = 3
    """The numbers contradict each other."""

    NEVER = 4
    """The value of `--fail-on never`; no finding has it."""

    def __str__(self) -> str:
        return self.name.lower()


@cache
def kinds() -> dict[str, str]:
    """Return each kind of finding with its description from the schema of reports."""
    return {kind["const"]: kind["description"] for kind in schema("check-report")["$defs"]["kind"]["oneOf"]}


MOST_OF_A_KIND = 1000
LONGEST = 4000
"""The most characters of each text of a finding."""
_NEVER_MERGED = ("missing-trial", "extra-trial", "dataset-task", "dataset-job")
"""The kinds that are reported for each trial, and never merged."""


DIFFERS = {
    *("symbolic-link", "special-file", "wrong-type", "too-large", "unreadable", "not-json"),
    *("duplicate-key", "schema", "trial-name", "order", "time", "text"),
}
"""The kinds that do not contradict numbers, unless the finding itself says otherwise.

If a record is not JSON, or exceeds the limits, numbers can't be checked, but nothing contradicts them; a note
says which are not checked. If the record of a counted trial is missing, the count is wrong.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of one rule."""

    kind: str
    file: str
    """The file, relative to the job's directory; empty for the directory itself."""
    path: str
    """The place in the file as a JSON pointer; empty for the whole file."""
    found: str
    expected: str
    clause: str | None
    """The broken clause; None if the file system is at fault."""
    likely: str | None = None
    breaks: Level = Level.VALUE
    """The lowest level of comparison at which it counts."""
    rule: str | None = None
    """The rule in words, if it is not the clause's statement."""
    task: str | None = None
    """The task of the dataset, if the job is checked against one."""
    vector: str | None = None
    severity_override: Severity | None = None
    """The severity, if it differs from the kind's."""

    @property
    def severity(self) -> Severity:
        """The kind's severity, unless overridden.

        A difference that only counts above level value, such as 0 for 0.0 or another order of names, does not
        change the numbers.
        """
        if self.severity_override is not None:
            return self.severity_override
        if self.kind in DIFFERS or self.breaks is not Level.VALUE:
            return Severity.DIFFERS
        return Severity.WRONG

    def shortened(self) -> "Finding":
        """Return the finding with long texts truncated."""
        texts = ((name, getattr(self, name)) for name in ("file", "path", "found", "expected"))
        long: dict[str, Any] = {name: shortened(text, LONGEST) for name, text in texts if len(text) > LONGEST}
        return replace(self, **long) if long else self

    @property
    def sort_key(self) -> tuple[str, ...]:
        """The sort key, which makes the order of findings independent of the order of checks."""
        return (self.file, self.path, self.kind, self.found, self.expected, self.clause or "")


@dataclass(slots=True)
class Findings:
    """The findings of one job. At most a thousand of each kind are stored, but all are counted."""

    level: Level = Level.BYTES
    counts: Counter[tuple[str, Severity]] = field(default_factory=Counter)
    """The number of findings by kind and severity, stored or not."""
    stored: list[Finding] = field(default_factory=list)
    """Sorted by file and path; if there are too many of a kind, only the most severe ones."""
    notes: dict[str, None] = field(default_factory=dict)
    pending: list[Finding] = field(default_factory=list)
    """Findings that are not counted yet: `flush` merges those that occur in many records."""

    def flush(self) -> None:
        """Merge, count and store the pending findings, once it is known which files are wrong."""
        places = Counter[str]()
        findings = [item for item in merge_repeated(self.pending) if item.breaks <= self.level]
        for finding in sorted(findings, key=lambda finding: (-finding.severity, finding.sort_key)):
            self.counts[finding.kind, finding.severity] += 1
            places[finding.kind] += 1
            if places[finding.kind] <= MOST_OF_A_KIND:
                self.stored.append(finding.shortened())
        self.stored.sort(key=lambda item: item.sort_key)
        self.pending = []

    def add(self, *details: Any, **more: Any) -> None:
        """Add a finding; takes the arguments of `Finding`."""
        self.pending.append(Finding(*details, **more))

    def add_refusal(self, refused: Refused, file: str, clause: str | None = None) -> None:
        """Add the finding for a file that can't be read."""
        self.add(refused.kind, file, "", refused.found, refused.expected, clause)

    def note(self, sentence: str) -> None:
        """Add a note about something that was not checked, unless it is already there."""
        self.notes[sentence] = None

    def of_severity(self, severity: Severity) -> int:
        """The number of findings of a severity, stored or not."""
        return sum(count for (_, level), count in self.counts.items() if level is severity)


FEW = 3
"""The most trials whose equal findings are reported separately."""


def merge_repeated(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Merge the equal findings of more than `FEW` trials into one for each place.

    Schema errors with the same fix, such as times in another format, are merged even if their places differ.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        file = finding.file.partition("/")[2]
        same = (file, finding.kind, finding.severity, finding.clause, finding.breaks)
        by_fix = finding.kind == "schema" and finding.severity is not Severity.NOTE
        where = finding.expected if by_fix else finding.path
        single = not file or finding.kind in _NEVER_MERGED or finding.severity is Severity.NOTE
        groups.setdefault((number,) if single else (*same, where), []).append(finding)
    for group in groups.values():
        trials = {item.file.partition("/")[0] for item in group}
        if len(trials) <= FEW:
            yield from group
            continue
        first = min(group, key=lambda item: item.sort_key)
        places = {item.path for item in group}
        also = f", at {len(places)} places in each" if len(places) > 1 else ""
        text = f"the same in {len(trials)} trials{also}"
        yield replace(first, likely=text if first.likely is None else f"{first.likely}; {text}")
