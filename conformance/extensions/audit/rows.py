"""A trial as the job counts it, in full and in brief; how 0.26.0 treats it after an exception.

A trial has a valid reward if it has rewards and none of its exceptions, including those of steps,
invalidates them. A job may override the policy of an exception type; records then have the override next to
the exception.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import UNSET

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import Forms, JobForm, Policy, Raised, Record
from reference_impl import Strategy, Trial, evals_key
from reference_impl.agent_result import trial_total
from reference_impl.multi_step import Step
from reference_impl.verifier_result import Rewards

_GROUPS = {
    "retry": """
        EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
        SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
        GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError
    """,
    "retry, grade": """
        ApiError ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
        ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
        RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout
    """,
    "grade": """
        UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
        APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
        RewardFileEmptyError VerifierOutputParseError
    """,
    "": """
        AgentAuthenticationError ModelNotFoundError ApiProviderResourceNotFoundError AuthenticationError
        PermissionDeniedError NotFoundError ServiceOperationsUnsupportedError VercelScopeError
        DspyImportError MissingExtraError RegradeError CancelledError
    """,
    "grade, valid": """
        NonZeroAgentExitCodeError AgentTimeoutError ContextWindowExceededError OutputTokenExceededError
        ContextLengthExceededError OutputLengthExceededError AgentSafetyRefusalError
        ContentPolicyViolationError
    """,
}
"""What is done after exceptions of these types: the trial is retried, graded, its reward is valid."""


def _policy(after: str) -> Policy:
    return Policy(*(word in after for word in ("retry", "grade", "valid")))


POLICIES = {name: _policy(after) for after, names in _GROUPS.items() for name in names.split()}
"""By type; other types have `_OTHER`."""
_OTHER = _policy("retry, grade, valid")
_SCHEMA_VERSION = 1
_CLAUSE = "003-3.3-trial-record"


def policy_of(raised: Raised) -> Policy:
    """The policy of a recorded exception, by its type and the job's override."""
    policy, override = POLICIES.get(raised.exception_type, _OTHER), raised.policy_override
    if override is UNSET or override is None:
        return policy
    changes = {name: value for name, value in msgspec.structs.asdict(override).items() if value is not None}
    return msgspec.structs.replace(policy, **changes)


def policy_findings(record: Record, file: str) -> Iterator[Finding]:
    """Checks a record's version, its exceptions' policies and its reward's validity."""
    if record.exception_info is None and record.reward_valid is UNSET and not record.steps:
        return  # most records of earlier releases
    if record.schema_version not in (UNSET, _SCHEMA_VERSION):
        what = (str(record.schema_version), f"{_SCHEMA_VERSION}, the only version there is")
        yield Finding("schema", file, "/schema_version", *what, _CLAUSE)
    steps = ((f"/step_results/{at}", step.exception_info) for at, step in enumerate(record.steps or ()))
    raised = [(place, one) for place, one in (("", record.exception_info), *steps) if one is not None]
    wrong: list[tuple[str, object, str]] = []
    for place, one in raised:
        for name, value in msgspec.structs.asdict(policy_of(one)).items() if one.policy is not UNSET else ():
            if (stated := getattr(one.policy, name)) is not value:
                wanted = f"{str(value).lower()}, as in harbor for {one.exception_type}"
                wrong.append((f"{place}/exception_info/policy/{name}", stated, wanted))
    rewards = None if record.verifier_result is None else record.verifier_result.rewards
    bad = [one.exception_type for _, one in raised if not policy_of(one).has_valid_reward]
    if record.reward_valid is not UNSET and record.reward_valid is not (bool(rewards) and not bad):
        wanted = "true, as there are rewards and no exception that makes them invalid"
        if record.reward_valid:
            wanted = f"false, as there {f'is {bad[0]}' if rewards else 'are no rewards'}"
        wrong.append(("/reward_valid", record.reward_valid, wanted))
    for path, found, wanted in wrong:
        yield Finding("record", file, path, str(found).lower(), wanted, _CLAUSE)


Files = dict[str, bytes]
"""The reward files of one verifier run by name; none if it left none."""


@dataclass(slots=True)
class Row:
    """The parts of a trial's record that the job depends on."""

    trial: Trial
    folder: str
    """The name of its directory; empty if only the trial's number is known."""
    forms: Forms = ()
    started: float | None = None
    """In seconds, by a clock that all of the job's trials share."""
    ended: datetime | None = None
    """As recorded: without a time zone up to 0.1.35."""
    id: UUID | None = None
    """Its own id; None if that is not compared."""
    task: tuple[tuple[tuple[str, str | None], ...], str] | None = None
    """Its task's id and checksum, which distinguish tasks of the same name; None if it has neither."""
    whole: bool = True
    """False for a trial that is only known from the job's lists: it has no tokens and no task."""
    strategy: Strategy | None = None
    """The strategy that derives its rewards from its steps', if the record shows it."""
    steps: Mapping[str, Step] = field(default_factory=dict)
    files: Mapping[str, Files] | None = None
    """The reward files by step, with an empty name for a trial without steps; None if not kept."""
    step_errors: tuple[str | None, ...] = ()
    """The exception type of each step; None for a step without one."""
    overrides: Mapping[str, bool] = field(default_factory=dict)
    """Whether rewards stay valid after exceptions of a type, if the job overrides the policy."""
    valid: bool | None = None
    """Whether its reward is valid, if the job's list decides that; None if the exceptions do."""


@dataclass(slots=True)
class TrialRow:
    """One trial's record, even if several files of the job repeat it."""

    trial: str
    task: str
    source: str | None
    agent: str
    model: str | None
    group: str
    """The evals key of its group."""
    rewards: Rewards | None
    exception: str | None
    started: float | None
    """In seconds, by a clock that all of the job's trials share."""
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
    left_out: bool = False
    """Whether the counting release excluded it from the scores because its reward is not valid."""
    job: str = ""
    """The job's name in the report, once it is part of a submission."""

    def __reduce__(self) -> tuple[type["TrialRow"], tuple[object, ...]]:
        """Pickles in half the usual time, since many of them go between processes."""
        return TrialRow, tuple(getattr(self, name) for name in self.__slots__)


def rewards_of(trial: Trial) -> Rewards | None:
    """The rewards; None if it was not scored."""
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def has_valid_reward(row: Row) -> bool:
    """Whether the trial counts if only valid rewards do (since 0.26.0)."""
    if row.valid is not None:
        return row.valid
    raised = [one for one in (row.trial.exception, *row.step_errors) if one is not None]
    valid = (row.overrides.get(one, POLICIES.get(one, _OTHER).has_valid_reward) for one in raised)
    return bool(rewards_of(row.trial)) and all(valid)


def counted_rewards(row: Row, form: JobForm) -> Rewards | None:
    """The rewards that a job of that form lists for the trial."""
    return None if form.by_validity and not has_valid_reward(row) else rewards_of(row.trial)


def errors_of(row: Row, form: JobForm) -> list[str]:
    """The exception types under which a job of that form lists the trial."""
    own = row.trial.exception
    if not (form.by_validity and row.step_errors):
        return [] if own is None else [own]
    return sorted({one for one in (own, *row.step_errors) if one is not None})


def group_of(trial: Trial, form: JobForm) -> str:
    """The evals key under which a job of that form has the trial."""
    agent, *names = (trial.agent, trial.model or "", trial.source or "")
    if not form.slash_in_keys:
        agent, *names = (one.replace("/", "-") for one in (agent, *names))
    return evals_key(agent, names[0] or None, names[1] or None)


def trial_row(row: Row, form: JobForm) -> TrialRow:
    """The trial in brief."""
    trial, raised = row.trial, errors_of(row, form)
    used = trial_total(trial.agent_result, trial.step_results)
    return TrialRow(
        *(trial.trial_name, trial.task_name, trial.source, trial.agent, trial.model),
        group_of(trial, form),
        rewards_of(trial),
        raised[0] if trial.exception is None and raised else trial.exception,
        row.started,
        *(used.n_input_tokens, used.n_cache_tokens, used.n_output_tokens, used.cost_usd),
        left_out=form.by_validity and not has_valid_reward(row),
    )
