"""Harbor's file formats by release, as data: supporting a new release means adding a row.

The job's file and the trials' records changed in different releases, so each has its own forms, which are
recognised by their members. The boundaries were found by executing the published releases and their models.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, get_args
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

JOB_FILE = "result.json"
"""The name of the job's result in its directory, and of a trial's record in the trial's directory."""
NOT_FOUND = "RewardFileNotFoundError"
"""The exception of a trial whose verifier left no reward file."""
LONGEST_NAMED = 32
"""The length to which a task's name is cut at the start of its trials' names."""
TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")

_JOB = ("id", "started_at", "finished_at", "n_total_trials", "stats")
_JOB_UPDATED = ("id", "started_at", "updated_at", "finished_at", "n_total_trials", "stats")
VERSION = "schema_version"
"""A member that all files have since 0.26.0."""
_STATS = ("n_trials", "n_errors", "evals")
_STATS_PROGRESS = (
    *("n_completed_trials", "n_errored_trials", "n_running_trials", "n_pending_trials"),
    *("n_cancelled_trials", "n_retries", "evals", *TOTALS),
)
_GROUP = ("n_trials", "n_errors", "metrics", "reward_stats", "exception_stats")
_GROUP_PASS = ("n_trials", "n_errors", "metrics", "pass_at_k", "reward_stats", "exception_stats")


@dataclass(frozen=True, slots=True)
class JobForm:
    """The format of `result.json` in some releases; members are in the file's order."""

    name: str
    """The first and the last release."""
    job: tuple[str, ...]
    stats: tuple[str, ...]
    group: tuple[str, ...]
    """The members of an entry of `evals`."""
    slash_in_keys: bool = True
    """Whether an evals key keeps a `/` of the agent, model or dataset; otherwise it becomes `-`."""
    one_reward_key: bool = False
    """Whether a built-in metric requires rewards with a single key, whatever its name."""
    every_group: bool = True
    """Whether each trial creates its group; otherwise only a reward, exception, metric or pass@k does."""
    by_validity: bool = False
    """Whether only trials with a valid reward count, and exceptions of steps are listed with the trial's."""


JOB_FORMS = (
    JobForm("0.1.2 to 0.3.0", _JOB, _STATS, _GROUP, False, True, False),
    JobForm("0.4.0 to 0.5.0", _JOB, _STATS, _GROUP_PASS, True, True, False),
    JobForm("0.6.0 to 0.6.1", _JOB, (*_STATS, *TOTALS), _GROUP_PASS, every_group=False),
    JobForm("0.6.2 to 0.25.0", _JOB_UPDATED, _STATS_PROGRESS, _GROUP_PASS),
    JobForm("0.26.0", (VERSION, *_JOB_UPDATED), _STATS_PROGRESS, _GROUP_PASS, by_validity=True),
)
"""From oldest to newest."""
LIVE = "trial_results"
"""An empty member that 0.1.3 to 0.6.1 write while the job is running."""
JOB_MEMBERS = frozenset({LIVE}.union(*(form.job for form in JOB_FORMS)))
"""All members that any release writes."""
STATS_MEMBERS = frozenset[str]().union(*(form.stats for form in JOB_FORMS))
GROUP_MEMBERS = frozenset[str]().union(*(form.group for form in JOB_FORMS))


def job_form(members: Collection[str], stats: Collection[str], group: Collection[str]) -> JobForm:
    """Return the form that a job's file matches best by its members; the oldest if several match equally.

    `group` has the members of all entries of `evals`. Members that no release writes are ignored.
    """
    has = [{*members} & JOB_MEMBERS - {LIVE}, {*stats} & STATS_MEMBERS, {*group} & GROUP_MEMBERS]

    def distance(form: JobForm) -> int:
        expected = [form.job, form.stats, form.group if has[2] else ()]
        return sum(len({*names} ^ actual) for names, actual in zip(expected, has, strict=True))

    return min(JOB_FORMS, key=distance)


CLAUSE = "003-3.3-trial-record"
NOT_ALWAYS = ("model_usage", "output_logprobs", "rollout_details")
"""Members of an agent's report that only some releases write."""


class Shape(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A base class that forbids unknown members and requires all that have no default."""


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
    """The job's policy for exceptions of a type; null leaves the default."""

    should_retry: bool | None
    should_grade: bool | None
    has_valid_reward: bool | None


class Policy(Shape):
    """What harbor does with the trial after the exception."""

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


_NOT_ALWAYS: dict[type[Shape], tuple[str, ...]] = {
    Record: (VERSION, "reward_valid", "verifier_environment_mode", "step_results"),
    Report: NOT_ALWAYS,
    Raised: ("policy",),
}
"""The members of each shape that only some releases write."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordForm:
    """The format of a trial's record in some releases."""

    name: str
    lacks: str
    """The members of the newest format that these releases do not write."""
    readings: tuple[str, ...]
    """How these releases read reward files (`rules.READINGS`), the most likely first."""
    provider_required: bool = False
    """Whether a model always has a provider."""

    def members(self, shape: type[Shape]) -> tuple[str, ...]:
        """Return the members of a shape, in the file's order, without the policy override."""
        lacks = {*self.lacks.split(), "policy_override"}
        return tuple(name for name in shape.__struct_fields__ if name not in lacks)


_LATE = "schema_version reward_valid policy"
_EARLY = f"{_LATE} verifier_environment_mode model_usage"
_STEPS = f"{_EARLY} output_logprobs"
RECORD_FORMS = (
    RecordForm("0.1.2 to 0.1.12", f"{_EARLY} step_results rollout_details", ("text",), True),
    RecordForm("0.1.13 to 0.4.0", f"{_EARLY} step_results output_logprobs", ("text",), True),
    RecordForm("0.5.0", _STEPS, ("text",), True),
    RecordForm("0.6.0 to 0.20.0", _STEPS, ("json", "text")),
    RecordForm("0.21.0 to 0.22.0", f"{_LATE} model_usage output_logprobs", ("json",)),
    RecordForm("0.23.0 to 0.25.0", f"{_LATE} output_logprobs", ("finite", "json")),
    RecordForm("0.26.0", "output_logprobs", ("finite",)),
)
"""From oldest to newest."""
_SINCE_0_7_1 = "extra_instruction_paths"
"""A configuration member that was added after `reward.json` took precedence."""
_LATER_CONFIG = {"agent": {"skills"}, "environment": {"cpu_enforcement_policy", "extra_docker_compose"}}
"""Members of a trial's configuration that were added after `step_results` in records."""

Forms = tuple[RecordForm, ...]
"""The possible forms of a record, oldest first; there may be several if it has no agent's report."""


def job_form_of(records: Iterable[Forms]) -> JobForm:
    """Return the form of the job file for these records."""
    return JOB_FORMS[-1 if any(VERSION not in form.lacks for forms in records for form in forms) else -2]


def is_later_config(config: object) -> bool:
    """Return whether a configuration has a member that only releases with `step_results` write."""
    members = config if isinstance(config, dict) else {}
    parts = ((members.get(name), keys) for name, keys in _LATER_CONFIG.items())
    return any(isinstance(part, dict) and not keys.isdisjoint(part) for part, keys in parts)


def nearest_record_form(members: Collection[str], report: Collection[str] = ()) -> RecordForm:
    """Return the form that a record matches best; the newest if several match equally."""

    def distance(form: RecordForm) -> int:
        both = ((Record, members), (Report, report or form.members(Report)))
        return sum(len({*form.members(shape)} ^ {*actual}) for shape, actual in both)

    return min(reversed(RECORD_FORMS), key=distance)


def readings_of(forms: Forms, config: object) -> tuple[str, ...]:
    """Return how the releases that may have written a record read reward files; one needs to match."""
    readings = dict.fromkeys(reading for form in reversed(forms) for reading in form.readings)
    if isinstance(config, dict) and _SINCE_0_7_1 in config:
        readings.pop("text", None)
    return tuple(readings) or ("json",)


def forms_of(record: Record) -> Forms:
    """Return the forms that have exactly a record's members; empty if there are none."""
    parts = (record, *(record.steps or ()))
    objects = [record, *(report for part in parts for report in (part.agent_result, part.exception_info))]
    lacking = frozenset(
        (type(item), tuple([getattr(item, name) is UNSET for name in _NOT_ALWAYS[type(item)]]))
        for item in objects
        if item is not None
    )
    model = record.agent_info.model_info
    is_bare = model is not None and model.provider is None
    return _forms(lacking, is_later_config(record.config), is_bare)


@cache
def _forms(lacking: frozenset[tuple[type[Shape], tuple[bool, ...]]], later: bool, bare: bool) -> Forms:
    """Return the forms that lack exactly these members; `bare` is set if a model has no provider."""
    return tuple(
        form
        for form in RECORD_FORMS
        if all(flags == tuple(name in form.lacks for name in _NOT_ALWAYS[shape]) for shape, flags in lacking)
        and not (later and "step_results" in form.lacks)
        and not (bare and form.provider_required)
    )


def inner_type(type_: Any) -> type[Shape] | None:
    """Return the shape in a member's type, or in its list's items."""
    if args := get_args(type_):
        return next((inner for arg in args if (inner := inner_type(arg)) is not None), None)
    return type_ if isinstance(type_, type) and issubclass(type_, Shape) else None


def expected_type(value: Any, info: msgspec.structs.FieldInfo) -> str | None:
    """Return a description of the member's type; None if the value is of that type."""
    try:
        msgspec.convert(value, info.type)
    except msgspec.ValidationError as error:
        match = re.match(r"Expected `(.*)`, got `", str(error))
        return match[1].replace(" | ", " or ") if match else str(error).partition(" - at ")[0]
    except (RecursionError, OverflowError):
        return "a value that harbor writes"
    return None


DEFAULT_VALUES: dict[str, Any] = {
    "id": UUID(int=0),
    "task_id": {},
    "config": {},
    "verifier": Timing(None, None),
    "occurred_at": datetime(1970, 1, 1),
    **dict.fromkeys(
        ("trial_uri", "task_checksum", "version", "exception_message", "exception_traceback"), ""
    ),
    **dict.fromkeys(("started_at", "finished_at", "environment_setup", "agent_setup", "agent_execution")),
    **dict.fromkeys(("provider", "metadata", "verifier_environment_mode", *NOT_ALWAYS)),
}
"""Replacements for wrong values in members that the audit does not use."""
