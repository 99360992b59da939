"""``harbor-conformance explain``: vectors, rules (clauses), operations and known mistakes."""

import difflib
import functools
import json
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import click
from rich.text import Text

from conformance.console.options import chosen_op, spec_option
from conformance.console.progress import slow_steps
from conformance.diagnosis.catching import Catching
from conformance.mistakes import Mistake, MistakeError, all_mistakes, find_mistakes
from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.report.writing import plain_table, print_table
from conformance.suite import clauses
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.short_ids import whole_id
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.text import compact, shortened

__all__ = ["explain"]

_LISTS = ("rules", "mistakes")
_LABEL = 12
_MOST_INPUT = 2000


@click.command()
@spec_option
@click.option("--op", metavar="OP", help="Of rules or mistakes, those of one operation.")
@click.option("--all", "every_spec", is_flag=True, help="List the mistakes of every spec.")
@click.option("--ids", is_flag=True, help="Name the vectors of each rule, not only their number.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def explain(
    spec: str, op: str | None, every_spec: bool, ids: bool, as_json: bool, names: Sequence[str]
) -> None:
    """Explains each NAME: a vector's id, a rule (clause), an operation or a known mistake.

    `explain rules` lists the rules of a spec with how many vectors show each, `explain mistakes` its known
    mistakes with the vectors of their class that catch them, and `explain` alone its operations.
    'run --runner mistake:NAME' lets the reference make a mistake, 'mistake:NAME+NAME' several.

    Exits 1 if `rules` lists one that is neither shown by a vector nor excused.
    """
    known = _Known(spec)
    if op is not None:
        chosen_op(op, known.ops)
    if not names:
        _print_ops(known, as_json)
    elif names[0] == "rules":
        _print_rules(known, op, as_json, ids)
    elif names[0] == "mistakes" and len(names) == 1:
        _print_mistakes(known, op, as_json, every_spec)
    else:
        found = _Found()
        for name in names[1:] if names[0] == "mistakes" else names:
            known.find(name, found)
        if as_json:
            click.echo(json.dumps(found.as_json(known), indent=2))
        else:
            found.show(known, ids)


class _Known:
    """What a spec has, with the vectors that catch a mistake worked out where they are asked for."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.vectors = load_spec(spec)
        self.ops = list(dict.fromkeys(vector.op.name for vector in self.vectors))
        self._caught: dict[str, list[Vector]] = {}

    @cached_property
    def clauses(self) -> list[Clause]:
        return load_clauses(self.spec)

    @cached_property
    def mistakes(self) -> list[Mistake]:
        return [one for one in all_mistakes().values() if one.spec == self.spec]

    @cached_property
    def _statements(self) -> dict[str, str]:
        return {key: text for spec in spec_names() for key, text in clauses.statements(spec).items()}

    def statement(self, clause: str) -> str:
        return self._statements.get(clause, "")

    def traced(self, op: str | None = None) -> Mapping[str, Sequence[str]]:
        return traces(vector for vector in self.vectors if op in (None, vector.op.name))

    def catching(self, chosen: Sequence[Mistake]) -> dict[str, list[Vector]]:
        """The vectors of its class that catch each."""
        catchers: dict[str, Catching] = {}
        with slow_steps() as step:
            for number, one in enumerate(chosen):
                step(f"looking for the vectors that catch each mistake: {number} of {len(chosen)}")
                if one.name not in self._caught:
                    catcher = catchers.setdefault(one.spec, Catching(load_spec(one.spec)))
                    self._caught[one.name] = catcher.caught_by(one)
        return self._caught

    def find(self, name: str, found: "_Found") -> None:
        """Adds what a name names, of this spec or else of another.

        Raises:
            click.UsageError: it names nothing.
            VectorFileError: it is the end of several ids.
        """
        specs = [self.spec, *(one for one in spec_names() if one != self.spec)]
        for other in (self if spec == self.spec else _Known(spec) for spec in specs):
            if name in other.ops:
                found.ops.append((other, name))
                return
            if clause := next((one for one in other.clauses if one.id == name), None):
                found.rules.append((other, clause))
                return
            whole = whole_id(name, (vector.id for vector in other.vectors))
            if vector := next((one for one in other.vectors if one.id == whole), None):
                found.vectors.append((other, vector))
                return
        try:
            found.mistakes += find_mistakes(name)
        except MistakeError as error:
            ids = [vector.id for vector in self.vectors]
            every = [*_LISTS, *self.ops, *(one.id for one in self.clauses), *ids, *all_mistakes()]
            if "was removed" in str(error) or "+" in name:
                raise click.UsageError(str(error)) from None
            close = difflib.get_close_matches(name, every, 3) or [one for one in every if name in one][:3]
            lists = ": `explain` lists the operations, `explain rules` and `explain mistakes` the rest"
            raise click.UsageError(
                f"no vector, rule, operation or known mistake is called {shortened(name, 80)!r}"
                + (f"; did you mean {' or '.join(close)}?" if close else lists)
            ) from None


@dataclass(slots=True)
class _Found:
    """What the names name, each with its spec."""

    vectors: list[tuple[_Known, Vector]] = field(default_factory=list)
    rules: list[tuple[_Known, Clause]] = field(default_factory=list)
    ops: list[tuple[_Known, str]] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def show(self, known: _Known, ids: bool) -> None:
        """Prints all, for people."""
        for of, vector in self.vectors:
            click.echo(_account(_about_vector(of, vector)))
        for of, clause in self.rules:
            click.echo(_account(_about_rule(of, clause)))
        for of, op in self.ops:
            _print_rules(of, op, False, ids)
            click.echo()
            _print_mistakes(of, op, False, False)
        caught = known.catching(self.mistakes)
        for mistake in self.mistakes:
            click.echo(_account(_about_mistake(known, mistake, caught[mistake.name])))

    def as_json(self, known: _Known) -> dict[str, Any]:
        """All, with the members that lists have too."""
        mistakes = [*self.mistakes, *(one for of, op in self.ops for one in of.mistakes if one.op == op)]
        rules = [(of, clause, of.traced()) for of, clause in self.rules]
        for of, op in self.ops:
            traced = of.traced(op)
            rules += [(of, one, traced) for one in of.clauses if one.id in traced]
        specs = {of.spec for of, *_ in (*self.vectors, *rules)} | {one.spec for one in mistakes}
        caught = known.catching(mistakes)
        return {
            "spec": specs.pop() if len(specs) == 1 else None,
            "vectors": [_vector_row(vector) for _, vector in self.vectors],
            "clauses": [_clause_row(clause, traced) for _, clause, traced in rules],
            "mistakes": [_mistake_row(known, one, caught[one.name]) for one in mistakes],
        }


def _print_ops(known: _Known, as_json: bool) -> None:
    rows = [
        {
            "op": op,
            "class": next(vector.conformance_class for vector in known.vectors if vector.op.name == op),
            "rules": len(known.traced(op)),
            "vectors": sum(vector.op.name == op for vector in known.vectors),
            "mistakes": sum(one.op == op for one in known.mistakes),
        }
        for op in known.ops
    ]
    if as_json:
        click.echo(json.dumps({"spec": known.spec, "ops": rows}, indent=2))
        return
    table = plain_table("bold")
    for name in rows[0]:
        table.add_column(name, justify="left" if name in ("op", "class") else "right")
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    print_table(table, 80)
    click.echo("PROTOCOL.md has their messages; `explain OP` has the rules and mistakes of one")


def _print_rules(known: _Known, op: str | None, as_json: bool, ids: bool) -> None:
    """Lists the rules, or those that the vectors of one op show; of all, exits 1 if one is bare."""
    traced = known.traced(op)
    every = [clause for clause in known.clauses if op is None or traced.get(clause.id)]
    bare = [clause.id for clause in every if not clause.untested and not traced.get(clause.id)]
    if as_json:
        rows = [_clause_row(clause, traced) for clause in every]
        click.echo(json.dumps({"spec": known.spec, **({"op": op} if op else {}), "clauses": rows}, indent=2))
        sys.exit(1 if bare else 0)
    table = plain_table("bold")
    for name in ("§", "clause", "statement"):
        table.add_column(name, overflow="fold")
    table.add_column("vectors", justify="right" if not ids else "left", overflow="fold")
    for clause in every:
        found = sorted(traced.get(clause.id, []))
        shown = "\n".join(found) if ids and found else str(len(found)) if found else "-"
        table.add_row(
            f"{clause.document} §{clause.section}", clause.id, Text(_whole_statement(clause)), shown
        )
    print_table(table, 160)
    if op is not None:
        click.echo(f"{len(every)} clauses are shown by the vectors of {op}")
        return
    tested = sum(1 for clause in every if traced.get(clause.id))
    excused = sum(1 for clause in every if clause.untested and not traced.get(clause.id))
    click.echo(f"{len(every)} clauses: {tested} traced, {excused} excused with a reason, {len(bare)} bare")
    for clause_id in bare:
        click.echo(f"bare: {clause_id}")
    sys.exit(1 if bare else 0)


def _whole_statement(clause: Clause) -> str:
    statement = clause.statement
    if clause.erratum:
        statement += f" ({clause.erratum})"
    if clause.untested:
        statement += f" [untested: {clause.untested}]"
    return statement


def _print_mistakes(known: _Known, op: str | None, as_json: bool, every_spec: bool) -> None:
    """Lists the mistakes of a spec, of one of its ops, or of every spec."""
    chosen = list(all_mistakes().values()) if every_spec else known.mistakes
    chosen = [one for one in chosen if op in (None, one.op)]
    caught = known.catching(chosen)
    if as_json:
        rows = [_mistake_row(known, one, caught[one.name]) for one in chosen]
        click.echo(json.dumps({"spec": None if every_spec else known.spec, "mistakes": rows}, indent=2))
        return
    table = plain_table("bold")
    table.add_column("mistake", no_wrap=True)
    table.add_column("class, op")
    table.add_column("what the runner does", overflow="fold")
    table.add_column("vectors", justify="right")
    table.add_column("the first", overflow="fold")
    for one in chosen:
        vectors = caught[one.name]
        first = vectors[0].id.partition("/")[2] if vectors else "-"
        place = f"{one.conformance_class}, {one.op}"
        table.add_row(one.name, place, Text(one.says), str(len(vectors)), first)
    print_table(table, 180)
    uncaught = [one.name for one in chosen if not caught[one.name]]
    click.echo(
        f"{len(chosen)} known mistakes: {len(chosen) - len(uncaught)} caught by vectors of their class, "
        f"{len(uncaught)} by none"
    )
    for name in uncaught:
        click.echo(f"caught by none: {name}")


def _account(parts: Sequence[tuple[str, str]]) -> str:
    wrap = functools.partial(textwrap.fill, width=118, break_on_hyphens=False, subsequent_indent=" " * _LABEL)
    return "".join(f"{wrap(text, initial_indent=f'{label:{_LABEL}}')}\n" for label, text in parts if text)


def _run(spec: str, runner: str, *words: str) -> str:
    named = "" if spec == DEFAULT_SPEC else f" --spec {spec}"
    return " ".join([f"harbor-conformance run{named} --runner {runner}", *words])


def _about_vector(of: _Known, vector: Vector) -> list[tuple[str, str]]:
    return [
        ("vector:", vector.id),
        ("rule:", vector.rule),
        *(("clause:", f"{one}: {of.statement(one)}") for one in (vector.clause, *vector.also)),
        ("op:", f"{vector.op.name} (class {vector.conformance_class})"),
        ("input:", compact(vector.input, _MOST_INPUT)),
        ("expected:", compact(vector.expected, _MOST_INPUT)),
        ("catches:", vector.catches),
        ("flags:", ", ".join(vector.flags)),
        ("twin:", vector.twin or ""),
        ("source:", f"{vector.provenance}, since vectors {vector.since}"),
        ("ask it:", _run(of.spec, "CMD", vector.id)),
    ]


def _about_rule(of: _Known, clause: Clause) -> list[tuple[str, str]]:
    shown = sorted(of.traced().get(clause.id, []))
    invited = [one.name for one in of.mistakes if one.clause == clause.id]
    return [
        ("clause:", clause.id),
        ("document:", f"{clause.document} §{clause.section}"),
        ("statement:", _whole_statement(clause)),
        ("mistakes:", ", ".join(invited)),
        ("shown by:", f"{len(shown)} vector{'s' if len(shown) != 1 else ''}"),
        *(("", one) for one in shown),
    ]


def _about_mistake(known: _Known, one: Mistake, caught: Sequence[Vector]) -> list[tuple[str, str]]:
    return [
        ("mistake:", one.name),
        ("says:", one.says),
        ("op:", f"{one.op} (class {one.conformance_class})"),
        ("clause:", f"{one.clause}: {known.statement(one.clause)}".rstrip(": ")),
        ("why:", one.why),
        ("invited by:", one.invited_by),
        ("run it:", _run(one.spec, f"mistake:{one.name}")),
        ("caught by:", f"{len(caught)} vector{'s' if len(caught) != 1 else ''} of its class"),
        *(("", vector.id) for vector in caught),
    ]


def _clause_row(clause: Clause, traced: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    names = ("id", "document", "section", "statement", "erratum", "untested")
    return {name: getattr(clause, name) for name in names} | {"vectors": sorted(traced.get(clause.id, []))}


def _vector_row(vector: Vector) -> dict[str, Any]:
    names = [
        "id",
        "rule",
        "clause",
        "also",
        "flags",
        "input",
        "expected",
        "catches",
        "since",
        "provenance",
        "twin",
    ]
    row = {name: getattr(vector, name) for name in names}
    return {"op": vector.op.name, "class": vector.conformance_class, **row}


def _mistake_row(known: _Known, one: Mistake, caught: Sequence[Vector]) -> dict[str, Any]:
    names = ("name", "spec", "says", "op", "clause", "why", "invited_by")
    return {name: getattr(one, name) for name in names} | {
        "class": one.conformance_class,
        "statement": known.statement(one.clause) or None,
        "caught_by": [vector.id for vector in caught],
    }
