"""Directed inputs: they decide whether an uncaught deviation equals the reference or is a hole.

Each place of a vector's input gets other values: an unusual one, one from another vector, or its own with a
change. Inputs that the schema does not allow are dropped. Random inputs from the fuzzer are added. A
deviation with the reference's answers to all of them counts as equal.
"""

import contextlib
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from conformance.deviations import Deviation, Reference, Request, Space, answer, touches
from conformance.deviations.changes import changes_for, equal
from conformance.deviations.deviation import INPUT
from conformance.deviations.lens import ABSENT, RefuseError, change_at
from conformance.deviations.places import Place
from conformance.diagnosis.evidence import agree
from conformance.drawing.source import Seeded
from conformance.judging.comparison import Level
from conformance.suite.shapes import fits, shape_of
from conformance.wire.messages import Ok
from conformance.wire.numbers import Path, any_digits, spell_at

__all__ = ["Directed", "differs"]

Put = Callable[[Any], Any]
"""Maps the value at a place to the value to put there."""

_NUMBERS = (
    *(0, 1, -1, 2, 99, 101, 256, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**30),
    *(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 2.5, 0.285, 0.05, 1e-7, 1e-10, 5e-324, 123456.789, 16777217.0),
    *(0.1234567890123456, 0.9999999999999, 1.0000000000000002, 1e16, 1.2345e22, 1e300, -1e300),
    *(2.9999999996, 123456789012345.96, math.inf, -math.inf, math.nan),
)
_TEXTS = (
    *("", " ", "\n", " a ", "a\n", "\ta", "A b", "a/b/c", "a/", "/a", "a@1.0@2", "a:b:c", "a__b__c"),
    *("a.b-c_d e", "a#b", "a,b;c", "a(b)", "a\\b", "'a'", '"a"', "e\u0301", "ß", "ﬁ", "İ", "\U0001f600"),
    *("a\0b", "\ufeffa", "a\r\nb", "a\n\nb", "\u2028a", "\u3000a", "true", "null", "None", "unknown"),
    *("1", "1.0", "01", "-0", "NaN", "\x1b[31ma\x1b[0m", "a\x01b", "_a", "a%20b", "a&b<c>"),
    *("abcdefg" * 200)[:1030:103],
    "".join(chr(97 + number * 7 % 26) for number in range(1100)),
)
_OTHERS = (None, ABSENT, True, False)
_BASES = 6
"""The number of vectors whose inputs are changed at a place: the three smallest, and others."""
_MOST = 150
"""The number of equal answers to changed inputs after which a deviation counts as equal."""
_DRAWN = 1500
_LONGEST = 20_000
"""The most characters of an input."""


def differs(
    deviation: Deviation, request: Request, reference: Reference, unordered: frozenset[str] | None = None
) -> bool:
    """Return whether the deviation changes the answer.

    ``unordered`` holds pointers to objects with free key order, as a vector lists them; if None, the op
    determines them.
    """
    actual, op, right = answer(request, [deviation], reference), request.op, request.expected
    if isinstance(actual, Ok) and isinstance(right, Ok) and equal(actual.value, right.value):
        return False
    expected = answer(request, (), reference)
    if unordered is None:
        input_ = spell_at(request.input, op.input_numbers, everything=False)
        unordered = op.free_key_order(input_, expected.value) if isinstance(expected, Ok) else frozenset()
    return not agree(op, expected, actual, Level.BYTES, unordered)


class Directed:
    """Directed inputs of one op, built on first use."""

    def __init__(self, space: Space, reference: Reference) -> None:
        self._space, self._reference = space, reference
        self._shape = shape_of(space.op.name)
        self._places = space.places[INPUT].all
        self._by_path: dict[Path, list[Request]] = {}
        source = Seeded(1)
        drawn = (self._request(space.op.draw(source)) for _ in range(_DRAWN))
        self._drawn = [request for request in drawn if request is not None]

    def shows(self, deviation: Deviation) -> tuple[bool, Any]:
        """Return whether a deviation touches any directed input, and an input that shows it, or None."""
        tried = 0
        for request in self._inputs(deviation):
            if tried >= _MOST:
                break
            if touches(deviation, request):
                tried += 1
                if differs(deviation, request, self._reference):
                    return True, spell_at(request.input, self._space.op.input_numbers, everything=False)
        return tried > 0, None

    def _inputs(self, deviation: Deviation) -> Iterator[Request]:
        place = deviation.place
        if deviation.side != INPUT or deviation.whole or place == ("**",):
            yield from self._drawn
            place = ()
        yield from self._changed_requests(place)
        for path in self._places:
            if path != place and path[: len(place)] == place:
                yield from self._changed_requests(path)[: 100 if place else 40]
        yield from self._drawn if place else ()

    def _request(self, input_: Any) -> Request | None:
        """A request with the reference's answer; None if the input is not valid, or too long."""
        op = self._space.op
        try:
            with any_digits():
                text = json.dumps(input_)
            if len(text) <= _LONGEST and fits(self._shape, input_):
                return Request(op, input_, self._reference(op.name, input_, ()))
        except (OverflowError, RecursionError, TypeError, ValueError):  # not a valid message
            pass
        return None

    def _changed_requests(self, path: Path) -> list[Request]:
        """Inputs of vectors with the value at a place changed."""
        if path not in self._by_path:
            requests: dict[str, Request | None] = {}
            for base in self._base_requests(path) if path else ():
                for replacement in _replacements(self._places[path]):
                    for change in (_only_first(replacement), replacement):
                        with contextlib.suppress(RefuseError):  # a change that only ends in an error
                            self._add(requests, base.input, change_at(base.input, path, change))
            changed = self._by_path[path] = [request for request in requests.values() if request is not None]
            random.Random(repr(path)).shuffle(changed)  # noqa: S311 - nothing secret here
        return self._by_path[path]

    def _add(self, requests: dict[str, Request | None], original: Any, changed: Any) -> None:
        """Adds a changed input if it is valid and new."""
        op = self._space.op
        if changed is original or changed is ABSENT:
            return
        message = spell_at(changed, op.input_numbers, everything=False)
        if fits(self._shape, message) and op.changing.sensible(message, original):
            message = op.changing.repair(message)
            with any_digits():
                key = json.dumps(message, default=str)
            requests[key] = requests.get(key) or self._request(message)

    def _base_requests(self, path: Path) -> Iterable[Request]:
        """Requests of vectors that have the place: the smallest ones that have the member come first."""
        holding = [request for request in self._space.requests if request.values(INPUT, path)]
        absent = {id(request): all(v is ABSENT for v in request.values(INPUT, path)) for request in holding}
        holding.sort(key=lambda request: (absent[id(request)], len(repr(request.input))))
        further = holding[3 : max(len(holding) // 2, _BASES)]
        chosen = random.Random(repr(path)).sample(further, min(_BASES - 3, len(further)))  # noqa: S311
        return holding[:3] + chosen


def _only_first(replacement: Put) -> Put:
    first = iter([True])
    return lambda value: replacement(value) if next(first, False) else value


def _replacements(place: Place) -> Iterator[Put]:
    """The changes to apply to the value at a place."""
    values: list[Any] = [*_OTHERS, *map(json.loads, place.values)][:60]
    for kind, further in (("number", _NUMBERS), ("text", _TEXTS)):
        values += further if kind in place.kinds else ()
    yield from ((lambda _, value=value: value) for value in values)
    yield from (change.change for change in changes_for(place.kinds))
