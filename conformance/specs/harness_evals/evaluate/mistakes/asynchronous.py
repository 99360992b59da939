"""Mistakes in which measure of a metric of harness-evals is called."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_MEASURED = "harness_evals.evaluate._measured"


@mistake(
    "harness-asynchronous-measure-ignored",
    says="evaluating asynchronously calls measure",
    op="harness.evaluate",
    clause="004-4.4-a-measure",
    why="Threads run what is synchronous.",
    invited_by="asyncio.to_thread(metric.measure)",
)
def _(reference: Variant) -> None:
    def in_order(measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(metric: Any, asynchronous: bool) -> Any:
            plain = type(metric)(metric.name, metric.dimension, metric.threshold, metric.measure, None)
            return measure(plain, asynchronous)

        return measured

    reference.wrap(_MEASURED, in_order)


@mistake(
    "harness-asynchronous-measure-preferred",
    says="evaluating in order calls a_measure where there is one",
    op="harness.evaluate",
    clause="004-4.4-a-measure",
    why="A metric's own a_measure seems to be the better one.",
    invited_by="hasattr(metric, 'a_measure')",
)
def _(reference: Variant) -> None:
    def preferred(measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(metric: Any, asynchronous: bool) -> Any:
            own = metric.a_measure or metric.measure
            made = type(metric)(metric.name, metric.dimension, metric.threshold, own, None)
            return measure(made, asynchronous)

        return measured

    reference.wrap(_MEASURED, preferred)
