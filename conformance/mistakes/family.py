"""How entries are written: a family names what its mistakes change, a decorated function is one mistake.

The function's name is the mistake's, with hyphens. The first sentence of its docstring is what it ``says``
to users, the rest is ``why`` people make it; where the first sentence does not end at the first full stop
before a space, a blank line comes between the two::

    in_mean = family("aggregate", of=aggregation.mean)

    @in_mean.wrapped(clause="003-3.2-mean-division", invited_by="Python 2, Python's //, Ruby")
    def mean_floors(mean: Mean, values: Values) -> Number:
        \"\"\"The mean of ints is their integer quotient, rounded down.
        An int divided by an int is an int there.\"\"\"

A function whose first parameter is called ``reference`` is given the private copy that it changes, too.
"""

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.places import Place, path_of
from conformance.mistakes.variant import Variant

__all__ = ["Case", "Family", "family", "says_and_why", "slug"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ORDINARY_WORD = re.compile(r"[A-Z][a-z]*(?:[-'][a-z]+)*[,:]?")
"""Begins with a capital only because a sentence does; unlike "NaN" or "U+FEFF"."""
_COPY = "reference"
"""The parameter that asks for the private copy."""


class Case:
    """One of several mistakes that differ by a value alone, with the values that ``Family.each`` hands on."""

    def __init__(
        self, name: str, says: str, why: str, invited_by: str, *values: Any, clause: str | None = None
    ) -> None:
        self.name = name
        self.says = says
        self.why = why
        self.invited_by = invited_by
        self.values = values
        self.clause = clause


def slug(function_name: str) -> str:
    """The mistake's name that a function's name spells; an underscore at the end only avoids another name."""
    return function_name.rstrip("_").replace("_", "-")


def says_and_why(docstring: str) -> tuple[str, str]:
    """What a docstring says of a mistake, and why it is made.

    Raises:
        ValueError: it does not hold both.
    """
    first, blank, rest = inspect.cleandoc(docstring).partition("\n\n")
    says, why = " ".join(first.split()), " ".join(rest.split())
    if not blank:
        says, _, why = says.partition(". ")
    if not says or not why:
        raise ValueError(
            f"a mistake's docstring has a sentence on what is done and one on why, not {docstring!r}"
        )
    says = says.removesuffix(".")
    word = says.split()[0]
    return (says[0].lower() + says[1:] if _ORDINARY_WORD.fullmatch(word) else says), why


def _bound(function: Callable[..., Any], reference: Variant) -> Callable[..., Any]:
    """The function with the private copy given, if it asks for it."""
    parameters = list(inspect.signature(function).parameters)
    return functools.partial(function, reference) if parameters[:1] == [_COPY] else function


@dataclass(frozen=True, slots=True)
class Family:
    """Mistakes of one operation that change the same thing in the same way."""

    op: str
    of: Place | None = None
    by: Callable[..., None] | None = None
    clause: str | None = None
    invited_by: str | None = None

    def wrapped(
        self, *, clause: str | None = None, invited_by: str | None = None, name: str | None = None
    ) -> Callable[[_Function], _Function]:
        """The function answers in the original's place: given the original, then the call's arguments."""

        def put(reference: Variant, function: Callable[..., Any]) -> None:
            reference.wrap(self.of, _around(function))

        return self._entered(put, clause, invited_by, name)

    def replaced(
        self, *, clause: str | None = None, invited_by: str | None = None, name: str | None = None
    ) -> Callable[[_Function], _Function]:
        """The function takes the original's place."""

        def put(reference: Variant, function: Callable[..., Any]) -> None:
            reference.replace(self.of, _plain(function))

        return self._entered(put, clause, invited_by, name)

    def used(
        self, *, clause: str | None = None, invited_by: str | None = None, name: str | None = None
    ) -> Callable[[_Function], _Function]:
        """As ``wrapped``, in the one module that the family names in a pair; others keep the original."""

        def put(reference: Variant, function: Callable[..., Any]) -> None:
            reference.replace_use(self.of, _around(function)(reference.get(self.of)))

        return self._entered(put, clause, invited_by, name)

    def made(
        self,
        *given: Any,
        clause: str | None = None,
        invited_by: str | None = None,
        name: str | None = None,
        **named: Any,
    ) -> Callable[[_Function], _Function]:
        """The family's ``by`` is given the private copy and the function, then what is given here."""
        by = self.by
        assert by is not None, "a family of this kind has a way by which its mistakes are made"

        def put(reference: Variant, function: Callable[..., Any]) -> None:
            by(reference, function, *given, **named)

        return self._entered(put, clause, invited_by, name)

    def changed(
        self, *, clause: str | None = None, invited_by: str | None = None, name: str | None = None
    ) -> Callable[[_Function], _Function]:
        """The function changes the private copy by itself."""

        def enter(function: _Function) -> _Function:
            self._enter(function, name, clause, invited_by, function)
            return function

        return enter

    def each(self, *cases: Case) -> Callable[[_Function], _Function]:
        """The function is given the private copy and a case's values; each case is a mistake."""

        def enter(function: _Function) -> _Function:
            for case in cases:
                self._add(
                    case.name,
                    case.says,
                    case.why,
                    case.clause,
                    case.invited_by,
                    functools.partial(_apply, function, case.values),
                )
            return function

        return enter

    def _entered(
        self,
        put: Callable[[Variant, Callable[..., Any]], None],
        clause: str | None,
        invited_by: str | None,
        name: str | None,
    ) -> Callable[[_Function], _Function]:
        def enter(function: _Function) -> _Function:
            def change(reference: Variant) -> None:
                put(reference, _bound(function, reference))

            self._enter(function, name, clause, invited_by, change)
            return function

        return enter

    def _enter(
        self,
        function: Callable[..., Any],
        name: str | None,
        clause: str | None,
        invited_by: str | None,
        change: Callable[[Variant], None],
    ) -> None:
        says, why = says_and_why(function.__doc__ or "")
        self._add(name or slug(function.__name__), says, why, clause, invited_by, change)

    def _add(
        self,
        name: str,
        says: str,
        why: str,
        clause: str | None,
        invited_by: str | None,
        change: Callable[[Variant], None],
    ) -> None:
        clause, invited_by = clause or self.clause, invited_by or self.invited_by
        if clause is None or invited_by is None:
            raise ValueError(f"the mistake {name!r} has no clause, or nothing that invites it")
        mistake(name, says=says, op=self.op, clause=clause, why=why, invited_by=invited_by)(change)


def _apply(function: Callable[..., None], values: tuple[Any, ...], reference: Variant) -> None:
    function(reference, *values)


def _around(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*arguments: Any, **named: Any) -> Any:
            return function(original, *arguments, **named)

        return answer

    return around


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that may stand in a class: what is bound beforehand would be no method."""

    def answer(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    return answer if isinstance(function, functools.partial) else function


def family(
    op: str,
    *,
    of: Place | None = None,
    by: Callable[..., None] | None = None,
    clause: str | None = None,
    invited_by: str | None = None,
) -> Family:
    """A family of an operation's mistakes.

    Args:
        op: the operation they belong to.
        of: what they change: an object of the reference (``conformance.mistakes.places``).
        by: how they change it, where neither wrapping nor replacing ``of`` is meant.
        clause: the rule they break, where an entry names no other.
        invited_by: what invites them, where an entry says nothing else.

    Raises:
        PlaceError: the reference has no such place.
    """
    if of is not None:
        path_of(of)
    return Family(op, of, by, clause, invited_by)
