"""A trial in a few words, as a submission's roll-up and a table of trials need it."""

from dataclasses import dataclass

from reference_impl.verifier_result import Rewards

__all__ = ["TrialRow"]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial's record, however many of a job's files agree with it."""

    trial: str
    """Its name."""
    task: str
    source: str | None
    agent: str
    model: str | None
    group: str
    """The evals key that the job has it under."""
    rewards: Rewards | None
    """None where it was not scored."""
    exception: str | None
    started: float | None
    """Seconds of a clock that the job's trials share."""
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
