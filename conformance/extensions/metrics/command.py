"""``harbor-conformance metric``: creates the checker for a target, and runs it."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from conformance import interrupts, option_names
from conformance.confinement.bubblewrap import bubblewrap
from conformance.console.options import OUTPUT, option
from conformance.console.progress import progress_bar
from conformance.extensions.metrics.checker import (
    DEFAULT_SECONDS,
    RULES,
    CannotTryError,
    Checker,
    Options,
    missing_protections,
)
from conformance.extensions.metrics.evsys.checker import EvsysChecker
from conformance.extensions.metrics.harness.checker import HarnessChecker
from conformance.extensions.metrics.report import findings_text, summary
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.sandbox.outputs import bytes_of
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Refused, quantity
from conformance.wire.writing import dumps, write_report

__all__ = ["CONTRACTS", "arguments_of", "doctor_rows", "make_checker", "metric"]

_MOST_BYTES, _MOST_LINES = 64 * MIB, 100_000
CONTRACTS = RULES
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
    """Create the checker for a target. For a script, the contract may be omitted.

    ``like`` is the path of a file, and ``values`` a text; the other options are those of `Options`.

    Raises:
        CannotTryError: target, contract and options don't match, the file of ``like`` can't be used, or
        ``only`` names an unknown case.
    """
    is_class = ":" in target and not Path(target).exists()
    if contract is None and is_class:
        named = f"{option_names.option('contract')} evsys or harness-evals"
        raise CannotTryError(f"{target} is a class: name its contract with {named}")
    contract = contract or "harbor-metric"
    if is_class != (contract != "harbor-metric"):
        expected = "a script, PATH.py" if is_class else "a class, module:Class or PATH.py:Class"
        raise CannotTryError(f"contract {contract} is for {expected}, but {target} is not one")
    chosen = Options(
        limits=Limits(seconds=seconds),
        python=os.path.abspath(python) if python and os.path.dirname(python) else python,
        like=None if like is None else _read_like(like, contract),
        values=None if values is None else _parse_values(values, contract),
        **options,
    )
    if chosen.trials is not None and (contract == "harness-evals" or chosen.trials < 1):
        raise CannotTryError(f"{metric_option('trials')} must be above 0, and is not for harness-evals")
    checker: Checker = _CHECKERS[contract](target, chosen)
    known = [case.name for case in checker.cases]
    for name in chosen.only:
        if name not in known:
            raise CannotTryError(f"{contract} has no case {name!r}; its cases are {', '.join(known)}")
    words: list[tuple[str, Any]] = [
        ("--arg", f"{name}={json.dumps(value)}") for name, value in (chosen.arguments or {}).items()
    ]
    words += [("--trials", chosen.trials), ("--like", like), ("--values", values)]
    checker.words = [str(word) for pair in words if pair[1] is not None for word in pair]
    return checker


def arguments_of(texts: Sequence[str]) -> dict[str, Any]:
    """Parse the values of `--arg`, each in the form ``NAME=JSON``.

    Raises:
        CannotTryError: one has another form.
    """
    arguments = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            arguments[name] = json.loads(value)
        except ValueError:
            raise CannotTryError(f"{metric_option('arg')} {text!r} is not NAME=JSON") from None
    return arguments


_DATA: dict[str, tuple[Any, str]] = {
    "harbor-metric": (dict[str, int | float] | None, "an object of numbers by reward key, or null"),
    "evsys": (list[list[int | float]], "a list with a list of numbers for each task"),
    "harness-evals": (dict[str, Any], "an object, one case"),
}
"""The type of a record in the file of `--like`, by contract, and its description."""


def _read_like(path: str, contract: str) -> list[Any]:
    """Read the file of `--like`: trials' rewards, cases, or lists of a task's rewards.

    Raises:
        CannotTryError: the file can't be read, or has the wrong kind of data.
    """
    kind, expected = _DATA[contract]
    records, where, is_one = [], path, contract == "evsys"
    try:
        text = bytes_of(Path(path), _MOST_BYTES).decode("utf-8-sig")
        lines = [text] if is_one else [line for line in text.split("\n") if line.strip()]
        if not 0 < len(lines) <= _MOST_LINES:
            expected = f"at least one line, and at most {_MOST_LINES:,}"
            raise msgspec.ValidationError
        for number, line in enumerate(lines, start=1):
            where = path if is_one else f"line {number} of {path}"
            records.append(msgspec.convert(json.loads(line), kind))
        return records[0] if is_one else records
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    except Refused as refused:
        most = (
            f"at most {quantity(_MOST_BYTES, 'bytes')}" if refused.kind == "too-large" else refused.expected
        )
        why = f"it is {refused.found}, {most} is expected"
    except OSError:
        why = "it does not exist"
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        form = expected if isinstance(error, msgspec.ValidationError) else "valid JSON"
        raise CannotTryError(f"{where} is not valid for {metric_option('like')}: it must be {form}") from None
    raise CannotTryError(f"{metric_option('like')} {path} can't be read: {why}")


def _parse_values(text: str, contract: str) -> list[Any]:
    """Parse the values of `--values`: numbers for rewards, JSON or plain text for harness-evals.

    Raises:
        CannotTryError: they are of the wrong kind.
    """
    try:
        values = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        values = [part.strip() for part in text.split(",") if part.strip()]
    numbers = all(type(value) in (int, float) and math.isfinite(value) for value in values)
    if not values or (contract != "harness-evals" and not numbers):
        kinds = "JSON or texts" if contract == "harness-evals" else "finite numbers"
        takes = f"{metric_option('values')} takes {kinds}, separated by commas"
        raise CannotTryError(f"{takes}, not {shortened(text, 60)!r}")
    return list(values)


@click.command()
@click.argument("target", metavar="TARGET")
@option("--contract", "The contract; harbor-metric if TARGET is a script.", click.Choice(list(CONTRACTS)))
@option("--python PATH", "The Python for the metric; for harness-evals also 'oracle', the kit's own.")
@option("--timeout seconds SECONDS", "The time limit for one run, or one case.", default=DEFAULT_SECONDS)
@option("--case only NAME...", "Check only this case; may be repeated.")
@option(
    "--key keys NAME...", "A reward key that each trial has; by default, they are inferred. May be repeated."
)
@option(
    "--arg arguments NAME=JSON...",
    "An argument for the constructor of a harness-evals metric; may be repeated.",
    callback=lambda _, __, texts: arguments_of(texts),
)
@option("--trials N", "The number of trials in a script's job, or of samples in an EvSys task.", int)
@option("--like FILE", "Data to derive inputs from: rewards.jsonl, a data set, or EvSys rewards (JSON).", str)
@option("--values V,V,…", "Rewards that the metric expects, or expected outputs (JSON or text).")
@option("--require-confinement must_be_confined", "Refuse to run the metric without a bubblewrap sandbox.")
@option("--keep DIR", "Store the inputs of cases with findings in DIR.")
@option("--report report_path FILE", "Write a JSON report.", OUTPUT)
@option("--json as_report", "Print only the JSON report.")
def metric(target: str, contract: str | None, only: tuple[str, ...], **options: Any) -> None:
    """Checks a metric: a script for harbor, or a class for EvSys or harness-evals.

    TARGET is a script's path, or module:Class or PATH.py:Class with --contract. A finding says whether
    the system enforces the rule (required), the document states it (documented), or neither (advice).
    The metric's code is run within the limits listed in docs/checking-metrics.md.

    Exit codes: 0 nothing but advice, 1 findings, 2 it could not be checked.
    """
    report_path, as_report = options.pop("report_path"), options.pop("as_report")
    checker = make_checker(target, contract, only=only, **options)
    cases = [case for case in checker.cases if not only or case.name in only]
    failure = None
    with interrupts.ending():
        try:
            with interrupts.released(), progress_bar("cases", len(cases), every=1) as bar:
                checker.start()
                for case in cases:
                    checker.check(case)
                    bar.tick()
        except CannotTryError as error:
            checker.problem = failure = str(error)
            if not as_report and report_path is None:
                raise
        except KeyboardInterrupt:
            checker.interrupt(len(cases))
        document = checker.report()
        unwritten = write_report(report_path, document)
    if as_report:
        click.echo(dumps(document), nl=False)
    elif failure is None:
        for line in [*findings_text(document), *summary(document)]:
            click.echo(line)
    if unwritten is not None:
        raise click.ClickException(unwritten)
    if failure is not None and not as_report:
        raise CannotTryError(failure)
    sys.exit(document["exit_code"])


def doctor_rows() -> Iterator[tuple[str, str, str]]:
    """Yield the rows of `doctor` about the sandbox for metrics."""
    yield "metrics", "ok", "; ".join(missing_protections()) or f"confined by {bubblewrap()}"
