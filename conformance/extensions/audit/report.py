"""The results of an audit: of each job, and of all of them for the exit code."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance import interrupts
from conformance.extensions.audit.findings import Severity
from conformance.extensions.audit.job_audit import JobAudit

__all__ = ["CLEAN", "INTERRUPTED", "NOT_JUDGED", "UNFINISHED", "VERDICTS", "Checked", "exit_code", "many"]

INTERRUPTED = "interrupted before its audit had ended"
"""The problem of a job whose audit somebody ended, or that was not begun."""
NOT_JUDGED, UNFINISHED, CLEAN = "not judged", "unfinished", "clean"
VERDICTS = ("wrong", "differs", NOT_JUDGED, UNFINISHED, CLEAN)
"""Every verdict, the worst first, without the number of notes that a clean job's names."""


def many(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun, thousands separated."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"


@dataclass(frozen=True, slots=True)
class Checked:
    """A job directory that was audited, or could not be."""

    path: str
    audit: JobAudit | None
    problem: str | None = None
    """Why it could not be audited, or not to the end."""
    submission: str = ""
    """The folder of jobs that it belongs to, empty for a job of its own."""

    @property
    def total(self) -> int:
        """The number of findings."""
        return 0 if self.audit is None else self.audit.findings.total()

    @property
    def notes(self) -> int:
        """What is worth knowing and breaks no rule: findings of that severity, and what was not checked."""
        if self.audit is None:
            return 0
        return self.audit.findings.of_severity(Severity.NOTE) + len(self.audit.findings.notes)

    @property
    def severity(self) -> Severity | None:
        """The gravest that was found, None if there is nothing to report."""
        found = () if self.audit is None else reversed(Severity)
        for severity in found:
            if self.audit is not None and self.audit.findings.of_severity(severity):
                return severity
        return Severity.NOTE if self.notes else None

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.audit is None or self.problem is not None:
            return NOT_JUDGED
        severity = self.severity
        if severity is not None and severity > Severity.NOTE:
            return str(severity)
        return CLEAN if self.audit.state == "finished" else UNFINISHED  # without a result.json too

    @property
    def shown_verdict(self) -> str:
        """The verdict, with the number of notes where there is nothing graver."""
        if self.verdict in (CLEAN, UNFINISHED) and self.notes:
            return f"{self.verdict} ({many(self.notes, 'note')})"
        return self.verdict


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
