"""What stands on a fuzz run's page: causes with their smallest input, likely mistakes, ops, jobs."""

import shlex
from collections.abc import Mapping
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import (
    Bar,
    Bars,
    Block,
    Code,
    Failure,
    Line,
    Link,
    Mark,
    Paragraph,
    Part,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.saying import brief, links, several, value_text
from conformance.run.commands import runner_words
from conformance.suite.clauses import statements

__all__ = [
    "anchored",
    "bars",
    "disagreements",
    "failure",
    "groups",
    "jobs",
    "repeat",
    "repeat_all",
    "texts",
    "todo",
    "unclaimed",
]

_MOST_LINKS = 12
_Anchored = list[tuple[str, Mapping[str, Any]]]


def anchored(document: Mapping[str, Any]) -> _Anchored:
    """The causes, each with where it stands: by its counterexample, as places change from run to run."""
    found: dict[str, Mapping[str, Any]] = {}
    for place, cause in enumerate(document["causes"], 1):
        where = anchor("cause", cause["counterexample"] or f"{cause['op']}/{place}")
        found[f"{where}-{place}" if where in found else where] = cause
    return list(found.items())


def groups(document: Mapping[str, Any]) -> list[tuple[str | None, _Anchored]]:
    """Causes by likely mistake, the one that costs most first, what nothing explains last."""
    found: dict[str | None, _Anchored] = {}
    for where, cause in anchored(document):
        found.setdefault(cause["likely"], []).append((where, cause))
    return sorted(found.items(), key=lambda item: (item[0] is None, -disagreements(item[1])))


def disagreements(causes: _Anchored) -> int:
    """On how many inputs these causes showed."""
    return sum(cause["count"] for _, cause in causes)


def todo(document: Mapping[str, Any]) -> Table:
    """Likely mistakes, what to do about each, and the causes that each explains."""
    rows = []
    for likely, causes in groups(document):
        todo = dict.fromkeys(cause["do"] for _, cause in causes if cause.get("do"))
        named = [(cause["op"], where) for where, cause in causes]
        rows.append(
            Row(
                (
                    (brief(likely),) if likely else (Mark("unexplained", Tone.WARN),),
                    (brief("; ".join(todo), 600) or "look at each",),
                    (f"{several(disagreements(causes), 'input')}: ", *links(named, _MOST_LINKS)),
                )
            )
        )
    head = ("likely mistake", "what to do", "causes")
    return Table(head, tuple(rows), "Likely mistakes, the one that costs most first")


def failure(document: Mapping[str, Any], cause: Mapping[str, Any], where: str) -> Failure:
    """A cause, to be opened."""
    again = Mark("should agree", Tone.PLAIN)
    if not cause["repeats"]:
        again = Mark("should agree, and did in a new process", Tone.WARN)
    said = statements(document["spec"])
    seed = cause.get("seed", document["seed"])
    first = f"{cause['first_input']:,} of seed {seed}"
    fields: list[tuple[str, Line]] = [("op", (Code(cause["op"]),))]
    if "clause" in cause:
        fields.append(("clause", (Code(cause["clause"]),)))
    fields.append(("kind", (brief(cause["kind"]),)))
    fields.append(("inputs", (f"{cause['count']:,}, the first is input {first}",)))
    if cause["base"]:
        fields.append(("changed from", (Code(cause["base"]),)))
    fields.append(("likely mistake", (brief(cause["likely"] or "none that the kit knows"),)))
    if cause.get("do"):
        fields.append(("what to do", (brief(cause["do"], 600),)))
    if cause["counterexample"]:
        fields.append(("vector", (Code(cause["counterexample"]),)))
    return Failure(
        where,
        f"{cause['op']}: {brief(cause.get('detail') or cause['kind'], 160)}",
        Mark("disagrees", Tone.BAD),
        again,
        (said.get(cause.get("clause", ""), f"The answer to {cause['op']} is that of the reference."),),
        tuple(fields),
        texts(document, cause),
        repeat(document, cause),
        {"op": cause["op"], "likely mistake": brief(cause["likely"] or "unexplained", 100)},
    )


def texts(document: Mapping[str, Any], cause: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The smallest input, what is due to it, what came."""
    if "asked" not in cause:
        where = f"in {document['counterexamples']}" if document["counterexamples"] else "nowhere"
        return (("input", f"the report of this older kit does not hold it; it stands {where}"),)
    asked = cause["asked"]
    given = asked["input"] if isinstance(asked, dict) and "input" in asked else asked
    actual = cause["actual"]
    return (
        ("what is wrong", cause["detail"] or cause["kind"]),
        ("input", value_text(given)),
        ("expected", value_text(cause["expected"])),
        ("actual", "no answer" if actual is None else value_text(actual)),
    )


def repeat_all(document: Mapping[str, Any]) -> str | None:
    """The command for all that the vector file has; reports of older kits do not say it."""
    if document.get("repeat") or not document["counterexamples"]:
        told: str | None = document.get("repeat")
        return told
    words = ["harbor-conformance", "run", *runner_words(document["runner"]["command"])]
    words += ["--spec", document["spec"]]
    words += ["--level", document["level"]] if document["level"] != "bytes" else []
    return shlex.join([*words, "--vectors", document["counterexamples"]])


def repeat(document: Mapping[str, Any], cause: Mapping[str, Any]) -> str | None:
    """The command that repeats a cause; None where it did not repeat, or no file was written."""
    if "repeat" in cause:
        told: str | None = cause["repeat"]
        return told
    every = repeat_all(document)
    return f"{every} {shlex.quote(cause['counterexample'])}" if every and cause["counterexample"] else None


def bars(document: Mapping[str, Any]) -> Bars:
    """A bar for each op."""
    kinds = (("agreed", Tone.GOOD), ("disagreed", Tone.BAD), ("unsupported", Tone.WARN))
    found = []
    for op, told in document["ops"].items():
        parts = tuple(Part(name, told[name], tone) for name, tone in kinds if told[name])
        where = [each for each, cause in anchored(document) if cause["op"] == op]
        note = several(len(where), "cause") if where else ""
        found.append(Bar((Link(op, where[0]) if where else op,), parts, note))
    return Bars("Inputs by op", tuple(found))


def unclaimed(document: Mapping[str, Any]) -> list[Block]:
    """Which claims are broken by what was unsupported."""
    classes = document.get("unclaimed", ())
    if not classes:
        return []
    said = "Some inputs were unsupported, of ops that hello offers: that breaks the claim of "
    return [Paragraph((said, ", ".join(classes), "."), Tone.BAD)]


def jobs(document: Mapping[str, Any]) -> Table:
    """What each job came to."""
    rows = tuple(
        Row(((str(job["seed"]),), (f"{job['compared']:,}",), (brief(job["problem"] or ""),)))
        for job in document["jobs"]
    )
    return Table(("seed", "inputs compared", "problem"), rows, "Jobs", frozenset({1}))
