"""What is told of many jobs on one page: the verdicts, findings by kind, the jobs that are not clean."""

from collections.abc import Iterator, Mapping, Sequence

from conformance.check.below import Below
from conformance.check.findings import KINDS, Finding, Severity
from conformance.check.report import CLEAN, INTERRUPTED, UNFINISHED, Checked, many
from conformance.check.reporting.names import LENGTH, named
from conformance.check.reporting.totals import KindTotal
from conformance.wire.text import printable, shortened

__all__ = ["head_lines", "job_table", "kind_lines", "verdict_counts"]

WIDTH = 160
"""Characters of a line, names and values aside."""
_PLACES = 3
"""Places that are shown of a kind."""
_NAMED = 3
"""Kinds of findings that are named in a job's line."""
_LONGEST = 110
"""Characters of a value."""
_INDENT = "    "
_BELOW = " " * (LENGTH + 2 + 2 * len(_INDENT))
_ROOM = WIDTH - len(_BELOW)


def verdict_counts(jobs: Sequence[Checked], verdicts: Mapping[str, int]) -> str:
    """How many jobs have which verdict, and whether somebody ended the audit."""
    counts = [
        f"{verdicts[verdict]:,} {verdict}"
        for verdict in (CLEAN, "differs", "wrong", UNFINISHED, "not judged")
        if verdicts[verdict]
    ]
    ended = ", interrupted" if any(job.problem == INTERRUPTED for job in jobs) else ""
    return f"{', '.join(counts) or 'nothing to judge'}{ended}"


def head_lines(jobs: Sequence[Checked], verdicts: Mapping[str, int], below: Below) -> Iterator[str]:
    """The beginning of the page: all verdicts, and the folder that all names are in."""
    submissions = len({job.submission for job in jobs if job.submission})
    of = f" of {many(submissions, 'submission')}" if submissions else ""
    yield f"{many(len(jobs), 'job')}{of}: {verdict_counts(jobs, verdicts)}"
    if below.folder:
        yield f"below {printable(below.folder)}:"
    else:
        yield ""


def kind_lines(kind: KindTotal, below: Below) -> Iterator[str]:
    """A kind with its count and meaning, what is found in the first place, and the next places."""
    count = f"{kind.count:,} in {many(kind.jobs, 'job')}"
    yield f"{_INDENT}{kind.severity!s:7} {kind.kind}: {count}; {KINDS[kind.kind]}"
    if not kind.places:
        return
    first, *others = kind.places[:_PLACES]
    place = f"{_INDENT * 2}{first.name}  {_name(first.job, below)}: {_where(first.finding)}"
    yield from _filled(place, _told(first.finding), WIDTH + len(place))
    rest = kind.count - 1 - len(others)
    if others:
        also = [
            f"{one.name} {_where(one.finding) if one.job == first.job else _name(one.job, below)}"
            for one in others
        ]
        yield f"{_INDENT * 2}also {', '.join(also)}" + (f" and {rest:,} more" if rest else "")
    elif rest:
        yield f"{_INDENT * 2}… and {rest:,} more"


def _name(name: str, below: Below) -> str:
    return shortened(below.short(name), WIDTH)


def _where(finding: Finding) -> str:
    return shortened(" ".join(filter(None, (finding.file, finding.path))), WIDTH) or "the directory"


def _told(finding: Finding) -> Iterator[str]:
    """What is found and expected, and the likely mistake as far as a line goes."""
    yield f"found {shortened(finding.found, _LONGEST)}, expected {shortened(finding.expected, _LONGEST)}"
    if finding.likely is not None:
        likely = f"likely: {shortened(finding.likely, WIDTH)}"
        yield likely if len(likely) <= _ROOM else likely[: _ROOM - 1].rstrip() + "…"


def _filled(place: str, told: Iterator[str], room: int) -> Iterator[str]:
    """The place and what is told of it, on as few lines as they have room on."""
    line, between = place, ": "
    for part in told:
        if len(line) + len(between) + len(part) <= room:
            line += between + part
        else:
            yield line
            line, room = _BELOW + part, WIDTH
        between = "; "
    yield line


def job_table(jobs: Sequence[Checked], below: Below) -> list[str]:
    """A line for each job: verdict, trials, errors, what was found with the finding's name, the job."""
    rows = [("verdict", "trials", "errors", "found", "job")]
    for job in jobs:
        audit = job.audit
        counts = ("-", "-") if audit is None else (f"{audit.trials:,}", f"{audit.errored:,}")
        rows.append((job.verdict, *counts, _found(job), printable(below.short(job.path))))
    left, trials, errors, found, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [
        f"{one[0]:{left}}  {one[1]:>{trials}}  {one[2]:>{errors}}  {one[3]:{found}}  {one[4]}" for one in rows
    ]


def _found(job: Checked) -> str:
    """The kinds of a job's findings, the gravest first: with its name, or their number."""
    if job.audit is None:
        return shortened(job.problem or "", _LONGEST)
    names: dict[tuple[Severity, str], str] = {}
    for name, finding in named(job):
        names.setdefault((finding.severity, finding.kind), name)
    found = [
        (severity, kind, count)
        for kind, severities in job.audit.findings.severities.items()
        for severity, count in severities.items()
    ]
    found.sort(key=lambda one: (-one[0], -one[2], one[1]))
    told = [
        f"{kind} [{names[severity, kind]}]"
        if count == 1 and (severity, kind) in names
        else f"{kind} ×{count:,}"
        for severity, kind, count in found
    ]
    rest = [f"{len(told) - _NAMED} kinds more"] if len(told) > _NAMED else []
    problem = [shortened(job.problem, _LONGEST)] if job.problem is not None else []
    return ", ".join([*told[:_NAMED], *rest, *problem])
