"""The page of a report of ``check``."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import Block, Code, Heat, Line, Lines, Paragraph, Row, Table, Tone
from conformance.publishing.kinds.checks.counting import agreed
from conformance.publishing.kinds.checks.findings import Listed, failures, kinds_table, listed
from conformance.publishing.kinds.checks.jobs import bars, jobs_table, submission_anchor
from conformance.publishing.kinds.checks.leaderboards import (
    board_blocks,
    board_details,
    board_pairs,
    groups_of,
    told_of,
)
from conformance.publishing.kinds.checks.scores import group_blocks, heats
from conformance.publishing.kinds.checks.verdicts import badge, cases, counts, ended, notes, verdict
from conformance.publishing.kinds.checks.words import Below, cut, many, number
from conformance.publishing.model import Fact, Page, Section

__all__ = ["page"]

Document = Mapping[str, Any]
_FEW = 3
"""Jobs or submissions that have all their parts on a page at once, in formats with little room too."""
_MOST_GROUPS = 20
_MOST_JOBS = 50
"""Jobs of their own whose scores are told."""
_SHORT, _LONG = 160, 600
_MOST_LINES = 200
_FAIL_ON = {
    "wrong": "numbers that contradict each other",
    "differs": "whatever harbor does not write so",
    "note": "notes too",
    "never": "nothing",
}


def page(document: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the report contradicts itself.
    """
    agreed(document)
    below = Below(document["jobs"])
    shown, left_out = listed(document)
    return Page(
        "check",
        _title(document, below),
        verdict(document),
        document["exit_code"],
        tuple(_facts(document, below)),
        counts(document),
        "jobs",
        tuple(_warnings(document, left_out)),
        tuple(_sections(document, shown, left_out, below)),
        badge(document),
        cases(document),
        tuple(notes(document, shown)),
    )


def _title(document: Document, below: Below) -> Line:
    if len(document["jobs"]) == 1:
        return ("Audit of ", Code(cut(document["jobs"][0]["path"], _SHORT)))
    told = f"Audit of {many(len(document['jobs']), 'job')}"
    if not below.folder:
        return (told,)
    return (f"{told} below ", Code(cut(below.folder, _SHORT)))


def _facts(document: Document, below: Below) -> Iterator[Fact]:
    summary = document["summary"]
    yield Fact("spec", (document["spec"],))
    yield Fact("level", (document["level"],))
    yield Fact("kit", (document["kit_version"],))
    yield Fact("fails on", (f"{document['fail_on']}: {_FAIL_ON[document['fail_on']]}",))
    yield Fact("exit code", (str(document["exit_code"]),))
    verified = summary["trials"] - summary["unverified"]
    yield Fact("trials", (number(summary["trials"]),))
    yield Fact(
        "held to reward files",
        (f"{number(verified)}; {number(summary['unverified'])} by their records alone",),
    )
    if document["submissions"]:
        yield Fact("submissions", (number(len(document["submissions"])),))
    asked = document.get("asked")
    if asked is not None and asked["dataset"] is not None:
        yield Fact("dataset", (Code(cut(asked["dataset"], _SHORT)),))
    if document["submissions"]:
        yield Fact("run commands in", ("the folder that was audited",))
    if below.folder:
        yield Fact("names below", (Code(cut(below.folder, _SHORT)),))


def _warnings(document: Document, left_out: int) -> Iterator[Line]:
    summary = document["summary"]
    verdicts = summary["verdicts"]
    if ended(document):
        yield (f"The audit was ended before it was done: {many(verdicts['not_judged'], 'job')} not judged.",)
    elif verdicts["not_judged"]:
        yield (f"{many(verdicts['not_judged'], 'job')} could not be audited, or not to the end.",)
    if verdicts["unfinished"]:
        have = "has" if verdicts["unfinished"] == 1 else "have"
        yield (f"{many(verdicts['unfinished'], 'job')} {have} not finished, or {have} no result.json.",)
    if summary["unverified"]:
        yield (
            f"{number(summary['unverified'])} of {many(summary['trials'], 'trial')} are judged by their "
            "records alone: whether a record was changed together with result.json can't be told.",
        )
    if left_out:
        yield (f"{many(left_out, 'finding')} more are counted, and not told one by one.",)


def _sections(document: Document, shown: Sequence[Listed], left_out: int, below: Below) -> Iterator[Section]:
    summary = document["summary"]
    told = told_of(document)
    yield Section("jobs-by-verdict", "Jobs by verdict", (bars(document, below, told),))
    if summary["kinds"]:
        blocks = (kinds_table(document, shown, below), failures(document, shown, left_out, below))
        yield Section("findings", "Findings", blocks)
    else:
        yield Section("findings", "Findings", (Paragraph(("Nothing was found.",), Tone.GOOD),))
    yield from _leaderboards(document, told, below)
    yield from _submissions(document, told, below)
    yield from _own(document, below)
    yield Section("jobs", "All jobs", (jobs_table(document, list(shown), below),), brief=False)
    yield Section("files", "Files by generation", (_generations(document),), brief=False)
    if summary["notes"]:
        yield Section("notes", "What was not checked", (_notes(document),))
    if document["aside"]:
        lines: list[Line] = [(cut(one, _LONG),) for one in document["aside"][:_MOST_LINES]]
        yield Section("aside", "No job", (Lines(tuple(lines)),), brief=False)


def _leaderboards(document: Document, told: Collection[str], below: Below) -> Iterator[Section]:
    """Each leaderboard: its first submissions, and then all of them at length."""
    groups = groups_of(document)
    for at, board in enumerate(document["leaderboards"]):
        name = cut(board["source"] or "tasks of no dataset", _SHORT)
        found = board_pairs(board, groups)
        blocks = tuple(board_blocks(board, found, told, below))
        yield Section(f"leaderboard-{at + 1}", f"Leaderboard: {name}", blocks)
        if len(found) > 1:
            details = tuple(board_details(found, told, below))
            yield Section(
                f"leaderboard-{at + 1}-all", f"{name}: all submissions", details, len(found) <= _FEW
            )


def _submissions(document: Document, told: Collection[str], below: Below) -> Iterator[Section]:
    """The submissions that are told of, with their scores and their trials."""
    found = document["submissions"]
    for one in found:
        if one["name"] not in told:
            continue
        jobs = ", ".join(f"{number(count)} {name}" for name, count in one["jobs"].items() if count)
        blocks: list[Block] = [Paragraph((f"{many(sum(one['jobs'].values()), 'job')}: {jobs}.",))]
        if one["notes"]:
            told_notes = [cut(below.in_text(note), _LONG) for note in one["notes"][:_MOST_LINES]]
            blocks.append(Lines(tuple((note,) for note in told_notes)))
        blocks += _groups(one["groups"], below, True)
        if one["metadata"]:
            blocks.append(_metadata(one))
        title = f"Submission {cut(below.short(one['name']), _SHORT)}"
        yield Section(submission_anchor(one["name"]), title, tuple(blocks), len(found) <= _FEW)
    if rest := len(found) - len(told):
        line = (
            f"The scores and trials of {many(rest, 'submission')} more are in the JSON report. Shown are the "
            "first of each leaderboard, and those with most to tell; audit a folder of its own for its page."
        )
        yield Section("more-submissions", "Further submissions", (Paragraph((line,)),), brief=False)


def _own(document: Document, below: Below) -> Iterator[Section]:
    """The scores and trials of jobs that are of no submission."""
    jobs = [job for job in document["jobs"] if job.get("groups")]
    for at, job in enumerate(jobs[:_MOST_JOBS]):
        title = "Scores and trials"
        if len(document["jobs"]) > 1:
            title += f" of {cut(below.short(job['path']), _SHORT)}"
        yield Section(
            f"scores-{at + 1}", title, tuple(_groups(job["groups"], below, False)), len(jobs) <= _FEW
        )
    if (more := len(jobs) - _MOST_JOBS) > 0:
        told = Paragraph((f"The scores of {many(more, 'job')} more are in the report alone.",))
        yield Section("more-scores", "Further jobs", (told,), brief=False)


def _groups(groups: Sequence[Document], below: Below, noted: bool) -> Iterator[Block]:
    for group in groups[:_MOST_GROUPS]:
        yield from group_blocks(group, below, noted)
        found: Iterator[Heat] = heats(group)
        yield from found
    if len(groups) > _MOST_GROUPS:
        rest = len(groups) - _MOST_GROUPS
        yield Paragraph((f"{number(rest)} more datasets, agents and models are in the report alone.",))


def _metadata(one: Document) -> Block:
    lines: list[Line] = []
    for metadata in one["metadata"]:
        if metadata["problem"] is not None:
            lines.append((Code(cut(metadata["file"], _SHORT)), f": {cut(metadata['problem'], _LONG)}"))
        for path, text in list(metadata["values"].items())[:_MOST_GROUPS]:
            place = Code(f"{cut(metadata['file'], _SHORT)} {cut(path, _SHORT)}")
            lines.append((place, f" says (not checked): {cut(text, _SHORT)}"))
    return Lines(tuple(lines))


def _generations(document: Document) -> Table:
    rows = tuple(
        Row(((cut(name, _SHORT),), (number(count),)))
        for name, count in document["summary"]["generations"].items()
    )
    head = ("written by harbor's releases", "files")
    return Table(head, rows, "Files by the generation of releases that writes such", frozenset({1}))


def _notes(document: Document) -> Table:
    every = document["summary"]["notes"]
    rows = [Row(((cut(one["note"], _LONG),), (number(one["jobs"]),))) for one in every[:_MOST_LINES]]
    told = f"; {len(every) - len(rows)} more are in the report" if len(every) > len(rows) else ""
    return Table(("note", "jobs"), tuple(rows), f"What was not checked, and why{told}", frozenset({1}))
