"""``harbor-conformance assess``: what the kit's own checks are worth, measured and written down."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from conformance.assessment.measurements import AssessmentError
from conformance.cli.options import progress_bar
from conformance.paths import checkout_root
from conformance.registry.ops import SPECS
from conformance.wire.writing import unwritten_change

__all__ = ["assess"]

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 if the page differs from what is measured."
)
@click.option(
    "--mutants",
    "mutants_paths",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Take what 'mutants --spec X --json FILE' has just written instead of running them; once a spec.",
)
@click.option(
    "--detail",
    "detail_path",
    type=_FILE,
    metavar="FILE",
    help="Write every entry behind the numbers of the page there too; takes longer.",
)
@click.option(
    "--record",
    "record_path",
    type=_FILE,
    metavar="FILE",
    help="Only keep this report of 'fuzz --runner oracle --json FILE' for the page.",
)
@click.option(
    "--benchmark",
    "benchmark_paths",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Only keep these figures of 'tools.benchmarks.X --json FILE' for the page; may be repeated.",
)
@click.option(
    "--open-world",
    "runners",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only diagnose N made-up runners, and the recorded answers of real ones, and keep the figures.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the made-up runners.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; one a processor if unset.")
def assess(
    check: bool,
    mutants_paths: tuple[Path, ...],
    detail_path: Path | None,
    record_path: Path | None,
    benchmark_paths: tuple[Path, ...],
    runners: int | None,
    seed: int,
    jobs: int | None,
) -> None:
    """Measures what the kit catches, and writes SELF-ASSESSMENT.md at the root of the checkout.

    The tables of where answers come from, in README.md and vectors/README.md, are written with it.

    Exits 1 if something is not as it must be: an uncaught mistake, a surviving mutant, a disagreement with
    an oracle; with --check also if the page is not what the measurements give.
    """
    from conformance.assessment.answers import outdated_documents
    from conformance.assessment.benchmarks import load_benchmarks, take_benchmark
    from conformance.assessment.measuring import measure
    from conformance.assessment.mutant_reports import reports_by_spec
    from conformance.assessment.page import PAGE, first_difference, render, render_detail
    from conformance.assessment.records import take_record

    root = checkout_root()
    if root is None:
        raise AssessmentError("assess needs a checkout of the kit, and this is an installed package")
    if runners is not None:
        if check or mutants_paths or detail_path or benchmark_paths or record_path is not None:
            raise click.UsageError("--open-world goes with no other option but --seed and --jobs")
        _open_world(runners, seed, jobs, root)
        return
    if record_path is not None:
        if check or mutants_paths or detail_path or benchmark_paths:
            raise click.UsageError("--record goes with no other option: keep the report, then assess")
        _say_kept(take_record(record_path), root)
        return
    if benchmark_paths:
        if check or mutants_paths or detail_path:
            raise click.UsageError("--benchmark goes with no other option: keep the figures, then assess")
        for kept in dict.fromkeys(take_benchmark(path) for path in benchmark_paths):
            _say_kept(kept, root)
        return
    reports = reports_by_spec(mutants_paths)
    measured = measure(SPECS, reports, jobs or 0, _counting, counting=detail_path is not None)
    benchmarks = load_benchmarks()
    page = render(measured, benchmarks)
    path = root / PAGE
    wrong = [sentence for one in measured for sentence in one.shortfalls()]
    if check:
        standing = path.read_text(encoding="utf-8") if path.exists() else None
        if standing is None:
            wrong.append(f"there is no {PAGE}: run harbor-conformance assess")
        elif difference := first_difference(standing, page):
            wrong.append(
                f"{PAGE} is not what is measured, first in {difference}: run harbor-conformance assess"
            )
    outdated = outdated_documents(root)
    if check:
        wrong += [f"{one.name} counts other answers: run harbor-conformance assess" for one in outdated]
    written = {} if check else {path: page, **outdated}
    unwritten = next(filter(None, (unwritten_change(one, text) for one, text in written.items())), None)
    if detail_path is not None:
        unwritten = unwritten or unwritten_change(detail_path, render_detail(measured))
    for one in benchmarks:
        for figure in one.figures:  # told, and nothing more: times differ from run to run
            click.echo(f"{one.name}, {one.date}: {figure.line()}")
    for sentence in wrong:
        click.echo(sentence)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    if not wrong:
        click.echo(f"{PAGE} is what is measured" if check else f"{PAGE} is written")
    sys.exit(1 if wrong else 0)


def _open_world(runners: int, seed: int, jobs: int | None, root: Path) -> None:
    """Measures the diagnosis on strangers, tells the figures, and keeps them for the page."""
    from conformance.assessment.benchmarks import keep_figures
    from conformance.assessment.open_world import measure
    from conformance.assessment.recorded import measure_recorded, recorded_figures

    recorded = list(measure_recorded())
    for one in recorded:
        click.echo(one.line())
    with progress_bar("made-up runners", runners) as bar:
        world = measure(runners, seed, jobs, bar.tick)
    names, certain = world.names(), world.names(certain=True)
    click.echo(
        f"{runners} made-up runners, seed {seed}: {names.total()} names, of which {names['made']} made, "
        f"{names['held']} held, {names['wrong']} wrong; {certain.total()} of them certain: "
        f"{certain['made']} made, {certain['held']} held, {certain['wrong']} wrong"
    )
    figures = [*recorded_figures(recorded), *world.as_figures()]
    for figure in figures:
        click.echo(figure.line())
    _say_kept(keep_figures("open-world", figures), root)


def _say_kept(path: Path, root: Path) -> None:
    click.echo(f"kept: {path.relative_to(root) if path.is_relative_to(root) else path}")


@contextlib.contextmanager
def _counting(description: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; its tick."""
    with progress_bar(description, total) as bar:
        yield bar.tick
