"""The list of known failures: every entry with its reason, its age, and what it matches today."""

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.publishing.anchors import failure_anchor
from conformance.publishing.blocks import Block, Cell, Code, Link, Mark, Paragraph, Row, Table, Tone
from conformance.publishing.kinds.runs.account import Run, counted, cut, number, sentence
from conformance.publishing.model import Section
from conformance.report.consistency import Entry, listed

__all__ = ["Known", "age", "by_text", "entries", "known_failures"]

_PROBLEM = re.compile(r"known failures, line ([0-9]+): ")
_FEW = 3
"""How many of an entry's failures are named."""


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of the list."""

    line: int
    pattern: str
    outcome: str
    reason: str
    since: str | None
    age: str
    """How long it has been listed, at the time of the run."""
    matched: tuple[Entry, ...]
    """The results that it expects."""
    passed: tuple[Entry, ...]
    """What it names and what passed nevertheless."""
    problem: str | None
    """What is wrong with it: stale, or it matches nothing."""

    @property
    def anchor(self) -> str:
        """Its row."""
        return f"known-{self.line}"

    @property
    def state(self) -> Mark:
        """What it is worth today."""
        if self.passed:
            return Mark("passes: remove it", Tone.BAD)
        if self.problem is not None:
            return Mark("stale: remove it" if " is stale" in self.problem else "matches nothing", Tone.BAD)
        if self.matched:
            return Mark("fails as listed", Tone.KNOWN)
        return Mark("nothing failed so in this run", Tone.WARN)


def age(since: str | None, on: str) -> str:
    """How long something has been listed on a day; both as ISO dates."""
    if since is None:
        return "no date"
    try:
        days = (datetime.date.fromisoformat(on[:10]) - datetime.date.fromisoformat(since)).days
    except ValueError:
        return "no date"
    if days < 0:
        return f"since {since}, which is after this run"
    return f"since {since}, {counted(days, 'day')}"


def entries(run: Run) -> list[Known]:
    """The entries of the list; none where there was none, or where the report does not have it."""
    known = run.document.get("known_failures")
    if known is None:
        return []
    problems = {int(match[1]): one for one in run.problems if (match := _PROBLEM.match(one))}
    by_text: dict[str, list[Entry]] = {}
    for one in listed(run.document):
        if one["expected_by"] is not None:
            by_text.setdefault(one["expected_by"], []).append(one)
    found = []
    for entry in known["entries"]:
        told = by_text.get(f"{entry['pattern']} {entry['outcome']}", [])
        found.append(
            Known(
                entry["line"],
                entry["pattern"],
                entry["outcome"],
                sentence(entry["reason"]) or "no reason given",
                entry["since"],
                age(entry["since"], run.document["started_at"]),
                tuple(one for one in told if one["outcome"] == "expected-failure"),
                tuple(one for one in told if one["outcome"] == "unexpected-pass"),
                problems.get(entry["line"]),
            )
        )
    return found


def by_text(every: Iterable[Known]) -> dict[str, Known]:
    """Entries by the text by which results name them."""
    return {f"{one.pattern} {one.outcome}": one for one in every}


def known_failures(run: Run) -> Section | None:
    """The list, where there is one."""
    known = run.document.get("known_failures")
    if known is None:
        return _of_an_earlier_kit(run) if "known_failures" not in run.document else None
    every = entries(run)
    rows = [
        Row(
            (
                (Code(cut(one.pattern, 300)),),
                (one.outcome,),
                (one.state,),
                (number(len(one.matched)),),
                (one.age,),
                (one.reason,),
                _examples(one),
            ),
            one.anchor,
            one.state.tone,
            {"state": one.state.text},
        )
        for one in sorted(every, key=lambda one: (one.state.tone is not Tone.BAD, one.line))
    ]
    matched = sum(len(one.matched) for one in every)
    bad = sum(one.state.tone is Tone.BAD for one in every)
    head = f"{counted(len(every), 'entry', 'entries')} of {cut(str(known['file']), 300)}, "
    head += f"which expect {counted(matched, 'failure')}"
    head += f"; {counted(bad, 'entry has', 'entries have')} to be removed or corrected." if bad else "."
    blocks: tuple[Block, ...] = (Paragraph((head,), Tone.BAD if bad else Tone.PLAIN),)
    if rows:
        columns = ("entry", "outcome", "today", "failures", "age", "reason", "examples")
        blocks += (Table(columns, tuple(rows), "Known failures", frozenset({3})),)
    return Section("known-failures", "Known failures", blocks)


def _examples(one: Known) -> Cell:
    told = [*one.passed, *one.matched]
    pieces: list[str | Link] = []
    for entry in told[:_FEW]:
        name = entry["id"].partition("/")[2]
        pieces += [Link(name, failure_anchor(entry["id"])) if "changes" not in entry else name, ", "]
    more = len(told) - _FEW
    return (*pieces[:-1], *((f" and {number(more)} more",) if more > 0 else ()))


def _of_an_earlier_kit(run: Run) -> Section | None:
    """What the results say of a list that the report does not have."""
    texts: dict[str, int] = {}
    for one in listed(run.document):
        if one["expected_by"] is not None:
            texts[one["expected_by"]] = texts.get(one["expected_by"], 0) + 1
    if not texts:
        return None
    rows = [
        Row(((Code(cut(text, 300)),), (number(count),)), tone=Tone.KNOWN)
        for text, count in sorted(texts.items())
    ]
    told = "The report is of a kit that does not keep the list: reasons, ages and stale entries are unknown."
    table = Table(("entry", "failures"), tuple(rows), "Known failures that results name", frozenset({1}))
    return Section("known-failures", "Known failures", (Paragraph((told,), Tone.WARN), table))
