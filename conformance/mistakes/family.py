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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.places import Place, path_of
from conformance.mistakes.variant import Variant

__all__ = ["Case", "Decorator", "Family", "family", "says_and_why", "slug", "way"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ORDINARY_WORD = re.compile(r"[A-Z][a-z]*(?:[-'][a-z]+)*[,:]?")
"""Begins with a capital only because a sentence does; unlike "NaN" or "U+FEFF"."""
_COPY = "reference"
"""The parameter that asks for the private copy."""
_ABOUT = ("clause", "invited_by", "name")
"""What a decorator says about a mistake; the rest is its family's."""


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


_Change = Callable[[Variant], None]
_Put = Callable[[Variant, Callable[..., Any]], None]


class Decorator(Protocol):
    """Enters a function into the catalogue and gives it back."""

    def __call__(self, function: _Function, /) -> _Function:
        """The function itself."""


@dataclass(frozen=True, slots=True)
class Family:
    """Mistakes of one operation that change the same thing in the same way."""

    op: str
    of: Place | None = None
    by: Callable[..., None] | None = None
    clause: str | None = None
    invited_by: str | None = None

    def __call__(self, reference: Variant, *given: Any, **named: Any) -> None:
        """Changes a private copy in the family's way, for a mistake that is made in several."""
        assert self.by is not None
        self.by(reference, *given, **named)

    def wrapped(self, **about: str) -> Decorator:
        """The function answers in the original's place: given the original, then the call's arguments."""
        path_of(self.of)
        return self._entered(lambda reference, it: reference.wrap(self.of, _around(it)), about)

    def replaced(self, **about: str) -> Decorator:
        """The function takes the original's place."""
        path_of(self.of)
        return self._entered(lambda reference, it: reference.replace(self.of, _plain(it)), about)

    def used(self, **about: str) -> Decorator:
        """As ``wrapped``, in the one module that the family names in a pair; others keep the original."""
        path_of(self.of)
        return self._entered(
            lambda reference, it: reference.replace_use(self.of, _around(it)(reference.get(self.of))), about
        )

    def made(self, *given: Any, **named: Any) -> Decorator:
        """The family's way is given the private copy and the function, then what else is given here."""
        about = {name: named.pop(name) for name in _ABOUT if name in named}
        return self._entered(lambda reference, it: self(reference, it, *given, **named), about)

    def changed(self, **about: str) -> Decorator:
        """The function changes the private copy by itself."""
        return self._entered(lambda _, it: it(), about)

    def each(self, *cases: Case) -> Decorator:
        """The function is given the private copy and a case's values; each case is a mistake."""

        def enter(function: _Function) -> _Function:
            for case in cases:
                change = functools.partial(_apply, function, case.values)
                self._add(
                    case.name, case.says, case.why, case.clause, case.invited_by, change, function.__module__
                )
            return function

        return enter

    def _entered(self, put: _Put, about: Mapping[str, str]) -> Decorator:
        """Makes a function a mistake; ``about`` has its clause, its name, what invites it."""

        def enter(function: _Function) -> _Function:
            says, why = says_and_why(function.__doc__ or "")
            name = about.get("name") or slug(function.__name__)
            asks = next(iter(inspect.signature(function).parameters), None) == _COPY

            def change(reference: Variant) -> None:
                put(reference, functools.partial(function, reference) if asks else function)

            clause, invited_by = about.get("clause"), about.get("invited_by")
            self._add(name, says, why, clause, invited_by, change, function.__module__)
            return function

        if unknown := about.keys() - set(_ABOUT):
            raise TypeError(f"a mistake has a {', '.join(_ABOUT)}, and no {', '.join(sorted(unknown))}")
        return enter

    def _add(
        self,
        name: str,
        says: str,
        why: str,
        clause: str | None,
        invited_by: str | None,
        change: _Change,
        module: str,
    ) -> None:
        clause, invited_by = clause or self.clause, invited_by or self.invited_by
        if clause is None or invited_by is None:
            raise ValueError(f"the mistake {name!r} has no clause, or nothing that invites it")
        about = {"clause": clause, "why": why, "invited_by": invited_by, "module": module}
        mistake(name, says=says, op=self.op, **about)(change)


def _apply(function: Callable[..., None], values: tuple[Any, ...], reference: Variant) -> None:
    function(reference, *values)


def _around(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*arguments: Any, **named: Any) -> Any:
            return function(original, *arguments, **named)

        return answer

    return around


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that may appear in a class: what is bound beforehand would be no method."""

    def answer(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    return answer if isinstance(function, functools.partial) else function


def family(
    op: str, *, of: Place | None = None, clause: str | None = None, invited_by: str | None = None
) -> Family:
    """A family of an operation's mistakes.

    Args:
        op: the operation they belong to.
        of: what they change, if it is one thing: an object of the reference (``mistakes.places``).
        clause: the rule they break, where an entry names no other.
        invited_by: what invites them, where an entry says nothing else.

    Raises:
        PlaceError: the reference has no such place.
    """
    if of is not None:
        path_of(of)
    return Family(op, of, None, clause, invited_by)


def way(
    op: str, *, clause: str | None = None, invited_by: str | None = None
) -> Callable[[Callable[..., None]], Family]:
    """Makes a family of the decorated function: it is given the private copy, then an entry's function."""

    def of_function(by: Callable[..., None]) -> Family:
        return Family(op, None, by, clause, invited_by)

    return of_function
