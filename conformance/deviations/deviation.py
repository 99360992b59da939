"""A deviation: the reference with a change to its input or to its answer.

An input deviation changes the request or refuses it; an answer deviation changes the reference's answer.
Several compose: input changes first, then the reference, with or without mistakes, then answer changes.
"""

import copy
import functools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from conformance.deviations.lens import ABSENT, Change, RefuseError, change_at, values_at
from conformance.mistakes.catalogue import Mistake, made
from conformance.mistakes.variant import Variant
from conformance.registry.op import Op
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path, any_digits, decode_at, meant_at, spell_at

__all__ = [
    "INPUT",
    "OK",
    "Deviation",
    "Reference",
    "References",
    "RefuseError",
    "Request",
    "answer",
    "apply_in_order",
    "place_text",
    "touches",
]

INPUT, OK = "input", "ok"
"""The two sides of a deviation, as the protocol calls them."""
_SAFE = "/*@._-:"
_REMEMBERED = 1 << 14
"""The most cached answers; an op's vectors with all changes have tens of thousands."""

Answer = Ok | Refused
Reference = Callable[[str, Any, Sequence[Mistake]], Answer]
"""Takes an op's name, an undecoded ``input`` and mistakes; returns the reference's answer."""


@dataclass(slots=True, eq=False)
class Deviation:
    """One way of being wrong."""

    op: str
    side: str
    """``INPUT`` or ``OK``."""
    kind: str
    """The part of the space that it belongs to (``deviations.space``)."""
    place: Path
    name: str
    words: str
    """What the runner does, as a clause."""
    usual: int
    """3: many implementers do it by habit; 2: some do; 1: few; 0: hardly any."""
    change: Change
    """Maps a value at the place to another; to the same object if it has no effect. May raise RefuseError."""
    whole: bool = False
    """Whether ``change`` takes the whole answer: an ``Ok`` with a decoded value, or a ``Refused``."""

    def apply(self, before: Any) -> Any:
        """The changed decoded input or answer; the same object if the change has no effect.

        Raises:
            RefuseError: the change is an error.
        """
        if self.whole:
            return self.change(before)
        if isinstance(before, Refused):
            return before
        old = before if self.side == INPUT else before.value
        new = change_at(old, self.place, self.change)
        return before if new is old or new is ABSENT else new if self.side == INPUT else Ok(new)

    @property
    def id(self) -> str:
        """A unique name without white space or ``+``, which changes only with the place."""
        text = f"{self.op}:{'/'.join((self.side, *self.place))}:{self.name}"
        return quote(text, safe=_SAFE, errors="surrogatepass")


@functools.cache
def place_text(path: Path) -> str:
    """A place for people, such as ``trials/*/source``; paths in a file's JSON follow the file's name."""
    return "/".join(step for step in path if step[:1] != "@")


class Request:
    """A request and its expected answer, both decoded once."""

    __slots__ = ("_values", "expected", "input", "op")

    def __init__(self, op: Op, input_: Any, expected: Answer) -> None:
        self.op = op
        self.input = decode_at(input_, op.input_numbers)
        self.expected = _decoded(op, expected)
        self._values: dict[str, dict[Path, list[Any]]] = {INPUT: {}, OK: {}}

    def changed(self, input_: Any, expected: Answer) -> "Request":
        """A copy of the request with another decoded input and expected answer."""
        request = copy.copy(self)
        request.input, request.expected = input_, expected
        request._values = {
            INPUT: self._values[INPUT] if input_ is self.input else {},
            OK: self._values[OK] if expected is self.expected else {},
        }
        return request

    def values(self, side: str, path: Path) -> list[Any]:
        """The values at a place of the input or the expected answer; none in an error."""
        known = self._values[side]
        if path not in known:
            decoded = Ok(self.input) if side == INPUT else self.expected
            known[path] = values_at(decoded.value, path) if isinstance(decoded, Ok) else []
        return known[path]


def touches(deviation: Deviation, request: Request) -> bool:
    """Whether a deviation changes this input or its expected answer. Quick: does not ask the reference."""
    values = [request.expected] if deviation.whole else request.values(deviation.side, deviation.place)
    change = deviation.change
    try:
        for value in values:
            if change(value) is not value:
                return True
    except RefuseError:
        return True
    return False


def apply_in_order(deviations: Iterable[Deviation], input_: Any, ask: Callable[[Any], Answer]) -> Answer:
    """The decoded answer to a decoded input: applies input changes, ``ask``, then answer changes."""
    ordered = list(deviations)
    try:
        for deviation in (step for step in ordered if step.side == INPUT):
            input_ = deviation.apply(input_)
        result = ask(input_)
    except RefuseError as error:
        result = error.refused
    for deviation in (step for step in ordered if step.side == OK):
        try:
            result = deviation.apply(result)
        except RefuseError as error:
            result = error.refused
    return result


def answer(
    request: Request, deviations: Iterable[Deviation], reference: Reference, mistakes: Sequence[Mistake] = ()
) -> Answer:
    """The reference's answer with these deviations and mistakes, as the kit reads a runner's reply.

    If there is no mistake and the input does not change, the reference is not asked.

    Raises:
        Exception: the mistakes can't be combined.
    """
    op = request.op

    def ask_reference(value: Any) -> Answer:
        if value is request.input and not mistakes:
            return request.expected
        return _decoded(op, reference(op.name, spell_at(value, op.input_numbers, everything=False), mistakes))

    result = apply_in_order(deviations, request.input, ask_reference)
    if isinstance(result, Refused):
        return result
    spelled = spell_at(result.value, op.ok_numbers, everything=False)
    return Ok(meant_at(spelled, op.ok_numbers))


def _decoded(op: Op, answer: Answer) -> Answer:
    return Ok(decode_at(answer.value, op.ok_numbers)) if isinstance(answer, Ok) else answer


class References:
    """A ``Reference`` with a copy of the spec's reference for each set of mistakes; answers are cached."""

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._copy = functools.lru_cache(maxsize=64)(self._copy_with)
        self._answer = functools.lru_cache(maxsize=_REMEMBERED)(self._ask_copy)

    def __call__(self, op: str, input_: Any, mistakes: Sequence[Mistake] = ()) -> Answer:
        """The answer.

        Raises:
            Exception: the mistakes can't be combined.
        """
        with any_digits():
            return self._answer(op, json.dumps(input_, separators=(",", ":")), tuple(mistakes))

    def _copy_with(self, mistakes: tuple[Mistake, ...]) -> Variant:
        return made(*mistakes) if mistakes else Variant(spec=self._spec)

    def _ask_copy(self, op: str, text: str, mistakes: tuple[Mistake, ...]) -> Answer:
        return self._copy(mistakes).answer(op, json.loads(text))
