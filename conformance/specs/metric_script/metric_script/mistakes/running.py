"""Mistakes in starting a metric script, and in judging how it ended."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_RUN = "metric_script.run_script"
_WHOLE = "metric_script.metric_script"


def _after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what is seen of a run that ended."""
    run_script = reference.get(_RUN)
    reference.replace(_RUN, lambda script, lines: change(run_script(script, lines)))


@mistake(
    "script-exit-code-ignored",
    says="a metric script's exit code is not looked at",
    op="metric_script",
    clause="000-run-exit-code",
    why="Where there is output, the script seems to have worked.",
    invited_by="subprocess.run without check=True, exec.Output in shells",
)
def _(reference: Variant) -> None:
    _after(reference, lambda run: replace(run, returncode=0))


@mistake(
    "script-signals-pass",
    says="a metric script killed by a signal counts as one that ended well",
    op="metric_script",
    clause="000-run-exit-code",
    why="Python reports signals as negative codes, and failures are thought to be positive.",
    invited_by="returncode > 0",
)
def _(reference: Variant) -> None:
    _after(reference, lambda run: replace(run, returncode=max(0, run.returncode)))


@mistake(
    "script-complaints-fail",
    says="a metric script that writes to standard error counts as failed",
    op="metric_script",
    clause="000-run-stderr-ignored",
    why="Standard error is thought to hold errors.",
    invited_by="PowerShell, Tcl's exec, if stderr",
)
def _(reference: Variant) -> None:
    _after(reference, lambda run: replace(run, returncode=run.returncode or int(bool(run.stderr))))


@mistake(
    "script-output-before-exit-code",
    says="a metric script's missing output is noticed before its exit code",
    op="metric_script",
    clause="000-run-exit-code",
    why="Reading the result comes first to mind.",
    invited_by="a helper that runs and reads in one",
)
def _(reference: Variant) -> None:
    def read_first(run: Any) -> Any:
        if isinstance(run.written, FileNotFoundError):
            raise run.written
        return run

    _after(reference, read_first)


@mistake(
    "script-standard-output-taken",
    says="what a metric script prints is its output where it writes none",
    op="metric_script",
    clause="000-run-stdout-ignored",
    why="Most scripts print their results.",
    invited_by="pipes, jq, command substitution",
)
def _(reference: Variant) -> None:
    def printed(run: Any) -> Any:
        return replace(run, written=run.stdout) if isinstance(run.written, OSError) and run.stdout else run

    _after(reference, printed)


@mistake(
    "script-prints-not-decoded",
    says="what a metric script prints need not be UTF-8",
    op="metric_script",
    clause="000-run-stdout-encoding",
    why="What is not used needs no decoding.",
    invited_by="bytes from pipes, errors='replace'",
)
def _(reference: Variant) -> None:
    _after(reference, lambda run: replace(run, stdout=b"", stderr=b""))


@mistake(
    "script-exit-code-before-decoding",
    says="a metric script's exit code is looked at before its prints are decoded",
    op="metric_script",
    clause="000-run-stdout-encoding",
    why="Decoding comes where the text is used, in the message of the failure.",
    invited_by="text=False and a late decode()",
)
def _(reference: Variant) -> None:
    _after(reference, lambda run: replace(run, stdout=b"", stderr=b"") if run.returncode else run)


@mistake(
    "script-directory-is-no-output",
    says="output that cannot be read counts as none",
    op="metric_script",
    clause="000-run-no-output",
    why="is_file() is false for a directory.",
    invited_by="Path.is_file, a test in place of a try",
)
def _(reference: Variant) -> None:
    def missing(run: Any) -> Any:
        return replace(run, written=FileNotFoundError()) if isinstance(run.written, OSError) else run

    _after(reference, missing)


@mistake(
    "script-not-run-without-trials",
    says="without trials the metric script is not run, and the metrics are empty",
    op="metric_script",
    clause="000-args-no-trials",
    why="There seems to be nothing to compute.",
    invited_by="early returns on empty lists",
)
def _(reference: Variant) -> None:
    def unless_empty(run: Callable[..., Any]) -> Callable[..., Any]:
        return lambda script, rewards: run(script, rewards) if rewards else {}

    reference.wrap(_WHOLE, unless_empty)


@mistake(
    "script-missing-is-the-mean",
    says="a missing metric script is replaced by the mean",
    op="metric_script",
    clause="000-run-no-script",
    why="The mean is the default metric where no script is named.",
    invited_by="fallbacks",
)
def _(reference: Variant) -> None:
    aggregate = reference.get("aggregation.aggregate")

    def or_mean(run: Callable[..., Any]) -> Callable[..., Any]:
        def compute(script: bytes | None, rewards: Sequence[Any]) -> Any:
            return aggregate("mean", rewards) if script is None else run(script, rewards)

        return compute

    reference.wrap(_WHOLE, or_mean)


@mistake(
    "script-long-options",
    says="the metric script is started with --input and --output",
    op="metric_script",
    clause="000-args-short",
    why="Long options read better, and argparse offers both side by side.",
    invited_by="command lines for people",
)
def _(reference: Variant) -> None:
    run_script = reference.get(_RUN)
    long_options = ("--input", "--output")
    reference.replace(_RUN, lambda script, lines: run_script(script, lines, long_options))


@mistake(
    "script-nulls-not-given",
    says="the metric script is not told of trials without rewards",
    op="metric_script",
    clause="000-template-null-zero",
    why="Trials without rewards are left out of other averages.",
    invited_by="dropna, filters before the call",
)
def _(reference: Variant) -> None:
    def measured(run: Callable[..., Any]) -> Callable[..., Any]:
        return lambda script, rewards: run(script, [reward for reward in rewards if reward is not None])

    reference.wrap(_WHOLE, measured)
