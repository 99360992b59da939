"""``harbor-conformance gate``: the check of a fork or runner in CI."""

import click

__all__ = ["gate"]


@click.command()
def gate() -> None:
    """Runs, fuzzes, compares with the known failures, and writes every report that CI shows."""
    raise NotImplementedError
