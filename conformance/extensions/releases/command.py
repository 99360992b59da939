"""``harbor-conformance kit spec``: specs for new releases of harbor, and the CHANGELOG's vectors."""

import re
import sys

import click

from conformance import __version__
from conformance.console.options import option
from conformance.console.progress import steps
from conformance.extensions.releases.adding import Adding, AddingError, added_lines
from conformance.extensions.releases.changelog import expected_rows, problems, releases_of, suite_of, table
from conformance.paths import DEFAULT_SPEC, checkout_root, spec_names
from conformance.suite.vectors import known_spec
from conformance.wire.text import printable

__all__ = ["spec"]

_THREE_NUMBERS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+", re.ASCII)


@click.group()
def spec() -> None:
    """Starts a spec for a new release of harbor, and counts vectors for the CHANGELOG."""


@spec.command()
@click.argument("release")
@option(
    "--base SPEC",
    "The spec that the overlay changes.",
    default=DEFAULT_SPEC,
    callback=lambda _, __, name: known_spec(name),
)
def add(release: str, base: str) -> None:
    """Starts the spec of a new RELEASE as an overlay of another, for a person to review.

    Locks and builds the release's environment, runs every vector of all specs of the same document in it, and
    writes the differences into the checkout. Existing files are not overwritten.
    """
    if not _THREE_NUMBERS.fullmatch(release):
        raise AddingError(f"{printable(release)!r} is not a release: give its number, such as 0.25.0")
    with steps() as announce:
        adding = Adding(release, base, announce)
        adding.run()
    click.echo("\n".join(added_lines(adding)))


@spec.command()
def vectors() -> None:
    """Prints the table of vectors for the CHANGELOG's newest section; exits with 1 if it differs."""
    root = checkout_root()
    if root is None:
        raise click.ClickException(
            "the CHANGELOG is only in a checkout of the kit, but this kit is installed"
        )
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    suites = [suite_of(name) for name in spec_names()]
    contradictions = problems(changelog, suites, __version__)
    if releases := releases_of(changelog):
        click.echo(table(expected_rows(suites, releases)), nl=False)
    for problem in contradictions:
        click.echo(f"CHANGELOG.md: {problem}", err=True)
    sys.exit(1 if contradictions else 0)
