"""Tries mutants in separate processes, several at a time, so that a hang or a crash affects no others.

A mutant is run on one vector after the other until one gets a wrong answer.
"""

import contextlib
import functools
import pickle
import resource
import signal
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, judge
from conformance.mistakes.mutators.mutants import Mutant, mutants_of, reference_source
from conformance.mistakes.variant import Variant
from conformance.mutants.fate import Fate, MutantsError, Verdict
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused, Reply
from conformance.wire.numbers import spell_at
from conformance.workers.lifetime import processors
from conformance.workers.local import LocalCrew

__all__ = ["Attempt", "tried"]

_MEMORY = 2 << 30
"""The address space of a process, in bytes."""
_CPU_SECONDS = 5.0
"""Processor seconds for one mutant; the reference answers all vectors in a tenth of it."""
_REMEMBERED = 25
"""The number of recent killers in a function or module that are tried first on the next mutants."""
_WALL_SECONDS = 60.0
"""Seconds after which a process that ignores its processor time limit is killed."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A mutant to try, by its number within its module, or by the module's whole text."""

    module: str
    function: str
    number: int
    source: str | None = None
    op: str | None = None
    """The operation whose vectors are run; all if None."""


def tried(
    attempts: Sequence[Attempt],
    processes: int = 0,
    wall_seconds: float = _WALL_SECONDS,
    spec: str = DEFAULT_SPEC,
) -> Generator[tuple[int, Verdict], None, None]:
    """The verdict on each attempt with its index, as they finish.

    Args:
        attempts: the mutants to try.
        processes: the number of processes; 0 for one per processor.
        wall_seconds: the time limit for a mutant.
        spec: the spec whose vectors are run.

    Raises:
        MutantsError: the processes don't start, or the unchanged reference does not pass.
    """
    if not attempts:
        return
    work = functools.partial(_verdict, spec, wall_seconds)
    count = min(processes or processors(), len(attempts))
    crew = LocalCrew[Attempt | None, Verdict](work, count, lambda *_: Verdict(Fate.TIMED_OUT), tries=1)
    try:
        crew.hand_out(-1, None)
        [(_, unchanged)] = crew.finished(lambda: None)
        if unchanged.by is not None:
            raise MutantsError(f"the unchanged reference gives {unchanged.by} a wrong answer")
        if unchanged.fate is not Fate.SURVIVED:
            raise MutantsError("the processes that try mutants don't start")
        waiting, out = deque(enumerate(attempts)), 0
        while waiting or out:
            while waiting and out < crew.room:
                crew.hand_out(*waiting.popleft())
                out += 1
            for result in crew.finished(lambda: None):
                out -= 1
                yield result
    finally:
        crew.close(at_once=True)


def _verdict(spec: str, wall_seconds: float, attempt: Attempt | None) -> Verdict:
    """The fate of a mutant, or of the unchanged reference; an alarm kills a stuck process."""
    _limit_memory()
    if attempt is None:
        return _questions(spec, None).judge("", "", lambda: Variant(spec=spec))
    signal.setitimer(signal.ITIMER_REAL, wall_seconds)
    try:
        variant = functools.partial(_variant, spec, attempt.module, attempt.number, attempt.source)
        return _questions(spec, attempt.op).judge(attempt.module, attempt.function, variant)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _OvertimeError(BaseException):
    """The time limit was reached; nothing in the reference catches this."""


def _overtime(_number: int, _frame: FrameType | None) -> None:
    raise _OvertimeError


class _Questions:
    """All vectors, with a record of recent killers."""

    def __init__(self, vectors: Sequence[Vector]) -> None:
        """Orders the vectors by size; those with numbers come again at the end, spelled as strings."""
        ordered = sorted(vectors, key=lambda vector: len(vector.request().tail))
        self._asked = [(vector, pickle.dumps(vector.input)) for vector in ordered]  # mutants may modify them
        for vector in ordered:
            spelled = spell_at(vector.input, vector.op.input_numbers, everything=True)
            if repr(spelled) != repr(vector.input):
                self._asked.append((vector, pickle.dumps(spelled)))
        self._killers: dict[str, list[int]] = defaultdict(list)
        signal.signal(signal.SIGPROF, _overtime)

    def judge(self, module: str, function: str, variant: Callable[[], Variant]) -> Verdict:
        """The fate of a mutant, created by ``variant()``, of a function of a module."""
        signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
        try:
            try:
                mutant = variant()
            except Exception:
                return Verdict(Fate.AT_IMPORT)
            return self._ask(mutant, (f"{module}:{function}", module))
        except _OvertimeError:
            return Verdict(Fate.TIMED_OUT)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _ask(self, variant: Variant, keys: tuple[str, str]) -> Verdict:
        for number in self._order(keys):
            vector, pickled = self._asked[number]
            answer = variant.answer(vector.op.name, pickle.loads(pickled))  # noqa: S301 - our own
            if isinstance(answer, Refused) and answer.type == "MemoryError":
                return Verdict(Fate.TIMED_OUT, vector.id)
            if not _passes(vector, answer):
                for key in keys:
                    killers = self._killers[key]
                    self._killers[key] = [number, *(old for old in killers if old != number)][:_REMEMBERED]
                return Verdict(Fate.KILLED, vector.id)
        return Verdict(Fate.SURVIVED)

    def _order(self, keys: tuple[str, str]) -> Iterator[int]:
        """First recent killers in the function, then those in the module, its section, and all others."""
        lately = [number for key in keys for number in self._killers[key]]
        nearby = [number for number, (vector, _) in enumerate(self._asked) if vector.section == keys[1]]
        yield from dict.fromkeys([*lately, *nearby, *range(len(self._asked))])


def _passes(vector: Vector, answer: Ok | Refused) -> bool:
    try:
        return judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES).outcome is Outcome.PASSED
    except ValueError:  # an int too long to show; no message could hold it either
        return False


@functools.cache
def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # a lower limit applies, or none exist
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


@functools.cache
def _questions(spec: str, op: str | None) -> _Questions:
    """The vectors of an operation, or all."""
    answered = (vector for vector in load_spec(spec) if vector.expected is not None)
    return _Questions([vector for vector in answered if op in (None, vector.op.name)])


@functools.cache
def _mutants(module: str) -> list[Mutant]:
    return mutants_of(module, reference_source(module))


@functools.lru_cache(maxsize=1)
def _variant(spec: str, module: str, number: int, source: str | None) -> Variant:
    """The mutant; the last one is cached, since its operations are tried one after another."""
    code = _mutants(module)[number].code() if source is None else compile(source, "<attempt>", "exec")
    return Variant(module, code, spec=spec)
