"""A task whose source no dataset has gets the job's metrics too (since 0.22.0).

In harbor 0.13.1 such a source has no metrics, and a job that displays them ends with an IndexError. Now it
is listed after the datasets, with the job's own metrics or else the default.
"""

from collections.abc import Iterable, Sequence

from .. import metric_resolution as before
from ..aggregation import DEFAULT_METRIC
from ..evals_key import ADHOC
from ..metric_resolution import Dataset

__all__ = ["resolve_with_sources"]


def resolve_with_sources(
    datasets: Iterable[Dataset], job_metrics: Sequence[str], sources: Iterable[str | None] = ()
) -> dict[str, list[str]]:
    """The names of each dataset's metrics, then those of each further source of a task (since 0.22.0).

    `sources` are those of the job's tasks, in order; None and the empty source mean `adhoc`.
    """
    metrics = before.resolve_metrics(datasets, job_metrics)
    for source in sources:
        metrics.setdefault(source or ADHOC, [*job_metrics] or [DEFAULT_METRIC])
    return metrics
