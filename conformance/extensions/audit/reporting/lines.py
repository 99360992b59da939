"""What `check` prints for people: findings by kind, the jobs that are not clean, one line for all of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.extensions.audit.findings import KINDS, Finding
from conformance.extensions.audit.report import (
    CLEAN,
    INTERRUPTED,
    LENGTH,
    UNFINISHED,
    Below,
    Checked,
    few,
    many,
)
from conformance.extensions.audit.reporting.document import (
    KindTotal,
    by_kind,
    generations_of,
    notes_of,
    number_json,
)
from conformance.judging.comparison import Level
from conformance.wire.text import printable, shortened

FEW = 3
"""Jobs up to which each is described by itself, without what they have in common."""
WIDTH = 160
"""Characters of a line, names and values aside."""
_PLACES = 3
"""Places that are shown of a kind."""
_NAMED = 3
"""Kinds of findings that are named in a job's line."""
_LONGEST, _LONGEST_NOTE = 110, 300
"""Characters of a value, and of a note."""
_SHOWN_TRIALS = 5
_INDENT = "    "
_BELOW = " " * (LENGTH + 2 + 2 * len(_INDENT))


@dataclass(frozen=True, slots=True)
class Shown:
    """How much is shown, and how."""

    level: Level
    full: int = 0
    """Findings of each job that are shown in full."""
    every: bool = False
    """Whether clean jobs are listed too."""
    below: Below = field(default_factory=Below)
    """The folder that all names are in, where it is given once."""


def page_head(jobs: Sequence[Checked], below: Below) -> Iterator[str]:
    """What is above all else, of more than a few jobs: the verdicts, and the folder of all names."""
    if len(jobs) > FEW:
        submissions = len({job.submission for job in jobs if job.submission})
        of = f" of {many(submissions, 'submission')}" if submissions else ""
        yield f"{many(len(jobs), 'job')}{of}: {_verdicts(jobs)}"
        yield f"below {printable(below.folder)}:" if below.folder else ""


def report_lines(jobs: Sequence[Checked], shown: Shown, statements: Mapping[str, str]) -> Iterator[str]:
    """The report: what many jobs have in common, the jobs that are not clean, a line for each."""
    together = len(jobs) > FEW
    kinds = by_kind(jobs) if together else []
    if kinds:
        yield "findings by kind, over all jobs:"
        for kind in kinds:
            yield from _kind_lines(kind, shown.below, together=True)
        yield ""
    if not together or shown.full or shown.every:
        for job in jobs:
            yield from _job_lines(job, shown, statements, alone=not together)
    unverified, trials = (sum(getattr(job.audit, name) for job in jobs) for name in ("unverified", "trials"))
    common = [
        f"note: {shortened(note, _LONGEST_NOTE)}: {many(count, 'job')}"
        for note, count in (notes_of(jobs) if together else ())
    ]
    if unverified:
        common.append(f"reward files absent: {many(unverified, 'trial')} judged by their records")
    common += _generation_lines(generations_of(jobs))
    yield from (*common, *[""][: len(common)])
    listed = [job for job in jobs if not together or shown.every or job.verdict != CLEAN]
    yield from _job_table(listed, shown.below) if listed else ()
    yield f"{many(len(jobs), 'job')}, {many(trials, 'trial')}, level {shown.level}: {_verdicts(jobs)}"


def _verdicts(jobs: Sequence[Checked]) -> str:
    """How many jobs have which verdict, and whether somebody ended the audit."""
    counts = Counter(job.verdict for job in jobs)
    names = (CLEAN, "differs", "wrong", UNFINISHED, "not judged")
    ended = ", interrupted" if any(job.problem == INTERRUPTED for job in jobs) else ""
    said = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in names if counts[verdict])
    return (said or "nothing to judge") + ended


def _job_lines(job: Checked, shown: Shown, statements: Mapping[str, str], alone: bool) -> Iterator[str]:
    """One job; `alone` with all that there is to say, else in a few lines."""
    name = printable(shown.below.short(job.path))
    if job.audit.state is None:
        yield from (f"{name}: {printable(job.problem or '')}", "")
        return
    notes = sorted(job.audit.findings.notes) if alone else []
    said = [f"note: {shortened(note, _LONGEST_NOTE)}" for note in notes]
    if job.problem is not None:
        said.append(f"not judged to the end: {printable(job.problem)}")
    if not said and not job.total:
        return
    count = f" ({many(job.notes, 'note')})" if job.notes and job.verdict in (CLEAN, UNFINISHED) else ""
    yield f"{name}: {job.verdict}{count}"
    in_full = list(job.named())[: shown.full]
    for kind in by_kind([job]):
        yield from _kind_lines(kind, shown.below, brief=bool(in_full))
    for one in in_full:
        yield from ("", *_finding_lines(*one, statements))
    if in_full and len(in_full) < job.total:
        yield f"… {job.total:,} findings in all (--findings N shows more in full)"
    yield from (*said, "")


def _kind_lines(
    kind: KindTotal, below: Below, *, together: bool = False, brief: bool = False
) -> Iterator[str]:
    """A kind with its count and meaning, what is found in the first place, and the next places."""
    count = f"{kind.count:,}" + (f" in {many(kind.jobs, 'job')}" if together else "")
    yield f"{_INDENT}{kind.severity!s:7} {kind.kind}: {count}; {KINDS[kind.kind]}"
    if not kind.places or brief:
        return
    (job, name, finding), *others = kind.places[:_PLACES]
    of = f"{shortened(below.short(job), WIDTH)}: " if together else ""
    place = f"{_INDENT * 2}{name}  {of}{_where(finding)}"
    yield from _filled(place, _values(finding), WIDTH + len(place))
    rest = kind.count - 1 - len(others)
    if others:
        also = [
            f"{name} {_where(one) if other == job else shortened(below.short(other), WIDTH)}"
            for other, name, one in others
        ]
        yield f"{_INDENT * 2}also {', '.join(also)}" + (f" and {rest:,} more" if rest else "")
    elif rest:
        yield f"{_INDENT * 2}… and {rest:,} more"


def _where(finding: Finding) -> str:
    return shortened(" ".join(filter(None, (finding.file, finding.path))), WIDTH) or "the directory"


def _values(finding: Finding) -> Iterator[str]:
    """What is found and expected, and the likely mistake as far as a line goes."""
    yield f"found {shortened(finding.found, _LONGEST)}, expected {shortened(finding.expected, _LONGEST)}"
    if finding.likely is not None:
        likely, room = f"likely: {shortened(finding.likely, WIDTH)}", WIDTH - len(_BELOW)
        yield likely if len(likely) <= room else likely[: room - 1].rstrip() + "…"


def _filled(place: str, parts: Iterator[str], room: int) -> Iterator[str]:
    """The place and the parts, on as few lines as they have room on."""
    line, between = place, ": "
    for part in parts:
        if len(line) + len(between) + len(part) <= room:
            line += between + part
        else:
            yield line
            line, room = _BELOW + part, WIDTH
        between = "; "
    yield line


def _finding_lines(name: str, finding: Finding, statements: Mapping[str, str]) -> Iterator[str]:
    """A finding in full."""
    where = printable(finding.file or "the job's directory")
    yield f"{finding.kind}: {where}" + (f" {printable(finding.path)}" if finding.path else "")
    rule = finding.rule or statements.get(finding.clause or "")
    fields = {
        "found": finding.found,
        "expected": finding.expected,
        "clause": finding.clause and finding.clause + (f": {rule}" if rule else ""),
        "likely": finding.likely,
        "task": finding.task,
        "vector": finding.vector,
        "counts from": None if finding.breaks is Level.VALUE else f"level {finding.breaks}",
        "severity": str(finding.severity),
        "name": name,
    }
    for field_name, value in fields.items():
        if value is not None:
            yield f"{_INDENT}{field_name}: {printable(value)}"


def _generation_lines(generations: Mapping[str, int]) -> Iterator[str]:
    """The lines that name the generations: one for the jobs' files, one for the trials' records."""
    for prefix, noun in (("job file: ", "job files"), ("records: ", "records")):
        of = [
            f"{count:,} of harbor {printable(name.removeprefix(prefix))}"
            for name, count in generations.items()
            if name.startswith(prefix)
        ]
        if of:
            yield f"{noun}: {', '.join(of)}"


def _job_table(jobs: Sequence[Checked], below: Below) -> Iterator[str]:
    """A line for each job: verdict, trials, errors, what was found with the finding's name, the job."""
    rows = [("verdict", "trials", "errors", "found", "job")]
    for job in jobs:
        audit = job.audit
        counts = ("-", "-") if audit.state is None else (f"{audit.trials:,}", f"{audit.errored:,}")
        rows.append((job.verdict, *counts, _found(job), printable(below.short(job.path))))
    left, trials, errors, found, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    for one in rows:
        yield f"{one[0]:{left}}  {one[1]:>{trials}}  {one[2]:>{errors}}  {one[3]:{found}}  {one[4]}"


def _found(job: Checked) -> str:
    """The kinds of a job's findings, the gravest first: with its name, or their number."""
    problem = [] if job.problem is None else [shortened(job.problem, _LONGEST)]
    if job.audit.state is None:
        return "".join(problem)
    said = [
        f"{one.kind} [{one.places[0][1]}]" if one.count == 1 and one.places else f"{one.kind} ×{one.count:,}"
        for one in by_kind([job])
    ]
    rest = [many(len(said) - _NAMED, "more kind")] if len(said) > _NAMED else []
    return ", ".join([*said[:_NAMED], *rest, *problem])


def under_lines(jobs: Sequence[Checked], below: Below) -> Iterator[str]:
    """What other rules change in each of a few jobs."""
    for name, scores in ((job.path, scores) for job in jobs for scores in job.audit.under):
        changed = [
            f"{printable(key)} {printable(number)}: {number_json(before)} -> {number_json(after)}"
            for key, group in sorted(scores.groups.items())
            for number, (before, after) in sorted(group.changed().items())
        ]
        said = f"{many(len(changed), 'number')} changed" if changed else "all numbers are the same"
        yield f"{printable(below.short(name))} under {scores.rules} ({scores.text}): {said}"
        yield from (f"{_INDENT}{line}" for line in changed)
        for what, trials in scores.changes.items():
            names = few(map(printable, trials), _SHOWN_TRIALS)
            yield f"{_INDENT}{many(len(trials), 'trial')} {printable(what)}: {names}"
        yield from (f"{_INDENT}not known: {printable(one)}" for one in scores.unknown)
        yield ""
