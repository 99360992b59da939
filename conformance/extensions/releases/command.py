"""``harbor-conformance kit spec``: what changed between releases of harbor, and specs for them."""

import re
import secrets
import sys
from datetime import datetime, timezone
from pathlib import Path

import click

from conformance import __version__, interrupts
from conformance.console.options import COUNT, option
from conformance.console.progress import progress_bar, steps
from conformance.console.run_options import spec_option
from conformance.extensions.releases.account import Account, page
from conformance.extensions.releases.adding import Adding, AddingError, added_lines, family, read_diff
from conformance.extensions.releases.asking import SECONDS, side_of
from conformance.extensions.releases.changelog import expected_rows, problems, releases_of, suite_of, table
from conformance.extensions.releases.comparing import Comparison, NothingToAskError
from conformance.formats import render
from conformance.paths import DEFAULT_SPEC, checkout_root, spec_names
from conformance.registry.ops import ops_of
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import known_spec
from conformance.wire.text import printable
from conformance.wire.writing import unwritten, write_report

__all__ = ["spec"]

_WHOLE = 1 << 20
"""The most bytes of Markdown; more than fits a comment."""
_THREE_NUMBERS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+", re.ASCII)


@click.group()
def spec() -> None:
    """Compares releases of harbor, and starts a spec for a new one."""


@spec.command()
@click.argument("old")
@click.argument("new")
@spec_option
@option("--inputs N", "The number of random inputs to ask after the vectors.", COUNT, default=4000)
@option("--seed", "The seed of these inputs; drawn and shown if not given.", int)
@option("--runner-timeout timeout SECONDS", "The longest time for one reply.", default=SECONDS)
@option("--json report_file FILE", "Write a JSON report.")
@option("--markdown page_file FILE", "Write the result as Markdown.")
def diff(
    old: str,
    new: str,
    spec: str,
    inputs: int,
    seed: int | None,
    timeout: float,
    report_file: Path | None,
    page_file: Path | None,
) -> None:
    """Asks two releases the same questions, and shows what changed from OLD to NEW.

    Each is a release of harbor by its number (built on first use), `harbor:PATH` for a fork, or a runner
    command. Exit codes: 0 nothing differs, 1 something does, 2 it could not be tried.
    """
    vectors = family(spec)
    with steps() as announce:
        sides = [side_of(one, spec, announce, timeout) for one in (old, new)]
    seed = secrets.randbelow(10**6) if seed is None else seed
    every = [vector for of_spec in vectors.values() for vector in of_spec]
    comparison = Comparison(sides[0], sides[1], spec, every, ops_of(spec), seed, inputs)
    account = Account(comparison, list(vectors), datetime.now(timezone.utc).isoformat())
    with interrupts.ending():
        _watched(account, len(every) + inputs)
        failed = [write_report(report_file, account.as_json())]
        shown = page(account)
        if page_file is not None:
            failed.append(unwritten(page_file, render(shown, "markdown", limit=_WHOLE)))
    click.echo(render(shown, "text", failures=len(shown.items)), nl=False)
    if sentences := [sentence for sentence in failed if sentence]:
        raise click.ClickException("; ".join(sentences))
    sys.exit(account.exit_code)


def _watched(account: Account, total: int) -> None:
    """Runs the comparison, with a progress bar on a terminal."""
    one = account.comparison
    try:
        with interrupts.released(), steps() as step, progress_bar("questions", total, 1) as bar:
            one.on_step, one.answered = step, lambda *_: bar.tick()
            one.run()
    except (RunnerStartError, NothingToAskError) as error:
        account.problems.append(str(error))
    except KeyboardInterrupt:
        one.interrupted()
        account.interrupted = interrupts.exit_code()


@spec.command()
@click.argument("release")
@option(
    "--base SPEC",
    "The base spec of the overlay.",
    default=DEFAULT_SPEC,
    callback=lambda _, __, name: known_spec(name),
)
@option(
    "--from found FILE",
    "A report of `spec diff --json`: changes that only random inputs show become new vectors.",
)
def add(release: str, base: str, found: Path | None) -> None:
    """Starts the spec of a new RELEASE as an overlay of another, for a person to review.

    Locks and builds the release's environment, asks it every vector of all specs of the same document, and
    writes the differences into the checkout. Existing files are not overwritten.
    """
    if not _THREE_NUMBERS.fullmatch(release):
        raise AddingError(f"{printable(release)!r} is not a release: give its number, such as 0.25.0")
    with steps() as announce:
        adding = Adding(release, base, read_diff(found, release) if found else None, announce)
        adding.run()
    click.echo("\n".join(added_lines(adding)))


@spec.command()
def vectors() -> None:
    """Prints the table of vectors for the CHANGELOG's newest section; exits 1 if it has another."""
    root = checkout_root()
    if root is None:
        raise click.ClickException("the CHANGELOG is in a checkout of the kit, and this is an installed one")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    suites = [suite_of(name) for name in spec_names()]
    found = problems(changelog, suites, __version__)
    if releases := releases_of(changelog):
        click.echo(table(expected_rows(suites, releases)), nl=False)
    for problem in found:
        click.echo(f"CHANGELOG.md: {problem}", err=True)
    sys.exit(1 if found else 0)
