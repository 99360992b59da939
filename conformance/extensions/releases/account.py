"""The result of comparing two releases: as JSON (schema ``spec-diff``), and as a page."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance import __version__
from conformance.extensions.releases.asking import Side
from conformance.extensions.releases.changes import Change, Example, answer_as_json, first_difference
from conformance.extensions.releases.comparing import KINDS, Comparison
from conformance.judging.comparison import ABSENT
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Code, Item, Mark, Page, Table, Tone
from conformance.wire.pointers import shown
from conformance.wire.text import compact, printable

__all__ = ["SCHEMA", "Account", "page"]

SCHEMA = "urn:harbor-conformance:spec-diff:1"
_LONGEST = 4096
"""The most characters of an example's input or answer, as JSON, in a report."""
_REASONS = 4
"""The most reasons per op."""
_LINE = 240
"""The most characters shown of an input or answer."""
_SHORT = 100
"""An answer of up to this many characters is always shown whole."""


@dataclass(slots=True)
class Account:
    """One comparison, and how it ended."""

    comparison: Comparison
    specs: list[str]
    """The specs whose vectors were asked."""
    started_at: str
    problems: list[str] = field(default_factory=list)
    """A sentence for each reason why it could not be tried."""
    interrupted: int | None = None
    """The exit code for a signal; None if there was none."""

    @property
    def ended(self) -> str:
        """``complete``, ``interrupted``, or ``not-tried``."""
        if self.interrupted is not None:
            return "interrupted"
        return "complete" if self.comparison.finished else "not-tried"

    @property
    def exit_code(self) -> int:
        """0: nothing differs; 1: something does; 2: it could not be tried; or a signal's code."""
        if self.interrupted is not None:
            return self.interrupted
        if self.comparison.changes:
            return 1
        return 2 if self.problems or not self.comparison.compared else 0

    def as_json(self) -> dict[str, Any]:
        """The report as its schema describes it."""
        one = self.comparison
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "spec": one.spec,
            "specs": self.specs,
            "old": _side_as_json(one, 0),
            "new": _side_as_json(one, 1),
            "started_at": self.started_at,
            "duration_seconds": round(one.seconds, 3),
            "seed": one.seed,
            "ended": self.ended,
            "exit_code": self.exit_code,
            "problems": self.problems,
            "cut": one.cut,
            "inputs": {kind: {"asked": one.asked[kind], "differ": one.differing[kind]} for kind in KINDS},
            "ops": {
                op: {"same": count.same, "differ": count.differ, "not_compared": count.not_compared}
                for op, count in sorted(one.counts.items())
            },
            "changes": [_change_as_json(change) for change in one.changes.ranked()],
        }


def _side_as_json(one: Comparison, position: int) -> dict[str, Any]:
    side = one.sides[position]
    return {
        "subject": side.subject,
        "runner": side.hello.runner if side.hello else None,
        "version": side.hello.version if side.hello else None,
        "start_up_seconds": round(one.start_up_seconds[position], 3),
        "not_offered": one.lacking(side) if side.hello else [],
        "failures": dict(sorted(side.failures.items())),
        "unsupported": {
            op: [{"reason": printable(reason), "count": count} for reason, count in reasons.most_common()]
            for op, reasons in sorted(one.unsupported[position].items())
        },
    }


def _change_as_json(change: Change) -> dict[str, Any]:
    return {
        "op": change.op,
        "sort": change.sort.value,
        "what": printable(change.what),
        "vectors": [
            {
                "id": one.question.vector.id,
                "clause": one.question.clause,
                "played": one.question.played,
                "old": _bounded(answer_as_json(one.old)),
                "new": _bounded(answer_as_json(one.new)),
            }
            for one in change.vectors
            if one.question.vector is not None
        ],
        "random": change.random,
        "clauses": [
            {"id": clause, "inputs": vectors + random, "guessed": not vectors}
            for clause, vectors, random in change.by_clause()
        ],
        "unsteady": change.unsteady,
        "examples": [_example_as_json(example) for example in change.examples],
    }


def _example_as_json(example: Example) -> dict[str, Any]:
    vector = example.question.vector or example.question.base
    return {
        "input": _bounded(example.input),
        "old": _bounded(answer_as_json(example.old)),
        "new": _bounded(answer_as_json(example.new)),
        "small": example.small,
        "number": example.question.number,
        "of": vector.id if vector else None,
    }


def _bounded(value: Any) -> Any:
    """A value for a report: null if it is very long, with non-finite numbers as strings."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):  # an int with too many digits, or nested too deeply
        return None
    return None if len(text) > _LONGEST else json.loads(text, parse_constant=lambda name: str(float(name)))


def page(account: Account) -> Page:
    """The account as a page."""
    one = account.comparison
    names = [_name(side) for side in one.sides]
    counts = [
        (Mark("differ", Tone.BAD), sum(count.differ for count in one.counts.values()), ""),
        (Mark("the same", Tone.GOOD), sum(count.same for count in one.counts.values()), ""),
        (Mark("not compared", Tone.QUIET), sum(count.not_compared for count in one.counts.values()), ""),
    ]
    ranked = one.changes.ranked()
    rules = [
        (change.op, Code(rule), change.sort.value, vectors, random)
        for change in ranked
        for rule, vectors, random in change.by_clause()
    ]
    tables = [Table("What changed, by rule", ("op", "rule", "change", "vectors", "random inputs"), rules)]
    tables.append(
        Table("What could not be compared", ("side", "op", "inputs", "why"), list(_not_reached(one)))
    )
    failed = [
        f"{side.subject} failed to answer {op} {counted(count, 'time')}"
        for side in one.sides
        for op, count in sorted(side.failures.items())
    ]
    return Page(
        kind="spec-diff",
        title=f"From {names[0]} to {names[1]}",
        verdict=_verdict(account),
        sentence=_sentence(one),
        exit_code=account.exit_code,
        facts={
            "vectors of": ", ".join(account.specs),
            "random inputs": f"{one.inputs:,}, seed {one.seed}",
            "seconds": f"{one.seconds:.1f}",
        },
        counts=counts,
        unit="questions",
        problems=[*account.problems, *one.cut, *failed, *(side.dead for side in one.sides if side.dead)],
        items=list(map(_item, ranked)),
        tables=[table for table in tables if table.rows],
        started_at=account.started_at,
        seconds=one.seconds,
        findings_only=True,
    )


def _name(side: Side) -> str:
    if side.hello is None:
        return f"{side.subject} (not started)"
    runner = f"{side.hello.runner} {side.hello.version}"
    return runner if side.subject in (runner, side.hello.version) else f"{runner} ({side.subject})"


def _verdict(account: Account) -> Mark:
    if not account.comparison.compared:
        return Mark("could not be tried", Tone.WARN)
    more = "" if account.ended == "complete" else ", interrupted: more may differ"
    if account.comparison.changes:
        return Mark(f"{counted(len(account.comparison.changes), 'change')}{more}", Tone.BAD)
    return Mark(f"nothing differs{more}", Tone.WARN if more else Tone.GOOD)


def _sentence(one: Comparison) -> str:
    words = (("vectors", "vectors"), ("played", "played jobs"), ("random", "random inputs"))
    asked = ", ".join(f"{one.asked[kind]:,} {word}" for kind, word in words if one.asked[kind])
    if not one.compared:
        return "nothing was compared"
    return f"{counted(one.differing.total(), 'input')} of {asked} answered differently"


def _item(change: Change) -> Item:
    named = f"{change.op}: {change.what}"
    shown_by = [counted(len(change.vectors), "vector")] if change.vectors else []
    shown_by += [counted(change.random, "random input")] if change.random else []
    unsteady = f"; {counted(change.unsteady, 'input')} did not show it again" if change.unsteady else ""
    texts = {f"example {n}": "\n".join(_example(one)) for n, one in enumerate(change.examples, 1)}
    return Item(
        key=named,
        group=change.op,
        outcome=change.sort.value,
        tone=Tone.BAD,
        detail=f"shown by {', '.join(shown_by)}{unsteady}",
        cause=named,
        texts=texts,
    )


def _example(example: Example) -> Iterator[str]:
    """The input and both answers; for long answers, only their first difference."""
    yield f"input  {compact(example.input, _LINE)}"
    answers = [_answer(answer_as_json(one)) for one in (example.old, example.new)]
    if max(map(len, answers)) > _SHORT:
        first = first_difference(example.question, example.input, example.old, example.new)
        if first is not None:
            values = (first.expected, first.actual)
            answers = ["nothing" if one is ABSENT else compact(one, _LINE) for one in values]
            answers = [f"{shown(first.path)}: {answer}" for answer in answers]
    yield f"before {answers[0]}"
    yield f"now    {answers[1]}"


def _answer(answer: dict[str, Any]) -> str:
    match answer:
        case {"ok": value}:
            return compact(value, _LINE)
        case {"error": {"type": kind, "reason_code": code}}:
            return f"the error {kind}" + (f" ({code})" if code else "")
        case {"failed": {"outcome": outcome, "sentence": sentence}}:
            return f"{outcome}: {sentence}"
    return "unsupported"


def _not_reached(one: Comparison) -> Iterator[tuple[Cell, ...]]:
    """The questions that either side could not answer, by op, with the most frequent reasons."""
    for side, unsupported in zip(one.sides, one.unsupported, strict=True):
        lacking = one.lacking(side) if side.hello else []
        yield from ((_name(side), op, "", "not offered") for op in lacking)
        for op, reasons in sorted(unsupported.items()):
            yield from ((_name(side), op, count, why) for why, count in reasons.most_common(_REASONS))
