"""From what a user names to a checker, and a checker's cases in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import interrupts
from conformance.metric.classes import THE_CLASS
from conformance.metric.confinement import Limits
from conformance.metric.evsys import EvsysChecker
from conformance.metric.evsys_rules import RULES as EVSYS_RULES
from conformance.metric.findings import DEFAULT_SECONDS, CannotTryError, Case, Checker, Result, Rule
from conformance.metric.harness import HarnessChecker
from conformance.metric.harness_rules import RULES as HARNESS_RULES
from conformance.metric.protection import protections
from conformance.metric.script import ScriptChecker
from conformance.metric.script_rules import RULES as SCRIPT_RULES
from conformance.option_names import option

__all__ = ["CONTRACTS", "Checking", "make_checker"]

CONTRACTS: dict[str, Mapping[str, Rule]] = {
    "harbor-metric": SCRIPT_RULES,
    "evsys": EVSYS_RULES,
    "harness-evals": HARNESS_RULES,
}
"""The contracts, which are specs of the kit, and the rules of each."""
STOPPED = {"never-ends", "too-much"}


def make_checker(
    target: str,
    contract: str | None,
    *,
    python: str | None = None,
    seconds: float = DEFAULT_SECONDS,
    keys: Sequence[str] = (),
    arguments: Mapping[str, Any] | None = None,
    keep: Path | None = None,
    only: Sequence[str] = (),
) -> Checker:
    """What checks a target. A script needs no contract to be named.

    Raises:
        CannotTryError: target and contract don't go together, or ``only`` names no case.
    """
    is_class = ":" in target and not Path(target).exists()
    if contract is None and is_class:
        raise CannotTryError(
            f"{target} is a class: say for which contract, {option('contract')} evsys or harness-evals"
        )
    contract = contract or "harbor-metric"
    if is_class != (contract != "harbor-metric"):
        due = "a script, PATH.py" if is_class else "a class, module:Class or PATH.py:Class"
        raise CannotTryError(f"contract {contract} is for {due}, and {target} is none")
    options: dict[str, Any] = {"limits": Limits(seconds=seconds), "python": python, "keep": keep}
    checker: Checker
    if contract == "harbor-metric":
        checker = ScriptChecker(target, keys=keys, **options)
    elif contract == "evsys":
        checker = EvsysChecker(target, only=only, **options)
    else:
        checker = HarnessChecker(target, only=only, arguments=arguments, **options)
    known = [case.name for case in checker.cases]
    for name in only:
        if name not in known:
            raise CannotTryError(f"{contract} has no case {name!r}: there are {', '.join(known)}")
    return checker


@dataclass(slots=True)
class Checking:
    """A checker, and what has come of it."""

    checker: Checker
    environment: str = ""
    results: list[Result] = field(default_factory=list)
    problem: str | None = None
    """Why it could not be tried."""
    interrupted: str | None = None
    """How far it had come when somebody ended it: there is no verdict then."""
    _stopped: bool = False

    def start(self) -> str:
        """What runs the metric.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        try:
            self.checker.notes += protections().missing()
            self.environment = self.checker.header()
        except CannotTryError as error:
            self.problem = str(error)
            raise
        return self.environment

    def check(self, case: Case) -> Result:
        """One case; after a script that had to be stopped none is tried any more.

        Raises:
            CannotTryError: it can't be checked at all.
        """
        if self._stopped:
            result = Result(case, not_run="the script had to be stopped before")
        else:
            try:
                result = self.checker.check(case)
            except CannotTryError as error:
                self.problem = str(error)
                raise
            if self.checker.contract == "harbor-metric":
                self._stopped = any(finding.rule.name in STOPPED for finding in result.findings)
        self.results.append(result)
        return result

    def exit_code(self) -> int:
        """0 without a finding that is more than advice, 1 with one, 2 if it could not be tried.

        128 and the signal where it was interrupted.
        """
        if self.interrupted is not None:
            return interrupts.exit_code()
        if self.problem is not None or not any(result.not_run is None for result in self.results):
            return 2
        if any(result.failing() for result in self.results):
            return 1
        asked = [result for result in self.results if result.case != THE_CLASS]
        return 2 if asked and all(result.not_run is not None for result in asked) else 0
