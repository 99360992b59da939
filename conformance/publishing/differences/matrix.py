"""What changed from one report of ``matrix`` to another, subject by subject: verdicts, classes, rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import Block, Code, Line, Lines, Link, Mark, Paragraph, Row, Table, Tone
from conformance.publishing.differences.matrix_pairs import Move, Pair, alone
from conformance.publishing.differences.matrix_pairs import pairs as pairs_of
from conformance.publishing.differences.outline import both, lists, verdict, void
from conformance.publishing.kinds.matrix_sets import VERDICTS, check, row_total, vector_set, word
from conformance.publishing.kinds.saying import brief, enumerated, several
from conformance.publishing.model import Case, Count, Fact, Note, Page, Section
from conformance.report.matrix_words import counts as counted
from conformance.suite.clauses import statements

__all__ = ["difference"]

_MOST_NOTES = 10
_MOST_IDS = 12
_NAME = 60


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: one of the two contradicts itself.
    """
    for one in (before, after):
        check(one, {spec: vector_set(one, spec) for spec in one["specs"]})
    pairs = pairs_of(before, after)
    worse, better = (sum(one.worse for one in pairs), sum(one.better for one in pairs))
    same = len(pairs) - worse - better
    removed, added = alone(before, after), alone(after, before)
    empty = [one for one in void(before, after) if "interrupted" in one]
    warnings: list[Line] = [(one,) for one in [*empty, *_apart(before, after, pairs)]]
    told = (
        f"{several(worse, 'result')} got worse, {better:,} got better, "
        f"of {several(len(pairs), 'result')} of a subject against a spec that both have"
    )
    return Page(
        kind="difference",
        title=("Two matrices: ", ", ".join(dict.fromkeys([*before["specs"], *after["specs"]]))),
        verdict=verdict(worse, better, told, empty),
        exit_code=1 if worse else 0,
        facts=_facts(before, after),
        counts=_counts(worse, better, same, len(removed) + len(added)),
        unit="results, one per subject and spec",
        warnings=tuple(warnings),
        sections=_sections(pairs, removed, added),
        badge=None,
        cases=tuple(_case(one) for one in pairs),
        notes=_notes(pairs),
    )


def _apart(before: Mapping[str, Any], after: Mapping[str, Any], pairs: Sequence[Pair]) -> list[str]:
    """What was not the same for both."""
    said = [
        f"the two were made {what}: what changed may come from that"
        for what, key in (("at different levels", "level"), ("with different kits", "kit_version"))
        if before[key] != after[key]
    ]
    for one in pairs:
        old, new = row_total(one.before), row_total(one.after)
        if old != new and old and new:
            said.append(f"{one.name}: {old:,} vectors before, {new:,} after")
        elif "no verdict" in one.words:
            side, row = (
                ("the later", one.after) if one.words[1] == "no verdict" else ("the earlier", one.before)
            )
            said.append(
                f"{one.name}: no verdict in {side} report: {brief(row['why_not'] or 'no reason given')}"
            )
    return said


def _counts(worse: int, better: int, same: int, alone: int) -> tuple[Count, ...]:
    every = (
        Count("worse", worse, Tone.BAD, "A verdict or a class was lost, or more vectors fail."),
        Count("better", better, Tone.GOOD, "Something changed, and nothing for the worse."),
        Count("as before", same, Tone.PLAIN, "The same verdict, classes and failures."),
        Count("in one alone", alone, Tone.QUIET, "Only one of the matrices has it."),
    )
    return tuple(one for one in every if one.number) or every[2:3]


def _facts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Fact, ...]:
    subjects = [f"{len(one['subjects']):,}" for one in (before, after)]
    return (
        both("level", before["level"], after["level"]),
        both("specs", ", ".join(before["specs"]), ", ".join(after["specs"])),
        both("kit", before["kit_version"], after["kit_version"]),
        both("subjects", *subjects),
        both("made", before["made_at"], after["made_at"]),
        both("asked again with seed", before["again_seed"], after["again_seed"]),
    )


def _place(one: Pair) -> str:
    return anchor("changed", f"{one.spec}/{one.subject}")


def _sections(
    pairs: Sequence[Pair], removed: Sequence[Mapping[str, Any]], added: Sequence[Mapping[str, Any]]
) -> tuple[Section, ...]:
    found = []
    if pairs:
        head = ("subject", "spec", "before", "after", "failed before", "failed after", "what changed")
        rows = tuple(map(_row, pairs))
        table = Table(head, rows, "Subjects in both matrices", frozenset({4, 5}))
        found.append(Section("subjects", "Subjects", (table,)))
    for which, rows_alone in (("removed", removed), ("added", added)):
        said: list[Line] = [
            (brief(row["subject"], _NAME), f" against {row['spec']}: ", _mark(word(row)))
            for row in rows_alone
        ]
        found += lists(which, f"Subjects {which}", said)
    rules = _by_rule(pairs)
    if rules:
        found.append(Section("rules", "Rules that newly fail, or fail on more vectors", rules))
    found += [
        Section(_place(one), one.name, tuple(_changes(one)), brief=one.worse)
        for one in pairs
        if one.claims or one.moves
    ]
    return tuple(found)


def _mark(said: str) -> Mark:
    return Mark(said, VERDICTS[said])


def _row(one: Pair) -> Row:
    failed = [
        (f"{counted(side['result']['totals'])[1]:,}" if side["result"] else "-",)
        for side in (one.before, one.after)
    ]
    told = []
    lost = [claim.name for claim in one.claims if claim.lost]
    won = [claim.name for claim in one.claims if not claim.lost]
    told += [f"lost {', '.join(lost)}"] if lost else []
    told += [f"gained {', '.join(won)}"] if won else []
    told += [several(len(one.moves), "rule")] if one.moves else []
    where: Line = (Link("; ".join(told), _place(one)),) if told else ("nothing",)
    tone = Tone.BAD if one.worse else Tone.GOOD if one.better else Tone.PLAIN
    cells: tuple[Line, ...] = (
        (brief(one.subject, _NAME),),
        (one.spec,),
        *((_mark(each),) for each in one.words),
        *failed,
        where,
    )
    return Row(cells, None, tone, {"change": "worse" if one.worse else "better" if one.better else "none"})


def _by_rule(pairs: Sequence[Pair]) -> tuple[Block, ...]:
    """The rules that got worse, each with its subjects."""
    found: dict[tuple[str, str, str], list[tuple[Pair, Move]]] = {}
    for pair in pairs:
        for move in pair.moves:
            if move.worse:
                found.setdefault((pair.spec, move.clause, move.op), []).append((pair, move))
    if not found:
        return ()
    said = {spec: statements(spec) for spec in {spec for spec, _, _ in found}}
    rows = []
    for (spec, clause, op), moved in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        whom: list[Line] = [(Link(brief(pair.subject, _NAME), _place(pair)),) for pair, _ in moved]
        cells: tuple[Line, ...] = (
            (Code(clause),),
            (op,),
            (spec,),
            tuple(piece for at, line in enumerate(whom) for piece in ((", ",) if at else ()) + line),
            (Code(moved[0][1].example),),
            (said[spec].get(clause, ""),),
        )
        rows.append(Row(cells, anchor("rule", f"{spec}/{clause}/{op}"), Tone.BAD, {"spec": spec, "op": op}))
    head = ("rule", "op", "spec", "subjects", "such as", "what the rule says")
    return (Table(head, tuple(rows), "Rules"),)


def _changes(one: Pair) -> list[Block]:
    blocks: list[Block] = [
        Paragraph(("Before: ", _mark(one.words[0]), "; after: ", _mark(one.words[1]), "."))
    ]
    if one.claims:
        blocks.append(
            Lines(
                tuple(
                    (
                        f"class {each.name}: claimed at ",
                        _claimed(each.before),
                        ", then at ",
                        _claimed(each.after),
                    )
                    for each in one.claims
                )
            )
        )
    rows = []
    for move in sorted(one.moves, key=lambda move: (not move.worse, move.clause, move.op)):
        tone = Tone.BAD if move.worse else Tone.GOOD
        named = enumerated(list(move.new or move.gone), _MOST_IDS)
        cells: tuple[Line, ...] = (
            (Link(move.clause, anchor("rule", f"{one.spec}/{move.clause}/{move.op}")),)
            if move.worse
            else (Code(move.clause),),
            (move.op,),
            (f"{move.before:,}",),
            (f"{move.after:,}",),
            (Mark(move.word, tone),),
            (Code(named or move.example),),
        )
        rows.append(Row(cells, None, tone))
    if rows:
        head = ("rule", "op", "before", "after", "what changed", "vectors")
        blocks.append(Table(head, tuple(rows), f"Rules, {one.name}", frozenset({2, 3})))
    return blocks


def _claimed(level: str | None) -> Mark:
    return Mark(level or "none", Tone.GOOD if level else Tone.WARN)


def _case(one: Pair) -> Case:
    old, new = one.words
    state = "failed" if one.worse else "passed"
    moved = [
        f"{move.clause} ({move.op}): {move.before:,} → {move.after:,}, {move.word}" for move in one.moves
    ]
    message = f"{old} before, {new} after; {several(len(one.moves), 'rule')} changed"
    return Case(f"{one.spec} difference", one.subject, state, message, "\n".join(moved))


def _notes(pairs: Sequence[Pair]) -> tuple[Note, ...]:
    worse = [one for one in pairs if one.worse]
    notes = []
    for one in worse[:_MOST_NOTES]:
        rules = list(dict.fromkeys(move.clause for move in one.moves if move.worse))
        lost = [
            f"class {each.name} is not claimed at {each.before} any more" for each in one.claims if each.lost
        ]
        told = [*lost, f"more fails: {enumerated(rules, 8)}" if rules else ""]
        text = "; ".join(filter(None, told)) or f"{one.words[0]} before, {one.words[1]} after"
        notes.append(Note("error", f"{one.name} got worse", text))
    if worse[_MOST_NOTES:]:
        notes.append(Note("error", f"{len(worse) - _MOST_NOTES} more got worse", "They are in the report."))
    return tuple(notes)
