"""The rules of a run's spec, and all its vectors: from a rule to its vectors to their failures, and back."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby

from conformance.publishing.anchors import (
    again_anchor,
    failure_anchor,
    rule_anchor,
    vector_anchor,
)
from conformance.publishing.blocks import Cell, Code, Inline, Link, Mark, Paragraph, Row, Table, Tone
from conformance.publishing.kinds.runs.account import Run, counted, number, tone_of
from conformance.publishing.kinds.runs.failures import expectation, result
from conformance.publishing.kinds.runs.without import Without, without_result
from conformance.publishing.model import Section
from conformance.report.consistency import Entry, fails

__all__ = ["rules", "vectors"]

_NO_STATEMENT = "The report does not state this clause, and this kit does not have it."


def rules(run: Run) -> Section:
    """Each clause with its statement, its vectors and their failures."""
    by_clause: dict[str, list[Entry]] = {}
    for one in run.results.values():
        by_clause.setdefault(one["clause"], []).append(one)
    missing: dict[str, list[Without]] = {}
    for left in without_result(run):
        missing.setdefault(left.clause, []).append(left)
    held: dict[str, list[Entry]] = {}
    for one in run.properties:
        held.setdefault(one["clause"], []).append(one)
    again: dict[str, list[Entry]] = {}
    for one in run.again_wrong:
        again.setdefault(run.results[one["id"]]["clause"], []).append(one)
    order = _order(run)
    clauses = sorted(
        by_clause.keys() | missing.keys() | held.keys(), key=lambda one: (order.get(one, len(order)), one)
    )
    rows = tuple(
        _rule(
            run, one, [*by_clause.get(one, ()), *held.get(one, ())], missing.get(one, []), again.get(one, [])
        )
        for one in clauses
    )
    broken = sum(row.tone is Tone.BAD for row in rows)
    head = f"{counted(len(clauses), 'clause')} with vectors; {counted(broken, 'clause')} with a new failure."
    columns = ("clause", "what it states", "outcomes", "vectors and properties")
    table = Table(columns, rows, "Rules", long=True)
    return Section("rules", "Rules", (Paragraph((head,)), table), brief=False)


def _order(run: Run) -> Mapping[str, int]:
    """The clauses in the order of the spec's documents."""
    return {clause: place for place, clause in enumerate(run.statements)}


def _rule(run: Run, clause: str, entries: list[Entry], missing: list[Without], again: list[Entry]) -> Row:
    counts = Counter(one["outcome"] for one in entries)
    counts.update(left.why for left in missing)
    marks: list[Inline] = []
    for name, count in counts.items():
        tone = tone_of(name) if any(one["outcome"] == name for one in entries) else Tone.QUIET
        marks += [Mark(f"{number(count)} {name}", tone), ", "]
    links = _ways(entries, missing, again)
    worst = "fails" if again or any(fails(one) for one in entries) else "no new failure"
    tone = Tone.BAD if worst == "fails" else Tone.PLAIN
    cells: tuple[Cell, ...] = (
        (Code(clause),),
        (run.statements.get(clause, _NO_STATEMENT),),
        tuple(marks[:-1]),
        links,
    )
    return Row(cells, rule_anchor(clause), tone, {"rule": worst})


def _ways(entries: list[Entry], missing: list[Without], again: list[Entry]) -> Cell:
    """To the clause's vectors, which stand together among all of them, and to each of its failures."""
    vectors = sorted({one["id"] for one in entries if "examples" not in one} | {left.id for left in missing})
    links: list[Inline] = []
    if vectors:
        links += [Link(counted(len(vectors), "vector"), vector_anchor(vectors[0])), ", "]
    for one in sorted(entries, key=lambda one: (not fails(one), one["id"])):
        if not (_has_account(one) or "examples" in one):
            continue
        told = _has_account(one)
        name = one["id"].rpartition("/")[2]
        links.append(Link(name, failure_anchor(one["id"]) if told else vector_anchor(one["id"])))
        links.append(f" ({result(one).text}), ")
    for one in again:
        links += [Link(one["id"].rpartition("/")[2], again_anchor(one["id"])), " (in other words), "]
    if links and isinstance(links[-1], str):
        links[-1] = links[-1].removesuffix(", ")
    return tuple(piece for piece in links if piece)


def _has_account(one: Entry) -> bool:
    return one["outcome"] == "expected-failure" or (fails(one) and one["outcome"] != "not-run")


def vectors(run: Run) -> Section:
    """Every vector of the set, with what became of it."""
    order = _order(run)
    rows = [(one["clause"], one["id"], _vector(run, one)) for one in run.results.values()]
    rows += [(left.clause, left.id, _without(left)) for left in without_result(run)]
    rows.sort(key=lambda row: (order.get(row[0], len(order)), *row[:2]))
    told: list[Row] = []
    for clause, under in groupby(rows, key=lambda row: row[0]):
        told.append(Row(((Link(clause, rule_anchor(clause)),),), heads=True))
        told += (row for *_, row in under)
    table = Table(
        ("vector", "what it shows", "class", "op", "result", "expectation", "level"),
        tuple(told),
        f"All vectors, rule by rule; level: the highest at which an answer is right, if not {run.level}",
        long=True,
    )
    return Section("vectors", "All vectors", (table,), brief=False)


def _vector(run: Run, one: Entry) -> Row:
    came, due = result(one), expectation(one)
    cell: Cell = (came,)
    if _has_account(one):
        cell = (came, " ", Link("account", failure_anchor(one["id"])))
    cells: tuple[Cell, ...] = (
        (Code(one["id"].partition("/")[2]),),
        (run.rule(one),),
        (one["class"],),
        (one["op"],),
        cell,
        (due,),
        (one["level"] if one["level"] not in (None, "none", run.level) else "",),
    )
    tone = Tone.BAD if fails(one) else tone_of(one["outcome"])
    facets = {"class": one["class"], "op": one["op"], "outcome": came.text, "expectation": due.text}
    return Row(cells, vector_anchor(one["id"]), tone, facets)


def _without(left: Without) -> Row:
    cells: tuple[Cell, ...] = (
        (Code(left.id.partition("/")[2]),),
        (left.rule,),
        (left.conformance_class,),
        (left.op,),
        (Mark(left.why, Tone.QUIET),),
        ("",),
        ("",),
    )
    facets = {"class": left.conformance_class, "op": left.op, "outcome": left.why, "expectation": ""}
    return Row(cells, vector_anchor(left.id), Tone.QUIET, facets)
