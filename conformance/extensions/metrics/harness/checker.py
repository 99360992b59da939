"""Checks a harness-evals metric with the real package: a class that scores an eval case."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import ClassVar

from conformance.extensions.metrics.checker import Options
from conformance.extensions.metrics.classes.checker import THE_CLASS, ClassChecker
from conformance.extensions.metrics.classes.process import Json, Problem
from conformance.extensions.metrics.classes.worker import UNREACHABLE
from conformance.extensions.metrics.findings import RULES, CannotTryError, Case, Reads
from conformance.extensions.metrics.harness.cases import CASES
from conformance.option_names import metric_option
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.wire.text import printable, shortened

__all__ = ["ORACLE", "HarnessChecker"]

ORACLE = "oracle"
"""The name of the kit's own environment, in place of an interpreter."""
_MOST_CASES = 50
_USUAL = "words for input, output and expected"
"""The default start of cases."""


class HarnessChecker(ClassChecker):
    """One class, under contract harness-evals."""

    contract = "harness-evals"
    part = Path(__file__).with_name("part.py")
    situations: ClassVar[Sequence[Case]] = [Case(name, made["about"]) for name, made in CASES.items()]
    rules = RULES["harness-evals"]
    state_rule = "state"
    follows: ClassVar[Mapping[str, Collection[str]]] = {
        "no-score": ("breaks-evaluation", "value-kind"),
        "odd-dimension": ("breaks-evaluation",),
        **dict.fromkeys(("state", "repeats"), ("async-differs", "constant")),
        **dict.fromkeys(("environment", "hash-order"), ("constant",)),
    }

    def __init__(self, target: str, options: Options) -> None:
        super().__init__(target, options)
        self._today = str(datetime.now(timezone.utc).date())

    def _python(self) -> str:
        """The interpreter; the kit's own environment is built on first use."""
        if (python := super()._python()) != ORACLE:
            return python
        try:
            recipe = recipe_of(self.contract)
            return str(environments.ensure(self.notes.append, recipe=recipe).python)
        except environments.OracleError as error:
            raise CannotTryError(str(error)) from None

    def _settings(self) -> Json:
        return {
            "arguments": dict(self.options.arguments),
            "like": list(self.options.like or ())[:_MOST_CASES],
            "today": self._today,
            "values": list(self.options.values or ()),
            "base": (self._class or {}).get("base"),
            "python_option": metric_option("python"),
            "argument_option": metric_option("arg"),
            "more_options": f"{metric_option('like')} FILE gives a data set that it accepts, "
            f"{metric_option('values')} its expected outputs.",
        }

    def _check_all_answers(self) -> Iterator[Problem]:
        if "values" not in (explored := self._answers.get("varied", {})):
            return
        self.reads = Reads(tuple(explored["reads"]), explored["every"])
        self.notes += map(printable, explored["notes"])
        if (begins := (self._class or {}).get("begins", _USUAL)) != _USUAL:
            self.notes.append(f"Cases start from {printable(begins)}.")
        firsts = self._answers.values()
        values = {*explored["values"], *(first["score"] for first in firsts if first.get("score"))}
        lacking = sorted({first["lacking"] for first in firsts if first.get("lacking")})
        skipped = sum(bool(first.get("skipped")) for first in firsts)
        if explored["dataset"]:
            self.notes.append("It overrides measure_dataset, which was not called.")
        elif explored["one_prompt"]:
            yield Problem("constant", "It asks its model the same in every case, whatever the case holds.")
        elif len(values) == 1 and lacking:
            sentence = f"It gives {values.pop()} in every case, with the reason {printable(lacking[0])}."
            yield Problem(UNREACHABLE, sentence)
        elif len(values) == 1 and not explored["judged"]:
            wherever = f"wherever it gives a score; in {skipped} cases measure returned None."
            because = wherever if skipped else printable(explored["because"])
            yield Problem("constant", f"It gives {shortened(values.pop(), 40)} {because}")

    def _judge(self, between: Mapping[str, list[Problem]]) -> None:
        super()._judge(dict(between))
        if UNREACHABLE in {problem.rule for problem in self._problems[THE_CLASS.name]}:
            others = self._problems.keys() - {THE_CLASS.name}
            self._left_out |= dict.fromkeys(others, "it needs something that is not available here")
