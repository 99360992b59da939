"""Rows for trials, in full and in brief, and checks of the exceptions, times and task names in records.

A trial has a valid reward if it has rewards and none of its exceptions, including those of steps,
invalidates them. A job may override the policy of an exception type; records then have the override next to
the exception.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from pathlib import PurePath
from uuid import UUID

import msgspec
from msgspec import UNSET

from conformance.extensions.audit import formats
from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import (
    CLAUSE,
    JOB_FILE,
    Forms,
    JobForm,
    Policy,
    Raised,
    Record,
    Report,
)
from conformance.extensions.audit.reading import pointer, show
from reference_impl import AgentResult, Strategy, Trial, evals_key
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
"""Exception types by what follows them: the trial is retried or graded, or its reward stays valid."""


def _policy(after: str) -> Policy:
    return Policy(*(word in after for word in ("retry", "grade", "valid")))


POLICIES = {name: _policy(after) for after, names in _GROUPS.items() for name in names.split()}
"""The policy of each exception type; other types have `_OTHER`."""
_OTHER = _policy("retry, grade, valid")
_SCHEMA_VERSION = 1


def policy_of(raised: Raised) -> Policy:
    """Return the policy of a recorded exception, by its type and the job's override."""
    policy, override = POLICIES.get(raised.exception_type, _OTHER), raised.policy_override
    if override is UNSET or override is None:
        return policy
    changes = {name: value for name, value in msgspec.structs.asdict(override).items() if value is not None}
    return msgspec.structs.replace(policy, **changes)


def policy_findings(record: Record, file: str) -> Iterator[Finding]:
    """Check a record's version, the policies of its exceptions and the validity of its reward."""
    if record.exception_info is None and record.reward_valid is UNSET and not record.steps:
        return  # as in most records of earlier releases
    if record.schema_version not in (UNSET, _SCHEMA_VERSION):
        details = (str(record.schema_version), f"{_SCHEMA_VERSION}, the only version there is")
        yield Finding("schema", file, "/schema_version", *details, CLAUSE)
    steps = ((f"/step_results/{index}", step.exception_info) for index, step in enumerate(record.steps or ()))
    raised = [(part, info) for part, info in (("", record.exception_info), *steps) if info is not None]
    wrong: list[tuple[str, object, str]] = []
    for prefix, error in raised:
        policy = msgspec.structs.asdict(policy_of(error)) if error.policy is not UNSET else {}
        for name, value in policy.items():
            if (stated := getattr(error.policy, name)) is not value:
                wanted = f"{str(value).lower()}, harbor's policy for {error.exception_type}"
                wrong.append((f"{prefix}/exception_info/policy/{name}", stated, wanted))
    rewards = None if record.verifier_result is None else record.verifier_result.rewards
    bad = [info.exception_type for _, info in raised if not policy_of(info).has_valid_reward]
    if record.reward_valid is not UNSET and record.reward_valid is not (bool(rewards) and not bad):
        wanted = "true, as there are rewards and no exception that makes them invalid"
        if record.reward_valid:
            wanted = f"false, as there {f'is {bad[0]}' if rewards else 'are no rewards'}"
        wrong.append(("/reward_valid", record.reward_valid, wanted))
    for path, actual, wanted in wrong:
        yield Finding("record", file, path, str(actual).lower(), wanted, CLAUSE)


Files = dict[str, bytes]
"""The reward files of one verifier run, by name."""


@dataclass(slots=True)
class Row:
    """The parts of a trial's record that the job's numbers depend on."""

    trial: Trial
    folder: str
    """The name of its directory; empty if only the trial's number is known."""
    forms: Forms = ()
    started: float | None = None
    """Seconds on a clock that all of the job's trials share."""
    ended: datetime | None = None
    """As recorded, which is without a time zone up to 0.1.35."""
    id: UUID | None = None
    """The trial's id; None if it is not compared."""
    task: tuple[tuple[tuple[str, str | None], ...], str] | None = None
    """The task's id and checksum, which distinguish tasks of the same name; None if it has neither."""
    whole: bool = True
    """False for a trial that is only known from the job's lists, without tokens and task."""
    strategy: Strategy | None = None
    """The strategy that derives its rewards from those of its steps, if the record shows it."""
    steps: Mapping[str, Step] = field(default_factory=dict)
    files: Mapping[str, Files] | None = None
    """The reward files by step, under an empty name for a trial without steps; None if not kept."""
    step_errors: tuple[str | None, ...] = ()
    """The exception type of each step; None for a step without one."""
    overrides: Mapping[str, bool] = field(default_factory=dict)
    """Whether rewards stay valid after an exception, for types whose policy the job overrides."""
    valid: bool | None = None
    """Whether the reward is valid according to the job's list; None if the exceptions decide."""


@dataclass(slots=True)
class TrialRow:
    """A trial in brief, for scores and tables."""

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
    """Seconds on a clock that all of the job's trials share."""
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
    left_out: bool = False
    """Whether the counting release excluded it from scores because its reward is not valid."""
    job: str = ""
    """The job's name in the report; set once the trial is part of a submission."""

    def __reduce__(self) -> tuple[type["TrialRow"], tuple[object, ...]]:
        """Pickle in half the usual time, since many rows are sent between processes."""
        return TrialRow, tuple(getattr(self, name) for name in self.__slots__)


def rewards_of(trial: Trial) -> Rewards | None:
    """Return a trial's rewards; None if it was not scored."""
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def has_valid_reward(row: Row) -> bool:
    """Return whether the trial counts if only valid rewards do (since 0.26.0)."""
    if row.valid is not None:
        return row.valid
    raised = [error for error in (row.trial.exception, *row.step_errors) if error is not None]
    valid = (row.overrides.get(error, POLICIES.get(error, _OTHER).has_valid_reward) for error in raised)
    return bool(rewards_of(row.trial)) and all(valid)


def counted_rewards(row: Row, form: JobForm) -> Rewards | None:
    """Return the rewards that a job of that form lists for the trial."""
    return None if form.by_validity and not has_valid_reward(row) else rewards_of(row.trial)


def errors_of(row: Row, form: JobForm) -> list[str]:
    """Return the exception types under which a job of that form lists the trial."""
    own = row.trial.exception
    if not (form.by_validity and row.step_errors):
        return [] if own is None else [own]
    return sorted({error for error in (own, *row.step_errors) if error is not None})


def group_of(trial: Trial, form: JobForm) -> str:
    """Return the evals key of the trial in a job of that form."""
    agent, *names = (trial.agent, trial.model or "", trial.source or "")
    if not form.slash_in_keys:
        agent, *names = (name.replace("/", "-") for name in (agent, *names))
    return evals_key(agent, names[0] or None, names[1] or None)


def trial_row(row: Row, form: JobForm) -> TrialRow:
    """Return the trial in brief."""
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


_EPOCH = datetime(1970, 1, 1)
_FEW_DIGITS = 3
"""An id with at most this many different digits, such as all zeros, is a placeholder."""
_CLOCK_SET = 60.0
"""The most seconds by which a phase may exceed the trial's times, as clocks are adjusted meanwhile."""
_BEHIND, _ZONES = 12 * 3600.0, 26 * 3600.0
"""The most seconds by which local times are behind UTC, and by which two zones differ."""


def time_findings(record: Record, row: Row, file: str) -> Iterator[Finding]:
    """Report an end before its start, or the first phase that is not within the trial's times."""
    begun, ended, text = row.started, seconds_of(record.finished_at), _format_time
    if begun is None or ended is None:
        return
    if ended < begun:
        begin = f"not before {text(record.started_at)}, when the trial began"
        yield Finding("time", file, "/finished_at", show(text(record.finished_at)), begin, CLAUSE)
        return
    for phase, end in product(("agent_execution", "verifier"), ("started_at", "finished_at")):
        moment = getattr(getattr(record, phase), end, None)
        seconds = seconds_of(moment)
        if seconds is not None and not begun - _CLOCK_SET <= seconds <= ended + _CLOCK_SET:
            within = f"between {text(record.started_at)} and {text(record.finished_at)}, the trial's times"
            details = (show(text(moment)), within, CLAUSE, "the phase is copied from another trial")
            yield Finding("time", file, pointer(phase, end), *details)
            return


def cross_trial_findings(
    rows: Sequence[Row], listed: Container[str], ended: datetime | None
) -> Iterator[Finding]:
    """Report an id that two trials have, and listed trials that end after the job has `ended`.

    A job's times are local and have no zone, and the job may be resumed in another zone.
    """
    counts: Counter[UUID | None] = Counter(row.id for row in rows if row.id is not None)
    last = seconds_of(ended)
    firsts: dict[UUID | None, Row] = {}
    for row in sorted((row for row in rows if counts[row.id] > 1), key=lambda row: row.folder):
        first = firsts.setdefault(row.id, row)
        if first is not row and row.id is not None and len({*row.id.hex}) > _FEW_DIGITS:
            wanted, file = f"an id of its own; {show(first.folder)} has it too", f"{row.folder}/{JOB_FILE}"
            yield Finding("duplicate-trial", file, "/id", f"the id {row.id}", wanted, CLAUSE)
    for row in rows if last is not None else ():
        end, local = seconds_of(row.ended), row.ended is not None and row.ended.tzinfo is None
        slack = _ZONES if local else _BEHIND
        late = end is not None and last is not None and end > last + slack + _CLOCK_SET
        if late and row.trial.trial_name in listed:
            wanted = f"not after {_format_time(ended)}, when the job finished, in any time zone"
            details = (show(_format_time(row.ended)), wanted, CLAUSE, "the trial was run again elsewhere")
            yield Finding("time", f"{row.folder}/{JOB_FILE}", "/finished_at", *details)


def _format_time(moment: datetime | None) -> str:
    """Return the time in harbor's format."""
    return "" if moment is None else moment.isoformat().replace("+00:00", "Z")


def seconds_of(moment: datetime | None) -> float | None:
    """Return seconds on a clock that all of a job's trials share."""
    if moment is None or moment.tzinfo is not None:
        return None if moment is None else moment.timestamp()
    return (moment - _EPOCH).total_seconds()


def fix_tasks(rows: Sequence[Row]) -> tuple[list[Row], list[Finding]]:
    """Return the rows with correct task names, and a finding for each record with a wrong one.

    The correct name is the one that most trials of the task have, or the one that the task's id and the
    trial's name agree on: a task is named after its folder or, if it has its own name, `org/name`.
    """
    names: defaultdict[object, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.task is not None:
            names[row.task][row.trial.task_name] += 1
    ids = [_name_by_id(row) for row in rows]
    fitting = sum(row.trial.task_name == name for row, name in zip(rows, ids, strict=True))
    fixed, findings = [], []
    for row, name in zip(rows, ids, strict=True):
        own, counts = row.trial.task_name, names.get(row.task, Counter())
        most, count = counts.most_common(1)[0] if counts else (own, 0)
        why = f"as in {count} other records of this task"
        if count == counts[own] and 2 * fitting >= len(rows) and (name or "").count("/") >= own.count("/"):
            most, why = name or own, "as in the task's id and the trial's name"
        if most != own:
            details = (show(own), f"{show(most)}, {why}")
            findings.append(Finding("record", f"{row.folder}/{JOB_FILE}", "/task_name", *details, CLAUSE))
            row = replace(row, trial=replace(row.trial, task_name=most))
        fixed.append(row)
    return fixed, findings


def _name_by_id(row: Row) -> str | None:
    """Return the task's name by its id, if the trial's name begins with it."""
    known = dict(row.task[0]) if row.task else {}
    path, org, name = (known.get(key) or "" for key in ("path", "org", "name"))
    own = f"{org}/{name}" if org and name else PurePath(path).name
    named = row.trial.trial_name.rpartition("__")[0].rstrip("_-")
    return own if own and own.rpartition("/")[2][: formats.LONGEST_NAMED].rstrip("_-") == named else None


def agent_result(stated: Report | None) -> AgentResult | None:
    """Return the numbers in an agent's report that the job adds up."""
    if stated is None:
        return None
    return AgentResult(stated.n_input_tokens, stated.n_cache_tokens, stated.n_output_tokens, stated.cost_usd)
