"""``harbor-conformance regen``: every expected answer asked again of the real harbor."""

import sys
import time

import click

from conformance import regen as regeneration
from conformance.cli.options import progress_bar, spec_option, steps
from conformance.vectors import load_spec

__all__ = ["regen"]

_SHOWN = 20
"""The most ids named; all are counted."""


@click.command()
@spec_option
@click.option("--check", is_flag=True, help="Write nothing; exit 1 on any difference.")
@click.option("--accept", multiple=True, metavar="ID", help="Let this locked vector's answer change.")
@click.option("--retire", multiple=True, metavar="ID", help="Retire this id; its vector is already removed.")
@click.option("--reason", default="", help="Why, for --accept and --retire.")
def regen(spec: str, check: bool, accept: tuple[str, ...], retire: tuple[str, ...], reason: str) -> None:
    """Asks the oracle for every expected answer and writes the vectors canonically."""
    if (accept or retire) and (check or not reason.strip()):
        raise click.UsageError("--accept and --retire need a --reason, and do not go with --check")
    began = time.monotonic()
    with steps() as tell:
        known = regeneration.sources(tell)
    total = len(load_spec(spec))
    with progress_bar("asking the oracle", total) as bar:
        result = regeneration.regenerate(
            spec, known, check=check, accept=accept, retire=retire, reason=reason, tick=bar.tick
        )
    verb = "differs" if check else "renewed"
    for vector_id in result.changed[:_SHOWN]:
        click.echo(f"answer {verb}: {vector_id}")
    if len(result.changed) > _SHOWN:
        click.echo(f"and {len(result.changed) - _SHOWN} more answers")
    for path in result.rewritten:
        click.echo(f"file {verb}: {path.name}")
    for problem in result.lock_problems[:_SHOWN]:
        click.echo(f"lock: {problem}")
    for provenance, count in result.left.items():
        click.echo(
            f"not asked: {count} vectors of {provenance}, whose document is not at hand; the lock guards them"
        )
    different = len(result.changed) + len(result.rewritten) + len(result.lock_problems)
    outcome = f"{different} differences" if different else "no difference"
    click.echo(
        f"{spec}: {result.asked} of {total} answers asked, {result.played} whole jobs played, {outcome}, "
        f"{time.monotonic() - began:.1f} s"
    )
    sys.exit(1 if check and different else 0)
