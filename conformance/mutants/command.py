"""``harbor-conformance kit mutants``: checks that every small change to the reference fails a vector."""

import sys
import time
from pathlib import Path

import click
import msgspec

from conformance.console.options import NUMBER, jobs_option, option
from conformance.console.progress import progress_bar
from conformance.console.tables import print_table
from conformance.deviations.space import vectors_of
from conformance.mutants import places as deviations
from conformance.mutants.excuses import load_excuses
from conformance.mutants.proven import record, unproven_modules
from conformance.mutants.results import excuse_lines, try_mutants
from conformance.mutants.selection import all_mutants, known_modules, sampled, shared_modules
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_report

__all__ = ["mutants"]


@click.command()
@option("--spec", "Whose vectors and reference.", click.Choice(list(SPECS)), default=DEFAULT_SPEC)
@option("--module modules NAME...", "Only this module of the reference.")
@option("--sample N", "Try N of them, chosen by the seed.", NUMBER)
@option("--seed", "Of the sample.", int, default=1)
@option("--changed", "Only modules that have changed since --record.")
@option("--record to_record", "Try all; if none survives, keep that for --changed.")
@jobs_option
@option("--json json_path FILE", "Write JSON.")
@option("--excused", "Only list the excused mutants, each with its proof.")
@option("--places", "Try generated deviations, place by place, not mutants of code.")
@option("--op ops OP...", "With --places: only this op.")
def mutants(
    spec: str,
    modules: tuple[str, ...],
    sample: int | None,
    seed: int,
    changed: bool,
    to_record: bool,
    jobs: int | None,
    json_path: Path | None,
    excused: bool,
    places: bool,
    ops: tuple[str, ...],
) -> None:
    """Changes the reference in thousands of small ways and asks each mutant the vectors, nothing else.

    Every op that can use what a mutant changes is asked for itself: its own vectors must notice.

    Exits 1 if a mutant survives that is not proven equivalent, or in an op where it is not proven
    unreachable, or if a proof is stale; 2 if it can't be tried.
    """
    if ops and not places:
        raise click.UsageError("--op goes with --places")
    if places:
        _show_places(spec, ops, json_path)
        return
    part = bool(modules) or sample is not None or changed
    if part and to_record:
        raise click.UsageError("--record tries all mutants: it goes with no option that chooses some")
    chosen = known_modules(modules, spec)
    if excused:
        named = [one for one in load_excuses().values() if one.id.partition(":")[0] in chosen]
        click.echo("\n".join([*excuse_lines(named), f"excused: {len(named)}"]))
        return
    shared = shared_modules(spec) if changed or not part else ()
    if changed:
        unproven = unproven_modules(spec)
        chosen, shared = (tuple(one for one in some if one in unproven) for some in (chosen, shared))
    began = time.monotonic()
    every = all_mutants((*chosen, *shared))
    tried = every if sample is None else sampled(every, sample, seed)
    report = try_mutants(tried, spec, chosen, jobs or 0, whole=not part)
    if to_record and report.exit_code() == 0:
        record(spec)
    unwritten = write_report(json_path, msgspec.to_builtins(report))
    if tried:
        for table in report.tables():
            print_table(table, 120)
    click.echo("\n".join(report.lines()))
    click.echo(f"{time.monotonic() - began:.1f} s", err=True)
    if unwritten is not None:
        raise click.ClickException(unwritten)
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
    unwritten = write_report(json_path, deviations.as_json(spec, rows))
    print_table(deviations.table_of(rows), 160)
    click.echo()
    print_table(deviations.table_of(deviations.rows_of(fates, whole=True)), 160)
    if unwritten is not None:
        raise click.ClickException(unwritten)
