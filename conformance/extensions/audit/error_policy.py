"""How harbor 0.26.0 treats a trial after an exception, by its type, and whether records say so.

A trial has a valid reward if it has rewards and none of its exceptions, those of steps included, makes them
invalid. A job may override the policy of a type; records carry that next to the exception.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET

from conformance.extensions.audit.findings import Finding

if TYPE_CHECKING:
    from conformance.extensions.audit.records import Raised, Record


class ErrorPolicy(NamedTuple):
    """What becomes of a trial with an exception of some type."""

    should_retry: bool
    """Whether it is tried again, if retries are left."""
    should_grade: bool
    """Whether the verifier runs."""
    has_valid_reward: bool
    """Whether its rewards count."""


_GROUPS: dict[ErrorPolicy, str] = {
    ErrorPolicy(should_retry=True, should_grade=False, has_valid_reward=False): """
        EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
        SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
        GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError
    """,
    ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=False): """
        ApiError ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
        ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
        RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout
    """,
    ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=False): """
        UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
        APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
        RewardFileEmptyError VerifierOutputParseError
    """,
    ErrorPolicy(should_retry=False, should_grade=False, has_valid_reward=False): """
        AgentAuthenticationError ModelNotFoundError ApiProviderResourceNotFoundError AuthenticationError
        PermissionDeniedError NotFoundError ServiceOperationsUnsupportedError VercelScopeError
        DspyImportError MissingExtraError RegradeError CancelledError
    """,
    ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=True): """
        NonZeroAgentExitCodeError AgentTimeoutError ContextWindowExceededError OutputTokenExceededError
        ContextLengthExceededError OutputLengthExceededError AgentSafetyRefusalError
        ContentPolicyViolationError
    """,
}
POLICIES = {name: policy for policy, names in _GROUPS.items() for name in names.split()}
"""By type; of any other type `_OTHER`."""
_OTHER = ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=True)
_SCHEMA_VERSION = 1
_CLAUSE = "003-3.3-trial-record"


def is_valid_after(exception: str, overrides: Mapping[str, bool]) -> bool:
    """Whether rewards stay valid after an exception of that type."""
    own = overrides.get(exception)
    return POLICIES.get(exception, _OTHER).has_valid_reward if own is None else own


def policy_of(raised: "Raised") -> ErrorPolicy:
    """The policy of a recorded exception, by its type and the job's override."""
    policy, override = POLICIES.get(raised.exception_type, _OTHER), raised.policy_override
    if override is UNSET or override is None:
        return policy
    changes = {name: value for name in policy._fields if (value := getattr(override, name)) is not None}
    return policy._replace(**changes)


def policy_findings(record: "Record", file: str) -> Iterator[Finding]:
    """Where a record is wrong about its version, its exceptions' policies or its reward's validity."""

    def wrong(path: str, found: object, wanted: str) -> Finding:
        return Finding("record", file, path, str(found).lower(), wanted, _CLAUSE)

    if record.exception_info is None and record.reward_valid is UNSET and not record.steps:
        return  # most records of earlier releases
    if record.schema_version not in (UNSET, _SCHEMA_VERSION):
        what = (str(record.schema_version), f"{_SCHEMA_VERSION}, the only version there is")
        yield Finding("schema", file, "/schema_version", *what, _CLAUSE)
    steps = ((f"/step_results/{at}", step.exception_info) for at, step in enumerate(record.steps or ()))
    raised = [(place, one) for place, one in (("", record.exception_info), *steps) if one is not None]
    for place, one in raised:
        if one.policy is not UNSET:
            for name, value in policy_of(one)._asdict().items():
                stated = getattr(one.policy, name)
                if stated is not value:
                    wanted = f"{str(value).lower()}, as in harbor for {one.exception_type}"
                    yield wrong(f"{place}/exception_info/policy/{name}", stated, wanted)
    rewards = None if record.verifier_result is None else record.verifier_result.rewards
    bad = [one.exception_type for _, one in raised if not policy_of(one).has_valid_reward]
    if record.reward_valid is not UNSET and record.reward_valid is not (bool(rewards) and not bad):
        wanted = "true, as there are rewards and no exception that makes them invalid"
        if record.reward_valid:
            wanted = f"false, as there {f'is {bad[0]}' if rewards else 'are no rewards'}"
        yield wrong("/reward_valid", record.reward_valid, wanted)
