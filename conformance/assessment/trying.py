"""Known mistakes put to the vectors, and properties to known mistakes, in several processes."""

import functools
import itertools
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import TypeVar

from conformance.assessment.measurements import AssessmentError, CaughtMistake, TriedProperty
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, judge
from conformance.mistakes import all_mistakes
from conformance.mistakes.catalogue import made
from conformance.mistakes.variant import Variant
from conformance.properties import load_properties
from conformance.properties.asking import Asker, BrokenError
from conformance.properties.registry import checks
from conformance.properties.trying import seed_of, try_property
from conformance.suite.properties import Property
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Reply, Unsupported

__all__ = ["properties_of", "tried_mistakes", "tried_properties"]

_CPU_SECONDS = 600.0
"""What a process may use before it is taken to hang; all mistakes together take a tenth of it."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def tried_mistakes(spec: str, jobs: int, tick: Callable[[], None]) -> tuple[CaughtMistake, ...]:
    """Every known mistake, asked all vectors of its own class.

    Raises:
        AssessmentError: a mistake takes a process down, or does not end.
    """
    return tuple(_each(functools.partial(_try_mistake, spec), list(all_mistakes(spec)), jobs, tick))


def tried_properties(spec: str, jobs: int, tick: Callable[[], None]) -> tuple[TriedProperty, ...]:
    """Every property, tried on known mistakes of its operations until one breaks it; a tick for each op.

    Raises:
        AssessmentError: as ``tried_mistakes``.
    """
    ops = list(dict.fromkeys(one.op.name for one in load_properties(spec)))
    return tuple(itertools.chain(*_each(functools.partial(properties_of, spec), ops, jobs, tick)))


def _each(
    task: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int, tick: Callable[[], None]
) -> list[_Result]:
    """The task's result for each item, in order, from ``jobs`` processes (0: one a processor)."""
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        jobs or None, mp_context=context, initializer=_begin, initargs=(_CPU_SECONDS,)
    ) as pool:
        try:
            waiting = [pool.submit(task, item) for item in items]
            for done in as_completed(waiting):
                done.result()
                tick()
        except BrokenProcessPool:
            raise AssessmentError("a process that tried a known mistake died, or did not end") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            raise
        return [done.result() for done in waiting]


def _begin(cpu_seconds: float) -> None:
    """Prepares a process: whoever started it ends it, and so does SIGPROF where it runs too long."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


@functools.cache
def _of_class(spec: str, conformance_class: str) -> list[Vector]:
    """The vectors of a class, those of short requests first."""
    vectors = [vector for vector in load_spec(spec) if vector.conformance_class == conformance_class]
    return sorted(vectors, key=lambda vector: (len(vector.request().tail), vector.id))


def _try_mistake(spec: str, name: str) -> CaughtMistake:
    mistake = all_mistakes()[name]
    variant = made(mistake)
    caught = []
    for vector in _of_class(spec, mistake.conformance_class):
        answer = variant.answer(vector.op.name, vector.input)
        if judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES).outcome is not Outcome.PASSED:
            caught.append(vector.id)
    first = caught[0] if caught else None
    return CaughtMistake(name, mistake.op, mistake.says, mistake.clause, len(caught), first)


def properties_of(spec: str, op: str) -> list[TriedProperty]:
    """The properties of one op: each mistake is made once, and asked by all that are not broken yet."""
    listed = [one for one in load_properties(spec) if one.op.name == op]
    waiting = {one.id: (one, _inputs(one)) for one in listed}
    ops = {also.name for one in listed for also in one.ops}
    for mistake in all_mistakes(spec).values():
        if mistake.op not in ops:
            continue
        variant = made(mistake)
        for wanted, inputs in list(waiting.values()):
            if mistake.op in {also.name for also in wanted.ops} and _breaks(variant, wanted, inputs):
                del waiting[wanted.id]
    return [TriedProperty(one.id, op, one.rule, one.id not in waiting) for one in listed]


def _inputs(wanted: Property) -> list[bytes]:
    """What a usual run tries the property with, pickled: a mistake may change what it is given."""
    drawn: list[bytes] = []
    check = replace(checks()[wanted.slug], function=lambda _, given: drawn.append(pickle.dumps(given)))
    try_property(check, lambda *_: Reply("", Unsupported(""), 0.0), seed=seed_of(wanted.id, 0))
    return drawn


def _breaks(variant: Variant, wanted: Property, inputs: list[bytes]) -> bool:
    function = checks()[wanted.slug].function
    for given in inputs:
        asker = Asker(lambda op, asked: Reply("", variant.answer(op, asked), 0.0))
        try:
            function(asker, pickle.loads(given))  # noqa: S301 - our own
        except BrokenError:
            return True
        except Exception:  # noqa: S112 - an answer of no shape that the property could be held to
            continue
    return False
