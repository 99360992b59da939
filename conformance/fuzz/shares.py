"""A run in several processes, each with its own runner and stream of inputs; merges their findings.

Job i of a run with the seed S uses the seed 1000 S + i, and asks exactly what a single run with that seed
asks, so each finding can be reproduced.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import interrupts
from conformance.fuzz.causes import Cause
from conformance.fuzz.engine import SAMPLE, Fuzz, FuzzError, Plan
from conformance.fuzz.inputs import Drawn
from conformance.oracle.commands import settings_of
from conformance.run.dispatcher import start_failure
from conformance.run.options import RunOptions
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Hello

__all__ = ["MOST_JOBS", "Order", "Share", "gather", "job_counts", "lost", "orders", "request_stop", "run_job"]

MOST_JOBS = 1000
"""The number of job seeds for each seed of a user."""
_STOP = "stop"
"""The file that makes jobs stop."""
_EVERY = 0.5
"""Seconds between two checks for it, and between two progress updates."""


@dataclass(frozen=True, slots=True)
class Order:
    """The settings of one job. It can be sent to another machine, which must have the runner."""

    options: RunOptions
    seed: int
    ops: Sequence[str]
    from_scratch: bool
    seconds: float | None
    inputs: int | None
    folder: str = ""
    """The folder where local jobs write their progress and check whether to stop."""

    def plan(self) -> Plan:
        """The plan of the job's run."""
        vectors = [] if self.from_scratch else load_spec(self.options.spec)
        settings = settings_of(self.options)
        return Plan(self.options, settings, self.seed, self.ops, vectors, self.seconds, self.inputs)

    def as_json(self) -> dict[str, Any]:
        """The order, in the form of the schema ``fuzz-report``."""
        names = ("seed", "from_scratch", "seconds", "inputs")
        return {"ops": list(self.ops), **{name: getattr(self, name) for name in names}}

    @property
    def progress(self) -> Path:
        """The job's progress file."""
        return Path(self.folder, f"{self.seed}.progress")


_COUNTED = (
    *("agreed", "disagreed", "unsupported", "incomparable", "failures", "not_fully_shrunk"),
    *("unanswered", "distinguishing"),
)
_LONGEST = ("seconds", "start_up_seconds")


@dataclass(slots=True)
class Share:
    """One job's result; it can be sent to another process."""

    seed: int
    problem: str | None = None
    """Why the job failed, or did not finish."""
    hello: Hello | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    """The counts and times of its run, by name."""
    stopped: str | None = None
    causes: list[Cause] = field(default_factory=list)
    sample: dict[str, list[tuple[Drawn, bytes]]] = field(default_factory=dict)
    environments: frozenset[str] | None = None

    @classmethod
    def from_run(cls, run: Fuzz) -> "Share":
        """A run's findings, each disagreement with the seed that reproduces it."""
        seed = run.plan.seed
        for cause in run.causes.found:
            cause.examples = [replace(example, seed=seed) for example in cause.examples]
            cause.smallest = cause.smallest and replace(cause.smallest, seed=seed)
        return cls(
            seed,
            hello=run.hello,
            numbers={name: getattr(run, name) for name in (*_COUNTED, *_LONGEST, "looking_seconds")},
            stopped=run.stopped,
            causes=run.causes.found,
            sample=run.sample,
            environments=run.environments,
        )

    @property
    def compared(self) -> int:
        """The number of inputs on which runner and reference were compared."""
        return sum(self.numbers[name].total() for name in ("agreed", "disagreed") if name in self.numbers)


class _StopRequested(Exception):  # noqa: N818 - no error
    """The job must stop."""


def orders(order: Order, jobs: int) -> list[Order]:
    """The orders for a run's jobs: distinct seeds, and equal shares of the inputs."""
    inputs, first = order.inputs, MOST_JOBS * order.seed
    if inputs is None:
        return [replace(order, seed=first + index) for index in range(jobs)]
    jobs = min(jobs, inputs)
    shares = [inputs // jobs + (index < inputs % jobs) for index in range(jobs)]
    return [replace(order, seed=first + index, inputs=share) for index, share in enumerate(shares)]


def run_job(order: Order) -> Share:
    """Runs one job; an interruption ends it and keeps its findings."""
    problem = None
    with interrupts.taken_over():
        run = Fuzz(order.plan())
        last_written = time.monotonic()

        def write_progress_or_stop() -> None:
            nonlocal last_written
            now = time.monotonic()
            if order.folder and now - last_written > _EVERY:
                last_written = now
                order.progress.write_text(f"{run.compared} {run.causes.count}")
                if Path(order.folder, _STOP).exists():
                    raise _StopRequested

        run.on_tick = write_progress_or_stop
        try:
            run.run()
        except (_StopRequested, KeyboardInterrupt):
            pass
        except (RunnerStartError, FuzzError) as error:
            command = order.options.command
            problem = start_failure(error, command) if isinstance(error, RunnerStartError) else str(error)
        share = Share.from_run(run)
        share.problem = problem
        return share


def lost(order: Order, sentence: str) -> Share:
    """The result of a job whose process died."""
    return Share(order.seed, f"the job with the seed {order.seed}: {sentence}; its findings are lost")


def request_stop(folder: str) -> None:
    """Makes the jobs of this machine stop."""
    with suppress(OSError):
        Path(folder, _STOP).touch()


def job_counts(jobs: Sequence[Order]) -> tuple[int, int]:
    """The number of inputs compared so far, and of disagreements, in local jobs."""
    inputs = disagreed = 0
    for order in jobs:
        with suppress(OSError, ValueError):  # not written yet
            done, wrong = map(int, order.progress.read_text().split())
            inputs, disagreed = inputs + done, disagreed + wrong
    return inputs, disagreed


def gather(run: Fuzz, shares: Sequence[Share]) -> list[str]:
    """Merges several runs into one; returns their distinct problems."""
    parts = [share for share in shares if share.environments is not None]
    for part in parts:
        for cause in part.causes:
            run.causes.join(cause)
        for name in _COUNTED:
            setattr(run, name, getattr(run, name) + part.numbers[name])
        for name in _LONGEST:
            setattr(run, name, max(getattr(run, name), part.numbers[name]))
        run.looking_seconds += part.numbers["looking_seconds"] / len(parts)
        run.hello = run.hello or part.hello
        run.stopped = run.stopped or part.stopped
        run.environments &= part.environments or frozenset()
        for op, kept in part.sample.items():
            run.sample.setdefault(op, []).extend(kept[: max(1, SAMPLE // len(parts))])
    return list(dict.fromkeys(share.problem for share in shares if share.problem))
