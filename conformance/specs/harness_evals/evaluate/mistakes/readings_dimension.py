"""What readers of the document alone understood of the dimension that evaluating adds to a score."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harness_evals.evaluate import _add_dimension, _measured

in_add_dimension = family("harness.evaluate", of=_add_dimension, clause="004-2-dimension-kept")
in_measured = family("harness.evaluate", of=_measured, clause="004-2-plain-text-dimension")
_Add = Callable[[Any, Any], None]
_FIVE = ("correctness", "groundedness", "safety", "trajectory", "performance")


@in_add_dimension.wrapped(invited_by="metadata.get('dimension') is None, ??=")
def harness_null_dimension_replaced(add: _Add, score: Any, metric: Any) -> None:
    """A dimension of null in the metadata gives way to the metric's. Null is taken for missing."""
    add(score, metric)
    if score.metadata["dimension"] is None:
        score.metadata["dimension"] = metric.dimension.value


@in_add_dimension.wrapped(invited_by="if not metadata.get('dimension')")
def harness_empty_dimension_replaced(add: _Add, score: Any, metric: Any) -> None:
    """An empty text for a dimension in the metadata gives way to the metric's. It names none."""
    add(score, metric)
    if score.metadata["dimension"] == "":
        score.metadata["dimension"] = metric.dimension.value


@in_add_dimension.wrapped(invited_by="exactly one of the five")
def harness_strange_dimension_replaced(add: _Add, score: Any, metric: Any) -> None:
    """A dimension in the metadata that is none of the five gives way to the metric's. There are five."""
    add(score, metric)
    if score.metadata["dimension"] not in _FIVE:
        score.metadata["dimension"] = metric.dimension.value


@in_add_dimension.wrapped(clause="004-2-plain-text-dimension", invited_by="if 'dimension' not in metadata")
def harness_text_dimension_unread(add: _Add, score: Any, metric: Any) -> None:
    """A plain text in place of a dimension is no error where the metadata name one.
    It is not needed there."""
    if not (isinstance(score.metadata, dict) and "dimension" in score.metadata):
        add(score, metric)


@in_measured.wrapped(invited_by="checks before measuring")
def harness_text_dimension_of_skipped(measured: Callable[..., Any], metric: Any, asynchronous: bool) -> Any:
    """A plain text in place of a dimension is an error where the metric is skipped, too.
    It is looked at first."""
    if isinstance(metric.dimension, str):
        raise AttributeError("no dimension")
    return measured(metric, asynchronous)


@in_add_dimension.wrapped(clause="004-8-not-caught", invited_by="isinstance(metadata, dict) else {}")
def harness_bad_metadata_emptied(add: _Add, score: Any, metric: Any) -> None:
    """Metadata that are no object become an object with the dimension alone. Metadata are an object."""
    if not isinstance(score.metadata, dict):
        score.metadata = {}
    add(score, metric)
