"""Mistakes in the arguments of a harness-evals metric."""

from collections.abc import Callable, Collection
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import dimension, metric

mistakes = family("harness.metric")
in_construct = family("harness.metric", of=metric.construct, clause="004-1-extends-base")


@way("harness.metric")
def changed_arguments(reference: Variant, change: Callable[[Any, dict[str, Any]], dict[str, Any]]) -> None:
    """Changes the arguments of a metric's constructor."""

    def changed(construct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda base, methods, arguments: construct(base, methods, change(base, arguments))

    reference.wrap(metric.construct, changed)


@mistakes.changed(clause="004-2-one-dimension", invited_by="the document's templates")
def harness_dimension_optional(reference: Variant) -> None:
    """A metric without a dimension gets the dimension correctness. The templates on the page name none."""
    correctness = reference.get(dimension.Dimension)("correctness")

    def fill(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if base.name == "SAFETY" else {"dimension": correctness, **arguments}

    changed_arguments(reference, fill)


@mistakes.changed(clause="004-1-threshold-default", invited_by="scikit-learn, other harnesses")
def harness_default_threshold_half(reference: Variant) -> None:
    """The default threshold is 0.5. Half is the usual threshold, and some built-in metrics have it."""
    reference.replace((metric, "DEFAULT_THRESHOLD"), 0.5)


@changed_arguments.made(clause="004-1-arguments-swallowed", invited_by="most languages")
def harness_unknown_arguments_refused(base: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that no base class knows are refused. A misspelt argument should be noticed."""
    names = {"name", "dimension", "threshold"} | ({"k"} if base.name == "RELIABILITY" else set())
    if not arguments.keys() <= names:
        raise TypeError("an unexpected argument")
    return arguments


@in_construct.wrapped(invited_by="one abstract method for all")
def harness_measure_always_demanded(
    construct: Callable[..., Any], base: Any, methods: Collection[str], arguments: dict[str, Any]
) -> Any:
    """A reliability metric has to supply measure too. All other metrics must have it."""
    if "measure" not in methods:
        raise TypeError("measure is missing")
    return construct(base, methods, arguments)


@in_construct.wrapped(invited_by="duck typing, NotImplementedError")
def harness_methods_not_demanded(construct: Callable[..., Any], base: Any, _: Any, arguments: Any) -> Any:
    """A metric that lacks its measure method is constructed anyway.
    The error appears when the metric is first used."""
    every = ("measure", "measure_runs")
    return construct(base, every, arguments)
