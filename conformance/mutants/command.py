"""``harbor-conformance kit mutants``: checks that every small change to the reference fails a vector."""

import sys
import time
from dataclasses import asdict
from pathlib import Path

import click

from conformance.console.options import jobs_option, option
from conformance.console.progress import progress_bar
from conformance.console.tables import print_table
from conformance.deviations.space import vectors_of
from conformance.mutants import places as deviations
from conformance.mutants.proven import record, unproven_modules
from conformance.mutants.results import try_mutants
from conformance.mutants.selection import all_mutants, known_modules, shared_modules
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_report

__all__ = ["mutants"]


@click.command()
@option("--spec", "Whose vectors and reference.", click.Choice(list(SPECS)), default=DEFAULT_SPEC)
@option("--module modules NAME...", "Only this module of the reference.")
@option("--changed", "Only modules that have changed since --record.")
@option("--record to_record", "Try all; if none survives, keep that for --changed.")
@jobs_option
@option("--places", "Try generated deviations, place by place, not mutants of code.")
@option("--op ops OP...", "With --places: only this op.")
@option("--json json_path FILE", "With --places: write JSON, with an input for each that is not caught.")
def mutants(
    spec: str,
    modules: tuple[str, ...],
    changed: bool,
    to_record: bool,
    jobs: int | None,
    places: bool,
    ops: tuple[str, ...],
    json_path: Path | None,
) -> None:
    """Changes the reference in thousands of small ways, and checks that the vectors notice each mutant.

    If several ops use the changed code, the vectors of each op must notice the mutant by themselves.

    Exits 1 if a mutant survives without a proof that it is equivalent, or unreachable in that op, or if a
    proof is stale; 2 if the mutants can't be tried.
    """
    if (ops or json_path) and not places:
        raise click.UsageError("--op and --json require --places")
    if places:
        _show_places(spec, ops, json_path)
        return
    part = bool(modules) or changed
    if part and to_record:
        raise click.UsageError("--record tries all mutants: remove the options that select some")
    chosen = known_modules(modules, spec)
    shared = shared_modules(spec) if changed or not part else ()
    if changed:
        unproven = unproven_modules(spec)
        chosen, shared = (tuple(name for name in names if name in unproven) for names in (chosen, shared))
    began = time.monotonic()
    tried = all_mutants((*chosen, *shared))
    report = try_mutants(tried, spec, chosen, jobs or 0, whole=not part)
    if to_record and report.exit_code() == 0:
        record(spec)
    if tried:
        for table in report.tables():
            print_table(table, 120)
    click.echo("\n".join(report.lines()))
    click.echo(f"{time.monotonic() - began:.1f} s", err=True)
    sys.exit(report.exit_code())


def _show_places(spec: str, ops: tuple[str, ...], json_path: Path | None) -> None:
    """Prints, for each place and kind of change, how many deviations the vectors catch."""
    known = vectors_of(spec)
    if unknown := sorted(set(ops) - known.keys()):
        raise click.UsageError(f"{spec} has no vectors of {unknown[0]}: choose from {', '.join(known)}")
    fates = []
    for op in ops or known:
        with progress_bar(op, None) as bar:
            for fate in deviations.tried(spec, op):
                fates.append(fate)
                bar.tick()
    rows = deviations.rows_of(fates)
    document = {"spec": spec, "least_usual": deviations.PLAUSIBLE, "rows": list(map(asdict, rows))}
    unwritten = write_report(json_path, document)
    print_table(deviations.table_of([*rows, *deviations.rows_of(fates, whole=True)]), 160)
    if unwritten is not None:
        raise click.ClickException(unwritten)
