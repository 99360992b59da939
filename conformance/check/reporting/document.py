"""The JSON report, as the schema `check-report` has it."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance import __version__
from conformance.check.findings import KINDS, NEVER, Finding, Severity
from conformance.check.report import Checked, exit_code
from conformance.check.reporting.names import named
from conformance.check.reporting.totals import KindTotal, totals
from conformance.judging.comparison import Level
from conformance.suite.schemas import urn
from conformance.wire.text import encodable

__all__ = ["SCHEMA", "as_json"]

SCHEMA = urn("check-report")


def as_json(
    jobs: Sequence[Checked],
    level: Level,
    spec: str,
    statements: Mapping[str, str],
    fail_on: Severity | None = Severity.DIFFERS,
    submissions: Sequence[Mapping[str, Any]] = (),
    leaderboards: Sequence[Mapping[str, Any]] = (),
    aside: Sequence[str] = (),
    asked: Mapping[str, Any] | None = None,
    groups: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> dict[str, Any]:
    """The report. Nothing of it hangs on which job was ready first.

    `submissions` and `leaderboards` are roll-ups, and so are the `groups` of jobs that are of no
    submission, by path; `aside` says what below the places named is no job, `asked` with which options.
    """
    total = totals(jobs)
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": spec,
        "level": str(level),
        "fail_on": NEVER if fail_on is None else str(fail_on),
        "exit_code": exit_code(jobs, fail_on),
        **({} if asked is None else {"asked": asked}),
        "summary": {
            "jobs": len(jobs),
            "trials": total.trials,
            "unverified": total.unverified,
            "verdicts": {verdict.replace(" ", "_"): count for verdict, count in total.verdicts.items()},
            "total": total.findings,
            "kinds": [_kind(kind) for kind in total.kinds],
            "notes": [{"note": encodable(note), "jobs": count} for note, count in total.notes.items()],
            "generations": total.generations,
        },
        "jobs": [_job(job, statements, groups or {}) for job in jobs],
        "submissions": list(submissions),
        "leaderboards": list(leaderboards),
        "aside": list(map(encodable, aside)),
    }


def _kind(kind: KindTotal) -> dict[str, Any]:
    return {
        "kind": kind.kind,
        "severity": str(kind.severity),
        "means": KINDS[kind.kind],
        "count": kind.count,
        "jobs": kind.jobs,
        "first": [
            {
                "job": encodable(place.job),
                "id": place.name,
                "file": encodable(place.finding.file),
                "path": encodable(place.finding.path),
                "found": encodable(place.finding.found),
                "expected": encodable(place.finding.expected),
            }
            for place in kind.places
        ],
    }


def _job(
    job: Checked, statements: Mapping[str, str], groups: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    audit = job.audit
    own = None if job.submission else groups.get(job.path)
    of = None if audit is None else audit.findings.of_severity
    return {
        "path": encodable(job.path),
        "submission": encodable(job.submission),
        "problem": None if job.problem is None else encodable(job.problem),
        "state": None if audit is None else audit.state,
        "verdict": job.verdict,
        "trials": 0 if audit is None else audit.trials,
        "errored": 0 if audit is None else audit.errored,
        "unverified": 0 if audit is None else audit.unverified,
        "generations": {} if audit is None else dict(sorted(audit.generations.items())),
        "total": job.total,
        "severities": {str(severity): 0 if of is None else of(severity) for severity in Severity},
        "counts": {} if audit is None else dict(sorted(audit.findings.counts.items())),
        "findings": [_finding(name, finding, statements) for name, finding in named(job)],
        "notes": [] if audit is None else sorted(map(encodable, audit.findings.notes)),
        "datasets": [] if audit is None else audit.datasets,
        **({} if own is None else {"groups": list(own)}),
    }


def _finding(name: str, finding: Finding, statements: Mapping[str, str]) -> dict[str, Any]:
    rule = finding.rule or statements.get(finding.clause or "")
    return {
        "id": name,
        "kind": finding.kind,
        "severity": str(finding.severity),
        "file": encodable(finding.file),
        "path": encodable(finding.path),
        "found": encodable(finding.found),
        "expected": encodable(finding.expected),
        "clause": finding.clause,
        "rule": rule,
        "likely": None if finding.likely is None else encodable(finding.likely),
        "level": str(finding.breaks),
        "task": finding.task,
        "vector": finding.vector,
    }
