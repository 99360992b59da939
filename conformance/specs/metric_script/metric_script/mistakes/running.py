"""Mistakes in starting a metric script, and in judging how it ended."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, metric_script

in_metric_script = family("metric_script", of=metric_script.metric_script)
in_run_script = family("metric_script", of=metric_script.run_script)


@way("metric_script", clause="000-run-exit-code")
def after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what is seen of a run that ended."""
    run_script = reference.get(metric_script.run_script)
    reference.replace(metric_script.run_script, lambda script, lines: change(run_script(script, lines)))


@after.made(invited_by="subprocess.run without check=True, exec.Output in shells")
def script_exit_code_ignored(run: Any) -> Any:
    """A metric script's exit code is not looked at.
    Where there is output, the script seems to have worked."""
    return replace(run, returncode=0)


@after.made(invited_by="returncode > 0")
def script_signals_pass(run: Any) -> Any:
    """A metric script killed by a signal counts as one that ended well.
    Python reports signals as negative codes, and failures are thought to be positive."""
    return replace(run, returncode=max(0, run.returncode))


@after.made(clause="000-run-stderr-ignored", invited_by="PowerShell, Tcl's exec, if stderr")
def script_complaints_fail(run: Any) -> Any:
    """A metric script that writes to standard error counts as failed.
    Standard error is thought to hold errors."""
    return replace(run, returncode=run.returncode or int(bool(run.stderr)))


@after.made(invited_by="a helper that runs and reads in one")
def script_output_before_exit_code(run: Any) -> Any:
    """A metric script's missing output is noticed before its exit code.
    Reading the result comes first to mind."""
    if isinstance(run.written, FileNotFoundError):
        raise run.written
    return run


@after.made(clause="000-run-stdout-ignored", invited_by="pipes, jq, command substitution")
def script_standard_output_taken(run: Any) -> Any:
    """What a metric script prints is its output where it writes none. Most scripts print their results."""
    return replace(run, written=run.stdout) if isinstance(run.written, OSError) and run.stdout else run


@after.made(clause="000-run-stdout-encoding", invited_by="bytes from pipes, errors='replace'")
def script_prints_not_decoded(run: Any) -> Any:
    """What a metric script prints need not be UTF-8. What is not used needs no decoding."""
    return replace(run, stdout=b"", stderr=b"")


@after.made(clause="000-run-stdout-encoding", invited_by="text=False and a late decode()")
def script_exit_code_before_decoding(run: Any) -> Any:
    """A metric script's exit code is looked at before its prints are decoded.
    Decoding comes where the text is used, in the message of the failure."""
    return replace(run, stdout=b"", stderr=b"") if run.returncode else run


@after.made(clause="000-run-no-output", invited_by="Path.is_file, a test in place of a try")
def script_directory_is_no_output(run: Any) -> Any:
    """Output that cannot be read counts as none. is_file() is false for a directory."""
    return replace(run, written=FileNotFoundError()) if isinstance(run.written, OSError) else run


@in_metric_script.wrapped(clause="000-args-no-trials", invited_by="early returns on empty lists")
def script_not_run_without_trials(run: Callable[..., Any], script: Any, rewards: Any) -> Any:
    """Without trials the metric script is not run, and the metrics are empty.
    There seems to be nothing to compute."""
    return run(script, rewards) if rewards else {}


@in_metric_script.wrapped(clause="000-run-no-script", invited_by="fallbacks")
def script_missing_is_the_mean(
    reference: Variant, run: Callable[..., Any], script: bytes | None, rewards: Sequence[Any]
) -> Any:
    """A missing metric script is replaced by the mean.
    The mean is the default metric where no script is named."""
    aggregate = reference.its(aggregation.aggregate)
    return aggregate("mean", rewards) if script is None else run(script, rewards)


@in_run_script.wrapped(clause="000-args-short", invited_by="command lines for people")
def script_long_options(run_script: Callable[..., Any], script: Any, lines: Any) -> Any:
    """The metric script is started with --input and --output.
    Long options read better, and argparse offers both side by side."""
    long_options = ("--input", "--output")
    return run_script(script, lines, long_options)


@in_metric_script.wrapped(clause="000-template-null-zero", invited_by="dropna, filters before the call")
def script_nulls_not_given(run: Callable[..., Any], script: Any, rewards: Any) -> Any:
    """The metric script is not told of trials without rewards.
    Trials without rewards are left out of other averages."""
    return run(script, [reward for reward in rewards if reward is not None])


@way("metric_script", clause="000-args-working-directory")
def first_doing(reference: Variant, what: Callable[[], str]) -> None:
    """Has a script do something first, as whoever starts it would do it.

    One that imports no ``os`` can't tell, so what it did is known: runs are remembered.
    """
    run_script = reference.get(metric_script.run_script)
    line = f"import os, shutil, sys; {what()}\n".encode()

    def run(script: bytes, lines: bytes) -> Any:
        return run_script(line + script if b" os" in script else script, lines)

    reference.replace(metric_script.run_script, run)


@first_doing.made(
    invited_by="cwd=folder, with chdir, containers whose work is mounted as the working directory"
)
def script_runs_in_the_inputs_folder() -> str:
    """The metric script runs in the folder of its input.
    A folder is made for the call, and the process is started in it."""
    return "os.chdir(os.path.dirname(sys.argv[2]))"


@first_doing.made(invited_by="cwd=script.parent, cd $(dirname $0), npm scripts")
def script_runs_in_its_own_folder() -> str:
    """The metric script runs in the folder that it lies in. Files beside it are then found by name."""
    return "os.chdir(os.path.dirname(os.path.abspath(__file__)))"


@first_doing.made(clause="000-args-folder-of-its-own", invited_by="one temporary folder for everything")
def script_copied_beside_its_input() -> str:
    """The metric script lies beside its input. One folder is made for the call, and all of it put there."""
    return "shutil.copy(__file__, os.path.dirname(sys.argv[2]))"
