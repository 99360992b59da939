"""``harbor-conformance kit regen``: regenerates every expected answer from its source."""

import sys
import time

import click

from conformance.console.options import option
from conformance.console.progress import progress_bar, steps
from conformance.console.run_options import specs_option
from conformance.oracle import regen as regeneration
from conformance.oracle.regen import RegenResult
from conformance.paths import spec_names
from conformance.registry.ops import SPECS
from conformance.suite.derived_schemas import renew_schemas
from conformance.suite.vectors import load_spec

__all__ = ["regen"]

_SHOWN = 20
"""The most ids listed."""


@click.command()
@specs_option
@option("--check", "Write nothing; exit 1 on any difference.")
@option("--accept ID...", "Let this locked vector's answer change.")
@option("--retire ID...", "Retire this id, whose vector is already removed.")
@option("--reason", "The reason for --accept and --retire.", default="")
def regen(
    specs: tuple[str, ...], check: bool, accept: tuple[str, ...], retire: tuple[str, ...], reason: str
) -> None:
    """Asks the oracles for every expected answer and writes the vectors canonically."""
    if (accept or retire) and (check or not reason.strip()):
        raise click.UsageError("--accept and --retire need a --reason, and do not go with --check")
    named = specs or spec_names()
    chosen = [spec for spec in SPECS if spec in named]
    for vector_id in (*accept, *retire):
        if not _ids_of(chosen, vector_id):
            raise click.UsageError(f"{vector_id} is not in a spec that is regenerated: {', '.join(chosen)}")
    if not check:
        for path in renew_schemas():
            click.echo(f"file renewed: {path.name}")
    different = 0
    for spec in chosen:
        different += _regenerate(spec, check, _ids_of([spec], *accept), _ids_of([spec], *retire), reason)
    sys.exit(1 if check and different else 0)


def _ids_of(specs: list[str], *vector_ids: str) -> list[str]:
    """The ids that belong to one of the specs."""
    return [vector_id for vector_id in vector_ids if vector_id.partition("/")[0] in specs]


def _regenerate(spec: str, check: bool, accept: list[str], retire: list[str], reason: str) -> int:
    """Regenerates one spec and prints the result; returns the number of differences."""
    began = time.monotonic()
    total = len(load_spec(spec, package=True))
    with steps() as step:
        sources = regeneration.sources(spec, step)
        environments = regeneration.further_environments(spec, step)
    with progress_bar(f"asking the oracle of {spec}", total * (1 + len(environments))) as bar:
        result = regeneration.regenerate(
            spec,
            sources,
            check=check,
            environments_asked=environments,
            accept=accept,
            retire=retire,
            reason=reason,
            tick=bar.tick,
        )
    _report_differences(result, "differs" if check else "renewed")
    different = len(result.changed) + len(result.rewritten) + len(result.lock_problems)
    outcome = f"{different} differences" if different else "no difference"
    played = f"{result.played} whole jobs played, " if result.played else ""
    for name, count in result.variants.items():
        click.echo(f"variant {name}: {count} of {total} vectors have another answer there")
    click.echo(
        f"{spec}: {result.asked} of {total} answers asked, {played}{outcome}, "
        f"{time.monotonic() - began:.1f} s"
    )
    return different


def _report_differences(result: RegenResult, verb: str) -> None:
    for vector_id in result.changed[:_SHOWN]:
        click.echo(f"answer {verb}: {vector_id}")
    if len(result.changed) > _SHOWN:
        click.echo(f"and {len(result.changed) - _SHOWN} more answers")
    for path in result.rewritten:
        click.echo(f"file {verb}: {path.name}")
    for problem in result.lock_problems[:_SHOWN]:
        click.echo(f"lock: {problem}")
    for vector_id in result.unreviewed[:_SHOWN]:
        click.echo(f"say which rule and clause it shows: {vector_id} has another answer than in the base")
    if len(result.unreviewed) > _SHOWN:
        click.echo(f"and {len(result.unreviewed) - _SHOWN} more without a description")
    for provenance, count in result.left.items():
        click.echo(
            f"not asked: {count} vectors of {provenance}, whose document is not available; they stay locked"
        )
