"""Checks a harness-evals metric, with the real package: a class that gives an eval case a score."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.metric.classes import ClassChecker, Json, Problem, raised_text
from conformance.metric.findings import CannotTryError, Case
from conformance.metric.harness_cases import AMOUNTS, FULL, HARNESS_CASES
from conformance.metric.harness_rules import RULES
from conformance.metric.harness_source import imported_metrics, sets_passed
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.wire.text import shortened

__all__ = ["ORACLE", "HarnessChecker"]

ORACLE = "oracle"
"""What names the kit's own environment in place of an interpreter."""
_SHOWN = 60
_DULL = ("messages", "tool_calls", "expected_tools", "expected_tool_calls", "tags", "metadata", "runs")


class HarnessChecker(ClassChecker):
    """One class, under contract harness-evals."""

    contract = "harness-evals"
    part = "harness_part.py"
    rules = RULES

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
        """The arguments of the constructor."""
        return {"arguments": self._arguments}

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
        if described["needs"] and "raised" in described["made"]:
            names = " and ".join(described["needs"])
            give = f"give it with --arg {described['needs'][0]}=JSON"
            raise CannotTryError(f"the constructor of {self.target} needs {names}: {give}")
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
        if names := list(imported_metrics(tree)):
            yield "imports-metric", f"It imports from the package's metrics: {', '.join(names)}."

    def of_the_answer(self, case: str, answer: Json) -> Iterator[Problem]:
        """The score, and whether it comes again."""
        made = HARNESS_CASES[case]
        if made.do == "evaluate":
            if answer["raised"]:
                yield (
                    "breaks-evaluation",
                    f"evaluate raised {raised_text(answer['raised'])}: the other metrics' scores are lost.",
                )
            return
        if made.do == "loop":
            if "raised" in answer["inside"] and "raised" not in answer["outside"]:
                yield (
                    "running-loop",
                    f"While an event loop runs, measure raised {raised_text(answer['inside']['raised'])}",
                )
            return
        first = answer["first"]
        if set(made.models) - set(self._described()["models"]):
            return  # the case is about a model that the metric does not take
        yield from self._of_the_score(made.group, first, answer["own"])
        for key, what in (("again", "asked again"), ("new", "a new instance")):
            if key in answer and made.group != "odd" and not _same(first, answer[key]):
                yield "state", f"It gives {_text(first)}, and {what} {_text(answer[key])} for the same case."
        if "later" in answer and made.group != "odd" and not _same(first, answer["later"]):
            yield "async-differs", f"measure gives {_text(first)}, a_measure {_text(answer['later'])}."
        if answer.get("changed"):
            yield "changes-input", "The case is another afterwards: the next metric measures that one."
        yield from _of_missing_data(
            made.missing, answer, self._described()["reliability"] and case == "no-runs"
        )
        if made.models and "nan" in made.models.values() and first.get("passed"):
            yield "nan-is-perfect", f"It made {first['value']['text']} of NaN, which passes."

    def _of_the_score(self, group: str, score: Json, own: Json) -> Iterator[Problem]:
        if "raised" in score:
            raised = score["raised"]
            if raised["escapes"]:
                yield (
                    "breaks-evaluation",
                    f"measure raised {raised_text(raised)}, which evaluate does not catch.",
                )
            elif group == "odd":
                yield "odd-values", f"measure raised {raised_text(raised)}"
            elif raised["in_score"] and raised["type"] == "ValueError" and group in ("ordinary", "missing"):
                yield "out-of-range", f"measure raised {raised_text(raised)}"
            else:
                yield "raises", f"measure raised {raised_text(raised)}"
        elif "other" in score:
            yield (
                "no-score",
                f"measure returned {shortened(score['other']['text'], 80)}: evaluate raises AttributeError.",
            )
        elif "skipped" in score:
            yield "skips", "measure returned None: the case is left out."
        else:
            if not score["in_range"]:
                yield "out-of-range", f"The score's value is {score['value']['text']}."
            if score["value"]["float"] is None:
                yield (
                    "value-kind",
                    f"The score's value is {score['value']['text']}, of type {score['value']['type']}.",
                )
            if score["passed"] != score["computed"]:
                numbers = f"value {score['value']['text']} and threshold {score['threshold']['text']}"
                yield "passed-by-hand", f"passed is {score['passed']} with {numbers}."
            if score["name"] != own["name"]:
                names = f"{shortened(score['name'], 80)}, the metric {shortened(own['name'], 80)}"
                yield "name", f"Its score is called {names}."
            if score["threshold"]["text"] != own["threshold"]["text"]:
                thresholds = f"{score['threshold']['text']}, the metric {own['threshold']['text']}"
                yield "threshold", f"Its score has the threshold {thresholds}."
            if score["dimension"] not in (None, self._described().get("dimension")):
                yield (
                    "other-dimension",
                    f"Its score's metadata say dimension {shortened(score['dimension'], 80)}.",
                )


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "$" in value:
        return f"<{value['$']}>"
    return shortened(repr(value), _SHOWN)


def _of_missing_data(missing: Sequence[str], answer: Json, no_runs: bool) -> Iterator[Problem]:
    score = answer["first"]
    needed = [name for name in missing if name in answer["reads"]]
    amounts = [name for name in answer["reads"] if name in AMOUNTS]
    if "value" not in score or score["needs_passing"] or not (needed or no_runs):
        return
    if len(missing) == 1 and (answer["falls_back"] or (needed[0] in AMOUNTS and len(amounts) > 1)):
        return  # it has something else to go by
    what = "the runs" if no_runs else " and ".join(needed)
    if score["passed"]:
        yield "missing-passes", f"Without {what} it gives {_text(score)}, which passes."
    elif not score["reason"]:
        rule = "missing-reason" if no_runs or set(needed) & set(AMOUNTS) else "no-reason"
        yield rule, f"Without {what} it gives {_text(score)} and no reason."


def _same(one: Json, other: Json) -> bool:
    if "value" in one and "value" in other:
        return all(one[key] == other[key] for key in ("value", "threshold", "passed", "name"))
    if "raised" in one and "raised" in other:
        return bool(one["raised"]["type"] == other["raised"]["type"])
    return one.keys() == other.keys()


def _text(score: Json) -> str:
    if "value" in score:
        return shortened(score["value"]["text"], 40)
    if "raised" in score:
        return str(score["raised"]["type"])
    return "None" if "skipped" in score else shortened(score["other"]["text"], 40)
