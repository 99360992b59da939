"""``harbor-conformance oracle``: the pinned environment of the real harbor."""

import shlex

import click

from conformance import oracle as environment
from conformance.cli.options import steps

__all__ = ["oracle"]


@click.command()
@click.option("--rebuild", is_flag=True, help="Build the environment anew.")
@click.option(
    "--command", "show_command", is_flag=True, help="Print only the oracle's command, for --runner."
)
@click.option("--adapter", is_flag=True, help="Print only the adapter's path, for a fork's own Python.")
def oracle(rebuild: bool, show_command: bool, adapter: bool) -> None:
    """Builds the oracle's environment (CPython 3.12, harbor 0.13.1) if need be, and says where it is."""
    if adapter:
        click.echo(environment.ADAPTER)
        return
    with steps() as tell:
        built = environment.ensure(tell, rebuild=rebuild)
    if show_command:
        click.echo(shlex.join(built.command))
    else:
        click.echo(f"harbor {built.harbor_version} is ready: {built.python}")
