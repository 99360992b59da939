"""Mistakes in running a metric script, in reading its output, and in displaying a first metric."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import metric_script
from reference_impl.cpython312 import parsing
from reference_impl.runner import metric_operations

in_metric_script = family("metric_script", of=metric_script.metric_script)


@way("metric_script", clause="000-run-exit-code")
def after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the observed results of a finished run."""
    run_script = reference.get(metric_script.run_script)
    reference.replace(metric_script.run_script, lambda script, lines: change(run_script(script, lines)))


@after.made(invited_by="subprocess.run without check=True, exec.Output in shells")
def script_exit_code_ignored(run: Any) -> Any:
    """A metric script's exit code is ignored. If there is output, the script seems to have succeeded."""
    return replace(run, returncode=0)


@after.made(clause="000-run-stderr-ignored", invited_by="PowerShell, Tcl's exec, if stderr")
def script_complaints_fail(run: Any) -> Any:
    """A metric script that writes to standard error counts as failed.
    Standard error seems to be for errors."""
    return replace(run, returncode=run.returncode or int(bool(run.stderr)))


@after.made(clause="000-run-stdout-ignored", invited_by="pipes, jq, command substitution")
def script_standard_output_taken(run: Any) -> Any:
    """A metric script's standard output is used if it writes no file. Most scripts print their results."""
    return replace(run, written=run.stdout) if isinstance(run.written, OSError) and run.stdout else run


@in_metric_script.wrapped(clause="000-args-no-trials", invited_by="early returns on empty lists")
def script_not_run_without_trials(run: Callable[..., Any], script: Any, rewards: Any) -> Any:
    """Without trials the metric script is not run, and the metrics are empty.
    There seems to be nothing to compute."""
    return run(script, rewards) if rewards else {}


@in_metric_script.wrapped(clause="000-template-null-zero", invited_by="dropna, filters before the call")
def script_nulls_not_given(run: Callable[..., Any], script: Any, rewards: Any) -> Any:
    """The metric script gets no trials without rewards. Other averages exclude such trials."""
    return run(script, [reward for reward in rewards if reward is not None])


@way("metric_script", clause="000-args-working-directory")
def first_doing(reference: Variant, what: Callable[[], str]) -> None:
    """Makes a script do something first, as its caller would.
    A script that does not import ``os`` can't notice it, so its result is known: runs are cached."""
    run_script = reference.get(metric_script.run_script)
    line = f"import os, shutil, sys; {what()}\n".encode()

    def run(script: bytes, lines: bytes) -> Any:
        return run_script(line + script if b" os" in script else script, lines)

    reference.replace(metric_script.run_script, run)


@first_doing.made(clause="000-args-folder-of-its-own", invited_by="one temporary folder for everything")
def script_copied_beside_its_input() -> str:
    """The metric script is next to its input. One folder is created for the call, and contains everything."""
    return "shutil.copy(__file__, os.path.dirname(sys.argv[2]))"


_PARSE = (metric_script, parsing.parse_json)


@way("metric_script", clause="000-broken-json")
def changed_text(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before it is parsed."""
    parse = reference.get(_PARSE)
    reference.replace_use(_PARSE, lambda text: parse(change(text)))


@changed_text.made(invited_by="text or '{}', lenient configuration readers")
def script_empty_output_as_object(text: str) -> str:
    """Empty output of a metric script is {}. An empty file seems to mean no metrics."""
    return text if text.strip() else "{}"


@changed_text.made(clause="000-out-json", invited_by="readline, JSON lines")
def script_first_line_only(text: str) -> str:
    """Only the first line of a metric script's output is read. The input has one document per line."""
    return text.partition("\n")[0]


in_show = family("metric_script", of=metric_script.show_first_value, clause="000-out-first-metric")


@in_show.wrapped(invited_by="loops over a progress bar's description")
def script_first_metric_last_value(show: Callable[[Any], Any], output: Any) -> Any:
    """The last value of a job's first metric is shown. The last value overwrites the others."""
    shown = isinstance(output, dict) and output
    return show({"": list(output.values())[-1]} if shown else output)


@in_show.changed(
    name="script-first-metric-shown-without-trials", invited_by="a display that is drawn at the start"
)
def first_metric_shown_without_trials(reference: Variant) -> None:
    """A job's first metric is shown before there are trials. A progress bar is visible from the start."""
    run = reference.get(metric_operations._metric_script)
    show = reference.get(metric_script.show_first_value)

    def shown(given: Any) -> Any:
        answer = run(given)
        if given.get("first") and not given["rewards"]:
            show(json.loads(answer["metric.json"]["text"]))
        return answer

    reference.replace(metric_operations._metric_script, shown)
