"""``harbor-conformance explain``: explains vectors, properties, rules, operations, classes and mistakes."""

import difflib
import functools
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from conformance.console.options import option
from conformance.console.progress import slow_steps
from conformance.console.run_options import chosen_op, spec_option
from conformance.console.tables import plain_table, print_table
from conformance.diagnosis.catching import Catching
from conformance.mistakes import Mistake, all_mistakes, find_mistakes
from conformance.mistakes.removed import removed_mistakes
from conformance.outcomes.words import counted
from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.run.options import base_id
from conformance.suite.choosing import whole_id
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.properties import load_properties
from conformance.suite.vectors import load_spec
from conformance.wire.text import compact, printable, shortened
from conformance.wire.writing import dumps

__all__ = ["explain"]

_LISTS = ("rules", "mistakes")
_LABEL = 12
_WIDTH, _NARROWEST = 118, 80
"""The widest and the narrowest lines, in columns; without a terminal they are the widest."""
_MOST = 2000
"""The most characters shown of an input or an answer."""
_VECTOR = ("id", "rule", "clause", "also", "flags", "input", "expected", "catches", "since", "provenance")
_CLAUSE = ("id", "document", "section", "statement", "erratum", "untested")
_MISTAKE = ("name", "spec", "says", "op", "clause", "why", "invited_by")

_Row = dict[str, Any]
_Parts = list[Any]
"""The parts of the output: lines of text, and tables."""


@click.command()
@spec_option
@option("--op OP", "Only the rules or mistakes of this operation.")
@option("--ids", "List the vectors of each rule, not only their number.")
@option("--json as_json", "Print JSON.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def explain(spec: str, op: str | None, ids: bool, as_json: bool, names: Sequence[str]) -> None:
    """Explains each NAME: a vector, a property, a rule (clause), an operation, a class or a known mistake.

    `explain rules` lists the rules of a spec with the number of vectors that show each, `explain mistakes`
    its known mistakes with the vectors of their class that catch them, and `explain` alone its operations.
    'run --runner mistake:NAME' runs the reference with a mistake, 'mistake:NAME+NAME' with several.

    Exits 1 if `rules` lists a rule that is neither shown by a vector nor excused.
    """
    _known.cache_clear()  # from an earlier run in this process
    known = _known(spec)
    document: _Row = {"spec": spec, **({} if op is None else {"op": chosen_op(op, known.ops)})}
    bare: Sequence[str] = ()
    parts: _Parts
    if not names:
        document["ops"] = rows = known.op_rows()
        parts = [_op_table(rows)]
    elif names == ("rules",):
        document["clauses"] = rows = known.clause_rows(op)
        bare = [row["id"] for row in rows if not row["untested"] and not row["vectors"]]
        parts = [_clause_table(rows, ids), *_clause_counts(rows, bare, op)]
    elif names == ("mistakes",):
        chosen = [mistake for mistake in known.mistakes if op in (None, mistake.op)]
        document["mistakes"] = rows = _mistake_rows(chosen)
        parts = _mistake_table(rows)
    else:
        document |= {"vectors": [], "clauses": [], "mistakes": []}
        parts = []
        for name in names[1:] if names[0] in _LISTS else names:
            if names[0] == "mistakes":
                parts += _mistakes_by_name(name, document)
            else:
                parts += _anything_by_name(name, spec, document, ids)
    if as_json:
        click.echo(dumps(document), nl=False)
    for part in () if as_json else parts:
        click.echo(part) if isinstance(part, str) else print_table(part, 160)
    sys.exit(1 if bare else 0)


class _Known:
    """A spec's vectors, rules, operations and mistakes."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.vectors = load_spec(spec, package=True)
        self.ops = list(dict.fromkeys(vector.op.name for vector in self.vectors))
        self.clauses = {clause.id: clause for clause in load_clauses(spec)}
        self.properties = {property_.id: property_ for property_ in load_properties(spec)}

    @property
    def mistakes(self) -> list[Mistake]:
        return [mistake for mistake in all_mistakes().values() if mistake.spec == self.spec]

    def clause_rows(self, op: str | None = None) -> list[_Row]:
        """All rules, or only those that an op's vectors show."""
        traced = traces(vector for vector in self.vectors if op in (None, vector.op.name))
        return [
            _clause_row(rule, traced) for rule in self.clauses.values() if op is None or rule.id in traced
        ]

    def patterns(self, op: str) -> list[str]:
        """Patterns, quoted for a shell, of the sections that have vectors of an op."""
        sections = {vector.id.rpartition("/")[0]: None for vector in self.vectors if vector.op.name == op}
        return [f"'{section}/*'" for section in sections]

    def op_rows(self) -> list[_Row]:
        """The operations with their counts."""
        vectors = {op: [vector for vector in self.vectors if vector.op.name == op] for op in self.ops}
        return [
            {
                "op": op,
                "class": op_vectors[0].conformance_class,
                "rules": len(traces(op_vectors)),
                "vectors": len(op_vectors),
                "mistakes": sum(mistake.op == op for mistake in self.mistakes),
            }
            for op, op_vectors in vectors.items()
        ]


_known = functools.cache(_Known)


def _anything_by_name(name: str, spec: str, document: _Row, ids: bool) -> _Parts:
    """Adds the rows for one name, looked up in this spec first and then in the others.

    Raises:
        click.UsageError: nothing has this name.
        VectorFileError: several ids end in it.
    """
    name = base_id(name.removeprefix("mistake:"))
    for known in map(_known, [spec, *(other_spec for other_spec in spec_names() if other_spec != spec)]):
        if parts := _in_spec(name, known, document, ids):
            return parts
    if "+" in name or name in all_mistakes() or name in removed_mistakes():
        return _mistakes_by_name(name, document)
    known = _known(spec)
    names = [*_LISTS, *known.ops, *known.clauses, *(vector.id for vector in known.vectors), *all_mistakes()]
    close = difflib.get_close_matches(name, names, 3) or [entry for entry in names if name in entry][:3]
    lists = ": `explain` lists the operations, `explain rules` and `explain mistakes` the rest"
    raise click.UsageError(
        f"no vector, property, rule, operation, class or known mistake is called {shortened(name, 80)!r}"
        + (f"; did you mean {' or '.join(close)}?" if close else lists)
    )


def _in_spec(name: str, known: _Known, document: _Row, ids: bool) -> _Parts:
    """Adds the rows for a name of this spec; does nothing if there is no such name."""
    whole = whole_id(name, [*(vector.id for vector in known.vectors), *known.properties])
    if name in known.ops:
        clauses = known.clause_rows(name)
        mistakes = _mistake_rows(mistake for mistake in known.mistakes if mistake.op == name)
        document["clauses"] += clauses
        document["mistakes"] += mistakes
        command = _about(("ask them:", _run(known.spec, "CMD", *known.patterns(name))))
        rules = [_clause_table(clauses, ids), *_clause_counts(clauses, (), name)]
        return [*rules, "", *_mistake_table(mistakes), "", command]
    if clause := known.clauses.get(name):
        row = _clause_row(clause, traces(known.vectors))
        document["clauses"].append(row)
        return [_about_clause(row, [mistake.name for mistake in known.mistakes if mistake.clause == name])]
    if vector := next((candidate for candidate in known.vectors if candidate.id == whole), None):
        row = {member: getattr(vector, member) for member in _VECTOR}
        row |= {"op": vector.op.name, "class": vector.conformance_class, "twin": vector.twin}
        document["vectors"].append(row)
        return [_about_vector(row, known)]
    if tested := known.properties.get(whole):
        row = {"id": tested.id, "rule": tested.rule, "clause": tested.clause, "op": tested.op.name}
        document.setdefault("properties", []).append(row)
        return [_about_property(row, known)]
    if rows := [row for row in known.op_rows() if row["class"] == name]:
        document.setdefault("ops", []).extend(rows)
        return [_op_table(rows)]
    return []


def _mistakes_by_name(name: str, document: _Row) -> _Parts:
    """Adds the rows for a mistake, or for several joined by ``+``."""
    rows = _mistake_rows(find_mistakes(name))
    document["mistakes"] += rows
    return list(map(_about_mistake, rows))


def _mistake_rows(chosen: Iterable[Mistake]) -> list[_Row]:
    """Mistakes, with the vectors of their class that catch each."""
    chosen, rows = list(chosen), list[_Row]()
    catching = {spec: Catching(_known(spec).vectors) for spec in {mistake.spec for mistake in chosen}}
    with slow_steps() as step:
        for number, mistake in enumerate(chosen):
            step(f"looking for the vectors that catch each mistake: {number} of {len(chosen)}")
            row = {member: getattr(mistake, member) for member in _MISTAKE}
            clause = _known(mistake.spec).clauses.get(mistake.clause)
            row |= {"class": mistake.conformance_class, "statement": clause and clause.statement}
            row["caught_by"] = [vector.id for vector in catching[mistake.spec].caught_by(mistake)]
            rows.append(row)
    return rows


def _clause_row(clause: Clause, traced: Mapping[str, Sequence[str]]) -> _Row:
    row = {member: getattr(clause, member) for member in _CLAUSE}
    return {**row, "vectors": sorted(traced.get(clause.id, []))}


def _table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Any:
    """A table with these columns; columns in capitals hold numbers."""
    table = plain_table("bold")
    for name in columns:
        table.add_column(name.lower(), overflow="fold", justify="right" if name.isupper() else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def _op_table(rows: Sequence[_Row]) -> Any:
    return _table(["op", "class", "RULES", "VECTORS", "MISTAKES"], (row.values() for row in rows))


def _clause_table(rows: Sequence[_Row], ids: bool) -> Any:
    def cells(row: _Row) -> Iterable[object]:
        vectors = row["vectors"]
        tested_by = "\n".join(vectors) if ids and vectors else len(vectors) or "-"
        return f"{row['document']} §{row['section']}", row["id"], _statement(row), tested_by

    return _table(["§", "clause", "statement", "vectors" if ids else "VECTORS"], map(cells, rows))


def _clause_counts(rows: Sequence[_Row], bare: Sequence[str], op: str | None) -> list[str]:
    """The sentences below a table of rules; ``bare`` are those without a vector or an excuse."""
    if op is not None:
        return [f"{len(rows)} clauses are shown by the vectors of {op}"]
    tested = sum(bool(row["vectors"]) for row in rows)
    excused = len(rows) - tested - len(bare)
    counts = f"{len(rows)} clauses: {tested} traced, {excused} excused with a reason, {len(bare)} bare"
    return [counts, *(f"bare: {clause_id}" for clause_id in bare)]


def _statement(row: _Row) -> str:
    erratum = f" ({row['erratum']})" if row["erratum"] else ""
    untested = f" [untested: {row['untested']}]" if row["untested"] else ""
    return f"{row['statement']}{erratum}{untested}"


def _mistake_table(rows: Sequence[_Row]) -> _Parts:
    def cells(row: _Row) -> Iterable[object]:
        caught = row["caught_by"]
        first = caught[0].partition("/")[2] if caught else "-"
        return row["name"], f"{row['class']}, {row['op']}", row["says"], len(caught), first

    uncaught = [row["name"] for row in rows if not row["caught_by"]]
    caught = len(rows) - len(uncaught)
    return [
        _table(["mistake", "class, op", "what the runner does", "VECTORS", "the first"], map(cells, rows)),
        f"{len(rows)} known mistakes: {caught} caught by vectors of their class, {len(uncaught)} by none",
        *(f"caught by none: {name}" for name in uncaught),
    ]


def _about(*parts: tuple[str, str]) -> str:
    """Labels and texts, wrapped to the terminal's width; without those whose text is empty."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
    width = min(max(columns, _NARROWEST), _WIDTH)
    wrap = functools.partial(
        textwrap.fill, width=width, break_on_hyphens=False, subsequent_indent=" " * _LABEL
    )
    return "".join(f"{wrap(text, initial_indent=f'{label:{_LABEL}}')}\n" for label, text in parts if text)


def _run(spec: str, runner: str, *words: str) -> str:
    option = [] if spec == DEFAULT_SPEC else ["--spec", spec]
    return " ".join(["harbor-conformance run", *option, "--runner", runner, *words])


def _files(expected: Any) -> Iterable[str]:
    """The lines of expected files that have several."""
    for name, content in expected.get("ok", {}).items():
        text = content.get("text") if isinstance(content, dict) else None
        if isinstance(text, str) and "\n" in text.rstrip("\n") and len(text) <= _MOST:
            yield f"expected {name}:\n"
            yield from (f"    {printable(line)}\n" for line in text.split("\n"))


def _about_vector(row: _Row, known: _Known) -> str:
    about = _about(
        ("vector:", row["id"]),
        ("rule:", row["rule"]),
        *(("clause:", f"{rule}: {known.clauses[rule].statement}") for rule in (row["clause"], *row["also"])),
        ("op:", f"{row['op']} (class {row['class']})"),
        ("input:", compact(row["input"], _MOST)),
        ("expected:", compact(row["expected"], _MOST)),
        ("catches:", row["catches"]),
        ("flags:", ", ".join(row["flags"])),
        ("twin:", row["twin"] or ""),
        ("source:", f"{row['provenance']}, since vectors {row['since']}"),
        ("ask it:", _run(known.spec, "CMD", row["id"])),
    )
    return "".join([about, *_files(row["expected"])])


def _about_property(row: _Row, known: _Known) -> str:
    spec = [] if known.spec == DEFAULT_SPEC else [f"--conformance-spec {known.spec}"]
    return _about(
        ("property:", row["id"]),
        ("rule:", row["rule"]),
        ("clause:", f"{row['clause']}: {known.clauses[row['clause']].statement}"),
        ("op:", row["op"]),
        ("try it:", " ".join(["pytest --runner=CMD", *spec, "-k", row["id"]])),
    )


def _about_clause(row: _Row, mistakes: Sequence[str]) -> str:
    return _about(
        ("clause:", row["id"]),
        ("document:", f"{row['document']} §{row['section']}"),
        ("statement:", _statement(row)),
        ("mistakes:", ", ".join(mistakes)),
        ("shown by:", counted(len(row["vectors"]), "vector")),
        *(("", vector_id) for vector_id in row["vectors"]),
    )


def _about_mistake(row: _Row) -> str:
    return _about(
        ("mistake:", row["name"]),
        ("says:", row["says"]),
        ("op:", f"{row['op']} (class {row['class']})"),
        ("clause:", f"{row['clause']}: {row['statement'] or ''}".rstrip(": ")),
        ("why:", row["why"]),
        ("invited by:", row["invited_by"]),
        ("run it:", _run(row["spec"], f"mistake:{row['name']}")),
        ("caught by:", f"{counted(len(row['caught_by']), 'vector')} of its class"),
        *(("", vector_id) for vector_id in row["caught_by"]),
    )
