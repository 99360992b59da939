"""``harbor-conformance metric``: checks a single metric."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from conformance import interrupts
from conformance.confinement.bubblewrap import bubblewrap
from conformance.console.options import option
from conformance.console.progress import progress_bar
from conformance.extensions.metrics.checker import missing
from conformance.extensions.metrics.findings import DEFAULT_SECONDS, CannotTryError
from conformance.extensions.metrics.report import findings_text, summary
from conformance.extensions.metrics.targets import CONTRACTS, arguments_of, make_checker
from conformance.wire.writing import dumps, write_report

__all__ = ["doctor_rows", "metric"]


@click.command()
@click.argument("target", metavar="TARGET")
@option("--contract", "The contract; harbor-metric if TARGET is a script.", click.Choice(list(CONTRACTS)))
@option(
    "--python PATH",
    "The Python that runs the metric; for a script, as UV_PYTHON; for harness-evals also 'oracle', the "
    "kit's own.",
)
@option(
    "--timeout seconds SECONDS",
    "The time limit of one run of a script, or one case of a class.",
    default=DEFAULT_SECONDS,
)
@option("--case only NAME...", "Check only this case; may be repeated.")
@option(
    "--key keys NAME...",
    "A reward key that every trial of the script's dataset has; may be repeated. By default, the kit finds "
    "the keys that the script reads.",
)
@option(
    "--arg arguments NAME=JSON...",
    "An argument for the constructor of a harness-evals metric; may be repeated.",
    callback=lambda _, __, texts: arguments_of(texts),
)
@option("--trials N", "The number of trials of a script's job, or of samples of an EvSys task.", int)
@option(
    "--like FILE",
    "Data to start from: a rewards.jsonl, a data set of harness-evals (JSON lines), or for EvSys a JSON "
    "list with a list of rewards for each task.",
    str,
)
@option(
    "--values V,V,…",
    "Values that the metric expects: rewards, or for harness-evals expected outputs (JSON or text).",
)
@option("--require-confinement must_be_confined", "Refuse to run the metric without a bubblewrap sandbox.")
@option("--keep DIR", "Store the inputs of cases with findings in DIR.")
@option("--report report_path FILE", "Write a JSON report.")
@option("--json as_report", "Print only the JSON report.")
def metric(
    target: str,
    contract: str | None,
    only: tuple[str, ...],
    report_path: Path | None,
    as_report: bool,
    **options: Any,
) -> None:
    """Checks a metric: a script for harbor, or a class for EvSys or harness-evals.

    TARGET is a script's path, or module:Class or PATH.py:Class with --contract. A finding says whether
    the system enforces the rule (required), the document states it (documented), or neither (advice).
    The metric's code is run, within limits; docs/checking-metrics.md says which.

    Exit codes: 0 nothing but advice, 1 findings, 2 it could not be tried.
    """
    checker = make_checker(target, contract, only=only, **options)
    cases = [case for case in checker.cases if not only or case.name in only]
    failure = None
    with interrupts.ending():
        try:
            with interrupts.released(), progress_bar("cases", len(cases), every=1) as bar:
                checker.start()
                for case in cases:
                    checker.check(case)
                    bar.tick()
        except CannotTryError as error:
            checker.problem = failure = str(error)
            if not as_report and report_path is None:
                raise
        except KeyboardInterrupt:
            checker.interrupt(len(cases))
        document = checker.report()
        unwritten = write_report(report_path, document)
    if as_report:
        click.echo(dumps(document), nl=False)
    elif failure is None:
        for line in [*findings_text(document), *summary(document)]:
            click.echo(line)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    if failure is not None and not as_report:
        raise CannotTryError(failure)
    sys.exit(document["exit_code"])


def doctor_rows() -> Iterator[tuple[str, str, str]]:
    """The rows of `doctor` about the sandbox for metrics."""
    yield "metrics", "ok", "; ".join(missing()) or f"confined by {bubblewrap()}"
