"""The classes of a run, and what to do about its failures."""

from conformance.judging.verdict import Outcome
from conformance.publishing.anchors import class_anchor, failure_anchor
from conformance.publishing.blocks import (
    Bar,
    Bars,
    Cell,
    Line,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.runs.account import Run, counted, number, sentence, tone_of
from conformance.publishing.model import Section

__all__ = ["classes", "todo", "trust"]


def classes(run: Run) -> Section:
    """Each class as a bar, and as a row with what it reached."""
    bars, rows = [], []
    for name, account in run.document["classes"].items():
        counts = {outcome.value: account["totals"].get(outcome.value, 0) for outcome in Outcome}
        asked = sum(counts.values())
        parts = [Part(key, count, tone_of(key)) for key, count in counts.items() if count]
        rest = account.get("vectors", asked) - asked
        if rest:
            parts.append(Part("without a result", rest, Tone.QUIET))
        if not parts:
            continue
        claimed, reached = account["claimed"], account["reached"]
        bars.append(
            Bar((Link(name, class_anchor(name)),), tuple(parts), f"claimed: {claimed}" if claimed else "")
        )
        others = [
            piece
            for part in parts
            if part.name != "passed"
            for piece in (Mark(f"{number(part.number)} {part.name}", part.tone), ", ")
        ][:-1]
        claim: Cell = (Mark(claimed, Tone.GOOD),) if claimed else ("none",)
        why = sentence(account["reason"]) if account["reason"] else ""
        rows.append(
            Row(
                (
                    (name,),
                    claim,
                    (reached or "none",),
                    (number(account.get("vectors", asked)),),
                    (number(counts["passed"]),),
                    tuple(others),
                    (why,),
                ),
                class_anchor(name),
                Tone.GOOD if claimed else Tone.PLAIN,
            )
        )
    head = ("class", "claim", "level reached", "vectors", "passed", "others", "why there is no claim")
    table = Table(head, tuple(rows), "What each class came to", frozenset({3, 4}))
    return Section("classes", "Classes", (Bars("Vectors of each class, by outcome", tuple(bars)), table))


def trust(line: object) -> Mark:
    """How far to trust a line of the to-do list."""
    assert isinstance(line, dict)
    if line["kind"] in ("cluster", "silent"):
        return Mark("unexplained" if line["kind"] == "cluster" else "no answer", Tone.WARN)
    if line["certain"]:
        return Mark("certain", Tone.PLAIN)
    against = line["against"]
    return Mark(f"likely, {against} against" if against else "likely", Tone.PLAIN)


def todo(run: Run) -> Section | None:
    """What to do, best first."""
    diagnosis = run.document["diagnosis"]
    if diagnosis is None:
        return None
    lines: list[Line] = []
    for line in diagnosis["todo"]:
        example = line["example"]
        lines.append(
            (
                f"{counted(len(line['failures']), 'failure')} (",
                trust(line),
                f"): {sentence(line['says'])}; do: {sentence(line['do'])}; smallest: ",
                Link(example["id"].partition("/")[2], failure_anchor(example["id"])),
            )
        )
    known = " The failures that are known count here too." if run.totals["expected-failure"] else ""
    head = Paragraph((f"These lines account for all {counted(diagnosis['failures'], 'failure')}.{known}",))
    return Section("todo", "What to do, best first", (head, Lines(tuple(lines), numbered=True)))
