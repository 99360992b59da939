"""What `check` prints for people: findings by kind, the jobs that are not clean, one line for all of it."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from conformance.check.below import Below
from conformance.check.findings import KINDS, Finding, Severity
from conformance.check.report import CLEAN, Checked, many
from conformance.check.reporting.names import LENGTH, named
from conformance.check.reporting.page import head_lines, job_table, kind_lines, verdict_counts
from conformance.check.reporting.totals import KindTotal, Totals, by_kind, totals
from conformance.console.tables import plain_table
from conformance.judging.comparison import Level
from conformance.wire.text import printable, shortened

__all__ = ["FEW", "Shown", "finding_text", "generation_parts", "page_head", "report_lines"]

_NARROWEST = 80
FEW = 3
"""Jobs up to which each is told of by itself, without what they have in common."""
_PLACES = 3
"""Places that are shown of a kind."""
_ONE_LINE = 50
"""Characters of two values that stand on one line."""
_LONGEST = 300
"""Characters of a value in a short line; in full a finding has all of it."""
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Shown:
    """How much is shown, and how."""

    level: Level
    full: int = 0
    """Findings of each job that are shown in full."""
    every: bool = False
    """Whether clean jobs are listed too."""
    width: int = _NARROWEST
    below: Below = field(default_factory=Below)
    """The folder that all names are in, where it is said once."""


def page_head(jobs: Sequence[Checked], below: Below) -> list[str]:
    """What stands above all else where there are more than a few jobs."""
    return list(head_lines(jobs, totals(jobs).verdicts, below)) if len(jobs) > FEW else []


def report_lines(jobs: Sequence[Checked], shown: Shown, statements: Mapping[str, str]) -> Iterator[str]:
    """The report: what many jobs have in common, the jobs that are not clean, the jobs in a table, a line."""
    total = totals(jobs)
    together = len(jobs) > FEW
    if together and total.kinds:
        yield "findings by kind, over all jobs:"
        for kind in total.kinds:
            yield from kind_lines(kind, shown.below)
        yield ""
    if not together or shown.full or shown.every:
        for job in jobs:
            yield from _job_lines(job, shown, statements, alone=not together)
    if together and total.notes:
        for note, count in total.notes.items():
            yield f"note: {shortened(note, _LONGEST)}: {many(count, 'job')}"
    if total.unverified:
        yield f"reward files absent: {many(total.unverified, 'trial')} judged by their records"
    if parts := generation_parts(total.generations):
        yield from parts
    if total.unverified or parts or (together and total.notes):
        yield ""
    if not together:
        yield from _table(jobs, shown.width) if jobs else ()
    elif listed := [job for job in jobs if shown.every or job.verdict != CLEAN]:
        yield from job_table(listed, shown.below)
    yield _last_line(jobs, total, shown.level)


# One job


def _job_lines(job: Checked, shown: Shown, statements: Mapping[str, str], alone: bool) -> Iterator[str]:
    """One job; `alone` with all that there is to say, else in a few lines."""
    name = printable(shown.below.short(job.path))
    if job.audit is None:
        yield f"{name}: {printable(job.problem or '')}"
        yield ""
        return
    findings = job.audit.findings
    said = [f"note: {shortened(note, _LONGEST)}" for note in sorted(findings.notes)] if alone else []
    if job.problem is not None:
        said.append(f"not judged to the end: {printable(job.problem)}")
    if not said and not job.total:
        return
    yield f"{name}: {job.shown_verdict}"
    in_full = list(named(job))[: shown.full]
    for kind in by_kind([job]):
        places = 0 if in_full else _PLACES if alone else 1
        yield from _kind_lines(kind, places, means=alone)
    for one in in_full:
        yield ""
        yield from finding_text(*one, statements).split("\n")
    if in_full and len(in_full) < job.total:
        yield f"… {job.total:,} findings in all (--findings N shows more in full)"
    yield from said
    yield ""


def _kind_lines(kind: KindTotal, places: int, *, means: bool) -> Iterator[str]:
    """The line of a job's findings of a kind, the first places below it, and for the first what is found."""
    meaning = f"; {KINDS[kind.kind]}" if means else ""
    yield f"{_INDENT}{kind.severity!s:7} {kind.kind}: {kind.count:,}{meaning}"
    margin = _INDENT * 2
    below = margin + " " * (LENGTH + 2)
    for number, place in enumerate(kind.places[:places]):
        finding = place.finding
        where = shortened(" ".join(filter(None, (finding.file, finding.path))), _LONGEST) or "the directory"
        yield f"{margin}{place.name}  {where}"
        if number == 0:
            yield from (below + line for line in _pair(finding, likely=means))
    rest = kind.count - min(places, len(kind.places))
    if rest and places > 1:
        yield f"{margin}… and {rest:,} more"


def _pair(finding: Finding, *, likely: bool) -> Iterator[str]:
    """What is found and what is expected, on one line where that is short."""
    found, expected = f"found {_value(finding.found)}", f"expected {_value(finding.expected)}"
    if len(found) + len(expected) <= _ONE_LINE:
        yield f"{found}, {expected}"
    else:
        yield found
        yield expected
    if likely and finding.likely is not None:
        yield f"likely: {printable(finding.likely)}"


def _value(text: str) -> str:
    return shortened(text, _LONGEST)


def finding_text(name: str, finding: Finding, statements: Mapping[str, str]) -> str:
    """A finding in full."""
    where = finding.file or "the job's directory"
    place = f"{printable(where)}{' ' + printable(finding.path) if finding.path else ''}"
    lines = [f"{finding.kind}: {place}"]
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
    fields += [("severity", str(finding.severity)), ("name", name)]
    return "\n".join([*lines, *(f"{_INDENT}{name}: {printable(value)}" for name, value in fields)])


# All jobs


def generation_parts(generations: Mapping[str, int]) -> list[str]:
    """The lines that name the generations: one for the jobs' files, one for the trials' records."""
    lines = []
    for prefix, noun in (("job file: ", "job files"), ("records: ", "records")):
        found = [(name.removeprefix(prefix), count) for name, count in generations.items()]
        of = [
            f"{count:,} of harbor {printable(name)}"
            for (name, count), whole in zip(found, generations, strict=True)
            if whole.startswith(prefix)
        ]
        if of:
            lines.append(f"{noun}: {', '.join(of)}")
    return lines


def _table(jobs: Sequence[Checked], width: int) -> list[str]:
    table = plain_table()
    for name in ("trials", "errors", "wrong", "differs", "notes"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("job", overflow="fold")  # last, where it may be long
    for job in jobs:
        audit = job.audit
        numbers = ["-"] * 5
        if audit is not None:
            of = audit.findings.of_severity
            counts = (audit.trials, audit.errored, of(Severity.WRONG), of(Severity.DIFFERS), job.notes)
            numbers = [f"{count:,}" for count in counts]
        table.add_row(*numbers, job.verdict, Text(printable(job.path)))
    buffer = io.StringIO()
    Console(file=buffer, width=max(width, _NARROWEST), color_system=None).print(table)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def _last_line(jobs: Sequence[Checked], total: Totals, level: Level) -> str:
    parts = [many(len(jobs), "job"), many(total.trials, "trial"), f"level {level}"]
    return f"{', '.join(parts)}: {verdict_counts(jobs, total.verdicts)}"
