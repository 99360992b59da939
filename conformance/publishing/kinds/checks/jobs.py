"""Jobs on a page: by verdict, and all of them in a table."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import Bar, Bars, Inline, Line, Link, Part, Row, Table
from conformance.publishing.kinds.checks.findings import Listed, finding_anchor
from conformance.publishing.kinds.checks.words import VERDICTS, Below, cut, many, number, verdict_mark

__all__ = ["bars", "jobs_table", "submission_anchor"]

Document = Mapping[str, Any]
_MOST_BARS = 100
_MOST_NAMES = 4
_SHORT = 160
OWN = "jobs of their own"


def submission_anchor(name: str) -> str:
    """Where a submission stands."""
    return anchor("submission", name)


def bars(document: Document, below: Below) -> Bars:
    """Each submission's jobs by verdict; those with something to tell first, where not all have room."""
    by: dict[str, Counter[str]] = {}
    for job in document["jobs"]:
        by.setdefault(job["submission"], Counter())[job["verdict"]] += 1
    names = sorted(by)
    left_out = len(names) - _MOST_BARS
    if left_out > 0:
        clean = {name for name in names if by[name].keys() == {"clean"}}
        names = sorted(sorted(names, key=lambda name: (name in clean, name))[:_MOST_BARS])
    made = []
    for name in names:
        parts = [
            Part(verdict, by[name][verdict], verdict_mark(verdict, document["fail_on"]).tone)
            for verdict in VERDICTS
        ]
        label: Line = (OWN,)
        if name:
            label = (Link(cut(below.short(name), _SHORT), submission_anchor(name)),)
        made.append(Bar(label, tuple(parts), many(by[name].total(), "job")))
    told = f"; {left_out} submissions more, mostly clean, are not drawn" if left_out > 0 else ""
    return Bars(f"Jobs by verdict{told}", tuple(made))


def jobs_table(document: Document, shown: list[Listed], below: Below) -> Table:
    """Every job, with what was found in it."""
    names: dict[str, list[str]] = {}
    for job, finding in shown:
        names.setdefault(job["path"], []).append(finding["id"])
    rows = tuple(_row(document, job, names.get(job["path"], []), below) for job in document["jobs"])
    head = ("job", "verdict", "trials", "with an exception", "unverified", "findings", "generation")
    return Table(head, rows, "All jobs", frozenset({2, 3, 4}), long=True)


def _row(document: Document, job: Document, names: list[str], below: Below) -> Row:
    mark = verdict_mark(job["verdict"], document["fail_on"])
    found: list[Inline] = []
    if job["problem"] is not None:
        found.append(cut(job["problem"], _SHORT))
    for name in names[:_MOST_NAMES]:
        found += [", "] if found else []
        found.append(Link(name, finding_anchor(name)))
    if rest := job["total"] - len(names[:_MOST_NAMES]):
        found.append(f" and {number(rest)} more" if found else many(rest, "finding"))
    generations = [name.removeprefix("job file: ") for name in job["generations"] if name[:3] == "job"]
    facets = {"verdict": job["verdict"], "generation": generations[0] if generations else "no job file"}
    if job["submission"]:
        facets["submission"] = cut(below.short(job["submission"]), _SHORT)
    return Row(
        (
            (cut(below.short(job["path"]), _SHORT),),
            (mark,),
            (number(job["trials"]),),
            (number(job["errored"]),),
            (number(job["unverified"]),),
            tuple(found),
            (facets["generation"],),
        ),
        anchor("job", job["path"]),
        mark.tone,
        facets,
    )
