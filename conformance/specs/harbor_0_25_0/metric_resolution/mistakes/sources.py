"""Mistakes in the metrics of a source that no dataset has."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harbor_0_25_0 import metric_resolution

__all__: list[str] = []

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
    """A source that no dataset has is left out. So harbor did before 0.22.0."""
    return resolve(datasets, job, [])


@in_resolve.wrapped(invited_by="a default where nothing is found")
def unmatched_sources_have_the_mean_alone(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets the mean, whatever metrics the job has. It is the default."""
    known = resolve(listed := [*datasets], job, [])
    return {
        name: found if name in known else ["mean"] for name, found in resolve(listed, job, sources).items()
    }


@in_resolve.wrapped(invited_by="append instead of a default", clause="003-3.1-unmatched-source")
def unmatched_sources_have_the_mean_too(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets a mean behind the job's metrics. The default is added."""
    known = resolve(listed := [*datasets], job, [])
    found = resolve(listed, job, sources)
    return {n: found[n] if n in known or not job else [*found[n], "mean"] for n in found}


@in_resolve.wrapped(invited_by="metrics[source] = job_metrics")
def unmatched_sources_have_no_default(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets no metric where the job has none. The default is for datasets."""
    known = resolve(listed := [*datasets], job, [])
    found = resolve(listed, job, sources)
    return {n: found[n] if n in known or job else [] for n in found}


@in_resolve.wrapped(invited_by="extend for every task")
def matched_sources_have_the_jobs_metrics_again(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that a dataset has gets the job's metrics once more. They are added for every source."""
    listed, named = [*datasets], [*sources]
    known = resolve(listed, job, [])
    found = resolve(listed, job, named)
    return {n: [*found[n], *job] if n in known and n in named else found[n] for n in found}


@in_resolve.wrapped(invited_by="a loop over tasks, not over names")
def repeated_sources_have_the_jobs_metrics_twice(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source of two tasks gets metrics twice. They are added task by task."""
    listed, named = [*datasets], [*sources]
    known = resolve(listed, job, [])
    found = resolve(listed, job, named)
    return {n: found[n] if n in known else found[n] * max(named.count(n), 1) for n in found}


@in_resolve.wrapped(invited_by="str(None)", clause="003-3.1-adhoc")
def no_source_is_a_name(resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources) -> Resolved:
    """A task without a source has one called None. What is not there is printed."""
    return resolve(datasets, job, [str(source) if source is None else source for source in sources])


@in_resolve.wrapped(invited_by="source is not None", clause="003-3.1-adhoc")
def empty_source_is_a_name(resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources) -> Resolved:
    """An empty source has a list of its own. Only null is no source."""
    named = [*sources]
    found = resolve(datasets, job, named)
    return {**found, "": list(job) or ["mean"]} if "" in named else found


@in_resolve.wrapped(invited_by="casefold, file systems that ignore case")
def sources_are_matched_without_case(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source is matched without case. Names of folders are, on some systems."""
    listed = [*datasets]
    known = {name.lower() for name in resolve(listed, job, [])}
    return resolve(listed, job, [s for s in sources if (s or "adhoc").lower() not in known])


@in_resolve.wrapped(invited_by="name.split('/')[-1]")
def sources_are_matched_by_a_packages_last_part(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source is matched with the last part of a package's name. The owner is left out."""
    listed = [*datasets]
    known = {name.rpartition("/")[2] for name in resolve(listed, job, [])}
    return resolve(listed, job, [s for s in sources if s not in known])


@in_resolve.wrapped(invited_by="a whitelist of built-ins")
def unmatched_sources_have_no_script(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets the job's built-in metrics alone. A script belongs to a dataset."""
    known = resolve(listed := [*datasets], job, [])
    found = resolve(listed, job, sources)
    return {n: found[n] if n in known else [m for m in found[n] if m != "uv-script"] for n in found}


@in_resolve.wrapped(invited_by="a fallback to what is configured")
def unmatched_sources_have_what_datasets_bring(
    resolve: Resolve, datasets: Any, job: Sequence[str], sources: Sources
) -> Resolved:
    """A source that no dataset has gets the metrics of the last dataset. It must belong to some dataset."""
    known = resolve(listed := [*datasets], job, [])
    found = resolve(listed, job, sources)
    last = known[listed[-1].name] if listed else None
    return {n: found[n] if n in known or last is None else list(last) for n in found}
