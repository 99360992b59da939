"""A trial with nothing remarkable, in the form in which a helper sends it."""

from dataclasses import dataclass, field
from enum import IntEnum

from conformance.check.job.expected import Row
from conformance.check.trials.plan import Configurations, Key
from conformance.check.trials.reward_values import all_finite
from reference_impl import AgentResult, Trial, VerifierResult
from reference_impl.verifier_result import Rewards

__all__ = ["Files", "Plain", "Unpacking", "packed"]

_MOST_ALIKE = 10_000

Plain = tuple[
    str,
    str | None,
    str,
    str | None,
    Rewards | None,
    str | None,
    tuple[int | None, int | None, int | None, float | None] | None,
    float | None,
    Key | None,
    int,
    "Files",
    tuple[str, bool],
]
"""A trial with nothing remarkable, small enough to be sent: task, source, agent, model, rewards, exception,
tokens and cost, when it began, what it ran, the bytes that were read for it, its reward files and its
generation."""


class Files(IntEnum):
    """What was found of a trial's reward files."""

    NOT_LOOKED_FOR = 0
    PRESENT = 1
    ABSENT = 2
    """Rewards are recorded, and there is no file."""
    IN_PART = 3
    """Some are missing, and what is said of it depends on more than the rewards."""


def packed(
    row: Row, read: int, files: Files, told: tuple[str, bool], configurations: Configurations
) -> Plain | None:
    """What is sent of a row for which so many bytes were `read`, and of a generation; None if too much is."""
    trial = row.trial
    result = trial.verifier_result
    rewards = None if result is None else result.rewards
    if trial.trial_name != row.folder or trial.step_results is not None or (result and rewards is None):
        return None
    if files is Files.IN_PART or not all_finite(rewards):  # every NaN is an object of its own
        return None
    report = trial.agent_result
    return (
        trial.task_name,
        trial.source,
        trial.agent,
        trial.model,
        rewards,
        trial.exception,
        None
        if report is None
        else (report.n_input_tokens, report.n_cache_tokens, report.n_output_tokens, report.cost_usd),
        row.started,
        None if row.config < 0 else configurations.key(row.config),
        read,
        files,
        told,
    )


@dataclass(slots=True)
class Unpacking:
    """Makes rows of what helpers send; what trials share is kept once."""

    texts: dict[str, str]
    alike: dict[str, VerifierResult] = field(default_factory=dict)

    def row(
        self, name: str, plain: Plain, configurations: Configurations
    ) -> tuple[Row, int, Files, tuple[str, bool]]:
        """The row, the bytes that were read for it, its reward files and its generation."""
        task, source, agent, model, rewards, exception, report, started, key, read, files, told = plain
        shared = self.texts.setdefault
        row = Row(
            Trial(
                shared(task, task),
                name,
                None if source is None else shared(source, source),
                shared(agent, agent),
                None if model is None else shared(model, model),
                None if rewards is None else self._result(rewards),
                None if exception is None else shared(exception, exception),
                None if report is None else AgentResult(*report),
                None,
            ),
            name,
            started,
            -1 if key is None else configurations.number(key),
        )
        return row, read, files, told

    def _result(self, rewards: Rewards) -> VerifierResult:
        spelled = repr(rewards)  # 1 and 1.0 are equal, but not alike
        result = self.alike.get(spelled)
        if result is None:
            result = VerifierResult(rewards)
            if len(self.alike) < _MOST_ALIKE:
                self.alike[spelled] = result
        return result
