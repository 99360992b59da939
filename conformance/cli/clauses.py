"""``harbor-conformance clauses``: what the documents demand, and which vectors trace it."""

import json
import sys

import click
from rich.text import Text

from conformance.cli.options import spec_option
from conformance.report.writing import plain_table, print_table
from conformance.suite.clauses import load_clauses, traces
from conformance.suite.vectors import load_spec

__all__ = ["clauses"]


@click.command()
@spec_option
@click.option("--op", metavar="OP", help="Only the rules of one operation: those that its vectors show.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--ids", is_flag=True, help="Name the vectors, not only their number.")
def clauses(spec: str, op: str | None, as_json: bool, ids: bool) -> None:
    """Prints the rules (clauses), with how many vectors show each.

    They are what a runner's answers come from. Exits 1 if one is neither shown by a vector nor excused.
    """
    vectors = load_spec(spec, package=True)
    offered = {vector.op.name: None for vector in vectors}
    if op is not None and op not in offered:
        raise click.UsageError(f"--op: there is no op {op!r}; choose from {', '.join(offered)}")
    traced = traces(vector for vector in vectors if op in (None, vector.op.name))
    every = [clause for clause in load_clauses(spec) if op is None or traced.get(clause.id)]
    bare = [clause.id for clause in every if not clause.untested and not traced.get(clause.id)]
    if as_json:
        rows = [
            {
                "id": clause.id,
                "document": clause.document,
                "section": clause.section,
                "statement": clause.statement,
                "erratum": clause.erratum,
                "untested": clause.untested,
                "vectors": sorted(traced.get(clause.id, [])),
            }
            for clause in every
        ]
        click.echo(json.dumps({"spec": spec, **({"op": op} if op else {}), "clauses": rows}, indent=2))
        sys.exit(1 if bare else 0)
    table = plain_table("bold")
    for name in ("§", "clause", "statement"):
        table.add_column(name, overflow="fold")
    table.add_column("vectors", justify="right" if not ids else "left", overflow="fold")
    for clause in every:
        found = sorted(traced.get(clause.id, []))
        shown = "\n".join(found) if ids and found else str(len(found)) if found else "-"
        statement = clause.statement
        if clause.erratum:
            statement += f" ({clause.erratum})"
        if clause.untested:
            statement += f" [untested: {clause.untested}]"
        table.add_row(f"{clause.document} §{clause.section}", clause.id, Text(statement), shown)
    print_table(table, 160)
    tested = sum(1 for clause in every if traced.get(clause.id))
    excused = sum(1 for clause in every if clause.untested and not traced.get(clause.id))
    if op is not None:
        click.echo(f"{len(every)} clauses are shown by the vectors of {op}")
        return
    click.echo(f"{len(every)} clauses: {tested} traced, {excused} excused with a reason, {len(bare)} bare")
    for clause_id in bare:
        click.echo(f"bare: {clause_id}")
    sys.exit(1 if bare else 0)
