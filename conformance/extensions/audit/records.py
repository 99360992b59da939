"""A trial's record as harbor writes it, in any release, and which releases may have written it."""

from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from conformance.extensions.audit.formats import RECORD_FORMS, Forms, is_later_config

CLAUSE = "003-3.3-trial-record"
NOT_ALWAYS = ("model_usage", "output_logprobs", "rollout_details")
"""Members of an agent's report that only some releases write."""


class Shape(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A base class that allows no unknown member, and only some members to be missing."""


class Timing(Shape):
    """The start and end of a phase."""

    started_at: datetime | None
    finished_at: datetime | None


class Model(Shape):
    """The agent's model."""

    name: str
    provider: str | None


class Agent(Shape):
    """The agent."""

    name: str
    version: str
    model_info: Model | None


class Report(Shape, kw_only=True):
    """What the agent reported."""

    n_input_tokens: int | None
    n_cache_tokens: int | None
    n_output_tokens: int | None
    cost_usd: float | None
    model_usage: dict[str, dict[str, Any]] | UnsetType | None = UNSET
    output_logprobs: list[Any] | UnsetType | None = UNSET
    rollout_details: list[Any] | UnsetType | None = UNSET
    metadata: dict[str, Any] | None


class Verified(Shape):
    """The verifier's result; NaN and infinities are written as null."""

    rewards: dict[str, int | float | None] | None


class PolicyOverride(Shape):
    """The job's policy for exceptions of that type; null where it leaves the default."""

    should_retry: bool | None
    should_grade: bool | None
    has_valid_reward: bool | None


class Policy(Shape):
    """How harbor treats the trial after the exception."""

    should_retry: bool
    should_grade: bool
    has_valid_reward: bool


class Raised(Shape):
    """The exception that ended a trial or step."""

    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: datetime
    policy_override: PolicyOverride | UnsetType | None = UNSET
    policy: Policy | UnsetType = UNSET


class Part(Shape):
    """A step that was run."""

    step_name: str
    agent_result: Report | None
    verifier_result: Verified | None
    exception_info: Raised | None
    agent_execution: Timing | None
    verifier: Timing | None


class Record(Shape, kw_only=True):
    """A trial."""

    schema_version: int | UnsetType = UNSET
    id: UUID
    task_name: str
    trial_name: str
    trial_uri: str
    task_id: dict[str, str | None]
    source: str | None
    task_checksum: str
    config: dict[str, Any]
    agent_info: Agent
    agent_result: Report | None
    verifier_result: Verified | None
    verifier_environment_mode: str | UnsetType | None = UNSET
    exception_info: Raised | None
    started_at: datetime | None
    finished_at: datetime | None
    environment_setup: Timing | None
    agent_setup: Timing | None
    agent_execution: Timing | None
    verifier: Timing | None
    step_results: list[Part] | UnsetType | None = UNSET
    reward_valid: bool | UnsetType = UNSET

    @property
    def steps(self) -> list[Part] | None:
        """Its steps; None for a trial without steps."""
        return None if self.step_results is UNSET else self.step_results


def forms_of(record: Record) -> Forms:
    """The releases that write exactly these members; empty if there are none."""
    early, lacking = {record.schema_version is UNSET, record.reward_valid is UNSET}, set()
    for part in (record, *(record.steps or ())):
        if (report := part.agent_result) is not None:
            lacking.add(tuple([getattr(report, name) is UNSET for name in NOT_ALWAYS]))
        if part.exception_info is not None:
            early.add(part.exception_info.policy is UNSET)
    if len(lacking) > 1 or len(early) > 1:
        return ()
    model = record.agent_info.model_info
    return _forms(
        True not in early,
        record.verifier_environment_mode is not UNSET,
        record.step_results is not UNSET,
        next(iter(lacking), None),
        is_later_config(record.config),
        model is not None and model.provider is None,
    )


@cache
def _forms(
    version: bool, mode: bool, steps: bool, lacking: tuple[bool, ...] | None, later: bool, bare: bool
) -> Forms:
    """The forms that fit the members that not all releases write.

    `bare` is whether a model has no provider. `lacking` says for each of `NOT_ALWAYS` whether reports lack
    it.
    """
    report = [name for name, lacks in zip(NOT_ALWAYS, lacking or (), strict=False) if not lacks]
    some = ("schema_version", "verifier_environment_mode", "step_results")
    return tuple(
        form
        for form in RECORD_FORMS
        if [name in form.record for name in some] == [version, mode, steps]
        and (lacking is None or {*report} == {*form.report}.intersection(NOT_ALWAYS))
        and (steps or not later)
        and not (bare and form.provider_required)
    )
