"""Harbor's formats by release, as data: a new release of harbor is a row.

The job's file and the trials' records changed at different releases, so each has forms of its own, which
their members distinguish. The boundaries are those of the published releases' own models and executed code.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

JOB_FILE = "result.json"
"""The name of the job's result in its directory, and of a trial's record in the trial's."""
LONGEST_NAMED = 32
"""Characters of a task's name that its trials' names begin with."""
TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")

_JOB = ("id", "started_at", "finished_at", "n_total_trials", "stats")
_JOB_UPDATED = ("id", "started_at", "updated_at", "finished_at", "n_total_trials", "stats")
VERSION = "schema_version"
"""A member of all files from 0.26.0 on."""
_STATS = ("n_trials", "n_errors", "evals")
_STATS_PROGRESS = (
    *("n_completed_trials", "n_errored_trials", "n_running_trials", "n_pending_trials"),
    *("n_cancelled_trials", "n_retries", "evals", *TOTALS),
)
_GROUP = ("n_trials", "n_errors", "metrics", "reward_stats", "exception_stats")
_GROUP_PASS = ("n_trials", "n_errors", "metrics", "pass_at_k", "reward_stats", "exception_stats")


@dataclass(frozen=True, slots=True)
class JobForm:
    """How some releases write a job's `result.json`; members in the order of the file."""

    name: str
    """Its first and last release."""
    job: tuple[str, ...]
    stats: tuple[str, ...]
    group: tuple[str, ...]
    """Members of an entry of `evals`."""
    slash_in_keys: bool = True
    """Whether a `/` of agent, model or dataset stays in an evals key; else it is printed `-`."""
    one_reward_key: bool = False
    """Whether a built-in metric takes rewards of one key only, whatever its name, and raises at others."""
    every_group: bool = True
    """Whether any trial makes its group; else rewards, an exception, a metric or a pass@k do."""
    by_validity: bool = False
    """Whether only trials with a valid reward count, and exceptions of steps are listed as the trial's."""


JOB_FORMS = (
    JobForm("0.1.2 to 0.3.0", _JOB, _STATS, _GROUP, False, True, False),
    JobForm("0.4.0 to 0.5.0", _JOB, _STATS, _GROUP_PASS, True, True, False),
    JobForm("0.6.0 to 0.6.1", _JOB, (*_STATS, *TOTALS), _GROUP_PASS, every_group=False),
    JobForm("0.6.2 to 0.25.0", _JOB_UPDATED, _STATS_PROGRESS, _GROUP_PASS),
    JobForm("0.26.0", (VERSION, *_JOB_UPDATED), _STATS_PROGRESS, _GROUP_PASS, by_validity=True),
)
"""From old to new."""
LIVE = "trial_results"
"""A member that 0.1.3 to 0.6.1 write, empty, into the file of a job that still runs."""
JOB_MEMBERS = frozenset({LIVE}.union(*(form.job for form in JOB_FORMS)))
"""Every member of the file that some harbor writes."""
STATS_MEMBERS = frozenset[str]().union(*(form.stats for form in JOB_FORMS))
GROUP_MEMBERS = frozenset[str]().union(*(form.group for form in JOB_FORMS))


def job_form(members: Collection[str], stats: Collection[str], group: Collection[str]) -> JobForm:
    """The form that a job's file is nearest to by its members, the oldest of those that are as near.

    `group` are the members of any entry of `evals`. A member that no harbor writes does not count.
    """
    has = [{*members} & JOB_MEMBERS - {LIVE}, {*stats} & STATS_MEMBERS, {*group} & GROUP_MEMBERS]

    def distance(form: JobForm) -> int:
        expected = [form.job, form.stats, form.group if has[2] else ()]
        return sum(len({*names} ^ found) for names, found in zip(expected, has, strict=True))

    return min(JOB_FORMS, key=distance)


_OPENING = (
    *("id", "task_name", "trial_name", "trial_uri", "task_id", "source", "task_checksum", "config"),
    *("agent_info", "agent_result", "verifier_result"),
)
_CLOSING = (
    *("exception_info", "started_at", "finished_at", "environment_setup", "agent_setup"),
    *("agent_execution", "verifier"),
)
_RECORD = (*_OPENING, *_CLOSING)
_STEPS = (*_RECORD, "step_results")
_MODE = (*_OPENING, "verifier_environment_mode", *_CLOSING, "step_results")
_ROLLOUT = (*TOTALS, "rollout_details", "metadata")
_USAGE = (*TOTALS, "model_usage", "rollout_details", "metadata")
_RAISED = ("exception_type", "exception_message", "exception_traceback", "occurred_at")


@dataclass(frozen=True, slots=True, eq=False)
class RecordForm:
    """How some releases write a trial's record; members in the order of the file."""

    name: str
    record: tuple[str, ...]
    report: tuple[str, ...]
    """Members of what the agent reported."""
    readings: tuple[str, ...]
    """How its releases read reward files (`rules.READINGS`), the likeliest first."""
    provider_required: bool = False
    """Whether a model's provider is never null."""
    raised: tuple[str, ...] = _RAISED
    """Members of an exception; one that is overridden has `policy_override` too."""


RECORD_FORMS = (
    RecordForm("0.1.2 to 0.1.12", _RECORD, (*TOTALS, "output_logprobs", "metadata"), ("text",), True),
    RecordForm("0.1.13 to 0.4.0", _RECORD, _ROLLOUT, ("text",), True),
    RecordForm("0.5.0", _STEPS, _ROLLOUT, ("text",), True),
    RecordForm("0.6.0 to 0.20.0", _STEPS, _ROLLOUT, ("json", "text")),
    RecordForm("0.21.0 to 0.22.0", _MODE, _ROLLOUT, ("json",)),
    RecordForm("0.23.0 to 0.25.0", _MODE, _USAGE, ("finite", "json")),
    RecordForm("0.26.0", (VERSION, *_MODE, "reward_valid"), _USAGE, ("finite",), raised=(*_RAISED, "policy")),
)
"""From old to new."""
_SINCE_0_7_1 = "extra_instruction_paths"
"""A member of a configuration that came after `reward.json` went first."""
_LATER_CONFIG = (
    ("agent", "skills"),
    ("environment", "cpu_enforcement_policy"),
    ("environment", "extra_docker_compose"),
)
"""Members of a trial's configuration that came after records had `step_results`."""

Forms = tuple[RecordForm, ...]
"""What may have written a record, from old to new: where no agent reported anything, several may."""


def job_form_of(records: Iterable[Forms]) -> JobForm:
    """The form of the file that a job with such records would have had."""
    return JOB_FORMS[-1 if any(VERSION in form.record for forms in records for form in forms) else -2]


def is_later_config(config: object) -> bool:
    """Whether a configuration has what only releases write whose records have `step_results`."""
    if not isinstance(config, dict):
        return False
    return any(isinstance(part := config.get(name), dict) and key in part for name, key in _LATER_CONFIG)


def nearest_record_form(members: Collection[str], report: Collection[str] = ()) -> RecordForm:
    """The form that a record is nearest to, the newest of those that are as near."""

    def distance(form: RecordForm) -> int:
        return len({*form.record} ^ {*members}) + (len({*form.report} ^ {*report}) if report else 0)

    return min(reversed(RECORD_FORMS), key=distance)


def readings_of(forms: Forms, config: object) -> tuple[str, ...]:
    """How the releases that may have written a record read reward files; any of them will do."""
    return _readings(forms, isinstance(config, dict) and _SINCE_0_7_1 in config) or ("json",)


@cache
def _readings(forms: Forms, json_first: bool) -> tuple[str, ...]:
    found = dict.fromkeys(reading for form in reversed(forms) for reading in form.readings)
    return tuple(one for one in found if not (json_first and one == "text"))


def settled(counts: Iterable[tuple[Forms, int]], job: JobForm | None) -> dict[str, int]:
    """The records of a job by form: one that may be of several is of one that others are of.

    The job's file distinguishes 0.5.0 from 0.6.0, whose records have the same members.
    """
    counts = list(counts)
    sure = {forms[-1] for forms, _ in counts if len(forms) == 1 or forms[-1].record == _STEPS}
    before_totals = job is not None and "cost_usd" not in job.stats
    made = Counter[str]()
    for forms, count in counts:
        form = next((one for one in reversed(forms) if one in sure), forms[-1])
        if form.name.startswith("0.6.0") and before_totals:
            form = RECORD_FORMS[2]
        made[form.name] += count
    return made
