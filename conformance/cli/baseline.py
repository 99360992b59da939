"""``harbor-conformance baseline``: a known-failures list from what fails today."""

import sys
from pathlib import Path
from typing import Any

import click

from conformance.cli.options import progress_bar, runner_options, steps
from conformance.cli.run import chosen_vectors
from conformance.judging.verdict import Outcome, Verdict
from conformance.run.engine import open_run, run_vectors

__all__ = ["baseline"]

_HEAD = """\
# Known failures of this runner: <vector id or pattern> <outcome>  # reason
# Written by harbor-conformance baseline. Strict: a line whose vector passes fails the run.
"""


@click.command()
@runner_options
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE"
)
def baseline(command: str, spec: str, vector_files: tuple[Path, ...], output: Path, **options: Any) -> None:
    """Runs every vector and writes what does not pass as a known-failures list."""
    every, chosen = chosen_vectors(spec, vector_files, ())
    with steps() as tell:
        dispatcher, report, _ = open_run(
            command, every, spec=spec, known_failures=None, progress=tell, **options
        )
    lines: list[str] = []

    def note(verdict: Verdict) -> None:
        bar.tick()
        if verdict.failed:
            reason = " ".join(verdict.sentence.split())[:160].replace("#", "number ")
            lines.append(f"{verdict.vector.id} {verdict.outcome}  # {reason}")

    with progress_bar("vectors", len(chosen)) as bar:
        run_vectors(dispatcher, report, chosen, note)
    if not report.totals()[Outcome.PASSED.value]:
        raise click.ClickException("no vector passed, so a baseline would hide a runner that does not work")
    try:
        output.write_text(_HEAD + "".join(line + "\n" for line in sorted(lines)), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{output} can't be written: {error.strerror}") from None
    click.echo(f"{len(lines)} known failures written to {output}; gate with --known-failures {output}")
    sys.exit(0)
