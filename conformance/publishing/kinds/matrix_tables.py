"""Subjects of a matrix: what each reaches, why some could not be tried, what changed between neighbours."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import (
    Bar,
    Bars,
    Block,
    Cell,
    Code,
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
from conformance.publishing.kinds.matrix_rules import Rule, subject_anchor
from conformance.publishing.kinds.matrix_sets import VectorSet, row_total
from conformance.publishing.kinds.saying import SIGNALS, brief, of, several
from conformance.publishing.model import Section
from conformance.report.matrix_words import (
    MOVES,
    class_names,
    no_claims,
    one_class,
    rows_of,
    unsupported_reasons,
    verdict,
)

__all__ = ["account", "bars", "changes", "classes", "gaps", "interrupted", "subject_section"]

VERDICTS = {"conforms": Tone.GOOD, "does not conform": Tone.BAD, "not tried": Tone.QUIET}
_NOT_FAILED = ("passed", "unexpected-pass", "expected-failure", "unsupported", "not-run")
_NAME = 60
_KINDS = {
    "release": "A release",
    "fork": "A fork's environment or checkout",
    "command": "A runner's command",
    "report": "A recorded report",
}


def interrupted(row: Mapping[str, Any]) -> bool:
    """Whether a signal ended the row's run."""
    return row["result"] is not None and row["result"]["exit_code"] in SIGNALS


def _parts(row: Mapping[str, Any], known: VectorSet) -> list[Part]:
    """The row's vectors, all of them: also those of which it says nothing."""
    whole = known.size or known.most
    if row["result"] is None:
        return [Part("not tried", whole, Tone.QUIET)]
    totals = row["result"]["totals"]
    failed = sum(count for name, count in totals.items() if name not in _NOT_FAILED)
    told = [
        Part("passed", totals.get("passed", 0), Tone.GOOD),
        Part("passed unexpectedly", totals.get("unexpected-pass", 0), Tone.BAD),
        Part("failed", failed, Tone.BAD),
        Part("known failures", totals.get("expected-failure", 0), Tone.KNOWN),
        Part("unsupported", totals.get("unsupported", 0), Tone.WARN),
        Part("not run", totals.get("not-run", 0), Tone.QUIET),
        Part("not asked", max(0, whole - row_total(row)), Tone.QUIET),
    ]
    return [part for part in told if part.number]


def bars(document: Mapping[str, Any], known: VectorSet) -> Bars:
    """A bar for each subject."""
    rows = rows_of(document, known.spec)
    shown = tuple(
        Bar(
            (Link(brief(row["subject"], _NAME), subject_anchor(document, row["subject"])),),
            tuple(_parts(row, known)),
            verdict(row),
        )
        for row in rows
    )
    return Bars(f"{known.spec}, {several(known.size or known.most, 'vector')}", shown)


def account(document: Mapping[str, Any], known: VectorSet) -> Table:
    """What each subject came to, in numbers."""
    rows = rows_of(document, known.spec)
    names = list(dict.fromkeys(part.name for row in rows for part in _parts(row, known)))
    order = ["passed", "passed unexpectedly", "failed", "known failures", "unsupported", "not run"]
    names = [name for name in [*order, "not asked"] if name in names]
    lines = []
    for row in rows:
        numbers = {part.name: part.number for part in _parts(row, known)}
        cells: list[Cell] = [(Link(brief(row["subject"], _NAME), subject_anchor(document, row["subject"])),)]
        cells += [(f"{numbers[name]:,}" if name in numbers else "-",) for name in names]
        cells.append((f"{row['result']['seconds']:.1f}" if row["result"] else "-",))
        word = verdict(row)
        cells.append((Mark(word, VERDICTS[word]),))
        lines.append(Row(tuple(cells), None, Tone.PLAIN, {"verdict": word}))
    head = ("subject", *names, "seconds", "verdict")
    return Table(head, tuple(lines), f"{known.spec}: subjects", frozenset(range(1, len(head) - 1)))


def classes(document: Mapping[str, Any], spec: str) -> list[Block]:
    """The level that each subject may claim a class at, or what hinders."""
    rows = [row for row in rows_of(document, spec) if row["result"] is not None]
    shown = class_names(document, rows, spec)
    if not rows or not shown:
        return []
    lines = tuple(
        Row(
            (
                (Link(brief(row["subject"], _NAME), subject_anchor(document, row["subject"])),),
                *(_claim(row["result"]["classes"].get(name)) for name in shown),
            )
        )
        for row in rows
    )
    blocks: list[Block] = [
        Table(
            ("subject", *shown),
            lines,
            f"{spec}, by class: the level that may be claimed, or what hinders it",
        )
    ]
    reasons: list[Line] = [
        ("No claim for ", names, ": ", brief(why), " (", brief(who), ")")
        for names, why, who in no_claims(rows, shown)
    ]
    reasons += [
        ("Unsupported, ", Code(op), f" ({count}): ", brief(why), " (", brief(who), ")")
        for op, count, why, who in unsupported_reasons(rows)
    ]
    return [*blocks, Lines(tuple(reasons))] if reasons else blocks


def _claim(account: Mapping[str, Any] | None) -> Cell:
    said = one_class(account)
    if account is None or not said:
        return ("",)
    if account["claimed"] is not None:
        return (Mark(said, Tone.GOOD),)
    if said == "-":
        return (Mark("all unsupported", Tone.WARN),)
    return (Mark(said, Tone.BAD if "failed" in said else Tone.WARN),)


def gaps(document: Mapping[str, Any], sets: Mapping[str, VectorSet]) -> list[Line]:
    """What keeps the matrix from being whole, a line each."""
    said: list[Line] = []
    for row in document["rows"]:
        who = (f"{brief(row['subject'], _NAME)} against {row['spec']}: ",)
        if row["why_not"] is not None:
            said.append((*who, "no verdict: ", brief(row["why_not"])))
        elif row["result"] is None:
            said.append((*who, "no verdict, and the report does not say why"))
        known, total = sets[row["spec"]], row_total(row)
        if row["result"] is not None and not known.whole(total):
            whole = known.size or known.most
            said.append((*who, f"{of(total, whole)} vectors alone have an outcome"))
    kit = document["kit_version"]
    for spec, known in sets.items():
        if known.size is None:
            told = f"kit {kit} made this matrix, and it does not say how many vectors {spec} had"
            said.append((f"{told}: whether all were asked can't be told",))
    missing = [
        (one["name"], spec)
        for spec in document["specs"]
        for one in document["subjects"]
        if one["kind"] != "report"
        and not any(row["subject"] == one["name"] for row in rows_of(document, spec))
    ]
    said += [(f"{brief(name, _NAME)} against {spec}: the matrix has no row",) for name, spec in missing]
    return said


def changes(document: Mapping[str, Any], rules: Sequence[Rule]) -> list[Block]:
    """What changed from each subject to the next one."""
    anchors = {(rule.spec, rule.clause): rule.anchor for rule in rules}
    blocks: list[Block] = []
    for change in document["changes"]:
        ends = [
            Link(brief(change[end], _NAME), subject_anchor(document, change[end])) for end in ("from", "to")
        ]
        compared = several(change["compared"], "vector")
        ops: list[Line] = [
            ("op ", Code(one["op"]), f" {word} ({several(one['vectors'], 'vector')})")
            for key, word in (("ops_gone", "went"), ("ops_new", "is new"))
            for one in change[key]
        ]
        quiet = not ops and not change["rules"]
        said = f"nothing changed in {compared}" if quiet else f"{compared} compared"
        blocks.append(
            Paragraph(
                (ends[0], " → ", ends[1], f" ({change['spec']}): {said}"), Tone.QUIET if quiet else Tone.PLAIN
            )
        )
        blocks += [Lines(tuple(ops))] if ops else []
        if change["rules"]:
            blocks.append(_moves(change, anchors))
    return blocks


def _moves(change: Mapping[str, Any], anchors: Mapping[tuple[str, str], str]) -> Table:
    rows = []
    for one in sorted(change["rules"], key=lambda one: (-int(one["count"]), one["clause"])):
        word = MOVES.get((one["from"], one["to"]), f"{one['from']}, then {one['to']}")
        tone = {"failed": Tone.BAD, "passed": Tone.GOOD}.get(one["to"], Tone.WARN)
        where = anchors.get((change["spec"], one["clause"]))
        clause = Link(one["clause"], where) if where else Code(one["clause"])
        rows.append(
            Row(
                (
                    (clause,),
                    (f"{one['count']:,}",),
                    (Mark(word, tone),),
                    (Code(one["example"]),),
                    (one["statement"] or "",),
                )
            )
        )
    who = f"{brief(change['from'], _NAME)} → {brief(change['to'], _NAME)}"
    head = ("rule", "vectors", "what changed", "such as", "what the rule says")
    return Table(head, tuple(rows), f"{who} ({change['spec']})", frozenset({1}))


def subject_section(
    document: Mapping[str, Any], subject: Mapping[str, Any], rules: Sequence[Rule]
) -> Section:
    """All of one subject: what it is, and the rules that it breaks."""
    rows = [row for row in document["rows"] if row["subject"] == subject["name"]]
    kinds = {"fork": "a fork's environment or checkout", "command": "a runner's command"}
    kind = (
        kinds.get(subject["kind"])
        or f"a {'recorded ' if subject['kind'] == 'report' else ''}{subject['kind']}"
    )
    blocks: list[Block] = [
        Paragraph((f"{kind[0].upper()}{kind[1:]}, given as ", Code(brief(subject["given"]))))
    ]
    for row in rows:
        word = verdict(row)
        lines: list[Line] = [(f"{row['spec']}: ", Mark(word, VERDICTS[word]))]
        if row["why_not"]:
            lines.append((brief(row["why_not"]),))
        if row["result"]:
            runner = row["result"]["runner"]
            told = f"{brief(runner['name'])} {brief(runner['version'] or '')}".strip()
            lines.append(("says that it is ", Code(told), f", with {several(len(runner['ops']), 'op')}"))
            lines += [("problem: ", brief(one)) for one in row["result"]["problems"] if one != row["why_not"]]
        lines += [(brief(note),) for note in row["notes"]]
        blocks.append(Lines(tuple(lines)))
    broken = [(rule, one) for rule in rules for one in rule.who if one.row["subject"] == subject["name"]]
    if broken:
        cells = tuple(
            Row(
                (
                    (Link(rule.clause, rule.anchor),),
                    (rule.spec,),
                    (rule.op,),
                    (f"{one.count:,}",),
                    (Code(one.example),),
                    (brief(one.detail or ""),),
                )
            )
            for rule, one in broken
        )
        head = ("rule", "spec", "op", "vectors", "such as", "what went wrong with that")
        blocks.append(Table(head, cells, "Rules that it breaks", frozenset({3}), long=True))
    title = brief(subject["name"], _NAME)
    return Section(subject_anchor(document, subject["name"]), title, tuple(blocks), brief=False)
