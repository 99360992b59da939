"""The generations of `result.json`, of the job and of a trial: members, counting rules, keys.

The boundaries are those of the published releases' own models and executed code.
"""

from collections.abc import Collection
from dataclasses import dataclass

__all__ = [
    "FIRST_STEPS",
    "GROUP_MEMBERS",
    "JOB_GENERATIONS",
    "JOB_MEMBERS",
    "LATEST_JOB",
    "LIVE",
    "RECORD_GENERATIONS",
    "STATS_MEMBERS",
    "JobGeneration",
    "RecordGeneration",
    "job_generation",
    "record_generation",
]


def _releases(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class JobGeneration:
    """How some releases write a job's `result.json`. Members stand in the order in which they are written."""

    first: str
    """The first release that writes this."""
    last: str
    """The last one."""
    job: tuple[str, ...]
    """Members of the file."""
    stats: tuple[str, ...]
    """Members of `stats`."""
    group: tuple[str, ...]
    """Members of an entry of `evals`."""
    slash_in_keys: bool
    """Whether a `/` of agent, model or dataset stays in an evals key; else it is printed `-`."""
    one_reward_key: bool
    """Whether a built-in metric takes rewards of one key only, whatever its name, and raises at others."""

    @property
    def name(self) -> str:
        """As reports have it."""
        return _releases(self.first, self.last)

    @property
    def every_group(self) -> bool:
        """Whether any trial makes its group; else rewards, an exception, a metric or a pass@k do."""
        return "updated_at" in self.job

    @property
    def counters(self) -> tuple[str, str]:
        """What `stats` calls the number of trials and of those that ended in an exception."""
        completed, errored = self.stats[:2]
        return completed, errored


@dataclass(frozen=True, slots=True)
class RecordGeneration:
    """How some releases write a trial's `result.json`. Members stand in the order of the file."""

    first: str
    last: str
    record: tuple[str, ...]
    """Members of the record."""
    agent_result: tuple[str, ...]
    """Members of what the agent reported."""
    provider_required: bool
    """Whether a model's provider is never null."""

    @property
    def name(self) -> str:
        """As reports have it."""
        return _releases(self.first, self.last)


_FIRST_JOB = ("id", "started_at", "finished_at", "n_total_trials", "stats")
_LAST_JOB = ("id", "started_at", "updated_at", "finished_at", "n_total_trials", "stats")
_TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
_FIRST_GROUP = ("n_trials", "n_errors", "metrics", "reward_stats", "exception_stats")
_LAST_GROUP = ("n_trials", "n_errors", "metrics", "pass_at_k", "reward_stats", "exception_stats")
_PROGRESS = (
    *("n_completed_trials", "n_errored_trials", "n_running_trials"),
    *("n_pending_trials", "n_cancelled_trials", "n_retries"),
)

JOB_GENERATIONS = (
    JobGeneration("0.1.2", "0.3.0", _FIRST_JOB, ("n_trials", "n_errors", "evals"), _FIRST_GROUP, False, True),
    JobGeneration("0.4.0", "0.5.0", _FIRST_JOB, ("n_trials", "n_errors", "evals"), _LAST_GROUP, True, True),
    JobGeneration(
        "0.6.0",
        "0.6.1",
        _FIRST_JOB,
        ("n_trials", "n_errors", "evals", *_TOTALS),
        _LAST_GROUP,
        True,
        False,
    ),
    JobGeneration("0.6.2", "0.25.0", _LAST_JOB, (*_PROGRESS, "evals", *_TOTALS), _LAST_GROUP, True, False),
)
"""From old to new."""
LATEST_JOB = JOB_GENERATIONS[-1]

LIVE = "trial_results"
"""A member that 0.1.3 to 0.6.1 write, empty, into the file of a job that still runs."""
JOB_MEMBERS = frozenset({LIVE}.union(*(one.job for one in JOB_GENERATIONS)))
"""Every member of the file that some harbor writes."""
STATS_MEMBERS = frozenset[str]().union(*(one.stats for one in JOB_GENERATIONS))
GROUP_MEMBERS = frozenset[str]().union(*(one.group for one in JOB_GENERATIONS))

_TOKENS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
_OPENING = (
    *("id", "task_name", "trial_name", "trial_uri", "task_id", "source", "task_checksum", "config"),
    *("agent_info", "agent_result", "verifier_result"),
)
_CLOSING = (
    *("exception_info", "started_at", "finished_at", "environment_setup", "agent_setup"),
    *("agent_execution", "verifier"),
)
_FIRST_RECORD = (*_OPENING, *_CLOSING)
_STEPS = (*_FIRST_RECORD, "step_results")
_MODE = (*_OPENING, "verifier_environment_mode", *_CLOSING, "step_results")
_ROLLOUT = (*_TOKENS, "rollout_details", "metadata")

RECORD_GENERATIONS = (
    RecordGeneration("0.1.2", "0.1.12", _FIRST_RECORD, (*_TOKENS, "output_logprobs", "metadata"), True),
    RecordGeneration("0.1.13", "0.4.0", _FIRST_RECORD, _ROLLOUT, True),
    RecordGeneration("0.5.0", "0.5.0", _STEPS, _ROLLOUT, True),
    RecordGeneration("0.6.0", "0.20.0", _STEPS, _ROLLOUT, False),
    RecordGeneration("0.21.0", "0.22.0", _MODE, _ROLLOUT, False),
    RecordGeneration(
        "0.23.0", "0.25.0", _MODE, (*_TOKENS, "model_usage", "rollout_details", "metadata"), False
    ),
)
"""From old to new."""
FIRST_STEPS = RECORD_GENERATIONS[2]
"""It has the members of the next one, which takes a model without a provider too."""


def job_generation(members: Collection[str], stats: Collection[str], group: Collection[str]) -> JobGeneration:
    """The generation that a job's file is nearest to, by the members that it has.

    `group` are those of any entry of `evals`. Of two that are as near the older one is taken. A member
    that no harbor writes does not count.
    """
    has = [{*members} & JOB_MEMBERS - {LIVE}, {*stats} & STATS_MEMBERS, {*group} & GROUP_MEMBERS]

    def lacking(one: JobGeneration) -> int:
        due = [one.job, one.stats, one.group if group else ()]
        return sum(len({*names} ^ found) for names, found in zip(due, has, strict=True))

    return min(JOB_GENERATIONS, key=lacking)


def record_generation(members: Collection[str], agent_result: Collection[str] = ()) -> RecordGeneration:
    """The generation that a trial's record is nearest to, the newest of those that are as near."""
    has, said = {*members}, {*agent_result}

    def lacking(one: RecordGeneration) -> int:
        return len({*one.record} ^ has) + (len({*one.agent_result} ^ said) if said else 0)

    return min(reversed(RECORD_GENERATIONS), key=lacking)
