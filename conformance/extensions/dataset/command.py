"""``harbor-conformance dataset``: writes small tasks for any runner, with the expected results."""

from pathlib import Path

import click

from conformance.extensions.dataset.tasks import DATASETS
from conformance.extensions.dataset.writing import write

__all__ = ["dataset"]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def dataset(folder: Path) -> None:
    """Writes harbor datasets into DIR, a new folder, with a manifest of the expected results.

    Run each folder in DIR as a separate job with the agent nop, then check the jobs with
    `harbor-conformance check --dataset DIR JOB_DIR…`. DIR/README.md has the commands.
    """
    count = write(folder)
    click.echo(f"{count} tasks in {len(DATASETS)} datasets; {folder / 'README.md'} explains how to run them")
