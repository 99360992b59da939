"""Rules for metrics, findings of what breaks them, and the results of cases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = [
    "DEFAULT_SECONDS",
    "LEVELS",
    "CannotTryError",
    "Case",
    "Checker",
    "Finding",
    "Reads",
    "Result",
    "Rule",
    "repeat_words",
    "table_of",
]

DEFAULT_SECONDS = 30.0
"""How long one run of a script, or one case of a class, may take."""

LEVELS = {
    "required": "the system enforces it",
    "documented": "the document states it",
    "advice": "neither, but somebody may be surprised",
}
"""How much a rule matters, and why. Advice alone is no failure."""


class CannotTryError(Exception):
    """A metric that can't be checked at all; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a metric is held to."""

    name: str
    """What tells it from the contract's other rules."""
    level: str
    """One of `LEVELS`."""
    clause: str
    """The clause of the contract's document that it rests on."""
    statement: str
    """The rule in one sentence."""


@dataclass(frozen=True, slots=True)
class Case:
    """One situation that a metric is put into."""

    name: str
    about: str
    """What is odd about it, in a few words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is broken in one case."""

    rule: Rule
    case: str
    sentence: str
    """What happened."""
    given: str
    """The input, shortened; empty where none was given."""
    file: str | None = None
    """Where the whole input was kept."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What of its input a metric was seen to read."""

    names: tuple[str, ...]
    """Reward keys, or members of a case."""
    every: bool = False
    """Whether all of them count, whatever they are called."""

    def sentence(self) -> str:
        """For people."""
        if self.every:
            return "It reads: whatever key a trial has."
        return f"It reads: {', '.join(self.names) or 'nothing'}."


@dataclass(slots=True)
class Result:
    """What came of one case."""

    case: Case
    findings: list[Finding] = field(default_factory=list)
    not_run: str | None = None
    """Why it was not run."""

    def failing(self) -> list[Finding]:
        """The findings that are more than advice."""
        return [finding for finding in self.findings if finding.rule.level != "advice"]

    def advice(self) -> list[Finding]:
        """The others."""
        return [finding for finding in self.findings if finding.rule.level == "advice"]


class Checker(Protocol):
    """A metric under one contract."""

    target: str
    """As the user named it."""
    cases: Sequence[Case]
    notes: list[str]
    """What was not checked, and why; what else there is to say."""
    reads: Reads | None
    """What the metric reads, once that is found out."""

    @property
    def contract(self) -> str:
        """One of the kit's specs."""

    def header(self) -> str:
        """What runs the metric, in a few words.

        Raises:
            CannotTryError: it can't be checked at all.
        """

    def check(self, case: Case) -> Result:
        """Puts the metric into one case.

        Raises:
            CannotTryError: it can't be checked at all.
        """

    def repeat(self, case: str) -> str:
        """The command that repeats one case."""


def repeat_words(target: str, contract: str, case: str, python: str | None, seconds: float) -> list[str]:
    """The command that repeats a case, but for what a contract adds."""
    words = ["harbor-conformance", "metric", target, "--contract", contract, "--case", case]
    words += ["--python", python] if python else []
    return words if seconds == DEFAULT_SECONDS else [*words, "--timeout", f"{seconds:g}"]


def table_of(rules: Sequence[Rule]) -> dict[str, Rule]:
    """The rules of a contract by name."""

    def named() -> Iterator[tuple[str, Rule]]:
        for rule in rules:
            assert rule.level in LEVELS
            yield rule.name, rule

    table = dict(named())
    assert len(table) == len(rules)
    return table
