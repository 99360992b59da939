"""Checks a metric script: puts it into every situation, and judges what comes of that."""

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.metric.confinement import Limits
from conformance.metric.findings import Case, Finding, Result, Rule, repeat_words
from conformance.metric.scratch import scratch_folder
from conformance.metric.script_cases import ScriptCase, script_cases
from conformance.metric.script_output import alike, shown
from conformance.metric.script_rules import RULES
from conformance.metric.script_run import Ran, ScriptRunner
from conformance.wire.text import shortened
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptChecker"]

_SOURCE = Case("source", "the script's text")
_NO_BLOCK = "It has no block of inline metadata: uv takes up a project that stands where it is started."
_LINES_SHOWN = 8
_KINDS = {
    "long": "long-options",
    "old": "old-output",
    "no-trials": "no-trials",
    "shapes": "other-shapes",
    "odd": "odd-numbers",
}
_FAILING = {"exit-code", "no-output", "not-json", "not-an-object", "empty-object", "first-value"}
_HARMLESS = {"no-trials": {"empty-object", "first-value"}, "odd": {"nan-out"}}


class ScriptChecker:
    """One script, under contract harbor-metric."""

    contract = "harbor-metric"

    def __init__(
        self,
        target: str,
        *,
        limits: Limits,
        keys: Sequence[str] = ("reward",),
        python: str | None = None,
        keep: Path | None = None,
        lock_writes: bool = True,
    ) -> None:
        self.target = target
        self.notes: list[str] = []
        self._limits, self._keys, self._python, self._keep = limits, keys, python, keep
        self._cases = {made.case.name: made for made in script_cases(keys)}
        self.cases: Sequence[Case] = (*(made.case for made in self._cases.values()), _SOURCE)
        hint = " (--key NAME names the keys of its trials)" if tuple(keys) == ("reward",) else ""
        self._runner = ScriptRunner(Path(os.path.abspath(target)), limits, python, hint, lock_writes)

    def header(self) -> str:
        """What runs the script.

        Raises:
            CannotTryError: there is no script or no uv, or what it depends on can't be installed.
        """
        return self._runner.version()

    def check(self, case: Case) -> Result:
        """Runs the script in one case."""
        result = Result(case)
        if case == _SOURCE:
            if not self._runner.has_metadata():
                result.findings.append(Finding(RULES["metadata-block"], case.name, _NO_BLOCK, ""))
            return result
        given = self._cases[case.name]
        with scratch_folder() as folder:
            ran = []
            for number, trials in enumerate(given.runs):
                ran.append(self._runner.run(folder / str(number), given, trials))
                if ran[-1].ended.stopped:
                    break
            found: dict[str, tuple[str, int]] = {}
            for number, run in enumerate(ran):
                for rule, sentence in run.problems:
                    found.setdefault(_by_group(rule, given.group), (sentence, number))
            for rule, sentence in _compared(given, ran):
                found.setdefault(rule, (sentence, len(ran) - 1))
            found.pop("", None)
            for rule, (sentence, number) in found.items():
                result.findings.append(self._finding(RULES[rule], given, sentence, folder, number))
        return result

    def repeat(self, case: str) -> str:
        """The command that repeats one case."""
        words = repeat_words(self.target, self.contract, case, self._python, self._limits.seconds)
        for key in self._keys if tuple(self._keys) != ("reward",) else ():
            words += ["--key", key]
        return shlex.join(words)

    def _finding(self, rule: Rule, given: ScriptCase, sentence: str, folder: Path, number: int) -> Finding:
        source = folder / str(number) / REWARDS_JSONL
        data = rewards_jsonl(given.runs[number])
        kept = None
        if self._keep is not None:
            place = self._keep / given.case.name
            place.mkdir(parents=True, exist_ok=True)
            (place / REWARDS_JSONL).write_bytes(data)
            written = source.with_name(METRIC_JSON)
            if written.is_file() and not written.is_symlink():
                shutil.copyfile(written, place / METRIC_JSON)
            kept = str(place / REWARDS_JSONL)
        lines = data.decode().splitlines()
        text = "\n".join(shortened(line, 200) for line in lines[:_LINES_SHOWN])
        if len(lines) > _LINES_SHOWN:
            text += f"\n… {len(lines)} lines in all"
        return Finding(rule, given.case.name, sentence, text or "(no bytes)", kept)


def _by_group(rule: str, group: str) -> str:
    """The rule that a trouble counts for in a group of cases; empty where it is none."""
    if rule in _HARMLESS.get(group, ()):
        return ""
    return _KINDS.get(group, rule) if rule in _FAILING else rule


def _compared(given: ScriptCase, ran: list[Ran]) -> Iterator[tuple[str, str]]:
    values = [run.output.value for run in ran if run.output is not None and run.output.usable]
    if given.compares is None or len(values) != len(ran):
        return
    first, last = values[0], values[-1]
    text = f"{shown(first)} and {shown(last)}"
    if given.compares == "same" and not alike(first, last):
        yield "repeats", f"The same rewards gave {text}."
    elif given.compares == "order" and not alike(first, last, 1e-9):
        yield (
            "order",
            f"In the reverse order the same rewards gave {text}: trials come in the order of completion.",
        )
    elif given.compares == "nulls" and alike(first, values[1]) and not alike(first, last):
        yield (
            "nulls-left-out",
            f"It leaves null out: {shown(first)}, where counting it as 0 gives {shown(last)}.",
        )
    elif given.compares == "old" and isinstance(first, dict) and "old" in first:
        yield "old-output", "It keeps what stood in the output file."
