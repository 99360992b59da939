"""Checks a metric script: puts it into every situation, and judges what comes of that."""

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.metric.confinement import Limits
from conformance.metric.findings import Case, Finding, Reads, Result, Rule, repeat_words
from conformance.metric.script_asking import FAILING, Asking, StoppedError, cause_of
from conformance.metric.script_cases import SCRIPT_CASES
from conformance.metric.script_output import alike, shown
from conformance.metric.script_ran import Ran
from conformance.metric.script_reads import Found, find_out
from conformance.metric.script_rules import RULES
from conformance.metric.script_run import ScriptRunner
from conformance.metric.script_text import ScriptText
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptChecker"]

_FIRST, *_OTHERS = (made.case for made in SCRIPT_CASES.values())
_KEYS = Case("keys", "other rewards, and other reward keys")
_SOURCE = Case("source", "the script's text")
_NO_BLOCK = "It has no block of inline metadata: uv takes up a project that stands where it is started."
_DEFAULT_KEYS = ("reward",)
_LINES_SHOWN = 8
_NAMES_SHOWN = 6
_KINDS = {
    "long": "long-options",
    "old": "old-output",
    "no-trials": "no-trials",
    "shapes": "other-shapes",
    "range": "odd-numbers",
    "odd": "odd-numbers",
    "environment": "environment",
}
_HARMLESS = {"no-trials": {"empty-object", "first-value"}, "odd": {"nan-out"}}
_NO_VALUE = {"exit-code", "no-output", "not-json", "writes-elsewhere"}


class ScriptChecker:
    """One script, under contract harbor-metric."""

    contract = "harbor-metric"
    cases: Sequence[Case] = (_FIRST, _KEYS, *_OTHERS, _SOURCE)

    def __init__(
        self,
        target: str,
        *,
        limits: Limits,
        keys: Sequence[str] = (),
        python: str | None = None,
        keep: Path | None = None,
        lock_writes: bool = True,
    ) -> None:
        """``keys`` are those of its trials; without any they are found out."""
        self.target = target
        self.notes: list[str] = []
        self.reads: Reads | None = None
        self._limits, self._named, self._python, self._keep = limits, tuple(keys), python, keep
        script = Path(os.path.abspath(target))
        self._runner = ScriptRunner(script, limits, python, lock_writes)
        self._asking = Asking(self._runner, ScriptText.read(script), keys or _DEFAULT_KEYS)
        self._found: Found | None = None
        self._told_that_it_fails = False
        self._checked = 0

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
        asking, group = self._asking, "ordinary"
        told: list[tuple[str, str, Ran]] = []
        plain_causes: list[object] = []
        try:
            if self._found is None and (case == _KEYS or not self._named):
                self._take(find_out(asking, asking.keys))
            first = asking.ask(asking.each(1.0, 0.0, 0.5))
            if self._fails_on_all(first):
                if self._told_that_it_fails:
                    result.not_run = "it fails alike whatever it is given: mend that first"
                    return result
                self._told_that_it_fails = True
                asking.asked[:] = [first]
            else:
                plain_causes += [cause_of(first)]
                asking.asked.clear()
                if case == _KEYS:
                    told += self._of_the_keys()
                else:
                    self._foresee()
                    made = SCRIPT_CASES[case.name]
                    group = made.group
                    if group != "ordinary":
                        plain_causes.append(cause_of(asking.ask(asking.each(1.0))))
                        asking.asked.clear()
                    told += made.tell(asking)
        except StoppedError:
            del asking.asked[:-1]
        found: dict[str, tuple[str, Ran]] = {}
        for rule, sentence, ran in told:
            found.setdefault(rule, (sentence, ran))
        for ran in asking.asked:
            cause = cause_of(ran)
            known = cause is not None and cause in plain_causes
            for rule, sentence in ran.problems:
                found.setdefault(rule if known else _by_group(rule, group), (sentence, ran))
        found.pop("", None)
        for rule, (sentence, ran) in found.items():
            result.findings.append(self._finding(RULES[rule], case, sentence, ran))
        return result

    def repeat(self, case: str) -> str:
        """The command that repeats one case."""
        words = repeat_words(self.target, self.contract, case, self._python, self._limits.seconds)
        keys = self._asking.keys
        for key in keys if self._named or keys != _DEFAULT_KEYS else ():
            words += ["--key", key]
        return shlex.join(words)

    def _foresee(self) -> None:
        """With the second case all plain ones are run in one go: who asks for two asks for more."""
        self._checked += 1
        if self._checked == 2:
            plain = [made.trials(self._asking) for made in SCRIPT_CASES.values() if made.trials is not None]
            self._asking.foresee(*plain)

    def _take(self, found: Found) -> None:
        """Gives the trials the keys that the script reads, where the user named none."""
        self._found, self.reads = found, found.reads
        if found.reads is not None:
            sentence = found.reads.sentence()
            unnamed = [key for key in found.keys if key not in self._asking.keys]
            if unnamed and self._named:
                sentence += f" Not named by {metric_option('key')}: {', '.join(unnamed)}."
            elif unnamed:
                words = " ".join(f"{metric_option('key')} {shlex.quote(key)}" for key in found.keys)
                sentence += f" Its trials have these keys, as with {words}."
            self.notes.append(sentence)
        if not self._named:
            self._asking.keys = found.keys

    def _fails_on_all(self, first: Ran) -> bool:
        cause = cause_of(first)
        if cause is None or cause[0] not in _NO_VALUE:
            return False
        lists = ([1.0], [0.25] * 130)
        return all(cause_of(self._asking.ask(self._asking.each(*values))) == cause for values in lists)

    def _of_the_keys(self) -> Iterator[tuple[str, str, Ran]]:
        """What there is to say if no value of any key matters."""
        asking = self._asking
        assert self._found is not None
        base = asking.ask(asking.each(1.0, 0.0, 0.5))
        if not self._found.ignored and not (self._named and set(self._found.keys).isdisjoint(self._named)):
            return
        lists = ([1.0], [0.25] * 130, [1.0, None, 0.5])
        runs = [base, *(asking.ask(asking.each(*values)) for values in lists)]
        if not all(run.usable for run in runs):
            return
        names = [*asking.keys, *(key for key in asking.text.keys if key not in asking.keys)]
        tried = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
        which = f"tried as keys: {tried}"
        if not self._found.ignored:
            which = f"it reads {', '.join(self._found.keys)}"
        del asking.asked[:]
        if all(alike(base.value, run.value) for run in runs):
            sentence = f"It gave {shown(base.value)} whatever the trials and their rewards were"
            yield "constant", f"{sentence} ({which}; {metric_option('key')} NAME names others).", base
        else:
            sentence = "Only the number of trials changed its output, and no reward"
            yield "rewards-unread", f"{sentence} ({which}; {metric_option('key')} NAME names others).", base

    def _finding(self, rule: Rule, case: Case, sentence: str, ran: Ran) -> Finding:
        data = rewards_jsonl(ran.trials)
        kept = None
        if self._keep is not None:
            place = self._keep / case.name
            place.mkdir(parents=True, exist_ok=True)
            (place / REWARDS_JSONL).write_bytes(data)
            if ran.written is not None:
                (place / METRIC_JSON).write_bytes(ran.written)
            kept = str(place / REWARDS_JSONL)
        if "KeyError" in sentence and self.reads is None and not self._named:
            sentence += f" ({metric_option('key')} NAME names the keys of its trials)"
        lines = data.decode().splitlines()
        text = "\n".join(shortened(line, 200) for line in lines[:_LINES_SHOWN])
        if len(lines) > _LINES_SHOWN:
            text += f"\n… {len(lines)} lines in all"
        return Finding(rule, case.name, sentence, text or "(no bytes)", kept)


def _by_group(rule: str, group: str) -> str:
    """The rule that a trouble counts for in a group of cases; empty where it is none."""
    if rule in _HARMLESS.get(group, ()):
        return ""
    return _KINDS.get(group, rule) if rule in FAILING else rule
