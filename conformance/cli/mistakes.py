"""``harbor-conformance mistakes``: the known mistakes, and which vectors catch each."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from conformance.cli.options import slow_steps, spec_option
from conformance.diagnosis.catching import Catching
from conformance.mistakes import Mistake, MistakeError, all_mistakes, find_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.report.writing import plain_table, print_table
from conformance.suite import clauses
from conformance.suite.vectors import Vector, load_spec

__all__ = ["mistakes"]


@click.command()
@spec_option
@click.option("--all", "every_spec", is_flag=True, help="List those of every spec.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("name", required=False)
def mistakes(spec: str, every_spec: bool, as_json: bool, name: str | None) -> None:
    """Lists a spec's known mistakes with the vectors of their class that catch them, or tells all about one.

    'run --runner mistake:NAME' lets the reference make one, 'mistake:NAME+NAME' several.
    """
    try:
        chosen = list(all_mistakes().values()) if name is None else find_mistakes(name)
        if name is None and not every_spec:
            chosen = [one for one in chosen if one.spec == spec]
    except MistakeError as error:
        raise click.UsageError(str(error)) from None
    specs = list(dict.fromkeys(one.spec for one in chosen))
    catching = Catching(vector for each in specs for vector in load_spec(each))
    caught: dict[str, Sequence[Vector]] = {}
    with slow_steps() as say:
        for number, one in enumerate(chosen):
            say(f"looking for the vectors that catch each mistake: {number} of {len(chosen)}")
            caught[one.name] = catching.caught_by(one)
    statements = {key: text for each in specs for key, text in clauses.statements(each).items()}
    if as_json:
        rows = [_row(one, statements, caught[one.name]) for one in chosen]
        click.echo(json.dumps({"spec": specs[0] if len(specs) == 1 else None, "mistakes": rows}, indent=2))
    elif name is None:
        _print_table(chosen, caught)
    else:
        for one in chosen:
            click.echo(_account(one, statements, caught[one.name]))


def _row(one: Mistake, statements: dict[str, str], caught: Sequence[Vector]) -> dict[str, Any]:
    return {
        "name": one.name,
        "spec": one.spec,
        "says": one.says,
        "op": one.op,
        "class": one.conformance_class,
        "clause": one.clause,
        "statement": statements.get(one.clause),
        "why": one.why,
        "invited_by": one.invited_by,
        "caught_by": [vector.id for vector in caught],
    }


def _print_table(chosen: Sequence[Mistake], caught: dict[str, Sequence[Vector]]) -> None:
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


def _for(one: Mistake) -> str:
    return "" if one.spec == DEFAULT_SPEC else f" --spec {one.spec}"


def _account(one: Mistake, statements: dict[str, str], caught: Sequence[Vector]) -> str:
    parts = [
        ("mistake:", one.name),
        ("says:", one.says),
        ("op:", f"{one.op} (class {one.conformance_class})"),
        ("clause:", f"{one.clause}: {statements.get(one.clause, '')}".rstrip(": ")),
        ("why:", one.why),
        ("invited by:", one.invited_by),
        ("run it:", f"harbor-conformance run{_for(one)} --runner mistake:{one.name}"),
    ]
    lines = [
        textwrap.fill(
            text, 118, initial_indent=f"{label:12}", subsequent_indent=" " * 12, break_on_hyphens=False
        )
        for label, text in parts
    ]
    lines.append(f"{'caught by:':12}{len(caught)} vector{'s' if len(caught) != 1 else ''} of its class")
    lines += [f"{'':12}{vector.id}" for vector in caught]
    return "\n".join(lines) + "\n"
