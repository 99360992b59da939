"""The JSON report in the form of the schema `check-report`, and summaries over many jobs."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance import __version__
from conformance.extensions.audit.findings import KINDS, NEVER, Finding, Severity
from conformance.extensions.audit.report import VERDICTS, Checked, exit_code
from conformance.extensions.audit.under import Scores
from conformance.judging.comparison import Level
from conformance.suite.schemas import urn
from conformance.wire.text import encodable

Json = Any
SCHEMA = urn("check-report")
PLACES = 5
"""The most places listed for one kind of finding, each from another job."""
_NUMBER = 2**63


def encoded(value: Any) -> Any:
    """A document whose texts can all be encoded as UTF-8, since names are untrusted."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): encoded(one) for key, one in value.items()}
    return [encoded(one) for one in value] if isinstance(value, list | tuple) else value


def as_json(
    jobs: Sequence[Checked],
    level: Level,
    spec: str,
    statements: Mapping[str, str],
    fail_on: Severity | None,
    groups: Mapping[str, Json],
    *,
    submissions: Json,
    leaderboards: Json,
    aside: Json,
    asked: Json,
) -> Json:
    """The report; it does not depend on the order in which jobs were finished.

    `groups` are the roll-ups of jobs without a submission, by path; `aside` lists what was ignored in the
    places named; `asked` are the options.
    """
    verdicts = Counter(job.verdict for job in jobs)
    audits = [job.audit for job in jobs]
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": spec,
        "level": str(level),
        "fail_on": NEVER if fail_on is None else str(fail_on),
        "exit_code": exit_code(jobs, fail_on),
        "summary": {
            "jobs": len(jobs),
            "trials": sum(audit.trials for audit in audits),
            "unverified": sum(audit.unverified for audit in audits),
            "verdicts": {verdict.replace(" ", "_"): verdicts[verdict] for verdict in VERDICTS},
            "total": sum(job.total for job in jobs),
            "kinds": by_kind(jobs),
            "notes": [{"note": note, "jobs": count} for note, count in notes_of(jobs)],
            "generations": generations_of(jobs),
        },
        "jobs": [_job(job, statements, groups) for job in jobs],
        "submissions": submissions,
        "leaderboards": leaderboards,
        "aside": aside,
        "asked": asked,
    }


def by_kind(jobs: Iterable[Checked]) -> list[Json]:
    """The findings of jobs by severity and kind, the most severe and most frequent first."""
    counts, owners = Counter[tuple[Severity, str]](), Counter[tuple[Severity, str]]()
    first: defaultdict[tuple[Severity, str], dict[str, Json]] = defaultdict(dict)
    for job in jobs:
        for kind, of_kind in job.audit.findings.severities.items():
            for severity, count in of_kind.items():
                counts[severity, kind] += count
                owners[severity, kind] += 1
        for name, finding in job.named():
            places = first[finding.severity, finding.kind]
            if len(places) < PLACES and job.path not in places:
                members = {
                    member: getattr(finding, member) for member in ("file", "path", "found", "expected")
                }
                places[job.path] = {"job": job.path, "id": name, **members}
    return [
        {
            "kind": kind,
            "severity": str(severity),
            "means": KINDS[kind],
            "count": counts[severity, kind],
            "jobs": owners[severity, kind],
            "first": [*first[severity, kind].values()],
        }
        for severity, kind in sorted(counts, key=lambda one: (-one[0], -counts[one], one[1]))
    ]


def notes_of(jobs: Iterable[Checked]) -> list[tuple[str, int]]:
    """Notes on what was not checked, with the number of jobs, the most frequent first."""
    counts = Counter(note for job in jobs for note in job.audit.findings.notes)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def generations_of(jobs: Iterable[Checked]) -> dict[str, int]:
    """The number of files that each release wrote, by kind of file."""
    counts: Counter[str] = Counter()
    for job in jobs:
        counts.update(job.audit.generations)

    def by_release(item: tuple[str, int]) -> tuple[str, list[int]]:
        kind, _, releases = item[0].partition(": ")
        return kind, list(map(int, re.findall("[0-9]+", releases)))

    return dict(sorted(counts.items(), key=by_release))


def _job(job: Checked, statements: Mapping[str, str], groups: Mapping[str, Json]) -> Json:
    audit = job.audit
    made = {
        "path": job.path,
        "submission": job.submission,
        "problem": job.problem,
        "state": audit.state,
        "verdict": job.verdict,
        **{name: getattr(audit, name) for name in ("trials", "errored", "unverified")},
        "generations": dict(sorted(audit.generations.items())),
        "total": job.total,
        "severities": {str(severity): audit.findings.of_severity(severity) for severity in Severity},
        "counts": dict(sorted(audit.findings.counts.items())),
        "findings": [_finding(name, finding, statements) for name, finding in job.named()],
        "notes": sorted(map(encodable, audit.findings.notes)),
        "datasets": audit.datasets,
    }
    if audit.under:
        made["under"] = [_under(scores) for scores in audit.under]
    if not job.submission and job.path in groups:
        made["groups"] = groups[job.path]
    return made


def _finding(name: str, finding: Finding, statements: Mapping[str, str]) -> dict[str, Any]:
    same = ("kind", "file", "path", "found", "expected", "clause", "likely", "task", "vector")
    return {
        "id": name,
        "severity": str(finding.severity),
        "rule": finding.rule or statements.get(finding.clause or ""),
        "level": str(finding.breaks),
        **{member: getattr(finding, member) for member in same},
    }


def number_json(number: float | int | None) -> float | int | str | None:
    """A number as JSON can represent it: a text if it is not finite, or an int with too many digits."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if isinstance(number, float):
        return number if math.isfinite(number) else repr(number)
    return number if abs(number) < _NUMBER else "an int beyond 64 bits"


def _under(scores: Scores) -> dict[str, Any]:
    """The changes that other rules make to a job's scores."""
    return {
        **{name: getattr(scores, name) for name in ("rules", "text", "source", "unknown")},
        "groups": {
            key: {
                name: [number_json(before), number_json(after)]
                for name, (before, after) in sorted(group.changed().items())
            }
            for key, group in sorted(scores.groups.items())
        },
        "changes": [{"what": what, "trials": names} for what, names in scores.changes.items()],
    }
