"""What `check` tells: findings and a table for people, a JSON report for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from conformance import __version__, interrupts
from conformance.check.audit import Audit
from conformance.check.findings import Finding
from conformance.judging.comparison import Level
from conformance.report.writing import plain_table, table_lines
from conformance.wire.text import encodable, printable

__all__ = [
    "INTERRUPTED",
    "SCHEMA",
    "Checked",
    "as_json",
    "exit_code",
    "finding_text",
    "report_text",
    "summary",
]

SCHEMA = "urn:harbor-conformance:check-report:1"
INTERRUPTED = "interrupted before its audit had ended"
"""The problem of a job whose audit somebody ended, or that was not begun."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A job directory that was audited, or could not be."""

    path: str
    audit: Audit | None
    problem: str | None = None
    """Why it could not be audited, or not to the end."""
    submission: str = ""
    """The folder of jobs that it belongs to, empty for a job of its own."""

    @property
    def total(self) -> int:
        """The number of findings."""
        return 0 if self.audit is None else self.audit.findings.total()

    @property
    def verdict(self) -> str:
        """In two words."""
        if self.audit is None:
            return "not tried"
        if self.problem is not None:
            return "not judged"
        if self.total:
            return "does not conform"
        return "conforms" if self.audit.state == "finished" else "no finding"


def exit_code(jobs: Sequence[Checked]) -> int:
    """0 without a finding, 1 with one, 2 if any job could not be audited, 128 and the signal if ended."""
    if any(job.problem == INTERRUPTED for job in jobs):
        return interrupts.exit_code()
    if not jobs or any(job.problem is not None for job in jobs):
        return 2
    return 1 if any(job.total for job in jobs) else 0


def finding_text(finding: Finding, statements: Mapping[str, str]) -> str:
    """A finding in full."""
    where = finding.file or "the job's directory"
    lines = [f"{finding.kind}: {printable(where)}{' ' + printable(finding.path) if finding.path else ''}"]
    fields = [("found", finding.found), ("expected", finding.expected)]
    if finding.clause is not None:
        rule = finding.rule or statements.get(finding.clause)
        fields.append(("clause", finding.clause + (f": {rule}" if rule else "")))
    if finding.likely is not None:
        fields.append(("likely", finding.likely))
    if finding.task is not None:
        fields.append(("task", finding.task))
    if finding.vector is not None:
        fields.append(("vector", finding.vector))
    if finding.breaks is not Level.VALUE:
        fields.append(("counts from", f"level {finding.breaks}"))
    return "\n".join([*lines, *(f"    {name}: {printable(value)}" for name, value in fields)])


def report_text(job: Checked, most: int, statements: Mapping[str, str]) -> list[str]:
    """All about one job, but for the table."""
    if job.audit is None:
        return [f"{printable(job.path)}: {printable(job.problem or '')}", ""]
    lines = []
    findings = job.audit.findings
    if job.total or findings.notes or job.problem is not None:
        lines.append(f"{printable(job.path)}:")
    lines += [finding_text(finding, statements) for finding in findings.ordered()[:most]]
    if job.total > most:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(findings.counts.items()))
        lines.append(f"… {job.total} findings in all: {kinds} (--findings N shows more)")
    lines += [f"note: {printable(note)}" for note in findings.notes]
    if job.problem is not None:
        lines.append(f"not judged to the end: {printable(job.problem)}")
    return [*lines, ""] if lines else []


def summary(jobs: Sequence[Checked], level: Level, width: int) -> list[str]:
    """The table of jobs and the last line."""
    table = plain_table()
    table.add_column("job", overflow="fold")
    table.add_column("state", no_wrap=True)
    for name in ("trials", "errors", "findings"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for job in jobs:
        audit = job.audit
        numbers = (
            ("-", "-", "-", "-")
            if audit is None
            else (*(audit.state, str(audit.trials), str(audit.errored), str(job.total)),)
        )
        table.add_row(Text(printable(job.path)), *numbers, job.verdict)
    lines = table_lines([table], width)
    total, untried = sum(job.total for job in jobs), sum(job.audit is None for job in jobs)
    halfway = sum(job.problem is not None for job in jobs) - untried
    trials = sum(job.audit.trials for job in jobs if job.audit is not None)
    parts = [
        _many(len(jobs), "job"),
        _many(trials, "trial"),
        f"level {level}",
        _many(total, "finding") if total else "no finding",
    ]
    if untried:
        parts.append(f"{_many(untried, 'job')} not tried")
    if halfway:
        parts.append(f"{_many(halfway, 'job')} not judged to the end")
    if any(job.problem == INTERRUPTED for job in jobs):
        parts.append("interrupted")
    return [*lines, ", ".join(parts)]


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def as_json(
    jobs: Sequence[Checked], level: Level, spec: str, statements: Mapping[str, str]
) -> dict[str, Any]:
    """The report as the schema `check-report` has it."""
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": spec,
        "level": str(level),
        "exit_code": exit_code(jobs),
        "jobs": [_job(job, statements) for job in jobs],
    }


def _job(job: Checked, statements: Mapping[str, str]) -> dict[str, Any]:
    audit = job.audit
    findings = [] if audit is None else audit.findings.ordered()
    return {
        "path": encodable(job.path),
        "problem": None if job.problem is None else encodable(job.problem),
        "state": None if audit is None else audit.state,
        "trials": 0 if audit is None else audit.trials,
        "errored": 0 if audit is None else audit.errored,
        "total": job.total,
        "counts": {} if audit is None else dict(sorted(audit.findings.counts.items())),
        "findings": [_finding(finding, statements) for finding in findings],
        "notes": [] if audit is None else list(map(encodable, audit.findings.notes)),
        "datasets": [] if audit is None else audit.datasets,
    }


def _finding(finding: Finding, statements: Mapping[str, str]) -> dict[str, Any]:
    rule = finding.rule or statements.get(finding.clause or "")
    return {
        "kind": finding.kind,
        "file": encodable(finding.file),
        "path": encodable(finding.path),
        "found": encodable(finding.found),
        "expected": encodable(finding.expected),
        "clause": finding.clause,
        "rule": rule,
        "likely": finding.likely,
        "level": str(finding.breaks),
        "task": finding.task,
        "vector": finding.vector,
    }
