"""The options of commands that spread their work over processes or machines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

__all__ = ["spreading_options", "tables_option"]


def spreading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--jobs`` and ``--scheduler``, handed on as ``processes`` and ``scheduler``."""
    command = click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Have the workers of a Dask scheduler do the work, such as tcp://host:8786. It must be trusted: "
        "it can run code here.",
    )(command)
    return click.option(
        "--jobs",
        "processes",
        type=click.IntRange(min=1, max=1000),
        metavar="N",
        help="Processes of this machine that do the work; `check` takes as many as there are processors "
        "where that pays, `fuzz` one.",
    )(command)


tables_option = click.option(
    "--parquet",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write trials.parquet, findings.parquet and jobs.parquet there, for DuckDB or Polars.",
)
