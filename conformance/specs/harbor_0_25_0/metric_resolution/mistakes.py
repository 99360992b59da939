"""Mistakes in the metrics of a source without a dataset."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harbor_0_25_0 import metric_resolution

Resolved = dict[str, list[str]]
Sources = Iterable[Any]
Resolve = Callable[[Any, Any, Any], Resolved]
in_resolve = family(
    "resolve_metrics", of=metric_resolution.resolve_with_sources, clause="003-3.1-unmatched-source"
)


@in_resolve.wrapped(invited_by="harbor before 0.22.0")
def unmatched_sources_are_left_out(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has is left out. harbor did this before 0.22.0."""
    return resolve(datasets, job, [])
