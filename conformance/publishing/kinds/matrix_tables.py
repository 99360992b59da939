"""Subjects of a matrix: what each reaches, why some could not be tried, what changed between neighbours."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.judging.comparison import Level
from conformance.publishing.anchors import anchor
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
from conformance.publishing.kinds.matrix_rules import Rule, Who, subject_anchor
from conformance.publishing.kinds.matrix_sets import VERDICTS, VectorSet, row_total, word
from conformance.publishing.kinds.saying import SIGNALS, brief, joined, of, several
from conformance.publishing.model import Section
from conformance.report.matrix_words import (
    MOVES,
    class_names,
    no_claims,
    one_class,
    rows_of,
    unsupported_reasons,
)

__all__ = ["bars", "changes", "classes", "gaps", "interrupted", "subject_section"]

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
    """A bar for each subject, with its verdict."""
    shown = []
    for row in rows_of(document, known.spec):
        said = word(row)
        link = Link(brief(row["subject"], _NAME), subject_anchor(document, row["subject"]))
        note = f"{row['result']['seconds']:.1f} s" if row["result"] else ""
        shown.append(Bar((link, " ", Mark(said, VERDICTS[said])), tuple(_parts(row, known)), note))
    return Bars(f"{known.spec}, {several(known.size or known.most, 'vector')}", tuple(shown))


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
        if weaker := _weaker(document, row):
            said.append((*who, f"claimed below level {document['level']}: ", ", ".join(weaker)))
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


def _weaker(document: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Classes that are claimed at a level below the matrix's: of a report that demanded less."""
    levels = [str(level) for level in Level]
    accounts = row["result"]["classes"] if row["result"] is not None else {}
    demanded = levels.index(document["level"])
    return [
        name
        for name, account in accounts.items()
        if account["claimed"] is not None and levels.index(account["claimed"]) < demanded
    ]


def changes(document: Mapping[str, Any], rules: Sequence[Rule]) -> list[Block]:
    """What changed from each subject to the next one."""
    anchors = {(rule.spec, rule.clause): rule.anchor for rule in rules}
    blocks: list[Block] = []
    for chain in _chains(document["changes"]):
        change, names = chain[0], [chain[0]["from"], *(one["to"] for one in chain)]
        ends = joined(((Link(brief(name, _NAME), subject_anchor(document, name)),) for name in names), " → ")
        compared = several(change["compared"], "vector")
        ops: list[Line] = [
            ("op ", Code(one["op"]), f" {word} ({several(one['vectors'], 'vector')})")
            for key, word in (("ops_gone", "went"), ("ops_new", "is new"))
            for one in change[key]
        ]
        said = f"nothing changed in {compared}" if _quiet(change) else f"{compared} compared"
        blocks.append(Paragraph((*ends, f" ({change['spec']}): {said}")))
        blocks += [Lines(tuple(ops))] if ops else []
        if change["rules"]:
            blocks.append(_moves(change, anchors))
    return blocks


def _quiet(change: Mapping[str, Any]) -> bool:
    return not (change["ops_gone"] or change["ops_new"] or change["rules"])


def _chains(changes: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The changes, those together that follow each other and in which nothing changed."""
    found: list[list[Mapping[str, Any]]] = []
    for change in changes:
        last = found[-1][-1] if found else None
        if (
            last is not None
            and _quiet(last)
            and _quiet(change)
            and (last["spec"], last["to"], last["compared"])
            == (change["spec"], change["from"], change["compared"])
        ):
            found[-1].append(change)
        else:
            found.append([change])
    return found


def _moves(change: Mapping[str, Any], anchors: Mapping[tuple[str, str], str]) -> Table:
    rows = []
    for one in sorted(change["rules"], key=lambda one: (-int(one["count"]), one["clause"])):
        word = MOVES.get((one["from"], one["to"]), f"{one['from']}, then {one['to']}")
        tone = {"failed": Tone.BAD, "passed": Tone.GOOD}.get(one["to"], Tone.WARN)
        where = anchors.get((change["spec"], one["clause"]))
        clause: Line = (Link(one["clause"], where),) if where else (Code(one["clause"]),)
        if where is None and one["statement"]:
            clause = (*clause, ": ", one["statement"])
        rows.append(
            Row(
                (
                    clause,
                    (f"{one['count']:,}",),
                    (Mark(word, tone),),
                    (Code(one["example"]),),
                )
            )
        )
    who = f"{brief(change['from'], _NAME)} → {brief(change['to'], _NAME)}"
    head = ("rule", "vectors", "what changed", "such as")
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
    blocks += [block for row in rows for block in _one_spec(row)]
    notes = list(dict.fromkeys(note for row in rows for note in row["notes"]))
    blocks += [Lines(tuple((brief(note),) for note in notes))] if notes else []
    for spec in document["specs"]:
        broken = [
            (rule, one)
            for rule in rules
            for one in rule.who
            if rule.spec == spec and one.row["subject"] == subject["name"]
        ]
        blocks += [_broken(spec, broken)] if broken else []
    title = brief(subject["name"], _NAME)
    return Section(subject_anchor(document, subject["name"]), title, tuple(blocks), brief=False)


def _one_spec(row: Mapping[str, Any]) -> list[Block]:
    """What a subject said of itself against a spec, and what was wrong with the run as a whole."""
    shown, told = word(row), list[Line]()
    said: Line = (f"{row['spec']}: ", Mark(shown, VERDICTS[shown]))
    if row["why_not"]:
        told.append((brief(row["why_not"]),))
    if row["result"]:
        runner = row["result"]["runner"]
        who = f"{brief(runner['name'])} {brief(runner['version'] or '')}".strip()
        said = (*said, "; it says that it is ", Code(who), f", with {several(len(runner['ops']), 'op')}")
        told += [("problem: ", brief(one)) for one in row["result"]["problems"] if one != row["why_not"]]
    return [Paragraph(said), *([Lines(tuple(told))] if told else [])]


def _broken(spec: str, broken: Sequence[tuple[Rule, Who]]) -> Table:
    """The rules of a spec that a subject breaks."""
    cells = tuple(
        Row(
            (
                (Link(rule.clause, rule.anchor), f" ({rule.op})"),
                (f"{one.count:,}",),
                (Link(one.example.partition("/")[2], anchor("v", one.example)),),
                (brief(one.detail or ""),),
            )
        )
        for rule, one in broken
    )
    head = ("rule", "vectors", "such as", "what went wrong with that")
    return Table(head, cells, f"Rules of {spec} that it breaks", frozenset({1}), long=True)
