"""``harbor-conformance matrix``: many subjects over some specs, in one table."""

import sys
from pathlib import Path

import click

from conformance import interrupts
from conformance.cli.options import progress_bar, steps
from conformance.judging.comparison import Level
from conformance.matrix.changelog import changelog
from conformance.matrix.markdown import markdown
from conformance.matrix.report import as_json, load_kept
from conformance.matrix.rows import Row
from conformance.matrix.subjects import read_subjects, subjects_of
from conformance.matrix.tables import text_lines
from conformance.matrix.trying import Hearing, Plan, try_all
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS, classes_of, classes_text
from conformance.report.matrix_words import counts
from conformance.report.writing import write_report
from conformance.run.asking_again import RECORDED_SEED
from conformance.run.options import RunOptions, class_names
from conformance.suite.vectors import known_spec, load_spec
from conformance.wire.text import printable
from conformance.wire.writing import unwritten

__all__ = ["matrix"]

_FILE = click.Path(dir_okay=False, path_type=Path)
_THERE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("words", metavar="[SUBJECT]...", nargs=-1)
@click.option(
    "--subjects",
    "lists",
    type=_THERE,
    multiple=True,
    metavar="FILE",
    help="Take subjects from a file too, one a line, with # comments.",
)
@click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="SPEC",
    help=f"A spec to check against; may be given several times ({', '.join(SPECS)}).  "
    f"[default: {DEFAULT_SPEC}]",
)
@click.option(
    "--classes",
    metavar="X,Y",
    default="",
    help=f"Show these classes alone, and fail what is unsupported in them ({classes_text()}).",
)
@click.option(
    "--level",
    "level_name",
    type=click.Choice([str(level) for level in Level if level]),
    default="bytes",
    show_default=True,
    help="How strictly answers are compared.",
)
@click.option(
    "--runner-timeout",
    "timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long any one reply may take.",
)
@click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Ask each subject no further after so many seconds.",
)
@click.option(
    "--again-seed",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="What decides which vectors are asked again in other words, of every subject the same; else drawn.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1, max=64),
    default=1,
    show_default=True,
    metavar="N",
    help="How many subjects are asked at once. Environments are built one at a time.",
)
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write the matrix as JSON.")
@click.option("--markdown", "markdown_file", type=_FILE, metavar="FILE", help="Write it as Markdown.")
@click.option(
    "--rules",
    type=_THERE,
    metavar="FILE",
    help="Let the Markdown be a page about releases: with what people wrote on each rule that changed.",
)
@click.option(
    "--kept", type=_THERE, metavar="FILE", help="Try nothing: show and write what --json once wrote to FILE."
)
def matrix(
    words: tuple[str, ...],
    lists: tuple[Path, ...],
    specs: tuple[str, ...],
    classes: str,
    level_name: str,
    timeout: float | None,
    max_time: float | None,
    again_seed: int | None,
    jobs: int,
    json_file: Path | None,
    markdown_file: Path | None,
    rules: Path | None,
    kept: Path | None,
) -> None:
    """Compares releases, forks, runners and recorded reports in one table.

    SUBJECT is a release of harbor (0.22.0, or newest), harbor:PATH (a fork's environment or checkout),
    NAME=CMD (a runner's command), or report:FILE (what run --report wrote). NAME= may stand before any.
    The table says what each reaches, and what changed from each subject to the next.
    ``harbor-conformance report`` makes a page of what --json wrote, of two what changed between them.

    Exit codes: 0 all conform, 1 some don't, 2 some could not be tried.
    """
    told = load_kept(rules, "release-rules") if rules else None
    if kept is not None:
        if words or lists or json_file:
            raise click.UsageError("--kept tries nothing: no subjects and no --json go with it")
        document = load_kept(kept)
    else:
        subjects = subjects_of([*words, *(word for path in lists for word in read_subjects(path))])
        if not subjects:
            raise click.UsageError("no subject: name a release, harbor:PATH, NAME=CMD or report:FILE")
        asked = tuple(dict.fromkeys(map(known_spec, specs))) or (DEFAULT_SPEC,)
        document = _tried(
            Plan(
                tuple(subjects),
                asked,
                RunOptions(
                    command="(replaced)",
                    spec=asked[0],
                    level=Level[level_name.upper()],
                    timeout=timeout,
                    max_time=max_time,
                    again_seed=RECORDED_SEED if again_seed is None else again_seed,
                ),
                _classes(classes, asked),
                jobs,
            )
        )
    page = changelog(document, told) if told else markdown(document)
    failed = [write_report(json_file, document), unwritten(markdown_file, page) if markdown_file else None]
    for line in text_lines(document):
        click.echo(line)
    if sentences := [sentence for sentence in failed if sentence]:
        raise click.ClickException("; ".join(sentences))
    sys.exit(interrupts.exit_code() if interrupts.taken() else document["exit_code"])


def _classes(text: str, specs: tuple[str, ...]) -> frozenset[str]:
    """The classes that a user names, each of which some spec has."""
    wanted = class_names(text, *specs)
    known = list(dict.fromkeys(name for spec in specs for name in classes_of(spec, package=True)))
    if unknown := sorted(wanted - set(known)):
        raise click.UsageError(
            f"--classes: there is no class {printable(unknown[0])!r}; choose from {', '.join(known)}"
        )
    return wanted


def _tried(plan: Plan) -> dict[str, object]:
    """Tries all subjects, with progress on stderr."""
    total = sum(len(load_spec(spec)) for spec in plan.specs)
    runs = sum(subject.kind != "report" for subject in plan.subjects)

    def done(row: Row) -> None:
        click.echo(_account(row), err=True)

    with steps() as step, progress_bar("vectors", total * runs) as bar:
        rows = try_all(plan, Hearing(step=step, tick=bar.tick, done=done))
    return as_json(plan, rows)


def _account(row: Row) -> str:
    """What a row came to, as progress."""
    who = f"{printable(row.subject.name)} against {row.spec}"
    if row.result is None:
        return f"{who}: {printable(row.why_not or 'not tried')}"
    passed, failed, unsupported, left = counts(row.result["totals"])
    rest = f", {left} not run" if left else ""
    seconds = row.result["seconds"]
    return f"{who}: {passed} passed, {failed} failed, {unsupported} unsupported{rest} in {seconds:.1f} s"
