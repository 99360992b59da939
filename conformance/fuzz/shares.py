"""A run in several processes: each asks a runner of its own for a stream of its own; what they find is one.

Job i of a run with the seed S has the seed 1000 S + i, and asks exactly what a run of one job with that
seed does: whatever a job finds can be found again alone. Part K of N (``--shard``) has the jobs K - 1,
K - 1 + N, K - 1 + 2 N and so on: parts with one seed share none, whatever number of jobs each has.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import interrupts
from conformance.fuzz.causes import Cause, Disagreement
from conformance.fuzz.engine import SAMPLE, Fuzz, FuzzError, Plan
from conformance.fuzz.inputs import Drawn, bases
from conformance.oracle.commands import settings_of
from conformance.run.dispatcher import start_failure
from conformance.run.options import RunOptions
from conformance.runner.conversation import RunnerStartError
from conformance.wire.messages import Hello

__all__ = ["MOST_JOBS", "Order", "Share", "compared", "gather", "lost", "orders", "shared", "tell_to_end"]

MOST_JOBS = 1000
"""So many seeds belong to each seed that a user gives."""
_STOP = "stop"
"""The file that tells jobs to end."""
_EVERY = 0.5
"""Seconds between two looks at it, and between two words of progress."""


@dataclass(frozen=True, slots=True)
class Order:
    """What one job is asked to do. It can be sent to another machine, which must have the runner."""

    options: RunOptions
    seed: int
    ops: Sequence[str]
    without: tuple[str, ...]
    from_scratch: bool
    seconds: float | None
    inputs: int | None
    folder: str = ""
    """Where jobs of this machine say how they are going, and look whether they are to end."""

    def plan(self) -> Plan:
        """The plan of a run of its own."""
        vectors = bases(self.options.spec, self.without, self.from_scratch)
        settings = settings_of(self.options)
        return Plan(self.options, settings, self.seed, self.ops, vectors, self.seconds, self.inputs)

    def as_json(self) -> dict[str, Any]:
        """What was asked for, as the schema ``fuzz-report`` has it."""
        shard = self.options.shard
        return {
            "shard": None if shard is None else {"number": shard[0], "of": shard[1]},
            "seed": self.seed,
            "ops": list(self.ops),
            "without": list(self.without),
            "from_scratch": self.from_scratch,
            "seconds": self.seconds,
            "inputs": self.inputs,
        }

    @property
    def progress(self) -> Path:
        """The file in which it says how it is going."""
        return Path(self.folder, f"{self.seed}.progress")


_COUNTED = (
    "agreed",
    "disagreed",
    "unsupported",
    "incomparable",
    "failures",
    "not_small",
    "unanswered",
    "telling",
)
_LONGEST = ("seconds", "start_up_seconds")


@dataclass(slots=True)
class Share:
    """What one job came to; it can be sent to another process."""

    seed: int
    problem: str | None = None
    """Why it could not be tried, or not to the end."""
    hello: Hello | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    """Its run's counts and times, by name."""
    stopped: str | None = None
    causes: list[Cause] = field(default_factory=list)
    sample: dict[str, list[tuple[Drawn, bytes]]] = field(default_factory=dict)
    environments: frozenset[str] | None = None
    mixed: bool = False
    held: list[tuple[Disagreement, str]] = field(default_factory=list)

    @classmethod
    def of(cls, run: Fuzz) -> "Share":
        """What a run found, each disagreement with the seed that gives it again."""
        seed = run.plan.seed
        for cause in run.causes.found:
            cause.examples = [replace(one, seed=seed) for one in cause.examples]
            cause.smallest = cause.smallest and replace(cause.smallest, seed=seed)
        return cls(
            seed,
            hello=run.hello,
            numbers={name: getattr(run, name) for name in (*_COUNTED, *_LONGEST, "looking_seconds")},
            stopped=run.stopped,
            causes=run.causes.found,
            sample=run.sample,
            environments=run.environments,
            mixed=run.mixed,
            held=[] if run.mixed else [(replace(one, seed=seed), kind) for one, kind in run.held],
        )

    @property
    def compared(self) -> int:
        """Inputs on which runner and reference were compared."""
        return sum(self.numbers[name].total() for name in ("agreed", "disagreed") if name in self.numbers)


class _Ended(Exception):  # noqa: N818 - no error
    """The job is to end."""


def orders(order: Order, jobs: int) -> list[Order]:
    """The orders of so many jobs: seeds that no other run's jobs have, the inputs in equal shares.

    Of a part of a run these are its own alone, and the inputs are those of all parts.

    Raises:
        FuzzError: the parts have more jobs than there are seeds, or there is not an input for each part.
    """
    inputs = order.inputs
    number, of = order.options.shard or (1, 1)
    if jobs * of > MOST_JOBS:
        raise FuzzError(f"{of} parts of {jobs} jobs are {jobs * of}: more than {MOST_JOBS} there can't be")
    if inputs is not None:
        if inputs < number:
            raise FuzzError(f"--inputs {inputs} leaves nothing for part {number} of {of}: take fewer parts")
        jobs = min(jobs, (inputs - number) // of + 1)
    every = jobs * of if inputs is None else min(jobs * of, inputs)
    return [
        replace(
            order,
            seed=MOST_JOBS * order.seed + index,
            inputs=None if inputs is None else inputs // every + (index < inputs % every),
        )
        for index in range(number - 1, jobs * of, of)
        if inputs is None or index < every
    ]


def shared(order: Order) -> Share:
    """Does one job; an interruption ends it with what it has found."""
    problem = None
    with interrupts.taken_over():
        run = Fuzz(order.plan())
        told = time.monotonic()

        def tick() -> None:
            nonlocal told
            now = time.monotonic()
            if order.folder and now - told > _EVERY:
                told = now
                order.progress.write_text(f"{run.compared} {run.causes.count}")
                if Path(order.folder, _STOP).exists():
                    raise _Ended

        run.on_tick = tick
        try:
            run.run()
        except (_Ended, KeyboardInterrupt):
            pass
        except (RunnerStartError, FuzzError) as error:
            command = order.options.command
            problem = start_failure(error, command) if isinstance(error, RunnerStartError) else str(error)
        share = Share.of(run)
        share.problem = problem
        return share


def lost(order: Order, sentence: str) -> Share:
    """What a job comes to whose process died."""
    return Share(order.seed, f"the job with the seed {order.seed}: {sentence}; what it found is lost")


def tell_to_end(folder: str) -> None:
    """Tells the jobs of this machine to end."""
    with suppress(OSError):
        Path(folder, _STOP).touch()


def compared(every: Sequence[Order]) -> tuple[int, int]:
    """Inputs compared so far, and disagreements, as the jobs of this machine say."""
    counts = [0, 0]
    for order in every:
        with suppress(OSError, ValueError):
            for index, word in enumerate(order.progress.read_text().split()[:2]):
                counts[index] += int(word)
    return counts[0], counts[1]


def gather(run: Fuzz, shares: Sequence[Share]) -> list[str]:
    """Makes one run of several; returns their problems, each once."""
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
        run.mixed |= part.mixed
        for op, kept in part.sample.items():
            run.sample.setdefault(op, []).extend(kept[: max(1, SAMPLE // len(parts))])
    if run.mixed or (parts and not run.environments):
        run.mixed = True
        for part in parts:
            for one, kind in part.held:
                run.agreed[one.op] -= 1
                run.disagreed[one.op] += 1
                run.causes.add(one, kind)
    return list(dict.fromkeys(share.problem for share in shares if share.problem))
