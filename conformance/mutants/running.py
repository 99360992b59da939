"""Tries mutants, each on the vectors of every op that can use the changed code."""

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from conformance.mutants.excuses import load_excuses, load_unreachable
from conformance.mutants.fingerprint import fingerprint
from conformance.mutants.mutator import Mutant
from conformance.mutants.results import Report, report_of
from conformance.mutants.selection import asked_of
from conformance.mutants.workers import Attempt, tried

__all__ = ["try_mutants"]


def try_mutants(
    mutants: Sequence[tuple[Mutant, int]],
    spec: str,
    modules: Sequence[str],
    jobs: int,
    begin: Callable[[int], AbstractContextManager[Callable[[], None]]],
    *,
    whole: bool,
) -> Report:
    """Tries mutants.

    Args:
        mutants: each with its number among its module's.
        spec: the spec with the vectors and the reference.
        modules: the spec's own modules under test.
        jobs: the number of processes; 0 for one per processor.
        begin: called with the number of attempts; returns the function to call for each.
        whole: whether these are all of the spec's mutants.

    Raises:
        MutantsError: they can't be tried.
    """
    measured = fingerprint(spec)  # before the run: an edit during it would belong to neither tree
    asked, verdicts = asked_of(mutants, spec), {}
    attempts = [Attempt(mutant.module, mutant.function, number, op=op) for mutant, number, op in asked]
    with begin(len(asked)) as tick, contextlib.closing(tried(attempts, jobs, spec=spec)) as found:
        for place, verdict in found:
            verdicts[place] = verdict
            tick()
    return report_of(
        *(asked, verdicts, load_excuses(), load_unreachable()),
        spec=spec,
        modules=modules,
        whole=whole,
        measured=measured,
    )
