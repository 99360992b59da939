"""A metric under one contract: its rules, the user's options, its results so far, and their report."""

import shlex
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from conformance import __version__, interrupts
from conformance.confinement.bubblewrap import confined, why_unconfined
from conformance.errors import UserError
from conformance.extensions.metrics.relations import table_rows
from conformance.extensions.metrics.sandbox.limits import DEFAULT_SECONDS, Limits, call_filter
from conformance.suite import clauses
from conformance.wire.text import encodable

__all__ = [
    "DEFAULT_SECONDS", "LEVELS", "RULES", "SCHEMA", "THE_CLASS", "CannotTryError", "Case", "Checker",
    "Finding", "Options", "Reads", "Result", "Rule", "missing_protections",
]  # fmt: skip

LEVELS = {
    "required": "the system enforces it",
    "documented": "the document states it",
    "advice": "neither does, but the behaviour may be unexpected",
}
"""The levels of rules, with their meanings. Advice is not a failure."""


class CannotTryError(UserError):
    """The metric can't be checked at all; the message is one sentence that says what to do."""


class Rule(NamedTuple):
    """A rule for metrics: one of `LEVELS`, a clause of the contract's document, and one sentence."""

    name: str
    level: str
    clause: str
    statement: str
    follows: str = ""
    """Rules whose violations explain a violation of this one, which is then not reported."""


class Case(NamedTuple):
    """A situation in which a metric is run, with a short description."""

    name: str
    about: str


THE_CLASS = Case("class", "the class itself, before it is called")


class Finding(NamedTuple):
    """A violation of a rule in one case."""

    rule: Rule
    case: str
    sentence: str
    input_text: str
    """The input, shortened; empty if there is none."""
    file: str | None = None


class Reads(NamedTuple):
    """The parts of its input that affect a metric."""

    names: tuple[str, ...]
    """Reward keys, or members of a case."""
    every: bool = False
    """Whether every key counts, whatever its name."""


@dataclass(slots=True)
class Result:
    """The result of one case."""

    case: Case
    findings: list[Finding] = field(default_factory=list)
    not_run: str | None = None
    """Why it was not run."""


RULES: dict[str, dict[str, Rule]] = {}
for _contract, *_row in table_rows(Path(__file__).with_name("rules.txt")):
    RULES.setdefault(_contract, {})[_row[0]] = Rule(*_row)


SCHEMA = "urn:harbor-conformance:metric-report:1"
NOT_PROMISED = (
    "the metric can read and change your files, reach the network and your other processes; "
    "its files and the memory of all its processes are not limited"
)


def missing_protections() -> list[str]:
    """Return a sentence for each missing protection."""
    if not confined():
        return [f"nothing confines the metric, because {why_unconfined()}: {NOT_PROMISED}"]
    if call_filter() is None:
        return ["this machine's system calls are not filtered: the metric can change your user's keys"]
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run a metric, and the data for its inputs; experiments find what is omitted."""

    limits: Limits = field(default_factory=Limits)
    must_be_confined: bool = False
    python: str | None = None
    keep: Path | None = None
    """The folder for the inputs of cases with findings."""
    only: Sequence[str] = ()
    """The cases to run; empty for all."""
    keys: Sequence[str] = ()
    trials: int | None = None
    """The number of a script's trials, or of an EvSys task's samples."""
    like: Sequence[Any] | None = None
    """Example data: trials' rewards, tasks' rewards, or cases of a data set."""
    values: Sequence[Any] | None = None
    """Rewards or expected outputs to use."""
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Checker(ABC):
    """A metric under one contract, and the results of the cases that were run."""

    contract: ClassVar[str]
    stops: ClassVar[Collection[str]] = ()
    """Rules whose violation ends the check: no more cases are run."""
    cases: ClassVar[Sequence[Case]]

    def __init__(self, target: str, options: Options) -> None:
        self.target, self.options, self.rules = target, options, RULES[self.contract]
        self.words: Sequence[str] = ()
        """The user's options about inputs, for commands."""
        self.notes: list[str] = []
        self.reads: Reads | None = None
        self.environment = ""
        self.results: list[Result] = []
        """The results of the cases so far."""
        self.problem: str | None = None
        """Why there is no verdict: it could not be run, or the check was interrupted."""
        self._interrupted = False

    @abstractmethod
    def header(self) -> str:
        """Return a line that says how the metric is run.

        Raises:
            CannotTryError: it can't be checked.
        """

    @abstractmethod
    def examine(self, result: Result) -> None:
        """Run a result's case, and add its findings, without repeating those of other cases.

        Raises:
            CannotTryError: it can't be checked.
        """

    def needed(self) -> Sequence[str]:
        """Return command line options for what experiments found out about its inputs."""
        return ()

    def start(self) -> None:
        """Start the check, and record how the metric is run.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        self.notes += missing_protections()
        if self.notes and self.options.must_be_confined:
            raise CannotTryError(self.notes[0])
        self.environment = self.header()

    def check(self, case: Case) -> Result:
        """Run one case, unless the script had to be stopped in an earlier one.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        result = Result(case)
        if any(finding.rule.name in self.stops for finding in self.findings):
            result.not_run = "the script had to be stopped in an earlier case"
        else:
            self.examine(result)
        self.results.append(result)
        return result

    def add(
        self, result: Result, rule: str, sentence: str, input_: str, files: Mapping[str, bytes] | None = None
    ) -> None:
        """Add a finding to a result; if the input's ``files`` are kept, it names the first of them."""
        kept = None
        if self.options.keep is not None and files:
            (folder := self.options.keep / result.case.name).mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (folder / name).write_bytes(content)
            kept = str(folder / next(iter(files)))
        result.findings.append(Finding(self.rules[rule], result.case.name, sentence, input_, kept))

    @property
    def findings(self) -> list[Finding]:
        """The findings of all cases so far."""
        return [finding for result in self.results for finding in result.findings]

    def interrupt(self, chosen: int) -> None:
        """Record that the check was interrupted before all chosen cases were run."""
        self.problem = self.problem or f"interrupted after {len(self.results)} of {chosen} cases"
        self._interrupted = True

    def exit_code(self) -> int:
        """Return 0 if there is only advice, 1 if there are other findings, 2 if it could not be run.

        Returns 128 plus the signal after an interruption.
        """
        if self._interrupted:
            return interrupts.exit_code()
        if self.problem is not None or all(result.not_run is not None for result in self.results):
            return 2
        if any(finding.rule.level != "advice" for finding in self.findings):
            return 1
        reasons = [result.not_run for result in self.results if result.case != THE_CLASS]
        return 2 if reasons and None not in reasons else 0

    def report(self) -> dict[str, Any]:
        """Return the report in the form of the schema `metric-report`, the most severe rules first."""
        levels, rules = list(LEVELS), [finding.rule for finding in self.findings]
        counts = Counter(rule.level for rule in rules)
        ranked = sorted(self.findings, key=lambda one: (levels.index(one.rule.level), rules.index(one.rule)))
        rows = [(*result.case, result.not_run, len(result.findings)) for result in self.results]
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "contract": self.contract,
            "target": encodable(self.target),
            "environment": self.environment or None,
            "exit_code": self.exit_code(),
            "problem": None if self.problem is None else encodable(self.problem),
            "counts": {level: counts[level] for level in levels},
            "all_cases": len(self.cases),
            "cases": [dict(zip(("name", "about", "not_run", "findings"), row, strict=True)) for row in rows],
            "findings": list(map(self.reported, ranked)),
            "reads": self.reads
            and {"names": list(map(encodable, self.reads.names)), "every": self.reads.every},
            "notes": list(dict.fromkeys(map(encodable, self.notes))),
        }

    def reported(self, finding: Finding) -> dict[str, Any]:
        """Return a finding in the report's form, with the command that repeats its case."""
        rule, python, seconds = finding.rule, self.options.python, self.options.limits.seconds
        words = ["harbor-conformance", "metric", self.target, "--contract", self.contract]
        words += ["--case", finding.case, *(("--python", python) if python else ())]
        words += [] if seconds == DEFAULT_SECONDS else ["--timeout", f"{seconds:g}"]
        words += [*self.needed(), *self.words]
        return {
            "level": rule.level,
            "rule": rule.name,
            "statement": rule.statement,
            "clause": rule.clause,
            "clause_statement": clauses.statements(self.contract).get(rule.clause),
            "case": finding.case,
            "found": encodable(finding.sentence),
            "input": encodable(finding.input_text) or None,
            "file": None if finding.file is None else encodable(finding.file),
            "repeat": encodable(shlex.join(words)),
        }
