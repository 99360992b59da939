"""A whole job: from the verifiers' files to the line that the consumer reads (003 §0).

Each trial's files are read; an exception from reading them becomes the trial's exception, and the job
continues. The `result.json` is computed from the trials, and the outcome line from the `result.json`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .agent_result import AgentResult
from .errors import ValidationError, VerifierError
from .job_result import Job, JobResult, Trial, job_result
from .multi_step import MinReward, Step, Strategy, select_reward, steps_run
from .outcome import summarise
from .reward import parse_reward
from .verifier_result import VerifierResult

__all__ = ["UnreadStep", "UnreadTrial", "pipeline", "read_trial"]

Files = Mapping[str, bytes]  # the bytes of each file in a verifier's directory by name


@dataclass(frozen=True, slots=True)
class UnreadStep:
    """A step's files and report, if it were run."""

    files: Files | None
    """The files that its verifier wrote; None if the verifier would not run."""
    exception: str | None
    """The type of the exception that the step would raise before it is verified, if any."""
    min_reward: MinReward
    """Its minimum, as in `multi_step`."""
    agent_result: AgentResult | None
    """What the agent would report."""


@dataclass(frozen=True, slots=True)
class UnreadTrial:
    """A trial whose reward files are still to be read. It has either files or steps."""

    task_name: str
    """This and the next four are as in `job_result.Trial`."""
    trial_name: str
    source: str | None
    agent: str
    model: str | None
    exception: str | None
    """The type of the exception that ended the trial before it was verified, if any."""
    agent_result: AgentResult | None
    """What the agent reported; None in a multi-step trial."""
    files: Files | None
    """The files that the verifier wrote; None if it never ran."""
    steps: Sequence[UnreadStep] | None = None
    """The steps of a multi-step trial, in order."""
    strategy: Strategy = Strategy.MEAN
    """How they are combined into one result."""


def pipeline(job: Job, trials: Iterable[UnreadTrial]) -> tuple[JobResult, str]:
    """The job's result and its outcome line, without newline (003 §0 to §5).

    Raises:
        OverflowError: a metric of the job raises it, as in `job_result`; such a job never finishes.
        PydanticSerializationError: a trial's name cannot be written, as in `job_result`.
        KeyError: a metric has an unknown name.
    """
    result = job_result(job, map(read_trial, trials))
    return result, summarise(result.text().encode("utf-8")).line()


def read_trial(trial: UnreadTrial) -> Trial:
    """Read a trial's files (003 §1, §4.5).

    If that raises, there is no verifier result, and the type of the exception is the trial's, unless the
    trial already had one.
    """
    if trial.steps is None:
        step_results = None
        verifier_result, error = _read(trial.files)
    else:
        # Nothing is left of the steps after the one that ends the trial, not even an agent's report.
        executed = _executed(trial.steps)
        step_results = [step.agent_result for step in trial.steps[: len(executed)]]
        verifier_result, error = _select(trial.strategy, executed)
    return Trial(
        task_name=trial.task_name,
        trial_name=trial.trial_name,
        source=trial.source,
        agent=trial.agent,
        model=trial.model,
        verifier_result=verifier_result,
        exception=error if trial.exception is None else trial.exception,
        agent_result=trial.agent_result,
        step_results=step_results,
    )


def _read(files: Files | None) -> tuple[VerifierResult | None, str | None]:
    """The verifier's result, or the type of the exception from reading its files."""
    if files is None:
        return None, None
    try:
        return VerifierResult(parse_reward(files)), None
    except (VerifierError, ValidationError, RecursionError) as error:
        return None, type(error).__name__


def _executed(unread: Sequence[UnreadStep]) -> list[Step]:
    """The steps that run, read. A step's exception stays with the step (003 §4.5)."""
    steps: list[Step] = []
    for step in unread:
        verifier_result, error = _read(step.files)
        exception = error if step.exception is None else step.exception
        steps.append(Step(verifier_result, exception, step.min_reward))
    return steps[: steps_run(steps)]


def _select(strategy: Strategy, executed: Sequence[Step]) -> tuple[VerifierResult | None, str | None]:
    """The combined result of the steps, or the type of the exception from computing their mean."""
    try:
        return select_reward(strategy, executed), None
    except OverflowError as error:
        return None, type(error).__name__
