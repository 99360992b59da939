"""Findings on a page: by kind, and one by one as far as there is room."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import (
    Code,
    Failure,
    Failures,
    Inline,
    Line,
    Link,
    Mark,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.checks.words import (
    Below,
    cut,
    explaining,
    number,
    severity_mark,
    stops,
)

__all__ = ["MOST", "Listed", "failures", "kind_anchor", "kinds_table", "listed"]

Document = Mapping[str, Any]
Listed = tuple[Document, Document]
"""A job, and one of its findings."""

MOST = 300
"""Findings that a page tells one by one."""
_FACETS = 60
"""Submissions by which findings can be filtered; of more there would be no choosing."""
_SHORT, _LONG = 160, 600
_GRAVEST_FIRST = ("wrong", "differs", "note")
_DO = {
    "wrong": "run the command: it shows the trials and the sum; don't use the number until it is explained",
    "differs": "the numbers hold: ask for the file again, as the runner wrote it",
    "note": "nothing, it is worth knowing",
}


def kind_anchor(severity: str, kind: str) -> str:
    """Where a kind of finding stands."""
    return anchor("kind", f"{severity}-{kind}")


def finding_anchor(name: str) -> str:
    """Where a finding stands."""
    return f"finding-{name}"


def listed(document: Document) -> tuple[list[Listed], int]:
    """The findings to be told one by one, and how many there are besides.

    The gravest come first; of each severity one of each kind and job before a second of any, so that what
    one job has a thousand times hides nothing.
    """
    by_severity: dict[str, dict[tuple[str, str], list[Listed]]] = {
        severity: defaultdict(list) for severity in _GRAVEST_FIRST
    }
    for job in document["jobs"]:
        for finding in job["findings"]:
            by_severity[finding["severity"]][finding["kind"], job["path"]].append((job, finding))
    found = [one for places in by_severity.values() for one in _in_turn(places.values())]
    shown, seen = [], set()
    for one in found[:MOST]:
        if one[1]["id"] not in seen:  # in a report that nobody edited no name is there twice
            seen.add(one[1]["id"])
            shown.append(one)
    return shown, document["summary"]["total"] - len(shown)


def _in_turn(places: Iterable[Sequence[Listed]]) -> Iterator[Listed]:
    for turn in zip_longest(*places):
        yield from (one for one in turn if one is not None)


def kinds_table(document: Document, shown: Sequence[Listed], below: Below) -> Table:
    """Findings by severity and kind, each with the first places."""
    names = {finding["id"] for _, finding in shown}
    rows = []
    for one in document["summary"]["kinds"]:
        places: list[Inline] = []
        for place in one["first"][:3]:
            places += [", "] if places else []
            name = place["id"]
            places.append(Link(name, finding_anchor(name)) if name in names else Code(name))
            places.append(f" {cut(below.short(place['job']), _SHORT)}")
        rest = one["count"] - len(one["first"][:3])
        places += [f" and {number(rest)} more"] if rest > 0 else []
        rows.append(
            Row(
                (
                    (one["kind"],),
                    (severity_mark(one["severity"], document["fail_on"]),),
                    (number(one["count"]),),
                    (number(one["jobs"]),),
                    (one["means"],),
                    tuple(places),
                ),
                kind_anchor(one["severity"], one["kind"]),
                severity_mark(one["severity"], document["fail_on"]).tone,
            )
        )
    head = ("kind", "severity", "findings", "jobs", "what it is about", "first places")
    return Table(head, tuple(rows), "Findings by kind, the gravest first", frozenset({2, 3}))


def failures(document: Document, shown: Sequence[Listed], left_out: int, below: Below) -> Failures:
    """The findings one by one."""
    few = len({job["submission"] for job, _ in shown}) <= _FACETS
    return Failures(tuple(_failure(document, *one, below, few) for one in shown), left_out)


def _failure(document: Document, job: Document, finding: Document, below: Below, few: bool) -> Failure:
    fail_on = document["fail_on"]
    stopping = stops(finding["severity"], fail_on)
    place = " ".join(filter(None, (finding["file"], finding["path"]))) or "the job's directory"
    fields: list[tuple[str, Line]] = [
        ("job", (Link(cut(below.short(job["path"]), _SHORT), anchor("job", job["path"])),)),
        ("file", (Code(cut(finding["file"], _LONG)),) if finding["file"] else ("the directory itself",)),
    ]
    if finding["path"]:
        fields.append(("place", (Code(cut(finding["path"], _LONG)),)))
    if finding["clause"] is not None:
        fields.append(("clause", (Code(finding["clause"]),)))
    if finding["likely"] is not None:
        fields.append(("likely mistake", (cut(finding["likely"], _LONG),)))
    fields.append(("what to do", (_DO[finding["severity"]],)))
    fields.append(("counts from level", (finding["level"],)))
    for name, of in (("task", finding["task"]), ("vector", finding["vector"])):
        if of is not None:
            fields.append((name, (Code(cut(of, _LONG)),)))
    means = (Link(finding["kind"], kind_anchor(finding["severity"], finding["kind"])), ": ")
    about = finding["rule"] or _means(document, finding)
    facets = {"severity": finding["severity"], "kind": finding["kind"]}
    if few and job["submission"]:
        facets["submission"] = cut(below.short(job["submission"]), _SHORT)
    return Failure(
        finding_anchor(finding["id"]),
        f"{finding['id']} {cut(place, _SHORT)}",
        severity_mark(finding["severity"], fail_on),
        Mark("fails the check", Tone.BAD) if stopping else Mark("does not fail the check", Tone.PLAIN),
        (*means, cut(about, _LONG)),
        tuple(fields),
        (("found", finding["found"]), ("expected", finding["expected"])),
        explaining(document, job, finding["id"]),
        facets,
    )


def _means(document: Document, finding: Document) -> str:
    """What the finding's kind is about."""
    kinds = document["summary"]["kinds"]
    return next((str(one["means"]) for one in kinds if one["kind"] == finding["kind"]), "")
