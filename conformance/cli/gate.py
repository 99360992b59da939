"""``harbor-conformance gate``: checks a fork or runner in CI."""

import functools
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from conformance import interrupts
from conformance.cli.run import ask_and_close, chosen_vectors, with_recorded_seed
from conformance.console.options import COUNT, option
from conformance.console.progress import slow_steps, steps
from conformance.console.run_options import known_failures_option, runner_options, shard_option
from conformance.gate.asking import start_run
from conformance.gate.folder import COUNTEREXAMPLES, Folder
from conformance.gate.fuzzing import fuzz, fuzzable
from conformance.gate.merging import merged_shards
from conformance.gate.result import Result
from conformance.gate.step import Step
from conformance.outcomes.claims import exit_code
from conformance.outcomes.document import as_json
from conformance.outcomes.transcript import transcript_bytes
from conformance.rephrasing.choosing import RECORDED_SEED
from conformance.run.commands import CommandError
from conformance.run.options import RunOptions

__all__ = ["gate"]

_WITH_MERGE = ("output", "compare_with", "failures")
"""The options that --merge allows."""


def _or_merging(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command; with ``--merge``, the variant without a runner that merges a run's shards."""

    @functools.wraps(command)
    def either(parts: tuple[Path, ...], **values: Any) -> Any:
        if not parts:
            return command(**values)
        further = map(Path, values.pop("patterns"))
        _refuse_unused(values)
        return _merge((*parts, *further), **{name: values[name] for name in _WITH_MERGE})

    return either


def _refuse_unused(values: Mapping[str, Any]) -> None:
    """Refuses options that a merge ignores, unless they have their defaults.

    Raises:
        click.UsageError: there is such an option.
    """
    context = click.get_current_context()
    for param in context.command.params:
        name = param.name
        if name in _WITH_MERGE or context.get_parameter_source(name or "") is not ParameterSource.COMMANDLINE:
            continue
        if name in values and values[name] != param.process_value(context, param.get_default(context)):
            raise click.UsageError(
                f"--merge asks no runner and has the shards' settings: remove {param.opts[0]}"
            )


@click.command()
@_or_merging
@runner_options
@shard_option
@known_failures_option
@option(
    "--again-seed SEED",
    "The seed that chooses and rephrases vectors.  "
    f"[default: the seed in the list of known failures, or {RECORDED_SEED}]",
    COUNT,
)
@option(
    "--fuzz seconds SECONDS",
    "Then compare random inputs for this long, for operations whose vectors all passed.",
    click.FloatRange(min=0),
    default=0.0,
    show_default=False,
)
@option(
    "--fuzz-seed seed SEED",
    "The seed of these inputs; shards with the same seed draw different inputs.",
    COUNT,
    default=RECORDED_SEED,
)
@option(
    "--compare-with REPORT",
    "Also show what changed since this JSON report of an earlier run. It does not affect the result.",
    click.Path(path_type=Path),
)
@option(
    "--merge parts PATH...",
    "Merge the shards of a run instead of asking a runner. PATH is a transcript or a folder with "
    "transcripts; further PATHs may follow.",
    click.Path(path_type=Path),
)
@option(
    "--failures N",
    "The number of causes that the log shows with an example; the reports have all.",
    COUNT,
    default=5,
)
@option(
    "-o --output FOLDER",
    "The folder for the reports; those of an earlier gate are replaced.",
    default=Path("conformance-report"),
)
@click.argument("patterns", nargs=-1, metavar="[VECTOR]...")
def gate(
    options: RunOptions, seconds: float, seed: int, compare_with: Path | None, failures: int, output: Path
) -> None:
    """Checks a runner for CI: asks the vectors, optionally fuzzes, and writes every report that CI can show.

    The gate fails on new failures, unexpected passes, stale list entries, and operations that offer less than
    the list records. Known failures do not fail it. Without a list, a fork of harbor must offer what harbor
    offers, and any other runner needs --classes. The reports are always written. On GitHub, the step gets a
    summary, outputs and annotations.

    Exit codes: 0 nothing new, 1 something new, 2 could not be tried.
    """
    if not options.command.strip():
        raise CommandError("--runner is empty: give the command that starts your runner")
    with interrupts.ending():
        step = Step(os.environ)  # before starting anything
        options = with_recorded_seed(options, options.known_failures)
        result = Result(Folder(output), step)
        all_vectors, selected = chosen_vectors(options)
        with steps() as show_step:
            report = start_run(options, all_vectors, show_step)
        chosen = report.choose(selected)
        document = as_json(report) if report.problems else ask_and_close(report, chosen)
        ops: list[str] = []
        if seconds and exit_code(document) < 2 and interrupts.taken() is None:
            ops, failing = fuzzable(report)
            if failing:
                why = "vectors already show failures"
                result.add_remark(f"not fuzzed, since {why}: {', '.join(failing)}")
        elif seconds:
            result.add_remark("not fuzzed, since the run has no verdict")
        sharded = options.shard is not None
        result.add_run(document, transcript_bytes(report, fuzzed=bool(ops)) if sharded else None)
        if ops:
            with slow_steps() as show_step:
                path = output / COUNTEREXAMPLES
                fuzzed = fuzz(options, ops, seed=seed, seconds=seconds, counterexamples=path, tick=show_step)
            result.add_fuzzing(fuzzed.as_json())
        result.publish(failures, compare_with)
    sys.exit(result.exit_code)


def _merge(parts: tuple[Path, ...], output: Path, compare_with: Path | None, failures: int) -> None:
    """Gates a run whose shards ran elsewhere."""
    with interrupts.ending():
        step = Step(os.environ)
        result = Result(Folder(output), step)
        report, fuzzed = merged_shards(parts)
        result.add_run(as_json(report))
        result.add_shard_fuzzing(fuzzed)
        result.publish(failures, compare_with)
    sys.exit(result.exit_code)
