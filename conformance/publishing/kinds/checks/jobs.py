"""Jobs on a page: by verdict, and all of them in a table."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import Bar, Bars, Inline, Line, Link, Part, Row, Table
from conformance.publishing.kinds.checks.findings import Listed, finding_anchor
from conformance.publishing.kinds.checks.words import (
    GRAVITY,
    VERDICTS,
    Below,
    cut,
    many,
    number,
    verdict_mark,
)

__all__ = ["bars", "jobs_table", "submission_anchor"]

Document = Mapping[str, Any]
_FEW_BARS, _MOST_BARS = 12, 60
_MOST_NAMES = 4
_SHORT = 160
OWN = "jobs of their own"


def submission_anchor(name: str) -> str:
    """Where a submission stands."""
    return anchor("submission", name)


def bars(document: Document, below: Below, told: Collection[str]) -> Bars:
    """Each submission's jobs by verdict; where there are many, those that are all clean are one bar.

    Those that are ``told`` of have a place on the page, and are links.
    """
    by: dict[str, Counter[str]] = {}
    for job in document["jobs"]:
        by.setdefault(job["submission"], Counter())[job["verdict"]] += 1
    names = sorted(by)
    if len(names) > _FEW_BARS:
        names = [name for name in names if by[name].keys() != {"clean"}][:_MOST_BARS]
    made = []
    for name in names:
        label: Line = (cut(below.short(name), _SHORT) if name else OWN,)
        if name in told:
            label = (Link(cut(below.short(name), _SHORT), submission_anchor(name)),)
        made.append(_bar(label, by[name], document["fail_on"]))
    rest = sorted(by.keys() - set(names))
    if rest:
        sum_of = sum((by[name] for name in rest), Counter())
        made.append(_bar((f"{many(len(rest), 'submission')} more",), sum_of, document["fail_on"]))
    return Bars(
        "Jobs of each submission by verdict" if document["submissions"] else "Jobs by verdict", tuple(made)
    )


def _bar(label: Line, by: Mapping[str, int], fail_on: str) -> Bar:
    parts = tuple(Part(name, by.get(name, 0), verdict_mark(name, fail_on).tone) for name in VERDICTS)
    return Bar(label, parts, many(sum(by.values()), "job"))


def jobs_table(document: Document, shown: list[Listed], below: Below) -> Table:
    """Every job, the gravest verdicts first, with what was found in it."""
    names: dict[str, list[str]] = {}
    for job, finding in shown:
        names.setdefault(job["path"], []).append(finding["id"])
    jobs = sorted(document["jobs"], key=lambda job: -GRAVITY[job["verdict"]])
    rows = tuple(_row(document, job, names.get(job["path"], []), below) for job in jobs)
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
