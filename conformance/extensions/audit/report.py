"""The options of an audit, its result for each job, and the exit code for all of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance import interrupts
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.rules import Rules
from conformance.extensions.audit.under import Scores
from conformance.judging.comparison import Level
from conformance.pages.words import one_line

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import Manifest


@dataclass(frozen=True, slots=True)
class Options:
    """How jobs are audited; the same for each."""

    level: Level = Level.BYTES
    limits: Limits = field(default_factory=Limits)
    logs: Sequence[str] = ()
    rows: bool = False
    """Whether to return the trials one by one."""
    keep_working: bool = False
    """Whether to keep how the numbers are computed."""
    manifest: "Manifest | None" = None
    """The manifest of the kit's dataset to check the job against as well."""
    under: Sequence[Rules] = ()
    """Other rules to compute scores by."""


@dataclass(frozen=True, slots=True)
class Working:
    """How the numbers of a job are computed, for `--explain`."""

    file: JobFile
    views: list[View]
    """The view that the findings are from, then the view of the trials as recorded."""


@dataclass(slots=True)
class JobAudit:
    """The findings of one job's audit."""

    findings: Findings
    state: str | None = "unknown"
    """`finished`, `unfinished`, or `unknown` if `result.json` does not say; None if nothing was read."""
    trials: int = 0
    errored: int = 0
    """The number of these that ended in an exception."""
    rows: list[TrialRow] = field(default_factory=list)
    """The trials one by one, if requested."""
    unverified: int = 0
    """The number of trials without reward files, which are checked by their records alone."""
    generations: dict[str, int] = field(default_factory=dict)
    """The releases that wrote its files, by name, with the number of files."""
    planned: int | None = None
    """The number of planned trials that `result.json` states."""
    stated: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The metrics that `result.json` states, by evals key."""
    id: str = ""
    """The job's own id in its `result.json`."""
    diff_of: tuple[str, ...] = ()
    """The ids of the jobs that a diff job starts from, whose trials it may reuse."""
    datasets: list[str] = field(default_factory=list)
    """The kit's datasets of its trials, if it is checked against a manifest."""
    under: list[Scores] = field(default_factory=list)
    """The scores of each group by other rules, next to those that the file states."""
    working: Working | None = None
    """How its numbers are computed, if requested and the job has finished."""


class CouldNotTryError(Exception):
    """A job that could not be audited, or not completely; the message says why."""

    def __init__(self, sentence: str, audit: JobAudit | None = None) -> None:
        super().__init__(sentence)
        self.audit = audit
        """What was found until then."""


LENGTH = 10
"""Hexadecimal digits of a finding's name; among 30,000 findings, two share one in 1 of 2,000 reports."""

INTERRUPTED = "interrupted before its audit had ended"
"""The problem of a job whose audit was interrupted, or not started."""
NOT_JUDGED, UNFINISHED, CLEAN = "not judged", "unfinished", "clean"
VERDICTS = ("wrong", "differs", NOT_JUDGED, UNFINISHED, CLEAN)
"""Every verdict, the worst first; the number of notes, which a clean job's verdict names, is omitted."""


def few(names: Iterable[str], most: int = 3) -> str:
    """The first names of a list, for people; an ellipsis replaces the others."""
    every = list(names)
    return ", ".join(every[:most]) + (", …" if every[most:] else "")


@dataclass(frozen=True, slots=True)
class Checked:
    """A job directory that was audited, or could not be."""

    path: str
    audit: JobAudit = field(default_factory=lambda: JobAudit(Findings(Level.BYTES), None))
    problem: str | None = None
    """Why it could not be audited, or not completely."""
    submission: str = ""
    """The folder of its submission; empty for a single job."""

    @property
    def total(self) -> int:
        """The number of findings."""
        return self.audit.findings.total()

    @property
    def notes(self) -> int:
        """Information that breaks no rule: findings of that severity, and what was not checked."""
        return self.audit.findings.of_severity(Severity.NOTE) + len(self.audit.findings.notes)

    @property
    def severity(self) -> Severity | None:
        """The highest severity found; None if there is nothing to report."""
        found = (one for one in reversed(Severity) if self.audit.findings.of_severity(one))
        return next(found, Severity.NOTE if self.notes else None)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.problem is not None:
            return NOT_JUDGED
        severity = self.severity
        if severity is not None and severity > Severity.NOTE:
            return str(severity)
        return CLEAN if self.audit.state == "finished" else UNFINISHED  # also without a result.json

    def named(self) -> Iterator[tuple[str, Finding]]:
        """Each stored finding, in order, with its short name for `--explain`.

        The name depends on the job's name in the report and on the finding's kind and place, so it stays
        the same in every report on the same files, even if the numbers there change.
        """
        import hashlib  # slow to load

        before: Counter[tuple[str, str, str]] = Counter()
        for finding in self.audit.findings.ordered():
            place = (finding.kind, finding.file, finding.path)
            text = "\0".join([self.path, *place, str(before[place])]).encode("utf-8", "surrogatepass")
            before[place] += 1
            yield hashlib.sha256(text).hexdigest()[:LENGTH], finding


def exit_code(jobs: Sequence[Checked], fail_on: Severity | None = Severity.DIFFERS) -> int:
    """0 without a finding of at least the severity `fail_on` (None: there is none), 1 with one.

    2 if a job could not be audited, or there is none; 128 and the signal if the audit was interrupted.
    """
    if any(job.problem == INTERRUPTED for job in jobs):
        return interrupts.exit_code()
    if not jobs or any(job.problem is not None for job in jobs):
        return 2
    if fail_on is None:
        return 0
    return 1 if any(job.severity is not None and job.severity >= fail_on for job in jobs) else 0


def common_folder(names: Iterable[str]) -> str:
    """The folder that contains all of these, with its slash; empty if there is none."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0] + "/")
    return "".join(common) if any(part != "/" and not part.endswith(":/") for part in common) else ""


@dataclass(frozen=True, slots=True)
class Below:
    """The folder that names are shown relative to."""

    folder: str = ""
    """With its slash; empty if names are shown in full."""

    @classmethod
    def of(cls, jobs: Iterable[tuple[str, str]]) -> "Below":
        """The common folder of the jobs, given with their submissions, which may be empty."""
        return cls(common_folder({submission or name for name, submission in jobs}))

    def short(self, name: str) -> str:
        """A name relative to the folder; other names are unchanged."""
        return name[len(self.folder) :] or name if name.startswith(self.folder) else name

    def line(self, name: str, most: int = 160) -> str:
        """The same on one line; a long one is cut."""
        return one_line(self.short(name), most)

    def in_text(self, text: str) -> str:
        """A sentence, in which the names in the list at its end are shortened."""
        return re.sub(f"(?<=[:,] ){re.escape(self.folder)}(?=.)", "", text) if self.folder else text
