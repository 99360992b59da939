"""The page of a ``check`` report: jobs, findings, scores with their errors, leaderboards."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.extensions.audit.report import common_folder
from conformance.extensions.audit.submissions.board_tables import first_tables, readable, score_tables
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Code, Item, Mark, Page, Table, Tone
from conformance.pages.words import enumerated, one_line
from conformance.paths import DEFAULT_SPEC

Document = Mapping[str, Any]
_VERDICT_MEANINGS = {
    "clean": "The job is finished and completely audited, with no findings except notes.",
    "differs": "A file is not as harbor writes it, but no numbers contradict each other.",
    "wrong": "Numbers contradict each other.",
    "unfinished": "Nothing is wrong, but the job has not finished, or has no result.json.",
    "not judged": "The job could not be audited completely.",
}
_VERDICT_ORDER = ("not judged", "wrong", "differs", "unfinished", "clean")
_FAIL_ON = {
    "never": "nothing",
    "wrong": "numbers that contradict each other",
    "differs": "anything that harbor would write differently",
    "note": "any finding, even a note",
}
"""Descriptions of `--fail-on`; each value fails on its severity and on those before it."""
_ADVICE = {
    "wrong": "run the command to see how the expected value is computed; "
    "don't use the number until the difference is explained",
    "differs": "no numbers contradict each other; ask for the original file, as the runner wrote it",
    "note": "nothing; this is only information",
}
_INTERRUPTED = 128
_MOST_NOTES, _FEW_JOBS = 200, 12
_LONG = 240
"""Longer values get a block of their own."""


def page(document: Document) -> Page:
    """Return the page of a report."""
    summary, by = document["summary"], Counter(job["verdict"] for job in document["jobs"])
    folder = common_folder((job["path"], job["submission"]) for job in document["jobs"])
    title = counted(len(document["jobs"]), "job")
    if len(document["jobs"]) == 1:
        title = one_line(document["jobs"][0]["path"], 160)
    elif folder:
        title += f" in {one_line(folder, 160)}"
    causes = {}
    for kind in summary["kinds"]:
        label = f"{kind['severity']}: {kind['kind']}"
        causes[kind["severity"], kind["kind"]] = ", ".join(filter(None, (label, kind["means"])))
    jobs = []
    for job in document["jobs"]:
        wrong = dict.fromkeys(item["kind"] for item in job["findings"] if item["severity"] == "wrong")
        jobs.append({**job, "findings": [], "wrong": [*wrong]})
    display = readable({**document, "jobs": jobs}, folder)
    return Page(
        kind="check",
        title=f"Audit of {title}",
        verdict=_overall_verdict(document, by),
        sentence=_sentence(summary, by),
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=[
            (_verdict_mark(name), by[name], means) for name, means in _VERDICT_MEANINGS.items() if by[name]
        ],
        unit="jobs",
        wrong="finding",
        problems=list(_problems(document, by)),
        items=[item for job in document["jobs"] for item in _items(document, job, folder, causes)],
        causes={cause: _ADVICE[severity] for (severity, _), cause in causes.items()},
        first_tables=[table for table in first_tables(display) if table.rows or table.long],
        tables=[table for table in _tables(display) if table.rows or table.long],
        findings_only=True,
    )


def _severity_tone(severity: str) -> Tone:
    return Tone.QUIET if severity == "note" else Tone.WARN


def _verdict_mark(verdict: str) -> Mark:
    tones = {"clean": Tone.GOOD, "differs": Tone.WARN, "unfinished": Tone.QUIET}
    return Mark(verdict, tones.get(verdict, Tone.BAD))


def _overall_verdict(document: Document, by: Counter[str]) -> Mark:
    code, total = document["exit_code"], by.total()
    if code > _INTERRUPTED:
        return Mark("interrupted", Tone.BAD)
    if by["clean"] == total:
        return Mark("clean, but notes fail", Tone.BAD) if code else Mark("clean", Tone.GOOD)
    name = next((name for name in ("wrong", "not judged", "differs") if by[name]), "unfinished")
    words = "not as harbor writes them" if name == "differs" else name
    tone = Tone.WARN if name == "unfinished" else _verdict_mark(name).tone
    return Mark(f"{by[name]:,} of {counted(total, 'job')} {words}", Tone.BAD if code else tone)


def _sentence(summary: Document, by: Counter[str]) -> str:
    trials, unverified = summary["trials"], summary["unverified"]
    if not trials and by["not judged"] == by.total():
        return "nothing was audited."
    held = "each checked against its reward files"
    if trials and unverified == trials:
        held = "checked without reward files, which are missing"
    elif unverified:
        held = f"{unverified:,} of them checked without reward files"
    notes = sum(kind["count"] for kind in summary["kinds"] if kind["severity"] == "note")
    both = {"finding": summary["total"] - notes, "note": notes}
    findings = " and ".join(counted(number, word) for word, number in both.items() if number) or "no findings"
    counts = ", ".join(f"{by[name]:,} {name}" for name in _VERDICT_MEANINGS if 0 < by[name] < by.total())
    return f"{counts and f'{counts}; '}{counted(trials, 'trial')}{f', {held}' * bool(trials)}; {findings}."


def _facts(document: Document) -> dict[str, Cell]:
    options = document.get("asked") or {}
    facts: dict[str, Cell] = {
        "spec": Code(document["spec"]),
        "level": Code(document["level"]),
        "kit": Code(document["kit_version"]),
        "fails on": f"{document['fail_on']}: {_FAIL_ON[document['fail_on']]}",
        "exit code": str(document["exit_code"]),
        "submissions": f"{len(document['submissions']):,}" if document["submissions"] else "",
        "dataset": Code(one_line(options.get("dataset") or "", 160)),
        "run commands in": "the audited folder" if document["submissions"] else "",
    }
    return {name: value for name, value in facts.items() if value}


def _problems(document: Document, by: Counter[str]) -> Iterator[str]:
    summary = document["summary"]
    if document["exit_code"] > _INTERRUPTED:
        yield f"the audit was interrupted: {counted(by['not judged'], 'job')} not judged"
    elif by["not judged"]:
        yield f"{counted(by['not judged'], 'job')} could not be audited, or not completely"
        lost = [job for job in document["jobs"] if job["problem"] is not None]
        yield from (f"{one_line(job['path'], 300)}: {one_line(job['problem'])}" for job in lost[:_FEW_JOBS])
    if summary["unverified"]:
        yield (
            f"{summary['unverified']:,} of {counted(summary['trials'], 'trial')} have no reward files: a "
            "record that was changed together with result.json can't be detected"
        )
    listed = sum(len(job["findings"]) for job in document["jobs"])
    if listed < summary["total"]:
        yield f"{counted(summary['total'] - listed, 'more finding')} counted, but not in the report"


def _items(
    document: Document, job: Document, folder: str, causes: Mapping[tuple[str, str], str]
) -> Iterator[Item]:
    """Yield an item for the job, and one for each finding."""
    name = one_line(job["path"].removeprefix(folder) or job["path"], 300)
    tone = Tone.GOOD if job["verdict"] == "clean" else Tone.QUIET  # findings are the failures, not jobs
    if job["problem"] is not None or (document["fail_on"] == "note" and job["notes"]):
        tone = Tone.BAD
    detail = one_line(job["problem"] or "; ".join(job["notes"]))
    group = name if job["problem"] is None else "not judged"
    yield Item(name, group, job["verdict"], tone, detail=detail)
    counts: Counter[str] = Counter()
    failing = [*_FAIL_ON][: [*_FAIL_ON].index(document["fail_on"]) + 1]
    for finding in job["findings"]:
        key = f"{name}: {finding['kind']} {finding['file'] or 'the directory'} {finding['path']}".strip()
        counts[key] += 1
        severity, ends = finding["severity"], {end: finding[end] for end in ("found", "expected")}
        fields: dict[str, Cell] = {
            "clause": Code(finding["clause"] or ""),
            "likely mistake": one_line(finding["likely"] or ""),
            "compared at level": "" if finding["level"] == "value" else finding["level"],
            **{name: Code(one_line(finding[name] or "")) for name in ("task", "vector")},
            "finding": Code(finding["id"]),
        }
        yield Item(
            key=key if counts[key] == 1 else f"{key} ({counts[key]})",
            group=name,
            outcome=severity,
            tone=Tone.BAD if severity in failing else _severity_tone(severity),
            shown=None if severity == "wrong" else _severity_tone(severity),
            summary=one_line(finding["rule"] or ""),
            detail=", ".join(f"{end} {one_line(text, _LONG)}" for end, text in ends.items()),
            cause=causes.get((severity, finding["kind"]), f"{severity}: {finding['kind']}"),
            fields={name: value for name, value in fields.items() if value},
            texts=ends if max(map(len, ends.values())) > _LONG else {},
            repeat=_explain_command(document, job, finding["id"]),
            fingerprint=finding["found"],
        )


def _explain_command(document: Document, job: Document, name: str) -> str:
    """Return the command that shows how a finding's expected number is computed.

    Reports do not depend on where the jobs are: for jobs in a folder, the command is run in that folder.
    """
    options, words = document.get("asked"), ["harbor-conformance", "check", "--explain", name]
    words += [] if document["spec"] == DEFAULT_SPEC else ["--spec", document["spec"]]
    words += [] if document["level"] == "bytes" else ["--level", document["level"]]
    if options is not None:
        words += [] if options["dataset"] is None else ["--dataset", options["dataset"]]
        words += [word for log in options["logs"] for word in ("--log", log)]
    location = job["path"]
    if job["submission"]:  # names are relative to the audited folder
        location = "LOCATION" if location.startswith("/") or "://" in location else "."
    return " ".join(map(shlex.quote, [*words, *["--"] * location.startswith("-"), location]))


def _tables(display: Document) -> Iterator[Table]:
    """Yield the tables that follow the findings; the document is `readable`."""
    summary = display["summary"]
    yield from score_tables(display)
    rows: list[tuple[Cell, ...]] = []
    for kind in summary["kinds"]:
        first = enumerated(dict.fromkeys(example["job"] for example in kind["first"]), 3)
        tone = Tone.BAD if kind["severity"] == "wrong" else _severity_tone(kind["severity"])
        counts = (kind["count"], kind["jobs"])
        rows.append((kind["kind"], Mark(kind["severity"], tone), *counts, kind["means"], first))
    yield Table("Findings by kind", ("kind", "severity", "findings", "jobs", "description", "first in"), rows)
    titles = ("submission", "jobs", "remarks", "metadata")
    yield Table("Submissions", titles, [_submission_row(submission) for submission in display["submissions"]])
    jobs = sorted(display["jobs"], key=lambda job: _VERDICT_ORDER.index(job["verdict"]))
    heads = ("job", "verdict", "trials", "with an exception", "unverified", "findings")
    many = len(jobs) > _FEW_JOBS
    listed = [_job_row(job) for job in jobs if not many or job["verdict"] != "clean"]
    yield Table("Jobs that are not clean" if many else "Jobs", heads, listed)
    if many:
        yield Table(
            "Clean jobs", heads, [_job_row(job) for job in jobs if job["verdict"] == "clean"], long=True
        )
    generations: list[tuple[Cell, ...]] = [*summary["generations"].items()]
    yield Table("Files by release", ("written by harbor", "files"), generations, long=True)
    notes = [(note["note"], note["jobs"]) for note in summary["notes"][:_MOST_NOTES]]
    yield Table("Not checked", ("note", "jobs"), notes)
    yield Table("Ignored", ("files and folders",), [(name,) for name in display["aside"][:_MOST_NOTES]])


def _job_row(job: Document) -> tuple[Cell, ...]:
    counts = (job[name] for name in ("trials", "errored", "unverified", "total"))
    return (job["path"], _verdict_mark(job["verdict"]), *counts)


def _submission_row(submission: Document) -> tuple[Cell, ...]:
    jobs = ", ".join(f"{count:,} {name}" for name, count in submission["jobs"].items() if count)
    says = [
        f"{metadata['file']}: {metadata['problem']}"
        if metadata["problem"] is not None
        else enumerated([f"{path} {text}" for path, text in metadata["values"].items()], 20)
        for metadata in submission["metadata"]
    ]
    return (submission["name"], jobs, "; ".join(submission["notes"][:20]), "; ".join(filter(None, says)))
