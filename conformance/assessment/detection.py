"""Counts which known mistakes the vectors and the properties detect.

Both use one copy of the reference that makes one mistake after another, and skip cases that can't show one:
if the reference calls no function that a mistake replaces, the answer is the same
(``conformance.diagnosis``).
"""

import functools
import itertools
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any, TypeVar

from conformance.assessment.benchmarks import AssessmentError
from conformance.diagnosis.catching import Catching
from conformance.diagnosis.scratch import Scratch, scratch
from conformance.mistakes import Mistake, all_mistakes
from conformance.mutants.reach import concerns
from conformance.properties import load_properties
from conformance.properties.asking import Asker, BrokenError
from conformance.properties.registry import Function, check_of
from conformance.properties.trying import seed_of, try_property
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.suite.properties import Property
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Reply, Unsupported
from conformance.workers import processors, spread
from conformance.workers.spreading import WorkerDiedError

__all__ = [
    "CaughtMistake",
    "broken_by",
    "caught_mistakes",
    "in_processes",
    "properties_of",
    "tried_properties",
]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class CaughtMistake:
    """A known mistake, and a vector that catches it."""

    name: str
    vector: str | None
    """The shortest vector of its class that it answers wrongly; None if there is none."""
    by_op: dict[str, str | None] = field(default_factory=dict)
    """The ops that can use the changed code, each with the shortest of its own vectors that catches it."""


def in_processes(
    task: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int, tick: Callable[[], None]
) -> list[_Result]:
    """The task's result for each item, in order; ``jobs`` is the number of processes, 0 for all processors.

    Raises:
        AssessmentError: a mistake crashes a process.
    """
    try:
        return list(spread(task, items, jobs or processors(), done=lambda _: tick(), tries=1))
    except WorkerDiedError:
        raise AssessmentError("a process that tried a known mistake died") from None


def tried_properties(spec: str, jobs: int, tick: Callable[[], None]) -> dict[str, str | None]:
    """Every property with a known mistake of its operations that breaks it, if any; ticks once per op.

    Raises:
        AssessmentError: a mistake crashes a process.
    """
    ops = list(dict.fromkeys(property_.op.name for property_ in own_properties(spec)))
    results = in_processes(functools.partial(properties_of, spec), ops, jobs, tick)
    return {key: broken for result in results for key, broken in result.items()}


@functools.cache
def _catching(spec: str) -> Catching:
    """The vectors of a spec, shortest requests first."""
    return Catching(sorted(load_spec(spec), key=lambda vector: (len(vector.request().tail), vector.id)))


def caught_mistakes(spec: str, op: str | None = None) -> Iterator[CaughtMistake]:
    """Every known mistake of a spec, or of one op, with the shortest vector of its class that catches it.

    A mistake inherited from the base is omitted if it changes nothing here.
    """
    base = SPEC_TABLE[spec].base
    inherited = all_mistakes(base) if base is not None else {}
    for mistake in all_mistakes(spec).values():
        caught = next(_catching(spec).catching(mistake), None) if op in (None, mistake.op) else None
        if op not in (None, mistake.op) or (caught is None and mistake.name in inherited):
            continue
        by_op = _caught_by_op(spec, mistake) if mistake.name not in inherited else {}
        yield CaughtMistake(mistake.name, None if caught is None else caught.id, by_op)


def _caught_by_op(spec: str, mistake: Mistake) -> dict[str, str | None]:
    """The ops that can use the changed code, each with the first of its vectors that catches the mistake."""
    changes = scratch(spec).changes(mistake)
    ops = [op.name for op in ops_of(spec) if concerns(op.name, changes, spec)]
    return {op: next((vector.id for vector in _catching(spec).catching_in(mistake, op)), None) for op in ops}


def own_properties(spec: str) -> list[Property]:
    """The properties in a spec's own list; those of its base are tried with the base."""
    base = SPEC_TABLE[spec].base
    known = {property_.slug for property_ in load_properties(base)} if base is not None else set()
    return [property_ for property_ in load_properties(spec) if property_.slug not in known]


def properties_of(spec: str, op: str) -> dict[str, str | None]:
    """The properties of one op by id, each with a known mistake that breaks it."""
    mistakes = list(all_mistakes(spec).values())
    wanted = [property_ for property_ in own_properties(spec) if property_.op.name == op]
    broken = ((property_.id, broken_by(property_, mistakes)) for property_ in wanted)
    return {key: None if mistake is None else mistake.name for key, mistake in broken}


def broken_by(wanted: Property, mistakes: Sequence[Mistake], *, sparing: bool = True) -> Mistake | None:
    """A mistake of the property's operations that breaks it on an input of a normal run.

    Each input is tried on all mistakes before the next is drawn, since drawing takes longer than most
    answers.

    Args:
        wanted: the property.
        mistakes: the candidates; those that break its own clause come first.
        sparing: whether to skip mistakes on inputs where every answer equals the reference's.
    """
    ops = {also.name for also in wanted.ops}
    candidates = [mistake for mistake in mistakes if mistake.op in ops]
    candidates.sort(key=lambda mistake: (mistake.clause != wanted.clause, mistake.op != wanted.op.name))
    check, reference = check_of(wanted), scratch(wanted.op.spec)
    broken: list[Mistake] = []

    def try_all_mistakes(_: Asker, input_: Any) -> None:
        copy = pickle.dumps(input_)  # a mistake may modify its argument
        called = _called(reference, check.function, copy) if sparing else None
        for mistake in candidates:
            footprint = reference.footprint(mistake)
            if called is not None and footprint is not None and footprint.isdisjoint(called):
                continue
            reference.make(mistake)
            if _fails(reference, check.function, copy):
                broken.append(mistake)
                raise BrokenError  # ends the search

    try_property(
        replace(check, function=try_all_mistakes),
        lambda *_: Reply("", Unsupported(""), 0.0),
        seed=seed_of(wanted.id, 0),
        shrinking=False,
    )
    return broken[0] if broken else None


def _called(reference: Scratch, function: Function, pickled: bytes) -> frozenset[CodeType]:
    """The functions that the reference calls when the property is checked on an input."""
    reference.make()
    requests: list[tuple[str, Any]] = []

    def ask_and_record(op: str, asked_for: Any) -> Reply:
        requests.append((op, pickle.loads(pickle.dumps(asked_for))))  # noqa: S301 - our own
        return Reply("", reference.answer(op, asked_for), 0.0)

    function(Asker(ask_and_record), pickle.loads(pickled))  # noqa: S301 - our own
    return frozenset(itertools.chain.from_iterable(reference.called(*request) for request in requests))


def _fails(reference: Scratch, function: Function, pickled: bytes) -> bool:
    asker = Asker(lambda op, input_: Reply("", reference.answer(op, input_), 0.0))
    try:
        function(asker, pickle.loads(pickled))  # noqa: S301 - our own
    except BrokenError:
        return True
    except Exception:  # the property cannot read an answer of this shape
        return False
    return False
