"""``harbor-conformance baseline``: a known-failures list from what fails today."""

import sys
from pathlib import Path

import click

from conformance.cli.options import progress_bar, runner_options, steps
from conformance.cli.run import chosen_vectors
from conformance.judging.verdict import Outcome, Verdict
from conformance.run.closing import close_run
from conformance.run.engine import open_run, run_vectors
from conformance.run.options import RunOptions
from conformance.wire.writing import unwritten

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
def baseline(options: RunOptions, output: Path) -> None:
    """Runs every vector and writes what does not pass as a known-failures list."""
    every, chosen = chosen_vectors(options)
    with steps() as tell:
        dispatcher, report = open_run(options, every, tell)
    lines: list[str] = []

    def note(verdict: Verdict) -> None:
        bar.tick()
        if verdict.failed:
            reason = " ".join(verdict.sentence.split())[:160].replace("#", "number ")
            lines.append(f"{verdict.vector.id} {verdict.outcome}  # {reason}")

    with progress_bar("vectors", len(chosen)) as bar:
        run_vectors(dispatcher, report, chosen, note)
    close_run(dispatcher, report, ())
    if not report.totals()[Outcome.PASSED.value]:
        raise click.ClickException("no vector passed, so a baseline would hide a runner that does not work")
    problem = unwritten(output, _HEAD + "".join(line + "\n" for line in sorted(lines)))
    if problem is not None:
        raise click.ClickException(problem)
    click.echo(f"{len(lines)} known failures written to {output}; gate with --known-failures {output}")
    sys.exit(0)
