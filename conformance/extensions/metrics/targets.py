"""Creates the checker for a user's target, and reads the data that its inputs start from."""

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.extensions.metrics.checker import Checker, Options
from conformance.extensions.metrics.evsys.checker import EvsysChecker
from conformance.extensions.metrics.findings import DEFAULT_SECONDS, RULES, CannotTryError
from conformance.extensions.metrics.harness.checker import HarnessChecker
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.sandbox.neighbours import bytes_of
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.option_names import metric_option, option
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Refused, quantity

__all__ = ["CONTRACTS", "arguments_of", "make_checker"]

_MOST_BYTES, _MOST_LINES = 64 * MIB, 100_000
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
        like=None if like is None else _read_like(like, contract),
        values=None if values is None else _parse_values(values, contract),
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


def arguments_of(texts: Sequence[str]) -> dict[str, Any]:
    """The arguments of `--arg`: ``NAME=JSON``, several times.

    Raises:
        CannotTryError: one is not of this form.
    """
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = json.loads(value)
        except ValueError:
            raise CannotTryError(f"{metric_option('arg')} {text!r} is not NAME=JSON") from None
    return found


def _read_like(path: str, contract: str) -> list[Any]:
    """Reads a file for `--like`: trials' rewards, cases, or lists of a task's rewards.

    Raises:
        CannotTryError: the file can't be read, or has the wrong kind of data.
    """
    try:
        text = bytes_of(Path(path), _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    except Refused as refused:
        expected = f"at most {quantity(_MOST_BYTES, 'bytes')}" if refused.kind == "too-large" else refused.due
        why = f"it is {refused.what}, {expected} is expected"
    except (OSError, ValueError):
        why = "it is not there"
    else:
        lines = [text] if contract == "evsys" else [line for line in text.split("\n") if line.strip()]
        if len(lines) > _MOST_LINES:
            raise _unlike(path, f"at most {_MOST_LINES:,} lines")
        if not lines:
            raise _unlike(path, "at least one line")
        what, fits = _DATA[contract]
        records = []
        for number, line in enumerate(lines, start=1):
            where = path if contract == "evsys" else f"line {number} of {path}"
            try:
                records.append(json.loads(line))
            except (ValueError, RecursionError):
                raise _unlike(where, "JSON that can be read") from None
            if not fits(records[-1]):
                raise _unlike(where, what)
        return records[0] if contract == "evsys" else records
    raise CannotTryError(f"{metric_option('like')} {path} can't be read: {why}")


def _parse_values(text: str, contract: str) -> list[Any]:
    """The values of `--values`: numbers for rewards, JSON or plain text for harness-evals.

    Raises:
        CannotTryError: they are of the wrong kind.
    """
    try:
        values = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        values = [part.strip() for part in text.split(",") if part.strip()]
    numbers = _numbers(values) and all(map(math.isfinite, values))
    if not values or (contract != "harness-evals" and not numbers):
        what = "JSON or texts" if contract == "harness-evals" else "finite numbers"
        takes = f"{metric_option('values')} takes {what}, separated by commas"
        raise CannotTryError(f"{takes}, not {shortened(text, 60)!r}")
    return list(values)


def _numbers(values: Any) -> bool:
    return all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in values)


def _unlike(where: str, what: str) -> CannotTryError:
    return CannotTryError(f"{where} is not valid for {metric_option('like')}: {what}")


_DATA: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "harbor-metric": (
        "an object of numbers by reward key, or null",
        lambda one: one is None or (isinstance(one, dict) and _numbers(one.values())),
    ),
    "evsys": (
        "a list with a list of numbers for each task",
        lambda one: isinstance(one, list) and all(isinstance(row, list) and _numbers(row) for row in one),
    ),
    "harness-evals": ("an object, one case", lambda one: isinstance(one, dict)),
}
"""The data of `--like` in words, and whether a record is one, by contract."""
