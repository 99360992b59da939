"""Rules for metrics, findings of violations, and the results of cases."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from conformance.errors import UserError

__all__ = [
    "DEFAULT_SECONDS",
    "LEVELS",
    "RULES",
    "THE_CLASS",
    "CannotTryError",
    "Case",
    "Finding",
    "Reads",
    "Result",
    "Rule",
    "table_rows",
]

DEFAULT_SECONDS = 30.0
"""The time limit of one run of a script, or one case of a class."""

LEVELS = {
    "required": "the system enforces it",
    "documented": "the document states it",
    "advice": "neither, but it may be unexpected",
}
"""The severity of a rule, and its meaning. Advice is not a failure."""


class CannotTryError(UserError):
    """The metric can't be checked at all; the message is one sentence that says what to do."""


class Rule(NamedTuple):
    """A rule for metrics: one of `LEVELS`, a clause of the contract's document, and one sentence."""

    name: str
    level: str
    clause: str
    statement: str
    follows: str = ""
    """Rules whose violation explains that of this one, which is then omitted."""


class Case(NamedTuple):
    """One situation for a metric, described in a few words."""

    name: str
    about: str


THE_CLASS = Case("class", "the class itself, before anything is asked of it")


class Finding(NamedTuple):
    """A violation of a rule in one case."""

    rule: Rule
    case: str
    sentence: str
    """What happened."""
    given: str
    """The input, shortened; empty if there was none."""
    file: str | None = None
    """Where the whole input is stored."""


class Reads(NamedTuple):
    """The parts of its input that a metric reads."""

    names: tuple[str, ...]
    """Reward keys, or members of a case."""
    every: bool = False
    """Whether all keys count, whatever their names."""


@dataclass(slots=True)
class Result:
    """The result of one case."""

    case: Case
    findings: list[Finding] = field(default_factory=list)
    not_run: str | None = None
    """Why it was not run."""


def table_rows(path: Path) -> Iterator[list[str]]:
    """The cells of each line of a table file, skipping empty lines and those that start with ``#``."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


RULES: dict[str, dict[str, Rule]] = {}
"""The rules for metrics, by contract and name."""
for _contract, *_row in table_rows(Path(__file__).with_name("rules.txt")):
    RULES.setdefault(_contract, {})[_row[0]] = Rule(*_row)
