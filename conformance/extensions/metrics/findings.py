"""Rules for metrics, findings of what breaks them, and the results of cases."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "DEFAULT_SECONDS",
    "LEVELS",
    "RULES",
    "CannotTryError",
    "Case",
    "Finding",
    "Reads",
    "Result",
    "Rule",
    "repeat_words",
    "table_rows",
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
    """What a metric is held to: one of `LEVELS`, a clause of the contract's document, and one sentence."""

    name: str
    level: str
    clause: str
    statement: str


@dataclass(frozen=True, slots=True)
class Case:
    """One situation that a metric is put into, and what is odd about it, in a few words."""

    name: str
    about: str


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
        what = "whatever key a trial has" if self.every else ", ".join(self.names) or "nothing"
        return f"It reads: {what}."


@dataclass(slots=True)
class Result:
    """What came of one case."""

    case: Case
    findings: list[Finding] = field(default_factory=list)
    not_run: str | None = None
    """Why it was not run."""


def repeat_words(target: str, contract: str, case: str, python: str | None, seconds: float) -> list[str]:
    """The command that repeats a case, but for what a contract adds."""
    words = ["harbor-conformance", "metric", target, "--contract", contract, "--case", case]
    words += ["--python", python] if python else []
    return words if seconds == DEFAULT_SECONDS else [*words, "--timeout", f"{seconds:g}"]


def table_rows(path: Path) -> Iterator[list[str]]:
    """The cells of each line of a table in a file, but for lines that are empty or begin with ``#``."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def _rules() -> dict[str, dict[str, Rule]]:
    found: dict[str, dict[str, Rule]] = {}
    for contract, *row in table_rows(Path(__file__).with_name("rules.txt")):
        found.setdefault(contract, {})[row[0]] = Rule(*row)
    return found


RULES = _rules()
"""What a metric is held to, by contract and name."""
