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
@click.option("--anew", is_flag=True, help="Ask all mistakes all vectors, which takes minutes.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; one a processor if unset.")
def foretell(specs: tuple[str, ...], check: bool, anew: bool, jobs: int | None) -> None:
    """Asks known mistakes for their answers to vectors, and keeps them for the diagnosis of runners.

    Run it after any change to the mistakes or the vectors, and after a merge: it asks what is new or has
    changed, and writes the files of a memo in their order, whatever a merge has made of them.
    """
    from conformance.assessment.detection import Workers
    from conformance.diagnosis.foretelling import answered_in_part, updated
    from conformance.diagnosis.foretold import folder_of

    stale = []
    with Workers(jobs or 0) as workers:
        for spec in specs or tuple(SPECS):
            with progress_bar(f"mistakes of {spec}", None) as bar:
                task = functools.partial(answered_in_part, spec)
                files = updated(spec, lambda parts: workers.each(task, parts, bar.tick), anew=anew)  # noqa: B023
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
