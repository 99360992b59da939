"""Helpers of the entries: a job's result, or a part of it, made of other trials. No entries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.variant import Variant
from reference_impl import json_text
from reference_impl import outcome as outcome_rules
from reference_impl import verifier_result as verifier_result_rules
from reference_impl.evals_key import evals_key
from reference_impl.job_result import job_result
from reference_impl.pipeline import pipeline

__all__ = [
    "TOTALS",
    "Trials",
    "answered_by",
    "by_key",
    "groups_from",
    "json_object",
    "key_of",
    "members",
    "parts_over",
    "pipeline_by",
    "rewards_of",
    "totals_over",
    "verified_as",
    "with_groups",
    "with_line",
    "with_stats",
]

Trials = list[Any]
TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


def members(tree: Any) -> dict[str, Any]:
    """An object's members by name; for objects that do not repeat names."""
    return dict(tree.members)


def json_object(reference: Variant, content: Any) -> Any:
    """An object of this copy, made of a dict."""
    return reference.its(json_text.JsonObject)(list(content.items()))


def rewards_of(trial: Any) -> Any:
    """A trial's rewards; None if there are none."""
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def verified_as(reference: Variant, rewards: Any) -> Any:
    """A verifier result of this copy."""
    return reference.its(verifier_result_rules.VerifierResult)(rewards)


def key_of(reference: Variant, trial: Any) -> str:
    """The key of a trial's group."""
    key: str = reference.its(evals_key)(trial.agent, trial.model, trial.source)
    return key


def by_key(reference: Variant, trials: Iterable[Any]) -> dict[str, Trials]:
    """The trials of each group."""
    groups: dict[str, Trials] = {}
    for trial in trials:
        groups.setdefault(key_of(reference, trial), []).append(trial)
    return groups


def answered_by(reference: Variant, answer: Callable[[Callable[..., Any], Any, Trials], Any]) -> None:
    """Has ``answer``, which is given the original, the job and its trials, make the job's result."""
    reference.wrap(job_result, lambda original: lambda job, trials: answer(original, job, list(trials)))


def with_stats(whole: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """The result with other statistics."""
    tree = whole.tree
    return type(whole)(
        type(tree)(
            [
                (name, type(value)(list(change(members(value)).items())) if name == "stats" else value)
                for name, value in tree.members
            ]
        )
    )


def with_groups(whole: Any, change: Callable[[str, dict[str, Any]], dict[str, Any]]) -> Any:
    """The result with other groups: ``change`` is given a key and the group's members."""

    def stats(given: dict[str, Any]) -> dict[str, Any]:
        evals = given["evals"]
        changed = [(key, type(evals)(list(change(key, members(one)).items()))) for key, one in evals.members]
        return {**given, "evals": type(evals)(changed)}

    return with_stats(whole, stats)


def groups_from(whole: Any, other: Any, names: Sequence[str], missing: Any = None) -> Any:
    """The result with its groups' members ``names`` taken from another; what that lacks is ``missing``."""
    there = {key: members(one) for key, one in members(members(other.tree)["stats"])["evals"].members}

    def change(key: str, group: dict[str, Any]) -> dict[str, Any]:
        empty = type(whole.tree)([]) if missing is None else missing
        return {**group, **{name: there.get(key, {}).get(name, empty) for name in names}}

    return with_groups(whole, change)


def parts_over(
    reference: Variant,
    change: Callable[[Trials], Trials],
    names: Sequence[str],
    missing: Any = None,
) -> None:
    """Has the groups' members ``names``, and no others, be those of other trials."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        other = job if "metrics" in names else replace(job, metrics={})
        return groups_from(original(job, trials), original(other, change(trials)), names, missing)

    answered_by(reference, answer)


def totals_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has the totals of tokens and cost, and nothing else, be those of other trials."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        other = members(members(original(replace(job, metrics={}), change(trials)).tree)["stats"])
        return with_stats(
            original(job, trials), lambda stats: {**stats, **{name: other[name] for name in TOTALS}}
        )

    answered_by(reference, answer)


def pipeline_by(reference: Variant, answer: Callable[[Callable[..., Any], Any, Trials], Any]) -> None:
    """Has ``answer``, which is given the original, the job and its unread trials, answer the pipeline."""
    reference.wrap(pipeline, lambda original: lambda job, trials: answer(original, job, list(trials)))


def with_line(reference: Variant, whole: Any) -> tuple[Any, str]:
    """A job's result with the outcome line that it gives."""
    summary = reference.its(outcome_rules.summarise)(whole.text().encode("utf-8"))
    return whole, summary.line()
