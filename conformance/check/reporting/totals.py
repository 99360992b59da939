"""What many jobs have in common: findings by kind, notes by their text, generations, verdicts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.check.findings import Finding, Severity
from conformance.check.report import VERDICTS, Checked
from conformance.check.reporting.names import named

__all__ = ["PLACES", "KindTotal", "Place", "Totals", "by_kind", "totals"]

PLACES = 5
"""Places that are kept of a kind."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding stands."""

    job: str
    """The job's name in the report."""
    name: str
    """The finding's name."""
    finding: Finding


@dataclass(slots=True)
class KindTotal:
    """All findings of a kind and severity."""

    severity: Severity
    kind: str
    count: int = 0
    jobs: int = 0
    places: list[Place] = field(default_factory=list)
    """The first of them, in the order of the jobs: one of each job before a second of any."""


@dataclass(slots=True)
class Totals:
    """What is told once over all jobs."""

    verdicts: dict[str, int]
    """Jobs by verdict; every verdict is there."""
    trials: int
    findings: int
    unverified: int
    """Trials judged by their records alone."""
    generations: dict[str, int]
    """Files by generation."""
    kinds: list[KindTotal]
    """The gravest first, then the most frequent."""
    notes: dict[str, int]
    """Jobs by the note on them."""


def by_kind(jobs: Iterable[Checked]) -> list[KindTotal]:
    """The findings of jobs by severity and kind, the gravest and most frequent first."""
    found: dict[tuple[Severity, str], KindTotal] = {}
    more: defaultdict[tuple[Severity, str], list[Place]] = defaultdict(list)
    for job in jobs:
        if job.audit is None:
            continue
        for kind, severities in job.audit.findings.severities.items():
            for severity, count in severities.items():
                total = found.setdefault((severity, kind), KindTotal(severity, kind))
                total.count += count
                total.jobs += 1
        seen: set[tuple[Severity, str]] = set()
        for name, finding in named(job):
            sort = finding.severity, finding.kind
            places = more[sort] if sort in seen else found[sort].places
            if len(places) < PLACES:
                places.append(Place(job.path, name, finding))
            seen.add(sort)
    for sort, total in found.items():
        total.places = [*total.places, *more[sort]][:PLACES]
    return sorted(found.values(), key=lambda one: (-one.severity, -one.count, one.kind))


def _by_release(item: tuple[str, int]) -> tuple[str, list[int]]:
    """A generation's place: by kind of file, then by release."""
    kind, _, releases = item[0].partition(": ")
    return kind, list(map(int, re.findall("[0-9]+", releases)))


def totals(jobs: Sequence[Checked]) -> Totals:
    """What is told once over all jobs."""
    audits = [job.audit for job in jobs if job.audit is not None]
    verdicts = Counter(job.verdict for job in jobs)
    generations: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    for audit in audits:
        generations.update(audit.generations)
        notes.update(audit.findings.notes.keys())
    return Totals(
        {verdict: verdicts[verdict] for verdict in VERDICTS},
        sum(audit.trials for audit in audits),
        sum(job.total for job in jobs),
        sum(audit.unverified for audit in audits),
        dict(sorted(generations.items(), key=_by_release)),
        by_kind(jobs),
        dict(sorted(notes.items(), key=lambda item: (-item[1], item[0]))),
    )
