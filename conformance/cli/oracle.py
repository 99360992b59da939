"""``harbor-conformance kit oracle``: the pinned environments that give the expected answers."""

import shlex

import click

from conformance.console.options import option
from conformance.console.progress import steps
from conformance.console.run_options import spec_option
from conformance.oracle import environments as environment
from conformance.oracle import releases
from conformance.oracle.building import cache_dir
from conformance.oracle.of_specs import oracle_command, recipe_of
from conformance.oracle.python import locate
from conformance.outcomes.words import counted
from conformance.registry.ops import SPEC_TABLE
from conformance.wire.text import printable

__all__ = ["oracle"]


@click.command()
@spec_option
@option("--rebuild", "Build the environment again.")
@option("--command show_command", "Print only the oracle's command, for use with --runner.")
@option("--adapter", "Print only the adapter's path, for a fork's own Python.")
@option("--variant NAME", "The spec's additional environment of this name.")
@option("--remove-releases", "Delete what --harbor and --runner harbor:PATH built in the cache.")
def oracle(
    spec: str, rebuild: bool, show_command: bool, adapter: bool, variant: str | None, remove_releases: bool
) -> None:
    """Builds the environment of a spec's oracle if needed, and prints where it is.

    harbor-0.13.1 and harbor-metric share CPython 3.12 with harbor 0.13.1; harbor-0.25.0 has one with that
    release. evsys has no package to install: its answers are derived from the document.
    """
    described = SPEC_TABLE[spec].oracle
    names = [candidate.name for candidate in described.variants]
    if variant is not None and variant not in names:
        raise click.UsageError(
            f"{spec} has no variant {printable(variant)!r}; there is {', '.join(names) or 'none'}"
        )
    recipe = None if described.recipe is None else recipe_of(spec, variant)
    if adapter:
        click.echo(described.adapter)
        return
    if remove_releases:
        with steps() as step:
            step("removing releases")
            removed = releases.remove_releases()
        click.echo(f"{counted(removed, 'environment')} removed from {cache_dir()}")
        return
    with steps() as step:
        command = oracle_command(spec, step, rebuild=rebuild, variant=variant)
    if show_command:
        click.echo(shlex.join(command))
    elif recipe is None:
        click.echo(
            f"{spec} has no package to install: {described.adapter.name} derives its answers from the "
            f"document, on {locate().path}"
        )
    else:
        built = environment.ensure(lambda _: None, recipe=recipe)
        with_variant = f" ({variant})" if variant else ""
        click.echo(f"{built.recipe.package} {built.version}{with_variant} is ready: {built.python}")
