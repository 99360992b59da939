"""The vectors, put to one mutant after the other until one gets a wrong answer."""

import signal
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, judge
from conformance.mistakes.variant import Variant
from conformance.mutants.fate import Fate, Verdict
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Reply
from conformance.wire.numbers import spell_at

__all__ = ["Questions"]

_CPU_SECONDS = 5.0
"""What one mutant may use; the reference answers all vectors in a tenth of it."""
_REMEMBERED = 25
"""How many vectors that killed mutants of a function, or of a module, are tried first on the next ones."""


class _OvertimeError(BaseException):
    """The limit of time is reached; nothing in the reference catches it."""


def _overtime(_number: int, _frame: FrameType | None) -> None:
    raise _OvertimeError


class Questions:
    """All vectors, with a memory of those that lately killed."""

    def __init__(self, vectors: Sequence[Vector], cpu_seconds: float = _CPU_SECONDS) -> None:
        """Small vectors are asked first; last, those with numbers once more, these spelled as strings."""
        ordered = sorted(vectors, key=lambda vector: len(vector.request().tail))
        self._asked = [(vector, vector.input) for vector in ordered]
        for vector in ordered:
            spelled = spell_at(vector.input, vector.op.input_numbers, everything=True)
            if repr(spelled) != repr(vector.input):
                self._asked.append((vector, spelled))
        self._cpu_seconds = cpu_seconds
        self._killers: dict[str, list[int]] = {}
        signal.signal(signal.SIGPROF, _overtime)

    def judge(self, module: str, function: str, variant: Any) -> Verdict:
        """The fate of a mutant, which ``variant()`` makes, of a function of a module."""
        signal.setitimer(signal.ITIMER_PROF, self._cpu_seconds)
        try:
            try:
                made: Variant = variant()
            except Exception:
                return Verdict(Fate.AT_IMPORT)
            return self._ask(made, (f"{module}:{function}", module))
        except _OvertimeError:
            return Verdict(Fate.TIMED_OUT)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _ask(self, variant: Variant, places: tuple[str, str]) -> Verdict:
        for number in self._order(places):
            vector, given = self._asked[number]
            answer = variant.answer(vector.op.name, _fresh(given))
            if isinstance(answer, Refused) and answer.type == "MemoryError":
                return Verdict(Fate.TIMED_OUT, vector.id)
            if not _passes(vector, answer):
                self._remember(number, places)
                return Verdict(Fate.KILLED, vector.id)
        return Verdict(Fate.SURVIVED)

    def _order(self, places: tuple[str, str]) -> Iterator[int]:
        """First the last killers in the function, then those in the module, its section, and all others."""
        lately = [number for place in places for number in self._killers.get(place, ())]
        nearby = [number for number, (vector, _) in enumerate(self._asked) if vector.section == places[1]]
        yield from dict.fromkeys([*lately, *nearby, *range(len(self._asked))])

    def _remember(self, number: int, places: tuple[str, str]) -> None:
        for place in places:
            killers = self._killers.setdefault(place, [])
            if number in killers:
                killers.remove(number)
            killers.insert(0, number)
            del killers[_REMEMBERED:]


def _passes(vector: Vector, answer: Ok | Refused) -> bool:
    try:
        return judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES).outcome is Outcome.PASSED
    except ValueError:  # an int that is too long to be shown; no message could hold it either
        return False


def _fresh(value: Any) -> Any:
    """A copy of JSON: a mutant may change what it is given."""
    if isinstance(value, dict):
        return {key: _fresh(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_fresh(item) for item in value]
    return value
