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


@in_resolve.wrapped(invited_by="a default where nothing is found")
def unmatched_sources_have_the_mean_alone(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets the mean, whatever metrics the job has. The mean is the default."""
    known = resolve(listed := [*datasets], job, [])
    return {
        name: found if name in known else ["mean"] for name, found in resolve(listed, job, sources).items()
    }


@in_resolve.wrapped(invited_by="extend for every task")
def matched_sources_have_the_jobs_metrics_again(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that a dataset has gets the job's metrics once more.
    The metrics are added for every source."""
    listed, named = [*datasets], [*sources]
    known = resolve(listed, job, [])
    found = resolve(listed, job, named)
    return {n: [*found[n], *job] if n in known and n in named else found[n] for n in found}


@in_resolve.wrapped(invited_by="name.split('/')[-1]")
def sources_are_matched_by_a_packages_last_part(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source is matched with the last part of a package's name. The owner is omitted."""
    listed = [*datasets]
    known = {name.rpartition("/")[2] for name in resolve(listed, job, [])}
    return resolve(listed, job, [s for s in sources if s not in known])
