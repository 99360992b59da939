"""``harbor-conformance kit precompute``: precomputes how known mistakes answer, for diagnoses."""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence

import click

from conformance.console.options import jobs_option, option
from conformance.console.progress import progress_bar
from conformance.diagnosis.known_answers import folder_of
from conformance.diagnosis.precomputing import Answer, Part, updated_files, wrong_answers_of_part
from conformance.registry.ops import SPECS
from conformance.wire.writing import write_bytes
from conformance.workers import processors, spread
from conformance.workers.spreading import WorkerDiedError

__all__ = ["precompute"]


@click.command()
@option("--spec specs", "Only this spec.", click.Choice(list(SPECS)), multiple=True)
@option("--check", "Write nothing; exit 1 if a file would change.")
@option("--all everything", "Run every vector on every mistake; takes minutes.")
@jobs_option
def precompute(specs: tuple[str, ...], check: bool, everything: bool, jobs: int | None) -> None:
    """Precomputes how known mistakes answer the vectors, for the diagnosis of runners.

    Run it after changing mistakes or vectors. It only computes what is new or has changed; after a merge
    that is everything, which takes minutes.
    """
    stale = []
    for spec in specs or tuple(SPECS):
        with progress_bar(f"mistakes of {spec}", None) as bar:
            ask = functools.partial(_answers, spec, jobs or processors(), bar.tick)
            try:
                files = updated_files(spec, ask, everything=everything)
            except WorkerDiedError:
                raise click.ClickException("a process that tried a known mistake died") from None
        folder = folder_of(spec)
        before = {path: path.read_bytes() for path in folder.glob("*")}
        after = {path: text.encode("ascii") for path, text in files.items()}
        changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        click.echo(f"{spec}: {len(changed)} of {len(after)} files {'would change' if check else 'written'}")
        if check and changed:
            stale.append(spec)
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for path in changed:
            if path in after:
                write_bytes(path, after[path])
            else:
                path.unlink()
    if stale:
        click.echo(f"outdated: {', '.join(stale)}; run harbor-conformance kit precompute", err=True)
        sys.exit(1)


def _answers(spec: str, jobs: int, tick: Callable[[], None], parts: Sequence[Part]) -> Iterator[list[Answer]]:
    """The answers of known mistakes to each part of the vectors."""
    task = functools.partial(wrong_answers_of_part, spec)
    return spread(task, parts, jobs, done=lambda _: tick(), tries=1)
