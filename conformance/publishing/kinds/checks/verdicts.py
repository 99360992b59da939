"""What a report of ``check`` comes to: in a verdict, on a badge, in test cases and in notes for CI."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import Tone
from conformance.publishing.kinds.checks.findings import Listed
from conformance.publishing.kinds.checks.words import (
    VERDICTS,
    cut,
    explaining,
    many,
    number,
    stops,
    verdict_mark,
)
from conformance.publishing.model import Badge, Case, Count, Note, Verdict

__all__ = ["badge", "cases", "counts", "ended", "notes", "verdict"]

Document = Mapping[str, Any]
_MEANS = {
    "clean": "finished, audited to the end, and nothing graver than a note",
    "differs": "a file that is not what harbor writes; the numbers hold",
    "wrong": "numbers that contradict each other",
    "unfinished": "nothing wrong, but not finished or without a result.json",
    "not judged": "could not be audited, or not to the end",
}
_TOLD = {"differs": "not as harbor writes"}
_MOST_NOTES, _DETAILS = 10, 5
_LONG = 600
_INTERRUPTED = 128


def _by_verdict(document: Document) -> dict[str, int]:
    return {name: document["summary"]["verdicts"][name.replace(" ", "_")] for name in VERDICTS}


def ended(document: Document) -> bool:
    """Whether somebody ended the audit."""
    return bool(document["exit_code"] > _INTERRUPTED)


def counts(document: Document) -> tuple[Count, ...]:
    """Jobs by verdict; all of them are all jobs."""
    return tuple(
        Count(name, count, verdict_mark(name, document["fail_on"]).tone, _MEANS[name])
        for name, count in _by_verdict(document).items()
    )


def verdict(document: Document) -> Verdict:
    """What all jobs come to."""
    by, total = _by_verdict(document), document["summary"]["jobs"]
    told = _told(document)
    if ended(document):
        return Verdict("interrupted", Tone.BAD, told)
    if by["clean"] == total and document["exit_code"] == 0:
        return Verdict("clean", Tone.GOOD, told)
    if by["clean"] == total:
        return Verdict("clean, with notes that fail", Tone.BAD, told)
    for name, words in (
        ("wrong", "wrong"),
        ("not judged", "not judged"),
        ("differs", _TOLD["differs"]),
    ):
        if by[name]:
            tone = verdict_mark(name, document["fail_on"]).tone
            if document["exit_code"]:
                tone = Tone.BAD
            return Verdict(f"{number(by[name])} of {many(total, 'job')} {words}", tone, told)
    tone = Tone.BAD if document["exit_code"] else Tone.WARN
    return Verdict(f"{number(by['unfinished'])} of {many(total, 'job')} unfinished", tone, told)


def _told(document: Document) -> str:
    summary, by = document["summary"], _by_verdict(document)
    parts = ", ".join(f"{number(count)} {_TOLD.get(name, name)}" for name, count in by.items() if count)
    trials, unverified = summary["trials"], summary["unverified"]
    held = "each held to its reward files"
    if trials and unverified == trials:
        held = "judged by their records alone: reward files are absent, or were not wanted"
    elif unverified:
        held = f"{number(unverified)} of them judged by their records alone"
    findings = many(summary["total"], "finding") if summary["total"] else "no finding"
    return (
        f"Of {many(summary['jobs'], 'job')}: {parts}. {many(trials, 'trial')}, {held}. {findings}.".replace(
            ". no", ". No"
        )
    )


def badge(document: Document) -> Badge:
    """Good only where nothing is left open: all clean, and each trial held to its reward files."""
    by, summary = _by_verdict(document), document["summary"]
    message = f"{number(by['clean'])} of {many(summary['jobs'], 'job')} clean"
    if by["wrong"] or by["not judged"] or document["exit_code"]:
        tone = Tone.BAD
    elif by["clean"] < summary["jobs"]:
        tone = Tone.WARN
    else:
        verified = summary["trials"] > 0 and not summary["unverified"]
        tone = Tone.GOOD if verified else Tone.PLAIN
        message += "" if verified else ", by records alone"
    return Badge(f"check · {document['spec']} · {document['level']}", message, tone)


def cases(document: Document) -> tuple[Case, ...]:
    """A test for each job."""
    return tuple(_case(document, job) for job in document["jobs"])


def _case(document: Document, job: Document) -> Case:
    group, name = job["submission"] or "jobs", job["path"]
    if job["problem"] is not None:
        return Case(group, name, "error", cut(job["problem"], _LONG), _detail(document, job))
    grave = any(
        count and stops(severity, document["fail_on"]) for severity, count in job["severities"].items()
    )
    if grave:
        kinds = ", ".join(f"{kind} × {number(count)}" for kind, count in job["counts"].items())
        return Case(group, name, "failed", f"{job['verdict']}: {kinds}", _detail(document, job))
    if job["notes"] and document["fail_on"] == "note":
        return Case(
            group, name, "failed", "what was not checked", "\n".join(cut(one, _LONG) for one in job["notes"])
        )
    if job["verdict"] == "unfinished":
        return Case(
            group, name, "skipped", "not finished, or without a result.json: nothing graver than a note"
        )
    return Case(group, name, "passed")


def _detail(document: Document, job: Document) -> str:
    """The first findings of a job that fails, the gravest first."""
    gravest = sorted(job["findings"], key=lambda one: ("wrong", "differs", "note").index(one["severity"]))
    blocks = []
    for one in gravest[:_DETAILS]:
        blocks.append(
            f"[{one['id']}] {one['severity']} {one['kind']}: "
            f"{cut(one['file'], _LONG)} {cut(one['path'], _LONG)}\n"
            f"found:    {cut(one['found'], _LONG)}\n"
            f"expected: {cut(one['expected'], _LONG)}\n"
            + (f"likely:   {cut(one['likely'], _LONG)}\n" if one["likely"] is not None else "")
            + f"explain:  {explaining(document, job, one['id'])}\n"
        )
    if (rest := job["total"] - len(blocks)) > 0:
        blocks.append(f"… and {number(rest)} more")
    return "\n".join(blocks)


def notes(document: Document, shown: Sequence[Listed]) -> Iterator[Note]:
    """One for each kind of finding, and one for all jobs that could not be judged."""
    by = _by_verdict(document)
    if by["not judged"]:
        first = next(job for job in document["jobs"] if job["problem"] is not None)
        text = f"{cut(first['path'], _LONG)}: {cut(first['problem'], _LONG)}"
        yield Note("error", f"{many(by['not judged'], 'job')} not judged", text)
    files = {finding["id"]: (job, finding) for job, finding in shown}
    for one in document["summary"]["kinds"][:_MOST_NOTES]:
        severity = "notice"
        if one["severity"] != "note" or stops(one["severity"], document["fail_on"]):
            severity = "error" if stops(one["severity"], document["fail_on"]) else "warning"
        title = (
            f"{one['severity']}: {one['kind']}, {many(one['count'], 'finding')} in {many(one['jobs'], 'job')}"
        )
        text = f"{one['means']}."
        place = one["first"][0] if one["first"] else None
        if place is not None:
            found, expected = cut(place["found"], _LONG), cut(place["expected"], _LONG)
            text += f" First in {cut(place['job'], _LONG)}: found {found}, expected {expected}."
            if place["id"] in files:
                text += f" {explaining(document, files[place['id']][0], place['id'])}"
        yield Note(severity, title, text)
