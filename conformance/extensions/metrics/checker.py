"""A metric under one contract, and what the user says about it."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from conformance.extensions.metrics.findings import DEFAULT_SECONDS, Case, Reads, Result
from conformance.extensions.metrics.sandbox.limits import Limits

__all__ = ["Checker", "Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run a metric, and the start of its inputs; what is omitted is found out."""

    limits: Limits = field(default_factory=Limits)
    python: str | None = None
    """The interpreter."""
    keep: Path | None = None
    """The folder for the inputs of cases with findings."""
    only: Sequence[str] = ()
    """The cases to run; empty for all."""
    keys: Sequence[str] = ()
    """The reward keys of a script's trials."""
    trials: int | None = None
    """The number of a script's trials, or of an EvSys task's samples."""
    like: Sequence[Any] | None = None
    """Real data: trials' rewards, tasks' rewards, or cases of a data set."""
    values: Sequence[Any] | None = None
    """Rewards, or expected outputs."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for a class's constructor."""
    words: Sequence[str] = ()
    """The user's words for the start of the inputs."""


class Checker(ABC):
    """A metric under one contract."""

    contract: ClassVar[str]
    cases: Sequence[Case]

    def __init__(self, target: str, options: Options) -> None:
        self.target = target
        self.options = options
        self.notes: list[str] = []
        self.reads: Reads | None = None

    @abstractmethod
    def header(self) -> str:
        """A line that says how the metric is run.

        Raises:
            CannotTryError: it can't be checked.
        """

    @abstractmethod
    def check(self, case: Case) -> Result:
        """The findings of one case; those of other cases are not repeated.

        Raises:
            CannotTryError: it can't be checked.
        """

    def repeat(self, case: str, *more: str) -> str:
        """The command that repeats one case; ``more`` are words that only this contract adds."""
        options = self.options
        words = ["harbor-conformance", "metric", self.target, "--contract", self.contract, "--case", case]
        words += ["--python", options.python] if options.python else []
        seconds = options.limits.seconds
        words += [] if seconds == DEFAULT_SECONDS else ["--timeout", f"{seconds:g}"]
        return shlex.join([*words, *more, *options.words])
