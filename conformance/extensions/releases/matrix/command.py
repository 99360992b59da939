"""``harbor-conformance matrix``: compares many subjects on some specs, in one table."""

import sys
from pathlib import Path
from typing import Any

import click

from conformance import interrupts
from conformance.console.options import COUNT, OUTPUT, level_option, option
from conformance.console.progress import progress_bar, steps
from conformance.console.run_options import confine_option, max_time_option, timeout_option
from conformance.extensions.releases.matrix.document import as_json
from conformance.extensions.releases.matrix.page import counts, page
from conformance.extensions.releases.matrix.rows import Row
from conformance.extensions.releases.matrix.subjects import subjects_of
from conformance.extensions.releases.matrix.trying import Plan, try_all
from conformance.formats import render
from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS, classes_of, classes_text
from conformance.rephrasing.choosing import RECORDED_SEED
from conformance.run.options import RunOptions, class_names
from conformance.suite.vectors import known_spec, load_spec
from conformance.wire.text import printable
from conformance.wire.writing import unwritten, write_report

__all__ = ["matrix"]


@click.command()
@click.argument("words", metavar="[SUBJECT]...", nargs=-1)
@option(
    "--spec specs SPEC...", f"A spec to run; may be repeated ({', '.join(SPECS)}).  [default: {DEFAULT_SPEC}]"
)
@option(
    "--classes X,Y",
    f"Show only these classes, and treat their unsupported vectors as failures ({classes_text()}).",
    default="",
)
@level_option
@timeout_option
@max_time_option
@confine_option
@option(
    "--again-seed SEED",
    "The seed for choosing and rephrasing vectors, the same for all subjects.",
    COUNT,
    default=RECORDED_SEED,
)
@option("--json json_file FILE", "Write the matrix as JSON.", OUTPUT)
@option("--markdown markdown_file FILE", "Write the matrix as Markdown.", OUTPUT)
@option(
    "--failures N",
    "Show this many failures in full, beginning with the first of each cause.",
    COUNT,
    default=0,
    show_default=False,
)
def matrix(
    words: tuple[str, ...],
    specs: tuple[str, ...],
    classes: str,
    level: Level,
    timeout: float | None,
    max_time: float | None,
    confine: bool,
    again_seed: int | None,
    json_file: Path | None,
    markdown_file: Path | None,
    failures: int,
) -> None:
    """Compares releases, forks, runners and recorded reports in one table.

    SUBJECT is a release of harbor (0.22.0, or newest), harbor:PATH (a fork's environment or checkout),
    NAME=CMD (a runner's command), or report:FILE (a report written by run --report). Any of them may have
    NAME= in front. The table shows each subject's results, and what changed from each subject to the next.
    ``harbor-conformance report`` renders the --json file, or the difference between two.

    Exit codes: 0 all conform, 1 some don't, 2 some could not be tried.
    """
    subjects = subjects_of(words)
    if not subjects:
        raise click.UsageError("no subject: name a release, harbor:PATH, NAME=CMD or report:FILE")
    chosen = tuple(dict.fromkeys(map(known_spec, specs))) or (DEFAULT_SPEC,)
    options = RunOptions(
        command="(replaced)",
        spec=chosen[0],
        level=level,
        timeout=timeout,
        max_time=max_time,
        confine=confine,
        again_seed=again_seed,
    )
    document = _tried(Plan(tuple(subjects), chosen, options, _classes(classes, chosen)))
    matrix_page = page(document)
    failed = [write_report(json_file, document)]
    if markdown_file is not None:
        failed.append(unwritten(markdown_file, render(matrix_page, "markdown")))
    click.echo(render(matrix_page, "text", failures=failures), nl=False)
    if problems := [problem for problem in failed if problem]:
        raise click.ClickException("; ".join(problems))
    sys.exit(interrupts.exit_code() if interrupts.taken() else document["exit_code"])


def _classes(text: str, specs: tuple[str, ...]) -> frozenset[str]:
    """Parse the classes that the user names; each must be in one of the specs."""
    wanted = class_names(text, *specs)
    known = list(dict.fromkeys(name for spec in specs for name in classes_of(spec, package=True)))
    if unknown := sorted(wanted - set(known)):
        raise click.UsageError(
            f"--classes: there is no class {printable(unknown[0])!r}; choose from {', '.join(known)}"
        )
    return wanted


def _tried(plan: Plan) -> dict[str, Any]:
    """Run all subjects, with progress on stderr."""
    total = sum(len(load_spec(spec, package=True)) for spec in plan.specs)
    runs = sum(subject.kind != "report" for subject in plan.subjects)
    with steps() as step, progress_bar("vectors", total * runs) as bar:
        rows = try_all(plan, step, bar.tick, lambda row: click.echo(_account(row), err=True))
    return as_json(plan, rows)


def _account(row: Row) -> str:
    """Return a line about a row's result."""
    label = f"{printable(row.subject.name)} against {row.spec}"
    if row.result is None:
        return f"{label}: {printable(row.why_not or 'not tried')}"
    passed, failed, unsupported, left = counts(row.result["totals"])
    tail = f", {left} not run" if left else ""
    seconds = row.result["seconds"]
    return f"{label}: {passed} passed, {failed} failed, {unsupported} unsupported{tail} in {seconds:.1f} s"
