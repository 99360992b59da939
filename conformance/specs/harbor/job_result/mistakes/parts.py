"""Mistakes in which trials count for a part of a group: for its metrics alone, or for its pass@k alone."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from reference_impl.job_result import job_result


@way("job_result", clause="003-3.2-none-is-zero")
def part_over(reference: Variant, counts: Callable[[Any], bool], part: str) -> None:
    """Has the groups' member ``part``, and no other, be that of the trials that count."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(job: Any, trials: Any) -> Any:
            trials = list(trials)
            whole, other = original(job, trials), original(job, list(filter(counts, trials)))
            parts = {key: dict(group.members)[part] for key, group in _groups(other)}
            missing = [] if part == "metrics" else type(whole.tree)([])
            for key, group in _groups(whole):
                members = [(n, parts.get(key, missing) if n == part else it) for n, it in group.members]
                group.members[:] = members
            return whole

        return answer

    reference.wrap(job_result, around)


def _groups(whole: Any) -> Any:
    return dict(dict(whole.tree.members)["stats"].members)["evals"].members


@part_over.made("metrics", invited_by="filters on status in front of the mean alone")
def errored_trials_not_in_metrics(trial: Any) -> bool:
    """Errored trials are left out of the metrics, and count as failures in pass@k.
    The two are computed apart."""
    return trial.exception is None


@part_over.made(
    "metrics",
    clause="003-2-no-verifier-result",
    invited_by="`if trial.verifier_result is None: continue`",
)
def trials_without_result_not_in_metrics(trial: Any) -> bool:
    """Trials without a verifier result are left out of the metrics; those whose rewards are null count as 0.
    None is what a verifier gives, not what is given where it did not run."""
    return trial.verifier_result is not None


@part_over.made("pass_at_k", clause="003-4.1-none-is-failure", invited_by="filters on the trial's state")
def errored_is_no_attempt(trial: Any) -> bool:
    """A trial with an exception is no attempt in pass@k. The trial did not take place as planned."""
    return trial.exception is None
