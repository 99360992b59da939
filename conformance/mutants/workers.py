"""Mutants tried in processes of their own, several at a time: what hangs or dies takes nothing along."""

import contextlib
import multiprocessing
import os
import resource
import signal
import time
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from conformance.mistakes.variant import Variant
from conformance.mutants.fate import Fate, MutantsError, Verdict
from conformance.mutants.mutator import Mutant, mutants_of, reference_source
from conformance.mutants.questions import Questions
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec

__all__ = ["Attempt", "attempt", "tried"]

_MEMORY = 2 << 30
"""Bytes of address space that a process may use."""
_WALL_SECONDS = 60.0
"""When a process that does not even notice its limit of processor time is ended."""
_START_SECONDS = 120.0
"""How long a process may take until it is ready."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A mutant to be tried, by its number among those of its module, or else by the module's whole text."""

    module: str
    function: str
    number: int
    source: str | None = None
    op: str | None = None
    """The one operation whose vectors are asked; all where none is named."""


def attempt(mutant: Mutant, number: int, op: str | None = None) -> Attempt:
    """The attempt at the mutant that stands at ``number`` in the list of its module's."""
    return Attempt(mutant.module, mutant.function, number, op=op)


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    since: float = field(default_factory=time.monotonic)
    place: int | None = None
    """Where the attempt stands that it is busy with; None until it is ready."""
    ready: bool = False


def tried(
    attempts: Sequence[Attempt],
    processes: int = 0,
    wall_seconds: float = _WALL_SECONDS,
    spec: str = DEFAULT_SPEC,
) -> Generator[tuple[int, Verdict], None, None]:
    """The verdict on each attempt with its place, as they come.

    Args:
        attempts: what is tried.
        processes: how many run at a time; 0 for one on each processor.
        wall_seconds: how long a process may be silent.
        spec: whose vectors are asked.

    Raises:
        MutantsError: the processes don't start, or the unchanged reference does not pass.
    """
    waiting = deque(range(len(attempts)))
    count = min(processes or os.cpu_count() or 1, len(attempts))
    workers = [_start(spec) for _ in range(count)]
    try:
        while workers:
            for worker in _due(workers):
                answer = _received(worker)
                if answer is None:
                    if not worker.ready:
                        raise MutantsError("the processes that try mutants don't start")
                    assert worker.place is not None
                    yield worker.place, Verdict(Fate.TIMED_OUT)
                    workers.remove(worker)
                    _end(worker)
                    if waiting:
                        workers.append(_start(spec))
                    continue
                if not worker.ready:
                    if answer.by is not None:
                        raise MutantsError(f"the unchanged reference gives {answer.by} a wrong answer")
                    worker.ready = True
                else:
                    assert worker.place is not None
                    yield worker.place, answer
                _feed(worker, workers, waiting, attempts)
            for worker in [one for one in workers if _late(one, wall_seconds)]:
                worker.process.kill()  # its connection tells the rest
    finally:
        for worker in workers:
            _end(worker)


def _start(spec: str) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, spec), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _due(workers: list[_Worker]) -> list[_Worker]:
    """Those with something to say, be it that they are gone."""
    heard = wait([worker.connection for worker in workers], timeout=1.0)
    return [worker for worker in workers if worker.connection in heard]


def _received(worker: _Worker) -> Verdict | None:
    try:
        answer: Verdict = worker.connection.recv()
    except (EOFError, OSError):
        return None
    return answer


def _feed(worker: _Worker, workers: list[_Worker], waiting: deque[int], attempts: Sequence[Attempt]) -> None:
    if not waiting:
        workers.remove(worker)
        _end(worker)
        return
    worker.place = waiting.popleft()
    worker.since = time.monotonic()
    with contextlib.suppress(OSError):  # it died: reading says so
        worker.connection.send(attempts[worker.place])


def _late(worker: _Worker, wall_seconds: float) -> bool:
    limit = wall_seconds if worker.ready else _START_SECONDS
    return time.monotonic() - worker.since > limit


def _end(worker: _Worker) -> None:
    worker.process.kill()
    worker.process.join()
    worker.connection.close()


def _work(connection: Connection, spec: str) -> None:
    """What a process does: say whether the reference passes, then try what it is sent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # a lower limit holds already, or there is none here
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    vectors = [vector for vector in load_spec(spec) if vector.expected is not None]
    connection.send(Questions(vectors).judge("", "", lambda: Variant(spec=spec)))
    trial = _Trying(vectors, spec)
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(trial.verdict(connection.recv()))


class _Trying:
    """What a process keeps from one attempt to the next."""

    def __init__(self, vectors: Sequence[Vector], spec: str) -> None:
        self._vectors, self._spec = vectors, spec
        self._questions: dict[str | None, Questions] = {}
        self._mutants: dict[str, list[Mutant]] = {}
        self._made: tuple[tuple[str, int], Variant] | None = None
        """The last mutant: asked by operation, it comes several times in a row."""

    def verdict(self, asked: Attempt) -> Verdict:
        """The fate of a mutant."""
        return self._of(asked.op).judge(asked.module, asked.function, lambda: self._variant(asked))

    def _of(self, op: str | None) -> Questions:
        if op not in self._questions:
            vectors = [vector for vector in self._vectors if op in (None, vector.op.name)]
            self._questions[op] = Questions(vectors)
        return self._questions[op]

    def _variant(self, asked: Attempt) -> Variant:
        if asked.source is not None:
            return Variant(asked.module, compile(asked.source, "<attempt>", "exec"), spec=self._spec)
        key = (asked.module, asked.number)
        if self._made is None or self._made[0] != key:
            if asked.module not in self._mutants:
                self._mutants[asked.module] = mutants_of(asked.module, reference_source(asked.module))
            code = self._mutants[asked.module][asked.number].code()
            self._made = key, Variant(asked.module, code, spec=self._spec)
        return self._made[1]
