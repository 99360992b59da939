"""The page of a report of ``check``: jobs, findings, scores with their spread, leaderboards."""

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
_MEANS = {
    "clean": "Finished, completely audited, and nothing above a note.",
    "differs": "A file is not as harbor writes it, but no numbers contradict each other.",
    "wrong": "Numbers that contradict each other.",
    "unfinished": "Nothing wrong, but not finished or without a result.json.",
    "not judged": "Could not be audited, or not completely.",
}
_GRAVITY = ("not judged", "wrong", "differs", "unfinished", "clean")
_FAIL_ON = {
    "never": "nothing",
    "wrong": "numbers that contradict each other",
    "differs": "everything that harbor writes differently",
    "note": "notes too",
}
"""What `--fail-on` means; each fails on its severity and on those before it."""
_DO = {
    "wrong": "run the command to see how the expected value is computed; "
    "don't use the number until the difference is explained",
    "differs": "no numbers contradict each other; ask for the file again, as the runner wrote it",
    "note": "nothing; this is for information",
}
_INTERRUPTED = 128
_MOST_NOTES, _FEW_JOBS = 200, 12
_LONG = 240
"""The length from which on a value gets its own block."""


def page(document: Document) -> Page:
    """The page."""
    summary, by = document["summary"], Counter(job["verdict"] for job in document["jobs"])
    folder = common_folder((job["path"], job["submission"]) for job in document["jobs"])
    title = counted(len(document["jobs"]), "job")
    if len(document["jobs"]) == 1:
        title = one_line(document["jobs"][0]["path"], 160)
    elif folder:
        title += f" below {one_line(folder, 160)}"
    causes = {}
    for one in summary["kinds"]:
        head = f"{one['severity']}: {one['kind']}"
        causes[one["severity"], one["kind"]] = ", ".join(filter(None, (head, one["means"])))
    jobs = []
    for job in document["jobs"]:
        wrong = dict.fromkeys(one["kind"] for one in job["findings"] if one["severity"] == "wrong")
        jobs.append({**job, "findings": [], "wrong": [*wrong]})
    shown = readable({**document, "jobs": jobs}, folder)
    return Page(
        kind="check",
        title=f"Audit of {title}",
        verdict=_verdict(document, by),
        sentence=_sentence(summary, by),
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=[(_mark(name), by[name], means) for name, means in _MEANS.items() if by[name]],
        unit="jobs",
        wrong="finding",
        problems=list(_problems(document, by)),
        items=[item for job in document["jobs"] for item in _items(document, job, folder, causes)],
        causes={cause: _DO[severity] for (severity, _), cause in causes.items()},
        first_tables=[one for one in first_tables(shown) if one.rows or one.long],
        tables=[one for one in _tables(shown) if one.rows or one.long],
        findings_only=True,
    )


def _shown(severity: str) -> Tone:
    return Tone.QUIET if severity == "note" else Tone.WARN


def _mark(verdict: str) -> Mark:
    tones = {"clean": Tone.GOOD, "differs": Tone.WARN, "unfinished": Tone.QUIET}
    return Mark(verdict, tones.get(verdict, Tone.BAD))


def _verdict(document: Document, by: Counter[str]) -> Mark:
    code, total = document["exit_code"], by.total()
    if code > _INTERRUPTED:
        return Mark("interrupted", Tone.BAD)
    if by["clean"] == total:
        return Mark("clean, with notes that fail", Tone.BAD) if code else Mark("clean", Tone.GOOD)
    name = next((name for name in ("wrong", "not judged", "differs") if by[name]), "unfinished")
    words = "not as harbor writes" if name == "differs" else name
    tone = Tone.WARN if name == "unfinished" else _mark(name).tone
    return Mark(f"{by[name]:,} of {counted(total, 'job')} {words}", Tone.BAD if code else tone)


def _sentence(summary: Document, by: Counter[str]) -> str:
    trials, unverified = summary["trials"], summary["unverified"]
    if not trials and by["not judged"] == by.total():
        return "nothing was audited."
    held = "each checked against its reward files"
    if trials and unverified == trials:
        held = "checked only by their records: reward files are absent"
    elif unverified:
        held = f"{unverified:,} of them checked only by their records"
    notes = sum(one["count"] for one in summary["kinds"] if one["severity"] == "note")
    both = {"finding": summary["total"] - notes, "note": notes}
    every = " and ".join(counted(number, word) for word, number in both.items() if number) or "no finding"
    counts = ", ".join(f"{by[name]:,} {name}" for name in _MEANS if 0 < by[name] < by.total())
    return f"{counts and f'{counts}; '}{counted(trials, 'trial')}{f', {held}' * bool(trials)}; {every}."


def _facts(document: Document) -> dict[str, Cell]:
    asked = document.get("asked") or {}
    facts: dict[str, Cell] = {
        "spec": Code(document["spec"]),
        "level": Code(document["level"]),
        "kit": Code(document["kit_version"]),
        "fails on": f"{document['fail_on']}: {_FAIL_ON[document['fail_on']]}",
        "exit code": str(document["exit_code"]),
        "submissions": f"{len(document['submissions']):,}" if document["submissions"] else "",
        "dataset": Code(one_line(asked.get("dataset") or "", 160)),
        "run commands in": "the folder that was audited" if document["submissions"] else "",
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
            f"{summary['unverified']:,} of {counted(summary['trials'], 'trial')} are judged only by their "
            "records: whether a record was changed together with result.json can't be known"
        )
    listed = sum(len(job["findings"]) for job in document["jobs"])
    if listed < summary["total"]:
        yield f"{counted(summary['total'] - listed, 'more finding')} counted, and not listed in the report"


def _items(
    document: Document, job: Document, folder: str, causes: Mapping[tuple[str, str], str]
) -> Iterator[Item]:
    """The job's own item, and one for each finding."""
    name = one_line(job["path"].removeprefix(folder) or job["path"], 300)
    tone = Tone.GOOD if job["verdict"] == "clean" else Tone.QUIET  # its findings are the failures
    if job["problem"] is not None or (document["fail_on"] == "note" and job["notes"]):
        tone = Tone.BAD
    detail = one_line(job["problem"] or "; ".join(job["notes"]))
    group = name if job["problem"] is None else "not judged"
    yield Item(name, group, job["verdict"], tone, detail=detail)
    seen: Counter[str] = Counter()
    failing = [*_FAIL_ON][: [*_FAIL_ON].index(document["fail_on"]) + 1]
    for one in job["findings"]:
        key = f"{name}: {one['kind']} {one['file'] or 'the directory'} {one['path']}".strip()
        seen[key] += 1
        severity, ends = one["severity"], {end: one[end] for end in ("found", "expected")}
        fields: dict[str, Cell] = {
            "clause": Code(one["clause"] or ""),
            "likely mistake": one_line(one["likely"] or ""),
            "counts from level": "" if one["level"] == "value" else one["level"],
            **{name: Code(one_line(one[name] or "")) for name in ("task", "vector")},
            "finding": Code(one["id"]),
        }
        yield Item(
            key=key if seen[key] == 1 else f"{key} ({seen[key]})",
            group=name,
            outcome=severity,
            tone=Tone.BAD if severity in failing else _shown(severity),
            shown=None if severity == "wrong" else _shown(severity),
            summary=one_line(one["rule"] or ""),
            detail=", ".join(f"{end} {one_line(text, _LONG)}" for end, text in ends.items()),
            cause=causes.get((severity, one["kind"]), f"{severity}: {one['kind']}"),
            fields={name: value for name, value in fields.items() if value},
            texts=ends if max(map(len, ends.values())) > _LONG else {},
            repeat=_explaining(document, job, one["id"]),
            fingerprint=one["found"],
        )


def _explaining(document: Document, job: Document, name: str) -> str:
    """The command that shows how a finding's expected number is computed.

    A report is the same wherever its jobs are; for jobs in a folder, the command names that folder.
    """
    asked, words = document.get("asked"), ["harbor-conformance", "check", "--explain", name]
    words += [] if document["spec"] == DEFAULT_SPEC else ["--spec", document["spec"]]
    words += [] if document["level"] == "bytes" else ["--level", document["level"]]
    if asked is not None:
        words += [] if asked["dataset"] is None else ["--dataset", asked["dataset"]]
        words += [word for log in asked["logs"] for word in ("--log", log)]
    place = job["path"]
    if job["submission"]:  # names are relative to the audited folder
        place = "LOCATION" if place.startswith("/") or "://" in place else "."
    return " ".join(map(shlex.quote, [*words, *["--"] * place.startswith("-"), place]))


def _tables(shown: Document) -> Iterator[Table]:
    """The tables after the findings, of a `readable` document."""
    summary = shown["summary"]
    yield from score_tables(shown)
    rows: list[tuple[Cell, ...]] = []
    for one in summary["kinds"]:
        first = enumerated(dict.fromkeys(place["job"] for place in one["first"]), 3)
        tone = Tone.BAD if one["severity"] == "wrong" else _shown(one["severity"])
        counts = (one["count"], one["jobs"])
        rows.append((one["kind"], Mark(one["severity"], tone), *counts, one["means"], first))
    yield Table("Findings by kind", ("kind", "severity", "findings", "jobs", "what it is", "first in"), rows)
    titles = ("submission", "jobs", "what is remarkable", "says of itself")
    yield Table("Submissions", titles, [_submission(one) for one in shown["submissions"]])
    jobs = sorted(shown["jobs"], key=lambda job: _GRAVITY.index(job["verdict"]))
    heads = ("job", "verdict", "trials", "with an exception", "unverified", "findings")
    many = len(jobs) > _FEW_JOBS
    listed = [_job(job) for job in jobs if not many or job["verdict"] != "clean"]
    yield Table("Jobs that are not clean" if many else "Jobs", heads, listed)
    if many:
        yield Table("Clean jobs", heads, [_job(job) for job in jobs if job["verdict"] == "clean"], long=True)
    generations: list[tuple[Cell, ...]] = [*summary["generations"].items()]
    yield Table("Files by generation", ("written by harbor's releases", "files"), generations, long=True)
    notes = [(one["note"], one["jobs"]) for one in summary["notes"][:_MOST_NOTES]]
    yield Table("What was not checked", ("note", "jobs"), notes)
    yield Table("No job", ("other files",), [(one,) for one in shown["aside"][:_MOST_NOTES]])


def _job(job: Document) -> tuple[Cell, ...]:
    counts = (job[name] for name in ("trials", "errored", "unverified", "total"))
    return (job["path"], _mark(job["verdict"]), *counts)


def _submission(one: Document) -> tuple[Cell, ...]:
    jobs = ", ".join(f"{count:,} {name}" for name, count in one["jobs"].items() if count)
    says = [
        f"{metadata['file']}: {metadata['problem']}"
        if metadata["problem"] is not None
        else enumerated([f"{path} {text}" for path, text in metadata["values"].items()], 20)
        for metadata in one["metadata"]
    ]
    return (one["name"], jobs, "; ".join(one["notes"][:20]), "; ".join(filter(None, says)))
