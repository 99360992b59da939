"""The reference's statistics of a job, with less work for each trial.

What a trial counts for is the reference's own; here the group of an agent, model and dataset is looked up
instead of spelled out each time, and the totals are added up without an object for each sum.
"""

from reference_impl import AgentResult, Job, JobResult, JobStatistics, Trial, evals_key
from reference_impl.agent_result import trial_total
from reference_impl.job_result import CANCELLED_ERROR, _Group

__all__ = ["QuickStatistics"]

_Names = tuple[str, str | None, str | None]


class QuickStatistics(JobStatistics):
    """Counts trials in trial order, as `JobStatistics` does."""

    def __init__(self) -> None:
        super().__init__()
        self._by_names: dict[_Names, _Group] = {}
        self._n_input: int | None = None
        self._n_cache: int | None = None
        self._n_output: int | None = None
        self._cost: float | None = None

    def add(self, trial: Trial) -> None:
        """Count the next trial.

        Raises:
            PydanticSerializationError: as for the reference.
        """
        self._n_completed += 1
        names = (trial.agent, trial.model, trial.source)
        group = self._by_names.get(names)
        if group is None:  # other names may have the same key
            group = self._by_names[names] = self._groups.setdefault(evals_key(*names), _Group())
        group.add(trial)
        if trial.exception is not None:
            self._n_errored += 1
            if trial.exception == CANCELLED_ERROR:
                self._cancelled.add(trial.trial_name)
        reported = trial.agent_result
        if reported is None and trial.step_results:
            reported = trial_total(None, trial.step_results)
        if reported is None:
            return
        if reported.n_input_tokens is not None:
            self._n_input = (self._n_input or 0) + reported.n_input_tokens
        if reported.n_cache_tokens is not None:
            self._n_cache = (self._n_cache or 0) + reported.n_cache_tokens
        if reported.n_output_tokens is not None:
            self._n_output = (self._n_output or 0) + reported.n_output_tokens
        if reported.cost_usd is not None:
            self._cost = (self._cost or 0.0) + reported.cost_usd

    def result(self, job: Job) -> JobResult:
        """The result, if these are all trials; errors are those of the reference."""
        self._total = AgentResult(self._n_input, self._n_cache, self._n_output, self._cost)
        return super().result(job)
