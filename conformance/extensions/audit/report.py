"""The options of an audit, the result for each job, the JSON report, and the exit code."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from conformance import __version__, interrupts
from conformance.extensions.audit.findings import Finding, Findings, Severity, kinds
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.rules import Rules
from conformance.extensions.audit.under import Scores
from conformance.judging.levels import Level
from conformance.suite.schemas import urn
from conformance.wire.text import encodable

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import Manifest


@dataclass(frozen=True, slots=True)
class Options:
    """The options that apply to each job."""

    level: Level = Level.BYTES
    limits: Limits = field(default_factory=Limits)
    logs: Sequence[str] = ()
    rows: bool = False
    """Whether the result includes a row for each trial."""
    keep_computation: bool = False
    """Whether the result includes how its numbers are computed."""
    manifest: "Manifest | None" = None
    """The manifest of one of the kit's datasets to compare the job with."""
    under: Sequence[Rules] = ()
    """Other rules for computing scores."""


LENGTH = 10
"""The hexadecimal digits of a finding's name: 30,000 findings have a collision in 1 of 2,000 reports."""
INTERRUPTED = "interrupted before its audit had ended"
"""The problem of a job whose audit was interrupted or never started."""
NOT_JUDGED, UNFINISHED, CLEAN = "not judged", "unfinished", "clean"
_SEVERITIES = (Severity.NOTE, Severity.DIFFERS, Severity.WRONG)
VERDICTS = ("wrong", "differs", NOT_JUDGED, UNFINISHED, CLEAN)
"""All verdicts, the worst first."""


@dataclass(slots=True)
class JobAudit:
    """The result for one job."""

    path: str = ""
    """Its name in the report."""
    findings: Findings = field(default_factory=Findings)
    state: str | None = None
    """`finished`, `unfinished`, or `unknown` if `result.json` does not say; None if nothing was read."""
    problem: str | None = None
    """A sentence that says why it could not be audited completely."""
    submission: str = ""
    """The folder of its submission; empty for a single job."""
    trials: int = 0
    errored: int = 0
    """The number of trials that ended in an exception."""
    rows: list[TrialRow] = field(default_factory=list)
    """The trials, if requested."""
    unverified: int = 0
    """The number of trials without reward files; only their records are checked."""
    generations: dict[str, int] = field(default_factory=dict)
    """The number of files by the releases that wrote them."""
    planned: int | None = None
    """The number of planned trials that `result.json` states."""
    stated: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The metrics that `result.json` states, by evals key."""
    id: str = ""
    """The job's id in its `result.json`."""
    diff_of: tuple[str, ...] = ()
    """The ids of a diff job's source jobs, whose trials it may reuse."""
    datasets: list[str] = field(default_factory=list)
    """The kit's datasets that its trials belong to, if there is a manifest."""
    under: list[Scores] = field(default_factory=list)
    """The stated scores of each group, and those by other rules."""
    working: tuple[JobFile, list[View]] | None = None
    """How the numbers of a finished job are computed, if requested: the file as read, the view that the
    findings are from, and the view of the trials as recorded."""

    @property
    def total(self) -> int:
        """The number of findings."""
        return self.findings.counts.total()

    @property
    def notes(self) -> int:
        """The number of notes: findings of that severity, and sentences on what was not checked."""
        return self.findings.of_severity(Severity.NOTE) + len(self.findings.notes)

    @property
    def severity(self) -> Severity | None:
        """The highest severity of a finding or note; None if there are none."""
        severities = (severity for severity in _SEVERITIES[::-1] if self.findings.of_severity(severity))
        return next(severities, Severity.NOTE if self.notes else None)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.problem is not None:
            return NOT_JUDGED
        severity = self.severity
        if severity is not None and severity > Severity.NOTE:
            return str(severity)
        return CLEAN if self.state == "finished" else UNFINISHED  # also without a result.json

    def named_findings(self) -> Iterator[tuple[str, Finding]]:
        """Yield each stored finding, in order, after its short name for `--explain`.

        The name depends on the job's name in the report and on the finding's kind and place, so it stays the
        same in each report on the same files, even if the numbers there change.
        """
        import hashlib  # slow to load

        before: Counter[tuple[str, str, str]] = Counter()
        for finding in self.findings.stored:
            key = (finding.kind, finding.file, finding.path)
            text = "\0".join([self.path, *key, str(before[key])]).encode("utf-8", "surrogatepass")
            before[key] += 1
            yield hashlib.sha256(text).hexdigest()[:LENGTH], finding


def first_few(names: Iterable[str], most: int = 3) -> str:
    """Join the first few names; an ellipsis replaces the others."""
    all_names = list(names)
    return ", ".join(all_names[:most]) + (", …" if all_names[most:] else "")


def exit_code(jobs: Sequence[JobAudit], fail_on: Severity = Severity.DIFFERS) -> int:
    """Return 1 if a finding has at least the severity `fail_on`, otherwise 0.

    Returns 2 if a job could not be audited, or there is none; 128 plus the signal after an interruption.
    """
    if any(job.problem == INTERRUPTED for job in jobs):
        return interrupts.exit_code()
    if not jobs or any(job.problem is not None for job in jobs):
        return 2
    return 1 if any(job.severity is not None and job.severity >= fail_on for job in jobs) else 0


def common_folder(jobs: Iterable[tuple[str, str]]) -> str:
    """Return the folder, with its slash, that all jobs are in; empty if there is none.

    Each job is a pair of its name and its submission, which may be empty.
    """
    folders = [(submission or name).split("/")[:-1] for name, submission in jobs]
    levels = takewhile(lambda parts: len({*parts}) == 1, zip(*folders, strict=False))
    common = [parts[0] + "/" for parts in levels]
    return "".join(common) if any(folder != "/" and not folder.endswith(":/") for folder in common) else ""


Json = Any
SCHEMA = urn("check-report")
PLACES = 5
"""The most places listed for one kind of finding, each in a different job."""
_NUMBER = 2**63
_SAME = ("kind", "file", "path", "found", "expected", "clause", "likely", "task", "vector")


def encoded(value: Any) -> Any:
    """Return a document whose texts can all be encoded as UTF-8, since names are untrusted."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): encoded(item) for key, item in value.items()}
    return [encoded(item) for item in value] if isinstance(value, list | tuple) else value


def as_json(
    jobs: Sequence[JobAudit],
    statements: Mapping[str, str],
    fail_on: Severity,
    groups: Mapping[str, Json],
    **more: Json,
) -> Json:
    """Return the JSON report, which does not depend on the order in which jobs finish.

    `groups` has the summaries of jobs without a submission, by path. `more` has the members `spec`, `level`,
    `submissions`, `leaderboards`, `aside` (the ignored files and folders) and `asked` (the options).
    """
    verdicts = Counter(job.verdict for job in jobs)
    notes = Counter(note for job in jobs for note in job.findings.notes)
    noted = sorted(notes.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "fail_on": str(fail_on),
        "exit_code": exit_code(jobs, fail_on),
        "summary": {
            "jobs": len(jobs),
            "trials": sum(job.trials for job in jobs),
            "unverified": sum(job.unverified for job in jobs),
            "verdicts": {verdict.replace(" ", "_"): verdicts[verdict] for verdict in VERDICTS},
            "total": sum(job.total for job in jobs),
            "kinds": _by_kind(jobs),
            "notes": [{"note": note, "jobs": count} for note, count in noted],
            "generations": _generations(jobs),
        },
        "jobs": [_job(job, statements, groups) for job in jobs],
        **more,
    }


def _by_kind(jobs: Iterable[JobAudit]) -> list[Json]:
    """Summarise findings by severity and kind, the most severe and most frequent first."""
    groups: dict[tuple[Severity, str], Json] = {}
    for job in jobs:
        for (kind, severity), count in job.findings.counts.items():
            names = {"kind": kind, "severity": str(severity), "means": kinds()[kind]}
            group = groups.setdefault((severity, kind), {**names, "count": 0, "jobs": 0, "first": {}})
            group["count"], group["jobs"] = group["count"] + count, group["jobs"] + 1
        for name, finding in job.named_findings():
            first = groups[finding.severity, finding.kind]["first"]
            if len(first) < PLACES and job.path not in first:
                texts = {member: getattr(finding, member) for member in ("file", "path", "found", "expected")}
                first[job.path] = {"job": job.path, "id": name, **texts}
    order = sorted(groups, key=lambda key: (-key[0], -groups[key]["count"], key[1]))
    return [{**groups[key], "first": [*groups[key]["first"].values()]} for key in order]


def _generations(jobs: Iterable[JobAudit]) -> dict[str, int]:
    """Count the files of each kind by release, the oldest first."""
    counts = sum((Counter(job.generations) for job in jobs), Counter[str]())
    order = {name: (name.partition(":")[0], [*map(int, re.findall("[0-9]+", name))]) for name in counts}
    return {name: counts[name] for name in sorted(counts, key=lambda name: order[name])}


def _job(job: JobAudit, statements: Mapping[str, str], groups: Mapping[str, Json]) -> Json:
    of_job = ("path", "submission", "problem", "state", "verdict", "trials", "errored", "unverified")
    counts = Counter[str]()
    for (kind, _), count in job.findings.counts.items():
        counts[kind] += count
    document = {
        **{name: getattr(job, name) for name in of_job},
        "generations": dict(sorted(job.generations.items())),
        "total": job.total,
        "severities": {str(severity): job.findings.of_severity(severity) for severity in _SEVERITIES},
        "counts": dict(sorted(counts.items())),
        "findings": [
            {
                "id": name,
                "severity": str(finding.severity),
                "rule": finding.rule or statements.get(finding.clause or ""),
                "level": str(finding.breaks),
                **{member: getattr(finding, member) for member in _SAME},
            }
            for name, finding in job.named_findings()
        ],
        "notes": sorted(map(encodable, job.findings.notes)),
        "datasets": job.datasets,
    }
    if job.under:
        document["under"] = [_under(scores) for scores in job.under]
    if not job.submission and job.path in groups:
        document["groups"] = groups[job.path]
    return document


def number_json(number: float | int | None) -> float | int | str | None:
    """Return a number as JSON can represent it: a text if it is not finite or has too many digits."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if isinstance(number, float):
        return number if math.isfinite(number) else repr(number)
    return number if abs(number) < _NUMBER else "an int beyond 64 bits"


def _under(scores: Scores) -> dict[str, Any]:
    """Return the changes that other rules make to a job's scores, in the report's form."""
    return {
        **scores.rules.document(),
        "unknown": scores.unknown,
        "groups": {
            key: {name: [*map(number_json, ends)] for name, ends in sorted(group.changed().items())}
            for key, group in sorted(scores.groups.items())
        },
        "changes": [{"what": change, "trials": names} for change, names in scores.changes.items()],
    }
