"""``harbor-conformance kit assess``: measures how much the checks detect."""

import sys
from pathlib import Path

import click

from conformance.assessment import benchmarks, measuring, open_world, page, recorded
from conformance.assessment.benchmarks import AssessmentError
from conformance.assessment.page import PAGE, outdated_documents
from conformance.console.options import NUMBER, jobs_option, option
from conformance.console.progress import progress_bar
from conformance.paths import checkout_root
from conformance.registry.ops import SPECS
from conformance.wire.writing import unwritten_change

__all__ = ["assess"]

_AGAIN = "run harbor-conformance kit assess"


@click.command()
@option("--check", "Write nothing; exit 1 if the page differs from the measurements.")
@option(
    "--benchmark benchmark_paths FILE...",
    "Only store these figures of 'tools.benchmarks.X --json FILE' for the page; may be repeated.",
)
@option(
    "--open-world runners N",
    "Only diagnose N generated runners and the recorded answers of real ones, and store the figures.",
    NUMBER,
)
@option("--seed", "Seed of the generated runners.", int, default=1)
@jobs_option
def assess(
    check: bool, benchmark_paths: tuple[Path, ...], runners: int | None, seed: int, jobs: int | None
) -> None:
    """Measures what the kit catches, and writes SELF-ASSESSMENT.md at the root of the checkout.

    Also updates the tables of answers by source in README.md and vectors/README.md.

    Exits 1 if a requirement is not met, such as an uncaught mistake or a surviving mutant; with --check also
    if the page is outdated.
    """
    root = checkout_root()
    if root is None:
        raise AssessmentError("assess needs a checkout of the kit, and this is an installed package")
    exclusive = {"--open-world": runners, "--benchmark": benchmark_paths}
    used = [option for option, value in exclusive.items() if value]
    if used and (check or len(used) > 1):
        allowed = "--seed and --jobs" if used[0] == "--open-world" else "itself"
        raise click.UsageError(f"{used[0]} can be combined only with {allowed}")
    if runners is not None:
        _open_world(runners, seed, jobs, root)
    elif benchmark_paths:
        for kept in dict.fromkeys(benchmarks.take_benchmark(path) for path in benchmark_paths):
            _kept(kept, root)
    else:
        _measure(root, jobs, check=check)


def _measure(root: Path, jobs: int | None, *, check: bool) -> None:
    measured = measuring.measure(SPECS, jobs or 0)
    figures = benchmarks.load_benchmarks()
    text = page.render(measured, figures)
    path = root / PAGE
    wrong = [sentence for spec in measured for sentence in spec.shortfalls()]
    outdated = outdated_documents(root)
    if check:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{PAGE} is not what was measured: {_AGAIN}")
        wrong += [f"{document.name} counts other answers: {_AGAIN}" for document in outdated]
    written = {} if check else {path: text, **outdated}
    unwritten = next(filter(None, (unwritten_change(*change) for change in written.items())), None)
    for benchmark in figures:
        for figure in benchmark.figures:  # only printed, since times differ from run to run
            click.echo(f"{benchmark.name}, {benchmark.date}: {figure.line()}")
    for sentence in wrong:
        click.echo(sentence)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    if not wrong:
        click.echo(f"{PAGE} matches the measurements" if check else f"{PAGE} is written")
    sys.exit(1 if wrong else 0)


def _open_world(runners: int, seed: int, jobs: int | None, root: Path) -> None:
    """Measures the diagnosis on unseen runners, prints the figures and stores them for the page."""
    measured = list(recorded.measure_recorded())
    for run in measured:
        click.echo(run.line())
    with progress_bar("generated runners", runners) as bar:
        world = open_world.measure(runners, seed, jobs, bar.tick)
    click.echo(f"{runners} generated runners, seed {seed}")
    for trust in ("certain", "likely", "resembled"):
        names = world.names(trust)
        click.echo(
            f"{trust}: {names.total()} names, {names['made']} made, {names['held']} held, "
            f"{names['wrong']} wrong"
        )
    figures = [*recorded.recorded_figures(measured), *world.as_figures()]
    for figure in figures:
        click.echo(figure.line())
    _kept(benchmarks.keep(benchmarks.measured_now("open-world", figures)), root)


def _kept(path: Path, root: Path) -> None:
    click.echo(f"kept: {path.relative_to(root) if path.is_relative_to(root) else path}")
