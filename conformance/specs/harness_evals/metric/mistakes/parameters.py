"""Mistakes in what a metric of harness-evals keeps of its arguments."""

from collections.abc import Callable, Collection
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_CONSTRUCT = "harness_evals.metric.construct"


def _arguments(reference: Variant, change: Callable[[Any, dict[str, Any]], dict[str, Any]]) -> None:
    """Changes the arguments that a metric of a base class is made with."""

    def changed(construct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda base, methods, arguments: construct(base, methods, change(base, arguments))

    reference.wrap(_CONSTRUCT, changed)


@mistake(
    "harness-dimension-optional",
    says="a metric without a dimension is one of correctness",
    op="harness.metric",
    clause="004-2-one-dimension",
    why="The page's own templates name none.",
    invited_by="the document's templates",
)
def _(reference: Variant) -> None:
    correctness = reference.get("harness_evals.dimension.Dimension")("correctness")

    def fill(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if base.name == "SAFETY" else {"dimension": correctness, **arguments}

    _arguments(reference, fill)


@mistake(
    "harness-safety-dimension-demanded",
    says="a safety metric has to name its dimension too",
    op="harness.metric",
    clause="004-3-safety-base",
    why="All other base classes demand it.",
    invited_by="one constructor for all",
)
def _(reference: Variant) -> None:
    def demanded(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        if "dimension" not in arguments:
            raise TypeError("a metric has a dimension")
        return arguments

    _arguments(reference, demanded)


@mistake(
    "harness-safety-dimension-fixed",
    says="a safety metric's dimension is safety whatever it says",
    op="harness.metric",
    clause="004-3-safety-base",
    why="The class's name says so.",
    invited_by="constants of the base class",
)
def _(reference: Variant) -> None:
    safety = reference.get("harness_evals.dimension.Dimension")("safety")

    def fixed(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments | {"dimension": safety} if base.name == "SAFETY" else arguments

    _arguments(reference, fixed)


@mistake(
    "harness-default-threshold-half",
    says="the default threshold is 0.5",
    op="harness.metric",
    clause="004-1-threshold-default",
    why="Half is the usual threshold, and some built-in metrics have it.",
    invited_by="scikit-learn, other harnesses",
)
def _(reference: Variant) -> None:
    reference.replace("harness_evals.metric.DEFAULT_THRESHOLD", 0.5)


@mistake(
    "harness-zero-arguments-default",
    says="a threshold or k of 0 gives the default",
    op="harness.metric",
    clause="004-1-name-and-threshold",
    why="0 counts as false.",
    invited_by="threshold or 1.0",
)
def _(reference: Variant) -> None:
    def truthy(_: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        return {name: it for name, it in arguments.items() if it or name not in ("threshold", "k")}

    _arguments(reference, truthy)


@mistake(
    "harness-unknown-arguments-refused",
    says="arguments that no base class knows are refused",
    op="harness.metric",
    clause="004-1-arguments-swallowed",
    why="A misspelt argument should be noticed.",
    invited_by="most languages",
)
def _(reference: Variant) -> None:
    def known(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        names = {"name", "dimension", "threshold"} | ({"k"} if base.name == "RELIABILITY" else set())
        if not arguments.keys() <= names:
            raise TypeError("an unexpected argument")
        return arguments

    _arguments(reference, known)


@mistake(
    "harness-measure-always-demanded",
    says="a reliability metric has to supply measure too",
    op="harness.metric",
    clause="004-1-extends-base",
    why="All other metrics have to.",
    invited_by="one abstract method for all",
)
def _(reference: Variant) -> None:
    construct = reference.get(_CONSTRUCT)

    def demanding(base: Any, methods: Collection[str], arguments: dict[str, Any]) -> Any:
        if "measure" not in methods:
            raise TypeError("measure is missing")
        return construct(base, methods, arguments)

    reference.replace(_CONSTRUCT, demanding)


@mistake(
    "harness-methods-not-demanded",
    says="a metric that lacks its measure is made all the same",
    op="harness.metric",
    clause="004-1-extends-base",
    why="It is noticed when the metric is first used.",
    invited_by="duck typing, NotImplementedError",
)
def _(reference: Variant) -> None:
    construct = reference.get(_CONSTRUCT)
    every = ("measure", "measure_runs")
    reference.replace(_CONSTRUCT, lambda base, _, arguments: construct(base, every, arguments))
