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

__all__ = [
    "MOST",
    "Listed",
    "failure",
    "failures",
    "finding_anchor",
    "in_turn",
    "kind_anchor",
    "kinds_table",
    "listed",
]

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
    found = [one for places in by_severity.values() for one in in_turn(places.values())]
    shown, seen = [], set()
    for one in found[:MOST]:
        if one[1]["id"] not in seen:  # in a report that nobody edited no name is there twice
            seen.add(one[1]["id"])
            shown.append(one)
    return shown, document["summary"]["total"] - len(shown)


def in_turn(places: Iterable[Sequence[Listed]]) -> Iterator[Listed]:
    """The first of each, then the second of each."""
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
    made = []
    for job, finding in shown:
        stopping = stops(finding["severity"], document["fail_on"])
        due = Mark("fails the check", Tone.BAD) if stopping else Mark("does not fail the check", Tone.PLAIN)
        kind = Link(finding["kind"], kind_anchor(finding["severity"], finding["kind"]))
        about = finding["rule"] or _means(document, finding)
        made.append(failure(document, (job, finding), below, due, kind, about, few))
    return Failures(tuple(made), left_out)


def failure(
    document: Document,
    one: Listed,
    below: Below,
    expectation: Mark,
    kind: Inline,
    about: str,
    by_submission: bool,
) -> Failure:
    """One finding; ``about`` is its rule, ``by_submission`` says whether it can be filtered by that."""
    job, finding = one
    place = " ".join(filter(None, (finding["file"], finding["path"]))) or "the directory itself"
    where = f"{cut(below.short(job['path']), _SHORT)}: {cut(place, _SHORT)}. "
    facets = {"severity": finding["severity"], "kind": finding["kind"]}
    if by_submission and job["submission"]:
        facets["submission"] = cut(below.short(job["submission"]), _SHORT)
    return Failure(
        finding_anchor(finding["id"]),
        f"{finding['id']} {finding['kind']}",
        severity_mark(finding["severity"], document["fail_on"]),
        expectation,
        (kind, " in ", where, cut(about, _LONG)),
        tuple(_fields(job, finding, below)),
        (("found", finding["found"]), ("expected", finding["expected"])),
        explaining(document, job, finding["id"]),
        facets,
    )


def _fields(job: Document, finding: Document, below: Below) -> Iterator[tuple[str, Line]]:
    yield "job", (Link(cut(below.short(job["path"]), _SHORT), anchor("job", job["path"])),)
    yield "file", (Code(cut(finding["file"], _LONG)) if finding["file"] else "the directory itself",)
    for name, of in (("place", finding["path"] or None), ("clause", finding["clause"])):
        if of is not None:
            yield name, (Code(cut(of, _LONG)),)
    if finding["likely"] is not None:
        yield "likely mistake", (cut(finding["likely"], _LONG),)
    yield "what to do", (_DO[finding["severity"]],)
    yield "counts from level", (finding["level"],)
    for name in ("task", "vector"):
        if finding[name] is not None:
            yield name, (Code(cut(finding[name], _LONG)),)


def _means(document: Document, finding: Document) -> str:
    """What the finding's kind is about."""
    kinds = document["summary"]["kinds"]
    return next((str(one["means"]) for one in kinds if one["kind"] == finding["kind"]), "")
