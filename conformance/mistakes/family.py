"""Declares entries: a family names the code that its mistakes change; a decorated function is a mistake.

The function's name is the mistake's, with hyphens. The first sentence of its docstring is what it ``says``
to users, and the rest is ``why`` people make it. If the first sentence does not end at the first full stop
before a space, a blank line separates the two::

    in_mean = family("aggregate", of=aggregation.mean)

    @in_mean.wrapped(clause="003-3.2-mean-division", invited_by="Python 2, Python's //, Ruby")
    def mean_floors(mean: Mean, values: Values) -> Number:
        \"\"\"The mean of ints is their integer quotient, rounded down.
        An int divided by an int is an int there.\"\"\"

If a function's first parameter is called ``reference``, it also gets the private copy that it changes.
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
"""A word that is capitalised only at the start of a sentence, unlike "NaN" or "U+FEFF"."""
_COPY = "reference"
"""The parameter that requests the private copy."""
_ABOUT = ("clause", "invited_by", "name")
"""The arguments of a decorator that describe a mistake; the other ones are for its family."""


class Case:
    """One of several mistakes that differ only in a value, with the values that ``Family.each`` passes on."""

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
    """The mistake's name for a function's name; a trailing underscore, which avoids a clash, is dropped."""
    return function_name.rstrip("_").replace("_", "-")


def says_and_why(docstring: str) -> tuple[str, str]:
    """Splits a docstring into what the mistake does, and why people make it.

    Raises:
        ValueError: it does not have both.
    """
    first, blank, reason = inspect.cleandoc(docstring).partition("\n\n")
    says, why = " ".join(first.split()), " ".join(reason.split())
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
    """Adds a function to the catalogue and returns it."""

    def __call__(self, function: _Function, /) -> _Function:
        """Adds the function, and returns it unchanged."""


@dataclass(frozen=True, slots=True)
class Family:
    """Mistakes of one operation that change the same thing in the same way."""

    op: str
    of: Place | None = None
    by: Callable[..., None] | None = None
    clause: str | None = None
    invited_by: str | None = None

    def __call__(self, reference: Variant, *arguments: Any, **named: Any) -> None:
        """Changes a private copy in the family's way, for a mistake that is made in several steps."""
        assert self.by is not None
        self.by(reference, *arguments, **named)

    def wrapped(self, **about: str) -> Decorator:
        """The function replaces the original: it gets the original, then the call's arguments."""
        path_of(self.of)
        return self._decorator(lambda reference, it: reference.wrap(self.of, _wrapper(it)), about)

    def replaced(self, **about: str) -> Decorator:
        """The function replaces the original: it gets only the call's arguments."""
        path_of(self.of)
        return self._decorator(lambda reference, it: reference.replace(self.of, _as_function(it)), about)

    def used(self, **about: str) -> Decorator:
        """Like ``wrapped``, but only in the module that the family's pair names; others keep the original."""
        path_of(self.of)
        return self._decorator(
            lambda reference, it: reference.replace_use(self.of, _wrapper(it)(reference.get(self.of))), about
        )

    def made(self, *arguments: Any, **named: Any) -> Decorator:
        """The family's function gets the private copy, the decorated function and these arguments."""
        about = {name: named.pop(name) for name in _ABOUT if name in named}
        return self._decorator(lambda reference, it: self(reference, it, *arguments, **named), about)

    def changed(self, **about: str) -> Decorator:
        """The function changes the private copy itself."""
        return self._decorator(lambda _, it: it(), about)

    def each(self, *cases: Case) -> Decorator:
        """The function gets the private copy and a case's values; each case is a mistake."""

        def enter(function: _Function) -> _Function:
            for case in cases:
                change = functools.partial(_apply, function, case.values)
                self._add(
                    case.name, case.says, case.why, case.clause, case.invited_by, change, function.__module__
                )
            return function

        return enter

    def _decorator(self, apply: _Put, about: Mapping[str, str]) -> Decorator:
        """The decorator that adds a function; ``about`` has its clause, its name, what invites it."""

        def enter(function: _Function) -> _Function:
            says, why = says_and_why(function.__doc__ or "")
            name = about.get("name") or slug(function.__name__)
            asks = next(iter(inspect.signature(function).parameters), None) == _COPY

            def change(reference: Variant) -> None:
                apply(reference, functools.partial(function, reference) if asks else function)

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


def _wrapper(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*arguments: Any, **named: Any) -> Any:
            return function(original, *arguments, **named)

        return answer

    return around


def _as_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that can become a method, unlike a ``partial``."""

    def answer(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    return answer if isinstance(function, functools.partial) else function


def family(
    op: str, *, of: Place | None = None, clause: str | None = None, invited_by: str | None = None
) -> Family:
    """A family of an operation's mistakes.

    Args:
        op: the operation they belong to.
        of: the object of the reference that they change, if it is only one (``mistakes.places``).
        clause: the rule that they break, unless an entry names another.
        invited_by: what invites them, unless an entry says otherwise.

    Raises:
        PlaceError: the reference has no such place.
    """
    if of is not None:
        path_of(of)
    return Family(op, of, None, clause, invited_by)


def way(
    op: str, *, clause: str | None = None, invited_by: str | None = None
) -> Callable[[Callable[..., None]], Family]:
    """Turns the decorated function, which gets the private copy and an entry's function, into a family."""

    def of_function(by: Callable[..., None]) -> Family:
        return Family(op, None, by, clause, invited_by)

    return of_function
