"""Changes within the reference: to the arguments, the result or a line of one of its functions.

Deviations only change an op's input or answer. They can't express what a runner does in between: a pass@k
that is rounded for each task, ``<=`` instead of ``<``, the first line instead of the last. So the functions
that the reference calls for some failures are recorded with their arguments and results. Each gets the
changes of values (``deviations.changes``) and the mutants of its code, as generated mistakes.
"""

import copy
import functools
import importlib
import itertools
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

from conformance.deviations.changes import NamedChange, changes_for, kind_of
from conformance.deviations.deviation import place_text
from conformance.deviations.lens import ABSENT, RefuseError, change_at, values_at
from conformance.diagnosis.candidates import Candidate
from conformance.diagnosis.lines import (
    apply_mutant,
    describe_function,
    describe_mutant,
    function_mutants,
    original_function,
)
from conformance.diagnosis.scratch import Scratch
from conformance.mistakes.catalogue import Mistake
from conformance.mistakes.variant import Variant
from conformance.registry.op import Op
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path
from conformance.wire.text import compact

__all__ = ["inner_changes"]

_LEAST = (3, 1)
"""How usual a change must be, of arguments and of results."""
_OUTSIDE = "runner."
"""The prefix of modules that implement the protocol."""
_MOST, _LONGEST = 60, 300
"""The most values recorded for one argument or result, and the longest of them, in characters."""
_INT_KEY = re.compile(r'"(\d{1,4})\\*":')
"""A key of an object that is an int, also in JSON within JSON."""
_LONGEST_LIST = 12
"""The most ints of a runner's own list."""
_LARGEST_TABLE = 40
"""The most entries of a table that is tried without one of them."""
_FOR_ERRORS: tuple[Any, ...] = (None, {}, 0, 0.0)
"""The values that may replace an error."""
_RESULT = "result"
_OF_RESULT, _OF_ARGUMENT, _OF_LINE = 0.9, 1.1, 1.2
"""The cost of a change (``candidates``)."""
_UNUSUAL = 0.5
"""Added to the cost for each step of ``usual`` below 3."""
_SCALARS = (type(None), bool, int, float, str)


@dataclass(slots=True)
class _Function:
    """A function of the reference, with recorded arguments, by parameter, and results."""

    path: str
    code: CodeType
    fails: bool = False
    """Whether it is called for an input whose answer is an error."""
    values: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def record(self, name: str, value: Any) -> None:
        """Records a JSON value, unless it is long or there are many."""
        if _is_plain(value) and len(self.values[name]) < _MOST:
            text = compact(value, _LONGEST)
            if len(text) < _LONGEST and text[0] != "(":  # else it has too many digits
                self.values[name].append(value)


def _is_plain(value: Any) -> bool:
    """Whether it is a JSON scalar, or a list or an object of scalars."""
    if isinstance(value, dict):
        value = list(value.values())
    return all(isinstance(item, _SCALARS) for item in (value if isinstance(value, list) else [value]))


def inner_changes(
    scratch: Scratch, op: Op, inputs: Sequence[Any], answers: Sequence[Ok | Refused]
) -> Iterator[Candidate]:
    """Every change within the reference that may affect its answers to some inputs, the likeliest first.

    A runner's own lists of ints are taken from its answers.
    """
    functions = list(_called_functions(scratch, op.name, inputs))
    for function in functions:
        yield from _own_lists(op, function, answers)
        yield from _table_changes(op, function)
        yield from _error_changes(op, function)
    for function in functions:  # fewer than the changes of values
        yield from _line_changes(op, function.path)
    for function in functions:
        yield from _value_changes(op, function)


def _called_functions(scratch: Scratch, op: str, inputs: Sequence[Any]) -> Iterator[_Function]:
    """The functions that the reference calls for some inputs, in the order of their first calls."""
    known = {code: path for code, path in scratch.functions.items() if not path.startswith(_OUTSIDE)}
    functions: dict[CodeType, _Function] = {}
    called = set[CodeType]()

    def record(frame: FrameType, event: str, result: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or code not in known:
            return
        called.add(code)
        function = functions.setdefault(code, _Function(known[code], code))
        if event == "return":
            function.record(_RESULT, result)
        else:
            for name in code.co_varnames[: code.co_argcount]:
                function.record(name, frame.f_locals.get(name, ABSENT))

    scratch.make()
    before = sys.getprofile()
    for input_ in inputs:
        called.clear()
        sys.setprofile(record)
        try:
            answer = scratch.answer(op, input_)
        finally:
            sys.setprofile(before)
        for code in called if isinstance(answer, Refused) else ():
            functions[code].fails = True
    yield from functions.values()


def _own_lists(op: Op, function: _Function, answers: Sequence[Ok | Refused]) -> Iterator[Candidate]:
    """Changes of a function that returns a list of ints for an int: it returns the runner's int keys."""
    lists = [value for value in function.values[_RESULT] if isinstance(value, list) and value]
    items = itertools.chain.from_iterable(lists)
    if function.code.co_argcount != 1 or not lists or not all(type(item) is int for item in items):
        return
    texts = (json.dumps(answer.value) for answer in answers if isinstance(answer, Ok))
    own = sorted({int(key) for text in texts for key in _INT_KEY.findall(text)})
    if not own or len(own) > _LONGEST_LIST:
        return
    numbers = ", ".join(map(str, own))
    for bound, is_bounded in ((f"up to the `{function.code.co_varnames[0]}`", True), ("always", False)):

        def listed(most: int, is_bounded: bool = is_bounded) -> list[int]:
            return [number for number in own if number <= most or not is_bounded]

        words = f"{describe_function(function.path)} returns {numbers}, {bound}"
        name = f"{function.path}:{'-'.join(map(str, own))}:{is_bounded:d}"
        yield _candidate(op, name, words, _OF_RESULT, _wrap(function, functools.partial(_replace, listed)))


def _replace(function: Callable[..., Any], _: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _table_changes(op: Op, function: _Function) -> Iterator[Candidate]:
    """Changes that remove, from the tables that a function uses, the entries for one text."""
    module = importlib.import_module(f"reference_impl.{function.path.partition(':')[0]}")
    gives: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for name in function.code.co_names:
        table = vars(module).get(name)
        if isinstance(table, dict | list | set | frozenset) and 1 < len(table) <= _LARGEST_TABLE:
            for entry in table.items() if isinstance(table, dict) else table:
                text = entry[-1] if isinstance(entry, tuple) else entry
                if isinstance(text, str):
                    kind = "rule" if isinstance(entry, tuple) else "entry"
                    gives[f"no {kind} for {text}"][name].append(entry)
    for words, lacking in gives.items():
        says = f"there is {words} in {describe_function(function.path)}"
        change = functools.partial(_remove_entries, module, lacking)
        yield _candidate(op, f"{function.path}:{words.replace(' ', '-')}", says, _OF_RESULT, change)


def _remove_entries(module: ModuleType, lacking: dict[str, list[Any]], variant: Variant) -> None:
    for name, entries in lacking.items():
        table = variant.get((module, name))
        if isinstance(table, dict):
            kept: Any = {key: value for key, value in table.items() if (key, value) not in entries}
        else:
            kept = type(table)(entry for entry in table if entry not in entries)
        variant.replace((module, name), kept)


def _error_changes(op: Op, function: _Function) -> Iterator[Candidate]:
    """Changes that replace a function's errors with a value."""
    for value in _FOR_ERRORS if function.fails else ():
        words = f"an error in {describe_function(function.path)} becomes {json.dumps(value)}"
        change = _wrap(function, functools.partial(_catch_errors, value))
        yield _candidate(op, f"{function.path}:error-is-{json.dumps(value)}", words, _OF_RESULT, change)


def _catch_errors(value: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def caught(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Exception:
            return copy.copy(value)

    return caught


def _value_changes(op: Op, function: _Function) -> Iterator[Candidate]:
    """Changes of a function's results and arguments."""
    for name, values in sorted(function.values.items(), key=lambda item: item[0] != _RESULT):
        for path in ((), ("*",)):
            targets = [old for value in values for old in values_at(value, path) if old is not ABSENT]
            kinds = {kind_of(old) for old in targets}
            if not kinds or (path and any(isinstance(old, list | dict) for old in targets)):
                continue
            effects = {repr(targets)}
            for change in changes_for(kinds):
                effect = repr([_try_change(change, old) for old in targets])
                if change.usual >= _LEAST[name == _RESULT] and effect not in effects:
                    effects.add(effect)
                    yield _value_candidate(op, function, name, path, change)


def _try_change(change: NamedChange, value: Any) -> Any:
    try:
        return change.change(value)
    except RefuseError as error:
        return error.refused


def _value_candidate(op: Op, function: _Function, name: str, path: Path, change: NamedChange) -> Candidate:
    subject = "result" if name == _RESULT else f"`{name}`"
    words = f"{change.words} in the {subject} of {describe_function(function.path)}"
    cost = (_OF_RESULT if name == _RESULT else _OF_ARGUMENT) + _UNUSUAL * (3 - change.usual)
    change_ = _value_wrapper(function, name, path, change)
    return _candidate(op, f"{function.path}:{name}{place_text(path)}:{change.name}", words, cost, change_)


def _value_wrapper(inner: _Function, name: str, path: Path, change: NamedChange) -> Callable[[Variant], None]:
    index = inner.code.co_varnames.index(name) if name != _RESULT else -1

    def changed(value: Any) -> Any:
        if not _is_plain(value):
            return value
        try:
            new = change_at(value, path, change.change)
        except RefuseError as error:
            raise OverflowError(error.refused.type) from error
        return value if new is ABSENT else new

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def with_argument(*arguments: Any, **named: Any) -> Any:
            if name in named:
                named[name] = changed(named[name])
            elif index < len(arguments):
                arguments = (*arguments[:index], changed(arguments[index]), *arguments[index + 1 :])
            return function(*arguments, **named)

        @functools.wraps(function)
        def with_result(*arguments: Any, **named: Any) -> Any:
            return changed(function(*arguments, **named))

        return with_result if name == _RESULT else with_argument

    return _wrap(inner, around)


def _line_changes(op: Op, path: str) -> Iterator[Candidate]:
    """The mutants of a function's code."""
    for mutant in function_mutants(path):
        words = f"it behaves {describe_mutant(mutant)} in {describe_function(path)}"
        yield _candidate(op, mutant.id, words, _OF_LINE, functools.partial(apply_mutant, mutant, path))


def _wrap(function: _Function, around: Callable[[Any], Any]) -> Callable[[Variant], None]:
    return lambda variant: variant.wrap(original_function(function.path), around)


def _candidate(op: Op, name: str, words: str, cost: float, change: Callable[[Variant], None]) -> Candidate:
    return Candidate(name, words, 1, cost, Mistake(name, words, op.name, "", "", "", change, op.spec))
