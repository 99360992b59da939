"""``harbor-conformance kit spec``: what changed from one release of harbor to another, and a spec of it."""

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
from conformance.extensions.releases.changelog import problems, releases_of, rows_due, suite_of, table
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
"""Bytes of Markdown: nobody reads it in a comment."""
_THREE_NUMBERS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+", re.ASCII)


@click.group()
def spec() -> None:
    """Compares releases of harbor, and begins a spec for a new one."""


@spec.command()
@click.argument("old")
@click.argument("new")
@spec_option
@option("--inputs N", "How many random inputs both are asked after the vectors.", COUNT, default=4000)
@option("--seed", "What these depend on; drawn and shown where it is not given.", int)
@option("--runner-timeout timeout SECONDS", "How long any one reply may take.", default=SECONDS)
@option("--json report_file FILE", "Write a JSON report.")
@option("--markdown page_file FILE", "Write the account as Markdown.")
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
    """Asks two releases the same, and says what changed from OLD to NEW.

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
    """Runs the comparison to its end, with a bar on a terminal."""
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
    "The spec that the new one is a difference to.",
    default=DEFAULT_SPEC,
    callback=lambda _, __, name: known_spec(name),
)
@option(
    "--from found FILE", "A report of `spec diff --json`: what only random inputs show becomes new vectors."
)
def add(release: str, base: str, found: Path | None) -> None:
    """Begins the spec of a new RELEASE as a difference to another, for a person to review.

    Locks and builds the release's environment, asks it every vector that any spec of the same document has,
    and writes what differs into the checkout. Nothing that exists is overwritten.
    """
    if not _THREE_NUMBERS.fullmatch(release):
        raise AddingError(f"{printable(release)!r} is no release: give its number, such as 0.25.0")
    with steps() as announce:
        adding = Adding(release, base, read_diff(found, release) if found else None, announce)
        adding.run()
    click.echo("\n".join(added_lines(adding)))


@spec.command()
def vectors() -> None:
    """Prints the table of vectors for the CHANGELOG's newest section; exit code 1 if it has another."""
    root = checkout_root()
    if root is None:
        raise click.ClickException("the CHANGELOG is in a checkout of the kit, and this is an installed one")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    suites = [suite_of(name) for name in spec_names()]
    found = problems(changelog, suites, __version__)
    if releases := releases_of(changelog):
        click.echo(table(rows_due(suites, releases)), nl=False)
    for problem in found:
        click.echo(f"CHANGELOG.md: {problem}", err=True)
    sys.exit(1 if found else 0)
