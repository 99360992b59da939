"""Checks a harness-evals metric, a class that scores an eval case, with the real package."""

from collections.abc import Iterator
from pathlib import Path

from conformance.extensions.metrics.checker import THE_CLASS, CannotTryError, Case, Reads
from conformance.extensions.metrics.classes.checker import ClassChecker
from conformance.extensions.metrics.classes.process import Json, Problem
from conformance.extensions.metrics.classes.worker import UNREACHABLE
from conformance.extensions.metrics.harness.inputs import CASES
from conformance.option_names import metric_option
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.wire.text import printable, shortened

__all__ = ["HarnessChecker"]

_ORACLE = "oracle"
"""The value of the option for the kit's own environment."""
_MOST_CASES = 50
_USUAL = "words for input, output and expected"
"""The default data for deriving cases."""


class HarnessChecker(ClassChecker):
    """Checks one class under the contract harness-evals."""

    contract = "harness-evals"
    part = Path(__file__).with_name("part.py")
    cases = (THE_CLASS, *(Case(name, row["about"]) for name, row in CASES.items()))
    state_rule = "state"

    def python(self) -> str:
        """Return the interpreter; the kit's own environment is built on first use."""
        if (python := super().python()) != _ORACLE:
            return python
        try:
            recipe = recipe_of(self.contract)
            return str(environments.ensure(self.notes.append, recipe=recipe).python)
        except environments.OracleError as error:
            raise CannotTryError(str(error)) from None

    def settings(self) -> Json:
        """Return the constructor's arguments, the user's cases, and option names for messages."""
        return {
            "arguments": dict(self.options.arguments),
            "like": list(self.options.like or ())[:_MOST_CASES],
            "values": list(self.options.values or ()),
            "base": self.described.get("base"),
            "python_option": metric_option("python"),
            "argument_option": metric_option("arg"),
            "more_options": f"{metric_option('like')} FILE gives a data set that it accepts, "
            f"{metric_option('values')} its expected outputs.",
        }

    def check_all_answers(self) -> Iterator[Problem]:
        """Report a metric that gives the same score in every case; note what it reads."""
        if "values" not in (explored := self.answers.get("varied", {})):
            return
        self.reads = Reads(tuple(explored["reads"]), explored["every"])
        read = "every field" if explored["every"] else ", ".join(explored["reads"])
        self.notes.append(f"It reads: {read or 'nothing of the case'}.")
        if (begins := self.described.get("begins", _USUAL)) != _USUAL:
            self.notes.append(f"Cases are derived from {printable(begins)}.")
        firsts = self.answers.values()
        values = {*explored["values"], *(first["score"] for first in firsts if first.get("score"))}
        lacking = sorted({first["lacking"] for first in firsts if first.get("lacking")})
        skipped = sum(bool(first.get("skipped")) for first in firsts)
        if explored["dataset"]:
            self.notes.append("It overrides measure_dataset, which was not called.")
        elif explored["one_prompt"]:
            yield Problem("constant", "It asks its model the same question in every case.")
        elif len(values) == 1 and lacking:
            sentence = f"It gives {values.pop()} in every case, with the reason {printable(lacking[0])}."
            yield Problem(UNREACHABLE, sentence)
        elif len(values) == 1 and not explored["judged"]:
            wherever = f"whenever it gives a score; in {skipped} cases measure returned None."
            because = wherever if skipped else f"in every case; it reads {read or 'nothing of the case'}."
            yield Problem("constant", f"It gives {shortened(values.pop(), 40)} {because}")
