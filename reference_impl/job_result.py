"""Computes a job's `result.json` from its trials (003 §3.3).

Trials are counted one by one, in trial order, in the group that their `evals_key` names. After the last
trial, each group gets its metrics and its pass@k, and everything is written. A trial that ended in an error
still counts: as completed, with the rewards that its verifier measured, or with 0.

This is the result of a finished job. While a job runs, harbor repeatedly writes the same file with the
results so far; that is not specified here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .agent_result import AgentResult, add_up, trial_total
from .aggregation import aggregate
from .evals_key import SEPARATOR, evals_key
from .json_text import JsonObject, JsonTree, json_text, number_key, printable
from .pass_at_k import GradedTrial, pass_at_k
from .verifier_result import VerifierResult

__all__ = ["Job", "JobResult", "JobStatistics", "Trial", "job_result"]

CANCELLED_ERROR = "CancelledError"  # the exception of a cancelled trial, 003 §3.3


@dataclass(frozen=True, slots=True)
class Trial:
    """The parts of a trial that the job's result depends on."""

    task_name: str
    """Trials of one task name are attempts at one task."""
    trial_name: str
    """The name under which the result lists the trial."""
    source: str | None
    """The dataset; None or empty for none."""
    agent: str
    """The agent's name."""
    model: str | None
    """The model's name without its provider; None or empty for none."""
    verifier_result: VerifierResult | None = None
    """None if there is no result; one whose rewards are None counts the same."""
    exception: str | None = None
    """The type of the exception that ended the trial, if any."""
    agent_result: AgentResult | None = None
    """What the agent reported; None in a multi-step trial."""
    step_results: Sequence[AgentResult | None] | None = None
    """The agent's report for each step that ran; None if there are no steps."""


@dataclass(frozen=True, slots=True)
class Job:
    """The job's own data in the result.

    Times are ISO 8601, spelled as harbor prints them: with a T, six or no digits after the second, and the
    original UTC offset, if any.
    """

    id: str
    """A UUID, printed in lower case."""
    started_at: str
    """The time of the first start, even for a resumed job."""
    updated_at: str | None
    """The time of the last change; for a finished job, when it finished."""
    finished_at: str | None
    """The time when the job finished; None if it did not."""
    n_total_trials: int
    """The number of planned trials."""
    n_retries: int
    """The number of times that a trial was restarted."""
    metrics: Mapping[str, Sequence[str]]
    """The names of each dataset's metrics, in order; see `resolve_metrics`."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The content of `result.json`."""

    tree: JsonObject
    """The members, in written order."""

    def text(self) -> str:
        """The exact text (003 §3.3)."""
        return json_text(self.tree)


def job_result(job: Job, trials: Iterable[Trial]) -> JobResult:
    """The result of a finished job; `trials` come in trial order, resumed ones first (003 §3.3, §6).

    Raises:
        OverflowError: a metric meets an int beyond the double range. Such a job never finishes.
        PydanticSerializationError: the name of a listed trial holds a lone surrogate.
        KeyError: a metric has an unknown name.
    """
    statistics = JobStatistics()
    for trial in trials:
        statistics.add(trial)
    return statistics.result(job)


@dataclass(slots=True)
class _Listed:
    """The trials that have the same reward for the same key."""

    spelling: str
    """The first trial's spelling of the reward: 1, 1.0 and true are one reward."""
    trial_names: list[JsonTree] = field(default_factory=list)
    """In trial order."""


@dataclass(slots=True)
class _Group:
    """The trials of one agent and model on one dataset."""

    graded: list[GradedTrial] = field(default_factory=list)
    """Every trial, for the metrics and pass@k."""
    n_trials: int = 0
    """The number of trials with rewards: `{}` counts, None does not."""
    n_errors: int = 0
    """The number of trials that ended in an exception; a trial can count as both."""
    reward_stats: dict[str, dict[int | float, _Listed]] = field(default_factory=dict)
    """By reward key and reward, in order of appearance."""
    exception_stats: dict[str, list[JsonTree]] = field(default_factory=dict)
    """Trial names by exception type, in order of appearance."""

    def add(self, trial: Trial) -> None:
        """Count one more trial of the group (003 §3.3)."""
        rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
        self.graded.append(GradedTrial(trial.task_name, rewards))
        if rewards is not None:
            self.n_trials += 1
            for key, reward in rewards.items():
                self._list(key, reward, trial.trial_name)
        if trial.exception is not None:
            self.n_errors += 1
            self.exception_stats.setdefault(trial.exception, []).append(printable(trial.trial_name))

    def _list(self, key: str, reward: int | float, trial_name: str) -> None:
        """Add a trial to the entry of its reward; equal rewards share an entry.

        A NaN equals nothing, so each has its own entry. All bare `NaN` in `reward.json` files are the same
        object and share one, as in Python's dicts; those of `reward.txt` or in strings do not.
        """
        by_reward = self.reward_stats.setdefault(key, {})
        if reward not in by_reward:
            by_reward[reward] = _Listed(number_key(reward))
        by_reward[reward].trial_names.append(printable(trial_name))

    def tree(self, metrics: Sequence[str]) -> JsonTree:
        """The group's entry in the result: `metrics` gives one object each, in this order (003 §3.3)."""
        rewards = [trial.rewards for trial in self.graded]
        return JsonObject(
            [
                ("n_trials", self.n_trials),
                ("n_errors", self.n_errors),
                ("metrics", [_object(aggregate(metric, rewards)) for metric in metrics]),
                ("pass_at_k", JsonObject([(str(k), value) for k, value in pass_at_k(self.graded).items()])),
                ("reward_stats", self._reward_stats()),
                ("exception_stats", _object(self.exception_stats)),
            ]
        )

    def _reward_stats(self) -> JsonTree:
        """Trial names by reward key and by reward, which is spelled like a key."""
        members: list[tuple[str, JsonTree]] = []
        for key, by_reward in self.reward_stats.items():
            names: list[tuple[str, JsonTree]] = [
                (listed.spelling, listed.trial_names) for listed in by_reward.values()
            ]
            members.append((key, JsonObject(names)))
        return JsonObject(members)


class JobStatistics:
    """The statistics of a job, trial by trial.

    Stores names and rewards, not the trials themselves. The work is proportional to the number of trials
    and of their rewards.
    """

    def __init__(self) -> None:
        self._n_completed = 0
        self._n_errored = 0
        self._cancelled: set[str] = set()
        self._groups: dict[str, _Group] = {}
        self._total = AgentResult()

    def add(self, trial: Trial) -> None:
        """Count the next trial, in trial order (003 §3.3).

        Raises:
            PydanticSerializationError: as for `job_result`.
        """
        # Every trial is completed, with an exception or without, and belongs to one group.
        self._n_completed += 1
        key = evals_key(trial.agent, trial.model, trial.source)
        self._groups.setdefault(key, _Group()).add(trial)

        # A cancelled trial is an errored one too.
        if trial.exception is not None:
            self._n_errored += 1
        if trial.exception == CANCELLED_ERROR:
            self._cancelled.add(trial.trial_name)

        # Tokens and cost are totals of the whole job, not of a group.
        self._total = add_up([self._total, trial_total(trial.agent_result, trial.step_results)])

    def result(self, job: Job) -> JobResult:
        """The result, if these are all trials (003 §3.3).

        A group's metrics are those of the dataset that its key seems to name, after the last `__`, whatever
        the real dataset is; a dataset without metrics gives an empty list (erratum E7). Cancelled trials
        are counted by distinct names.

        Raises:
            OverflowError: as for `job_result`.
            KeyError: as for `job_result`.
        """
        evals: list[tuple[str, JsonTree]] = []
        for key, group in self._groups.items():
            dataset = key.split(SEPARATOR)[-1]
            evals.append((key, group.tree(job.metrics.get(dataset, []))))
        stats: list[tuple[str, JsonTree]] = [
            ("n_completed_trials", self._n_completed),
            ("n_errored_trials", self._n_errored),
            ("n_running_trials", 0),
            ("n_pending_trials", max(job.n_total_trials - self._n_completed, 0)),
            ("n_cancelled_trials", len(self._cancelled)),
            ("n_retries", job.n_retries),
            ("evals", JsonObject(evals)),
            ("n_input_tokens", self._total.n_input_tokens),
            ("n_cache_tokens", self._total.n_cache_tokens),
            ("n_output_tokens", self._total.n_output_tokens),
            ("cost_usd", self._total.cost_usd),
        ]
        return JobResult(
            JsonObject(
                [
                    ("id", job.id.lower()),
                    ("started_at", job.started_at),
                    ("updated_at", job.updated_at),
                    ("finished_at", job.finished_at),
                    ("n_total_trials", job.n_total_trials),
                    ("stats", JsonObject(stats)),
                ]
            )
        )


def _object(members: Mapping[str, int | float] | Mapping[str, list[JsonTree]]) -> JsonTree:
    return JsonObject(list(members.items()))
