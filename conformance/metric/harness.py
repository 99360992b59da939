"""Checks a harness-evals metric, with the real package: a class that gives an eval case a score."""

import ast
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from conformance.metric.class_process import Json
from conformance.metric.classes import ClassChecker, raised_text
from conformance.metric.confinement import Ended
from conformance.metric.findings import CannotTryError, Case, Reads
from conformance.metric.first_causes import Problem
from conformance.metric.harness_answers import (
    constant_because,
    of_missing_data,
    of_the_score,
    reading_notes,
    same_score,
    score_text,
)
from conformance.metric.harness_cases import FULL, HARNESS_CASES
from conformance.metric.harness_rules import RULES
from conformance.metric.harness_source import sets_passed
from conformance.option_names import metric_option
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.wire.text import shortened

__all__ = ["ORACLE", "HarnessChecker"]

ORACLE = "oracle"
"""What names the kit's own environment in place of an interpreter."""
_SHOWN = 60
_MOST_OPTIONS = 8
_DULL = ("messages", "tool_calls", "expected_tools", "expected_tool_calls", "tags", "metadata", "runs")


class HarnessChecker(ClassChecker):
    """One class, under contract harness-evals."""

    contract = "harness-evals"
    part = "harness_part.py"
    rules = RULES
    state_rule = "state"
    follows: ClassVar[Mapping[str, Collection[str]]] = {
        "no-score": ("breaks-evaluation", "value-kind"),
        "odd-dimension": ("breaks-evaluation",),
        "state": ("async-differs",),
    }

    def __init__(self, target: str, *, arguments: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(target, **options)
        self._arguments = dict(arguments or {})
        self._python: str | None = None

    def python(self) -> str:
        """The interpreter; the kit's own environment is built on first use.

        Raises:
            CannotTryError: it can't be built.
        """
        if self._python is None:
            self._python = super().python()
            if self._python == ORACLE:
                try:
                    self._python = str(
                        environments.ensure(self.notes.append, recipe=recipe_of(self.contract)).python
                    )
                except environments.OracleError as error:
                    raise CannotTryError(str(error)) from None
        return self._python

    def words(self) -> Sequence[str]:
        """The arguments of the constructor."""
        return [
            word
            for name, value in self._arguments.items()
            for word in ("--arg", f"{name}={json.dumps(value)}")
        ]

    def more_cases(self) -> Sequence[Case]:
        """The situations."""
        return [made.case for made in HARNESS_CASES.values()]

    def settings(self) -> Json:
        """The arguments of the constructor, and what names another Python."""
        return {"arguments": self._arguments, "python_option": metric_option("python")}

    def request(self, case: str) -> Json:
        """The eval case, and what to do with it."""
        made = HARNESS_CASES[case]
        asked = {"eval_case": made.fields, "do": made.do, "missing": made.missing, "between": made.between}
        return {**asked, **made.models, "full": FULL}

    def given(self, case: str) -> str:
        """The eval case, and what answers the metric."""
        made = HARNESS_CASES[case]
        dull = [name for name in _DULL if made.fields is not FULL and made.fields.get(name) == FULL[name]]
        fields = [f"{name}={_shown(value)}" for name, value in made.fields.items() if name not in dull]
        fields += [f"… and {', '.join(dull)} as in the case full"] if dull else []
        models = [f"{model}: {mode}" for model, mode in made.models.items()]
        return "\n".join([f"EvalCase({', '.join(fields)})", *models])

    def of_the_import(self, said: Json) -> Iterator[Problem]:
        """A class that can't be loaded can't be tried."""
        return iter(())

    def unaskable(self, described: Json) -> bool:
        """A class that can't be made has shown that already."""
        return "raised" in described["made"]

    def of_the_class(self, described: Json) -> Iterator[Problem]:
        """Its constructor, its dimension and its source."""
        if "raised" in described["made"]:
            self._can_not_be_made(described)
        if not described["extends"]:
            yield "base-class", "It extends none of the package's metric classes."
        if described["dimension_missing"]:
            yield (
                "no-dimension",
                f"Making it raised TypeError: {described['dimension_missing']} (of super().__init__)",
            )
        if "raised" in described["made"]:
            yield "cannot-be-made", f"Making it raised {raised_text(described['made']['raised'])}"
        else:
            yield from self._of_the_instance(described)
        if described["imports"]:
            yield "imports-metric", f"Its module imports another metric: {', '.join(described['imports'])}."
        if described["siblings"]:
            yield (
                "several-in-a-file",
                f"Its module has other metrics too: {', '.join(described['siblings'])}.",
            )
        yield from self._of_the_source(described["file"])

    def _can_not_be_made(self, described: Json) -> None:
        """Whether that is the class's own fault.

        Raises:
            CannotTryError: it lacks arguments, or a judge, service or package.
        """
        raised = described["made"]["raised"]
        if described["needs"]:
            names = " and ".join(described["needs"])
            give = f"give it with {metric_option('arg')} {described['needs'][0]}=JSON"
            raise CannotTryError(
                f"the constructor of {self.target} needs {names}: {give}, "
                "or check a subclass that fills in what JSON can't say"
            )
        if raised["unreachable"]:
            raise CannotTryError(
                f"making {self.target} raised {raised_text(raised)}: the kit has no judge, service or "
                "package for it to reach; let its constructor take the judge as llm, which the kit replaces"
            )
        if raised["type"] in ("ValueError", "TypeError", "KeyError") and described["options"]:
            options = ", ".join(described["options"][:_MOST_OPTIONS])
            raise CannotTryError(
                f"making {self.target} raised {raised_text(raised)}: its constructor takes {options}; "
                f"give what it needs with {metric_option('arg')} NAME=JSON"
            )

    def _of_the_instance(self, described: Json) -> Iterator[Problem]:
        if described["dimension"] is None:
            yield (
                "odd-dimension",
                f"Its dimension is {shortened(described['dimension_is'], 80)}, no member of Dimension.",
            )
        if described["name"]["type"] != "str" or described["name"]["text"] in ("''", '""'):
            yield "name", f"Its name is {described['name']['text']}, where a text is due."
        threshold = described["threshold"]
        if "message" in threshold:
            yield "threshold", f"Made with threshold=0.25 it raised {raised_text(threshold)}"
        elif threshold["float"] != (0.25).hex():
            yield "threshold", f"Made with threshold=0.25 it has the threshold {threshold['text']}."
        if described["keywords"]:
            yield (
                "keywords",
                f"Made with a keyword argument more it raised {raised_text(described['keywords'])}",
            )

    def _of_the_source(self, file: str | None) -> Iterator[Problem]:
        try:
            tree = ast.parse(Path(file or "").read_bytes())
        except (OSError, SyntaxError, ValueError):
            self.notes.append("its source can't be read, and was not looked at")
            return
        for line in sets_passed(tree):
            yield "passed-by-hand", f"Line {line} sets passed."

    def of_the_answer(self, case: str, answer: Json) -> Iterator[Problem]:
        """The score, and whether it comes again."""
        made = HARNESS_CASES[case]
        described = self._described()
        if set(made.models) - set(described["models"]):
            return  # the case is about a model that the metric does not take
        if made.do == "evaluate":
            if answer["raised"]:
                yield (
                    "breaks-evaluation",
                    f"evaluate raised {raised_text(answer['raised'])}: the other metrics' scores are lost.",
                )
        elif made.do == "loop":
            if "raised" in answer["inside"] and "raised" not in answer["outside"]:
                yield (
                    "running-loop",
                    f"While an event loop runs, measure raised {raised_text(answer['inside']['raised'])}",
                )
        elif made.do == "runs":
            if described["reliability"] and answer["ignored"]:
                yield "drops-runs", f"Changing {answer['ignored'][0]} never changes the score."
        elif made.do == "measure" or "first" in answer:
            yield from of_the_score(made, answer, described)
            if made.do == "measure":
                without = self._answers.get("without-expected")
                yield from of_missing_data(
                    made, answer, described["reliability"], without if isinstance(without, dict) else None
                )

    def comparable(self, case: str) -> bool:
        """Whether a case has to give the same in another process."""
        made = HARNESS_CASES[case]
        return made.do in ("measure", "repeat") and made.group != "odd"

    def same(self, one: Json, other: Json) -> bool:
        """Whether two scores are the same."""
        return same_score(one, other)

    def outcome_text(self, outcome: Json) -> str:
        """A score in a word."""
        return score_text(outcome)

    def of_all(self) -> Iterator[Problem]:
        """What it reads, and whether it ever answers otherwise."""
        explored = (_said(self._answers.get("varied")) or {}).get("explored")
        if explored is None:
            return
        self.reads = Reads(tuple(explored["reads"]), explored["every"])
        self.notes += reading_notes(explored)
        firsts = [answer["first"] for answer in map(_said, self._answers.values()) if "first" in answer]
        values = {score_text(outcome) for outcome in [*firsts, *explored["outcomes"]] if "value" in outcome}
        if self._described()["dataset"]:
            self.notes.append("It overrides measure_dataset, which was not asked.")
        elif len(values) == 1 and not explored["judged"]:
            yield "constant", f"It gives {values.pop()} {constant_because(explored)}"

    def cause(self, case: str, answer: Json | Ended) -> str | None:
        """What the exception of a measurement goes back to."""
        made = HARNESS_CASES[case]
        if set(made.models) - set((self._class or {}).get("models", ())):
            return None
        found = super().cause(case, answer)
        return f"{found} {made.case.name}" if found and made.group == "gone" else found


def _said(answer: Json | Ended | None) -> Json:
    return answer if isinstance(answer, dict) else {}


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "$" in value:
        return f"<{value['$']}>"
    return shortened(repr(value), _SHOWN)
