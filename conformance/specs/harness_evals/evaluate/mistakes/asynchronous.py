"""Mistakes in which measure of a metric of harness-evals is called."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harness_evals.evaluate import _measured

in_measured = family("harness.evaluate", of=_measured, clause="004-4.4-a-measure")

_MEASURED = _measured


@in_measured.wrapped(invited_by="asyncio.to_thread(metric.measure)")
def harness_asynchronous_measure_ignored(measure: Callable[..., Any], metric: Any, asynchronous: bool) -> Any:
    """Evaluating asynchronously calls measure. Threads run what is synchronous."""
    plain = type(metric)(metric.name, metric.dimension, metric.threshold, metric.measure, None)
    return measure(plain, asynchronous)


@in_measured.wrapped(invited_by="hasattr(metric, 'a_measure')")
def harness_asynchronous_measure_preferred(
    measure: Callable[..., Any], metric: Any, asynchronous: bool
) -> Any:
    """Evaluating in order calls a_measure where there is one.
    A metric's own a_measure seems to be the better one."""
    own = metric.a_measure or metric.measure
    made = type(metric)(metric.name, metric.dimension, metric.threshold, own, None)
    return measure(made, asynchronous)
