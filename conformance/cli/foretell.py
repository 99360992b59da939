"""``harbor-conformance foretell``: what every known mistake answers to every vector, worked out once."""

import functools
import sys
from collections.abc import Sequence
from typing import Any

import click

from conformance.cli.options import progress_bar
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_bytes

__all__ = ["asked_in_part", "foretell"]

_AT_ONCE = 25
"""Mistakes that one process asks before it takes others."""


@click.command()
@click.option("--spec", "specs", type=click.Choice(list(SPECS)), multiple=True, help="Only this spec.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where the file would change.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; one a processor if unset.")
def foretell(specs: tuple[str, ...], check: bool, jobs: int | None) -> None:
    """Asks every known mistake for its answers to all vectors, and keeps them for the diagnosis of runners.

    Run it after any change to the reference, the mistakes or the vectors: until then a diagnosis asks anew,
    and is slow.
    """
    from conformance.assessment.detection import Workers
    from conformance.diagnosis import foretold
    from conformance.mistakes import all_mistakes
    from conformance.suite.vectors import load_spec

    stale = []
    with Workers(jobs or 0) as workers:
        for spec in specs or tuple(SPECS):
            names = list(all_mistakes(spec))
            parts = [names[at : at + _AT_ONCE] for at in range(0, len(names), _AT_ONCE)]
            told: dict[str, dict[str, list[Any]]] = {}
            with progress_bar(f"mistakes of {spec}", len(parts)) as bar:
                for answers in workers.each(functools.partial(asked_in_part, spec), parts, bar.tick):
                    told.update(answers)
            content = foretold.save(spec, load_spec(spec), told)
            path = foretold.file_of(spec)
            same = path.exists() and path.read_bytes() == content
            count = sum(map(len, told.values()))
            click.echo(f"{spec}: {len(names)} mistakes, {count} wrong answers, {len(content)} bytes")
            if check and not same:
                stale.append(spec)
            elif not check and not same:
                path.parent.mkdir(exist_ok=True)
                write_bytes(path, content)
    if stale:
        click.echo(f"not what the code gives: {', '.join(stale)}; run harbor-conformance foretell", err=True)
        sys.exit(1)


def asked_in_part(spec: str, names: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """The answers of some mistakes to a spec's vectors, by name and vector id."""
    from conformance.diagnosis.foretold import foretell as ask
    from conformance.diagnosis.scratch import scratch
    from conformance.mistakes import all_mistakes
    from conformance.suite.vectors import load_spec

    known = all_mistakes(spec)
    return dict(ask(scratch(spec), load_spec(spec), [known[name] for name in names]))
