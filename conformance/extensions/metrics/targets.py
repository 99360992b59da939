"""Creates the checker for a user's target."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.extensions.metrics.checker import Checker, Options
from conformance.extensions.metrics.evsys.checker import EvsysChecker
from conformance.extensions.metrics.findings import DEFAULT_SECONDS, RULES, CannotTryError
from conformance.extensions.metrics.harness.checker import HarnessChecker
from conformance.extensions.metrics.like import parse_values, read_like
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.option_names import metric_option, option

__all__ = ["CONTRACTS", "make_checker"]

CONTRACTS = RULES
"""The contracts, which are specs of the kit, and their rules."""
_CHECKERS: dict[str, Callable[[str, Options], Checker]] = {
    checker.contract: checker for checker in (ScriptChecker, EvsysChecker, HarnessChecker)
}


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
    made = Options(
        limits=Limits(seconds=seconds),
        python=os.path.abspath(python) if python and os.path.dirname(python) else python,
        like=None if like is None else read_like(like, contract),
        values=None if values is None else parse_values(values, contract),
        **options,
    )
    if made.trials is not None and (contract == "harness-evals" or made.trials < 1):
        raise CannotTryError(f"{metric_option('trials')} is a number above 0, for metrics of many trials")
    checker: Checker = _CHECKERS[contract](target, made)
    known = [case.name for case in checker.cases]
    for name in made.only:
        if name not in known:
            raise CannotTryError(f"{contract} has no case {name!r}: there are {', '.join(known)}")
    words: list[tuple[str, Any]] = [
        ("--arg", f"{name}={json.dumps(value)}") for name, value in (made.arguments or {}).items()
    ]
    words += [("--trials", made.trials), ("--like", like), ("--values", values)]
    checker.words = [str(word) for pair in words if pair[1] is not None for word in pair]
    return checker
