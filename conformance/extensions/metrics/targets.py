"""Creates the checker for a user's target, runs its cases, and builds the report."""

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import __version__, interrupts
from conformance.confinement.bubblewrap import confined, why_unconfined
from conformance.extensions.metrics.checker import Checker, Options
from conformance.extensions.metrics.classes.checker import THE_CLASS
from conformance.extensions.metrics.evsys.checker import EvsysChecker
from conformance.extensions.metrics.findings import (
    DEFAULT_SECONDS,
    LEVELS,
    RULES,
    CannotTryError,
    Case,
    Finding,
    Result,
)
from conformance.extensions.metrics.harness.checker import HarnessChecker
from conformance.extensions.metrics.like import parse_values, read_like
from conformance.extensions.metrics.sandbox.calls import call_filter
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.option_names import metric_option, option
from conformance.suite import clauses
from conformance.wire.text import encodable

__all__ = ["CONTRACTS", "SCHEMA", "Checking", "make_checker", "missing"]

SCHEMA = "urn:harbor-conformance:metric-report:1"

CONTRACTS = RULES
"""The contracts, which are specs of the kit, and their rules."""
STOPPED = {"never-ends", "too-much"}
NOT_PROMISED = (
    "the metric can read and change your files, reach the network and your other processes; "
    "its files and the memory of all its processes are not limited"
)
"""The warning if there is no sandbox."""
_CHECKERS: dict[str, Callable[[str, Options], Checker]] = {
    checker.contract: checker for checker in (ScriptChecker, EvsysChecker, HarnessChecker)
}


def missing() -> list[str]:
    """A sentence for each missing protection."""
    if not confined():
        return [f"nothing confines the metric, because {why_unconfined()}: {NOT_PROMISED}"]
    if call_filter() is None:
        return ["this machine's system calls are not filtered: the metric can change your user's keys"]
    return []


def make_checker(
    target: str,
    contract: str | None,
    *,
    python: str | None = None,
    seconds: float = DEFAULT_SECONDS,
    like: str | None = None,
    values: str | None = None,
    **options: Any,
) -> Checker:
    """Creates the checker for a target. For a script, the contract may be omitted.

    ``like`` is a file's path, ``values`` a text; the others are those of `Options`.

    Raises:
        CannotTryError: target, contract and options don't fit together, the file of ``like`` can't be used,
        or ``only`` is not a case.
    """
    is_class = ":" in target and not Path(target).exists()
    if contract is None and is_class:
        named = f"{option('contract')} evsys or harness-evals"
        raise CannotTryError(f"{target} is a class: say for which contract, {named}")
    contract = contract or "harbor-metric"
    if is_class != (contract != "harbor-metric"):
        expected = "a script, PATH.py" if is_class else "a class, module:Class or PATH.py:Class"
        raise CannotTryError(f"contract {contract} is for {expected}, but {target} is not one")
    trials = options.get("trials")
    arguments = (options.get("arguments") or {}).items()
    words = [word for name, value in arguments for word in ("--arg", f"{name}={json.dumps(value)}")]
    begins = {"--trials": trials, "--like": like, "--values": values}
    words += [str(word) for pair in begins.items() if pair[1] is not None for word in pair]
    made = Options(
        limits=Limits(seconds=seconds),
        python=os.path.abspath(python) if python and os.path.dirname(python) else python,
        like=None if like is None else read_like(like, contract),
        values=None if values is None else parse_values(values, contract),
        words=words,
        **options,
    )
    if trials is not None and (contract == "harness-evals" or trials < 1):
        raise CannotTryError(f"{metric_option('trials')} is a number above 0, for metrics of many trials")
    checker: Checker = _CHECKERS[contract](target, made)
    known = [case.name for case in checker.cases]
    for name in made.only:
        if name not in known:
            raise CannotTryError(f"{contract} has no case {name!r}: there are {', '.join(known)}")
    return checker


@dataclass(slots=True)
class Checking:
    """A checker and its results so far."""

    checker: Checker
    must_be_confined: bool = False
    """Whether to refuse to run without a sandbox."""
    environment: str = ""
    cases: list[dict[str, Any]] = field(default_factory=list)
    """The cases that were run, with their findings, as in the report."""
    findings: list[dict[str, Any]] = field(default_factory=list)
    problem: str | None = None
    """Why it could not be run."""
    interrupted: str | None = None
    """How far an interrupted check had come: it has no verdict."""
    _stopped: bool = False

    def start(self) -> None:
        """Starts the check, and notes how the metric is run.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        with self._noting_the_problem():
            lacking = missing()
            if lacking and self.must_be_confined:
                raise CannotTryError(lacking[0])
            self.checker.notes += lacking
            self.environment = self.checker.header()

    @contextlib.contextmanager
    def _noting_the_problem(self) -> Iterator[None]:
        try:
            yield
        except CannotTryError as error:
            self.problem = str(error)
            raise

    def check(self, case: Case) -> Result:
        """Runs one case; after a script had to be stopped, no more cases are run.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        if self._stopped:
            result = Result(case, not_run="the script had to be stopped before")
        else:
            with self._noting_the_problem():
                result = self.checker.check(case)
            if self.checker.contract == "harbor-metric":
                self._stopped = any(finding.rule.name in STOPPED for finding in result.findings)
        row = {"name": case.name, "about": case.about, "not_run": result.not_run}
        self.cases.append({**row, "findings": len(result.findings)})
        self.findings += map(self._finding, result.findings)
        return result

    def interrupt(self, chosen: int) -> None:
        """Records an interruption before all chosen cases were run."""
        self.interrupted = f"interrupted after {len(self.cases)} of {chosen} cases"

    def exit_code(self) -> int:
        """0 without findings other than advice, 1 with such findings, 2 if it could not be run.

        128 and the signal if it was interrupted.
        """
        if self.interrupted is not None:
            return interrupts.exit_code()
        if self.problem is not None or all(case["not_run"] is not None for case in self.cases):
            return 2
        if any(finding["level"] != "advice" for finding in self.findings):
            return 1
        asked = [case["not_run"] for case in self.cases if case["name"] != THE_CLASS.name]
        return 2 if asked and None not in asked else 0

    def report(self) -> dict[str, Any]:
        """The report in the form of the schema `metric-report`; the most severe rules come first."""
        checker, problem = self.checker, self.problem or self.interrupted
        levels, rules = list(LEVELS), [one["rule"] for one in self.findings]
        counts = Counter(one["level"] for one in self.findings)
        reads = checker.reads
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "contract": checker.contract,
            "target": encodable(checker.target),
            "environment": self.environment or None,
            "exit_code": self.exit_code(),
            "problem": None if problem is None else encodable(problem),
            "counts": {level: counts[level] for level in levels},
            "all_cases": len(checker.cases),
            "cases": self.cases,
            "findings": sorted(
                self.findings, key=lambda one: (levels.index(one["level"]), rules.index(one["rule"]))
            ),
            "reads": reads and {"names": list(map(encodable, reads.names)), "every": reads.every},
            "notes": list(dict.fromkeys(map(encodable, checker.notes))),
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        rule = finding.rule
        return {
            "level": rule.level,
            "rule": rule.name,
            "statement": rule.statement,
            "clause": rule.clause,
            "clause_statement": clauses.statements(self.checker.contract).get(rule.clause),
            "case": finding.case,
            "found": encodable(finding.sentence),
            "input": encodable(finding.given) or None,
            "file": None if finding.file is None else encodable(finding.file),
            "repeat": encodable(self.checker.repeat(finding.case)),
        }
