"""The form that a job's file has in its generation, made of that of 0.13.1, which the reference writes."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from conformance.check.generations import LATEST_JOB, JobGeneration
from reference_impl import Trial, aggregate
from reference_impl.json_text import JsonObject, JsonTree
from reference_impl.verifier_result import Rewards

__all__ = ["computed", "in_form", "keyed"]

_RENAMED = {"n_completed_trials": "n_trials", "n_errored_trials": "n_errors"}


def keyed(trial: Trial, generation: JobGeneration) -> Trial:
    """The trial with the names that its evals key is made of."""
    names = (trial.agent, trial.model or "", trial.source or "")
    if generation.slash_in_keys or not any("/" in name for name in names):
        return trial
    agent, model, source = (name.replace("/", "-") for name in names)
    return replace(trial, agent=agent, model=model or None, source=source or None)


def computed(name: str, rewards: Sequence[Rewards | None], generation: JobGeneration) -> Rewards:
    """What a built-in metric makes of the rewards.

    Raises:
        ValueError: harbor of that generation takes rewards of one key only, and there are others.
        OverflowError: a metric meets an int beyond the double range.
    """
    if not generation.one_reward_key:
        return aggregate(name, rewards)
    for one in rewards:
        if one is not None and len(one) != 1:
            raise ValueError(f"Expected exactly one key in reward dictionary, got {len(one)}")
    # The names of the keys play no part: trials with different ones go into one number.
    values = [next(iter(one.values())) if one is not None else 0 for one in rewards]
    return aggregate(name, [{"": value} for value in values])


def in_form(tree: JsonObject, generation: JobGeneration, listed: Collection[str]) -> JsonObject:
    """The file in the form of its generation; `listed` are the groups that a reward or an exception makes.

    The others come after these, with their first metric or pass@k, and not at all without one.
    """
    if generation is LATEST_JOB:
        return tree
    members: list[tuple[str, JsonTree]] = []
    for name, value in tree.members:
        if name == "stats":
            assert isinstance(value, JsonObject)
            members.append((name, _stats(value, generation, listed)))
        elif name in generation.job:
            members.append((name, value))
    return JsonObject(members)


def _stats(stats: JsonObject, generation: JobGeneration, listed: Collection[str]) -> JsonObject:
    members: list[tuple[str, JsonTree]] = []
    for name, value in stats.members:
        if name == "evals":
            assert isinstance(value, JsonObject)
            members.append((name, _evals(value, generation, listed)))
        elif (written := _RENAMED.get(name, name)) in generation.stats:
            members.append((written, value))
    return JsonObject(members)


def _evals(evals: JsonObject, generation: JobGeneration, listed: Collection[str]) -> JsonObject:
    groups: dict[str, JsonObject] = {}
    for key, group in evals.members:
        assert isinstance(group, JsonObject)
        groups[key] = JsonObject([(name, value) for name, value in group.members if name in generation.group])
    rest = [key for key in groups if key not in listed]
    with_metrics = [key for key in rest if _has(groups[key], "metrics")]
    with_pass_at_k = [key for key in rest if key not in with_metrics and _has(groups[key], "pass_at_k")]
    order = [*(key for key in listed if key in groups), *with_metrics, *with_pass_at_k]
    return JsonObject([(key, groups[key]) for key in order])


def _has(group: JsonObject, name: str) -> bool:
    value = dict(group.members).get(name)
    return bool(value.members if isinstance(value, JsonObject) else value)
