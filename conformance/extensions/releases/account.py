"""What a comparison of two releases has found: as JSON (schema ``spec-diff``), as text, and as Markdown."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance import __version__
from conformance.assessment.markdown import Code, plain, table
from conformance.extensions.releases.asking import Side
from conformance.extensions.releases.changes import Change, Example, answer_as_json, first_difference
from conformance.extensions.releases.comparing import KINDS, Comparison
from conformance.judging.comparison import ABSENT
from conformance.wire.pointers import shown
from conformance.wire.text import compact, printable, shortened

__all__ = ["SCHEMA", "Account", "counted", "markdown", "text_lines"]

SCHEMA = "urn:harbor-conformance:spec-diff:1"
_LONGEST = 4096
"""Characters of an example's input or answer, as JSON, that a report repeats."""
_RULES, _EXAMPLES, _REASONS = 6, 4, 4
"""The most rules and examples of one change, and reasons of one op, that a terminal shows."""
_LINE, _MARKDOWN_LINE = 240, 600
"""Characters of an input or answer on a terminal, and in Markdown."""
_SHORT = 100
"""Characters of an answer that is always shown whole."""


@dataclass(slots=True)
class Account:
    """One comparison, and how it ended."""

    comparison: Comparison
    specs: list[str]
    """The specs whose vectors were asked."""
    started_at: str
    problems: list[str] = field(default_factory=list)
    """Why it could not be tried, one sentence each."""
    interrupted: int | None = None
    """The exit code that a signal left; None where none came."""

    @property
    def ended(self) -> str:
        """``complete``, ``interrupted``, or ``not-tried``."""
        if self.interrupted is not None:
            return "interrupted"
        return "complete" if self.comparison.finished else "not-tried"

    @property
    def exit_code(self) -> int:
        """0: nothing differs; 1: something does; 2: it could not be tried; else the signal's."""
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
    """A value as a report can hold it: null where it is very long, its non-finite numbers as texts."""
    return None if _size(value) > _LONGEST else _finite(value)


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 2 + sum(len(key) + _size(item) for key, item in value.items())
    if isinstance(value, list):
        return 2 + sum(map(_size, value))
    if isinstance(value, str):
        return len(value)
    return value.bit_length() // 3 if isinstance(value, int) else 8


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def counted(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def _name(side: Side) -> str:
    subject = printable(side.subject)
    if side.hello is None:
        return f"{subject} (not started)"
    runner = f"{side.hello.runner} {side.hello.version}"
    return runner if subject in (runner, side.hello.version) else f"{runner} ({subject})"


def text_lines(account: Account) -> list[str]:
    """The whole account for a terminal."""
    one = account.comparison
    from_, to = map(_name, one.sides)
    random = f"{one.inputs:,} random inputs, seed {one.seed}"
    lines = [f"from {from_}", f"to   {to}", f"vectors of {', '.join(account.specs)}; {random}"]
    for number, change in enumerate(one.changes.ranked(), 1):
        lines += ["", f"{number}. {_heading(change)} ({_shown_by(len(change.vectors), change.random)})"]
        rules = [f"{rule} ({_shown_by(*counts)})" for rule, *counts in change.by_clause()]
        lines += [f"   rule   {rule}" for rule in rules[:_RULES]]
        if rest := rules[_RULES:]:
            lines.append(f"   and {counted(len(rest), 'rule')} more")
        for example in change.examples[:_EXAMPLES]:
            lines += [f"   {word:6} {text}" for word, text in _example(example, _LINE)]
        if (more := len(change.examples) - _EXAMPLES) > 0:
            lines.append(f"   {counted(more, 'example')} more in the JSON and Markdown")
        if change.unsteady:
            lines.append(f"   {counted(change.unsteady, 'input')} did not show it again when asked again")
    lines += ["", *reach, ""] if (reach := _not_reached(one)) else [""]
    lines += [*one.cut, *account.problems, _verdict(account)]
    return [printable(line) for line in lines]


def markdown(account: Account) -> str:
    """The same as a page."""
    one = account.comparison
    from_, to = (plain(_name(side)) for side in one.sides)
    asked = f"Vectors of {', '.join(account.specs)}; random inputs of seed {one.seed}."
    parts = [f"# From {from_} to {to}", plain(f"{_verdict(account)}.".capitalize()), plain(asked)]
    ranked = one.changes.ranked()
    rows = [
        [number, Code(change.op), Code(rule), change.sort.value, vectors or None, random or None]
        for number, change in enumerate(ranked, 1)
        for rule, vectors, random in change.by_clause()
    ]
    columns = ["", "op", "rule", "change", "vectors", "random inputs"]
    parts += ["## What changed", table(columns, rows)] if rows else []
    for number, change in enumerate(ranked, 1):
        examples = [[Code(text) for _, text in _example(each, _MARKDOWN_LINE)] for each in change.examples]
        heading = f"### {number}. {plain(_heading(change))}"
        parts += [heading, table(["input", "before", "now"], examples)]
    if lines := _not_reached(one):
        parts += ["## What could not be reached", "\n".join(f"- {plain(line.strip())}" for line in lines)]
    return "\n\n".join(parts) + "\n"


def _heading(change: Change) -> str:
    return f"{change.op}: {printable(change.what)}"


def _shown_by(vectors: int, random: int) -> str:
    counts = [(vectors, "vector"), (random, "random input")]
    return ", ".join(counted(count, what) for count, what in counts if count)


def _example(example: Example, most: int) -> Iterator[tuple[str, str]]:
    """The input and both answers; of long answers the first place where they differ."""
    yield "input", compact(example.input, most)
    answers = [_answer(answer_as_json(one), most) for one in (example.old, example.new)]
    if max(map(len, answers)) > _SHORT:
        first = first_difference(example.question, example.input, example.old, example.new)
        if first is not None:
            at = printable(shown(first.path))
            values = (first.expected, first.actual)
            answers = [f"{at}: {'nothing' if one is ABSENT else compact(one, most)}" for one in values]
    yield from zip(("before", "now"), answers, strict=True)


def _answer(answer: dict[str, Any], most: int) -> str:
    match answer:
        case {"ok": value}:
            return compact(value, most)
        case {"error": {"type": kind, "reason_code": code}}:
            return f"the error {shortened(kind, 120)}" + (f" ({shortened(code, 60)})" if code else "")
        case {"failed": {"outcome": outcome, "sentence": sentence}}:
            return f"{outcome}: {shortened(sentence, most)}"
    return "unsupported"


def _not_reached(one: Comparison) -> list[str]:
    """What either side could not answer, by op, with its reasons, and how often it failed."""
    if any(side.hello is None for side in one.sides):
        return []
    lacking = [one.lacking(side) for side in one.sides]
    neither = [op for op in lacking[0] if op in lacking[1]]
    lines = [f"offered by neither, and not asked: {', '.join(neither)}"] if neither else []
    for side, ops, unsupported in zip(one.sides, lacking, one.unsupported, strict=True):
        if alone := [op for op in ops if op not in neither]:
            lines.append(f"not offered by {_name(side)}: {', '.join(alone)}")
        for op, reasons in sorted(unsupported.items()):
            lines.append(f"{_name(side)} could not answer {counted(reasons.total(), 'input')} of {op}:")
            most = reasons.most_common(_REASONS)
            lines += [f"   {count:,}: {shortened(why, _LINE)}" for why, count in most]
            if (more := len(reasons) - _REASONS) > 0:
                lines.append(f"   and {counted(more, 'reason')} more")
        for op, count in sorted(side.failures.items()):
            why = side.given_up.get(op)
            given_up = f", and was not asked it any more: {why}" if why else ""
            lines.append(f"{side.subject} failed to answer {op} {counted(count, 'time')}{given_up}")
        lines += [f"{side.subject}: {side.dead}"] if side.dead else []
    return lines


def _verdict(account: Account) -> str:
    """The verdict in one line."""
    one = account.comparison
    words = (("vectors", "vectors"), ("played", "played jobs"), ("random", "random inputs"))
    counts = ", ".join(f"{one.asked[kind]:,} {word}" for kind, word in words if one.asked[kind])
    if not one.compared:
        return "could not be tried: nothing was compared"
    end = f" ({one.seconds:.1f} s{'' if account.ended == 'complete' else '; interrupted: more may differ'})"
    if not one.changes:
        return f"nothing differs in {counts}{end}"
    differing = one.differing.total()
    found = f"{counted(differing, 'input')} in {counted(len(one.changes), 'change')}"
    return f"{found} {'differs' if differing == 1 else 'differ'}, of {counts}{end}"
