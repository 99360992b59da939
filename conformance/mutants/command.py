"""``harbor-conformance kit mutants``: does every small change to the reference fail a vector?"""

import contextlib
import sys
import time
from pathlib import Path

import click

from conformance.console.options import FILE, jobs_option
from conformance.console.progress import progress_bar
from conformance.console.tables import print_table
from conformance.mutants import selection
from conformance.mutants.excuses import load_excuses
from conformance.mutants.fingerprint import fingerprint
from conformance.mutants.proven import record, unproven_modules
from conformance.mutants.results import Results, excuse_lines
from conformance.mutants.selection import all_mutants, asked_of, known_modules, sampled, shared_modules
from conformance.mutants.unreachable import load_unreachable
from conformance.mutants.workers import attempt, tried
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_report

__all__ = ["mutants"]


@click.command()
@click.option(
    "--spec",
    type=click.Choice(list(SPECS)),
    default=DEFAULT_SPEC,
    show_default=True,
    help="Whose vectors and reference.",
)
@click.option("--module", "modules", multiple=True, metavar="NAME", help="Only this module of the reference.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Try N of them, chosen by the seed.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample.")
@click.option("--changed-since", metavar="REV", help="Only modules that differ from this git revision.")
@click.option("--changed", is_flag=True, help="Only modules that have changed since --record.")
@click.option(
    "--record", "to_record", is_flag=True, help="Try all; if none survives, keep that for --changed."
)
@jobs_option
@click.option("--json", "json_path", type=FILE, metavar="FILE", help="Write JSON.")
@click.option("--excused", is_flag=True, help="Only list the excused mutants, each with its proof.")
def mutants(
    spec: str,
    modules: tuple[str, ...],
    sample: int | None,
    seed: int,
    changed_since: str | None,
    changed: bool,
    to_record: bool,
    jobs: int | None,
    json_path: Path | None,
    excused: bool,
) -> None:
    """Changes the reference in thousands of small ways and asks each mutant the vectors, nothing else.

    Every op that can use what a mutant changes is asked for itself: its own vectors must notice.

    Exits 1 if a mutant survives that is not proven equivalent, or in an op where it is not proven
    unreachable, or if a proof is stale; 2 if it can't be tried.
    """
    part = bool(modules) or sample is not None or changed_since is not None or changed
    if part and to_record:
        raise click.UsageError("--record tries all mutants: it goes with no option that chooses some")
    excuses = load_excuses()
    chosen = known_modules(modules, spec)
    if excused:
        named = {key: one for key, one in excuses.items() if key.partition(":")[0] in chosen}
        click.echo("\n".join([*excuse_lines(named), f"excused: {len(named)}"]))
        return
    if changed_since is not None:
        differ = selection.changed_modules(changed_since, spec)
        chosen = tuple(module for module in chosen if module in differ)
    shared = shared_modules(spec) if changed or not part else ()
    if changed:
        unproven = unproven_modules(spec)
        chosen, shared = (tuple(one for one in some if one in unproven) for some in (chosen, shared))
    began = time.monotonic()
    measured = fingerprint(spec)  # before the run: who edits during it has measured neither tree
    whole = not part
    every = all_mutants((*chosen, *shared))
    asked = asked_of(every if sample is None else sampled(every, sample, seed), spec)
    verdicts = {}
    with (
        progress_bar("mutants", len(asked)) as bar,
        contextlib.closing(tried([attempt(*one) for one in asked], jobs or 0, spec=spec)) as found,
    ):
        for place, verdict in found:
            verdicts[place] = verdict
            bar.tick()
    results = Results.of(asked, verdicts, excuses, load_unreachable(), spec=spec, modules=chosen, whole=whole)
    if to_record and results.exit_code() == 0:
        record(spec)
    unwritten = write_report(json_path, results.as_json(whole=whole, measured=measured))
    if asked:
        print_table(results.table(), 120)
        print_table(results.table_by_op(), 120)
    for line in results.lines():
        click.echo(line)
    click.echo(f"{time.monotonic() - began:.1f} s", err=True)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    sys.exit(results.exit_code())
