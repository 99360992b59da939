"""``harbor-conformance foretell``: what every known mistake answers to every vector, worked out once."""

import functools
import sys

import click

from conformance.cli.options import progress_bar
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_bytes

__all__ = ["foretell"]


@click.command()
@click.option("--spec", "specs", type=click.Choice(list(SPECS)), multiple=True, help="Only this spec.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a file would change.")
@click.option("--all", "everything", is_flag=True, help="Ask every mistake every vector; takes minutes.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; one a processor if unset.")
def foretell(specs: tuple[str, ...], check: bool, everything: bool, jobs: int | None) -> None:
    """Asks the known mistakes the vectors, and keeps their answers for the diagnosis of runners.

    Run it after a change to the mistakes or the vectors, and after a merge. It asks only what is new or
    has changed, and rewrites the files in order, conflict markers included.
    """
    from conformance.assessment.detection import Workers
    from conformance.diagnosis.foretelling import answered_in_part, updated
    from conformance.diagnosis.foretold import folder_of

    stale = []
    with Workers(jobs or 0) as workers:
        for spec in specs or tuple(SPECS):
            with progress_bar(f"mistakes of {spec}", None) as bar:
                task = functools.partial(answered_in_part, spec)
                ask = functools.partial(workers.each, task, tick=bar.tick)
                files = updated(spec, ask, everything=everything)
            folder = folder_of(spec)
            there = {path: path.read_bytes() for path in folder.glob("*")}
            content = {path: text.encode("ascii") for path, text in files.items()}
            changed = sorted(path for path in {*there, *content} if there.get(path) != content.get(path))
            click.echo(
                f"{spec}: {len(changed)} of {len(content)} files {'would change' if check else 'written'}"
            )
            if check and changed:
                stale.append(spec)
                continue
            folder.mkdir(parents=True, exist_ok=True)
            for path in changed:
                if path in content:
                    write_bytes(path, content[path])
                else:
                    path.unlink()
    if stale:
        click.echo(f"not what the code gives: {', '.join(stale)}; run harbor-conformance foretell", err=True)
        sys.exit(1)
