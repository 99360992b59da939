"""How jobs are audited, and the result: of each job, and of all of them for the exit code."""

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
    """Whether the trials are wanted one by one."""
    keep_working: bool = False
    """Whether it is kept how the numbers come about."""
    manifest: "Manifest | None" = None
    """The manifest of the kit's dataset to check the job against as well."""
    under: Sequence[Rules] = ()
    """Rules to compute scores by as well."""


@dataclass(frozen=True, slots=True)
class Working:
    """How the numbers of a job come about: what `--explain` shows."""

    file: JobFile
    views: list[View]
    """The view that the findings are from, then that of the trials as recorded."""


@dataclass(slots=True)
class JobAudit:
    """What an audit of one job found."""

    findings: Findings
    state: str | None = "unknown"
    """`finished`, `unfinished`, or `unknown` where `result.json` does not say; None if nothing was read."""
    trials: int = 0
    errored: int = 0
    """Of these, those that ended in an exception."""
    rows: list[TrialRow] = field(default_factory=list)
    """The trials one by one, where they are wanted."""
    unverified: int = 0
    """Trials that are judged by their records alone, because there are no reward files."""
    generations: dict[str, int] = field(default_factory=dict)
    """The releases that wrote its files, by name, with the number of files."""
    planned: int | None = None
    """The trials that `result.json` says were planned."""
    stated: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The metrics that `result.json` states, by evals key."""
    id: str = ""
    """The job's own, as its `result.json` has it."""
    diff_of: tuple[str, ...] = ()
    """The ids of the jobs that it is a diff of, whose trials it may reuse."""
    datasets: list[str] = field(default_factory=list)
    """The kit's datasets that its trials belong to, where it is checked against their manifest."""
    under: list[Scores] = field(default_factory=list)
    """By other rules, the scores of each group next to those that are stated."""
    working: Working | None = None
    """How its numbers come about, where that is wanted and the job has finished."""


class CouldNotTryError(Exception):
    """A job that can't be audited, or not to the end; the message says why."""

    def __init__(self, sentence: str, audit: JobAudit | None = None) -> None:
        super().__init__(sentence)
        self.audit = audit
        """What was found until then."""


LENGTH = 10
"""Hexadecimal digits of a finding's name: of 30,000 findings two have the same once in 2,000 reports."""

INTERRUPTED = "interrupted before its audit had ended"
"""The problem of a job whose audit somebody ended, or that was not begun."""
NOT_JUDGED, UNFINISHED, CLEAN = "not judged", "unfinished", "clean"
VERDICTS = ("wrong", "differs", NOT_JUDGED, UNFINISHED, CLEAN)
"""Every verdict, the worst first, without the number of notes that a clean job's names."""


def few(names: Iterable[str], most: int = 3) -> str:
    """The first names of a list, for people; dots replace the others."""
    every = list(names)
    return ", ".join(every[:most]) + (", …" if every[most:] else "")


@dataclass(frozen=True, slots=True)
class Checked:
    """A job directory that was audited, or could not be."""

    path: str
    audit: JobAudit = field(default_factory=lambda: JobAudit(Findings(Level.BYTES), None))
    problem: str | None = None
    """Why it could not be audited, or not to the end."""
    submission: str = ""
    """The folder of jobs that it belongs to, empty for a job of its own."""

    @property
    def total(self) -> int:
        """The number of findings."""
        return self.audit.findings.total()

    @property
    def notes(self) -> int:
        """What is worth knowing and breaks no rule: findings of that severity, and what was not checked."""
        return self.audit.findings.of_severity(Severity.NOTE) + len(self.audit.findings.notes)

    @property
    def severity(self) -> Severity | None:
        """The gravest that was found, None if there is nothing to report."""
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
        return CLEAN if self.audit.state == "finished" else UNFINISHED  # without a result.json too

    def named(self) -> Iterator[tuple[str, Finding]]:
        """Each finding that was kept, in order, with the short name by which `--explain` is asked.

        The name hangs on the job's name in the report and on the finding's kind and place, so it is the
        same in every report on the same files, and when the numbers there change.
        """
        import hashlib  # slow to load

        before: Counter[tuple[str, str, str]] = Counter()
        for finding in self.audit.findings.ordered():
            place = (finding.kind, finding.file, finding.path)
            text = "\0".join([self.path, *place, str(before[place])]).encode("utf-8", "surrogatepass")
            before[place] += 1
            yield hashlib.sha256(text).hexdigest()[:LENGTH], finding


def exit_code(jobs: Sequence[Checked], fail_on: Severity | None = Severity.DIFFERS) -> int:
    """0 without a finding as grave as `fail_on` (None: none is), 1 with one.

    2 if any job could not be audited, or there is none; 128 and the signal if the audit was ended.
    """
    if any(job.problem == INTERRUPTED for job in jobs):
        return interrupts.exit_code()
    if not jobs or any(job.problem is not None for job in jobs):
        return 2
    if fail_on is None:
        return 0
    return 1 if any(job.severity is not None and job.severity >= fail_on for job in jobs) else 0


def common_folder(names: Iterable[str]) -> str:
    """The folder that all of these are in, with its slash; empty where there is none."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0] + "/")
    return "".join(common) if any(part != "/" and not part.endswith(":/") for part in common) else ""


@dataclass(frozen=True, slots=True)
class Below:
    """A folder that names are shown below."""

    folder: str = ""
    """With its slash; empty where names are shown whole."""

    @classmethod
    def of(cls, jobs: Iterable[tuple[str, str]]) -> "Below":
        """What the names of jobs share, each given with its submission's, which may be empty."""
        return cls(common_folder({submission or name for name, submission in jobs}))

    def short(self, name: str) -> str:
        """A name below the folder; any other one whole."""
        return name[len(self.folder) :] or name if name.startswith(self.folder) else name

    def line(self, name: str, most: int = 160) -> str:
        """The same on one line, cut where it is long."""
        return one_line(self.short(name), most)

    def in_text(self, text: str) -> str:
        """A sentence with the names in it shortened that are in a list at its end."""
        return re.sub(f"(?<=[:,] ){re.escape(self.folder)}(?=.)", "", text) if self.folder else text
