"""Mutants that hang, die, eat memory or don't start take nothing along."""

import multiprocessing
import os
import time

import pytest

from conformance.mistakes.mutators.mutants import reference_source
from conformance.mutants import workers
from conformance.mutants.fate import Fate, MutantsError, Verdict
from conformance.mutants.workers import Attempt, tried

pytestmark = pytest.mark.slow

PLAN = reference_source("plan")
BODY = "    if not tasks:\n"
SIGMA = reference_source("cpython312.unicode15").replace('"\\u03c2"', '"x"')


def instead(line):
    """The module `plan` with one more line at the start of its function."""
    assert BODY in PLAN
    return Attempt("plan", "plan_trials", 0, PLAN.replace(BODY, f"    {line}\n{BODY}"))


def verdicts(*attempts):
    found = dict(tried(attempts, 1, 60.0))
    return [found[place] for place in range(len(attempts))]


def test_each_mutant_has_its_own_end() -> None:
    """That of a module that several share, and one that spoils what it is given, too."""
    same, wrong, shared, spoiled, hangs, greedy, dies, no_start, after = verdicts(
        instead("pass"),
        instead("return []"),
        Attempt("cpython312.unicode15", "FINAL_SIGMA", 0, SIGMA),
        instead("tasks.append('t'); tasks.pop(); agents.clear()"),
        instead("while True: pass"),
        instead("tasks = list(tasks) * 10**12"),
        instead("__import__('os')._exit(3)"),
        Attempt("plan", "plan_trials", 0, "raise KeyError('at once')"),
        instead("agents = agents[::-1]"),
    )
    assert same == Verdict(Fate.SURVIVED)
    assert wrong.fate is shared.fate is spoiled.fate is after.fate is Fate.KILLED
    assert wrong.by is not None
    assert wrong.by.startswith("harbor-0.13.1/")
    assert hangs == Verdict(Fate.TIMED_OUT)
    assert greedy.fate is Fate.TIMED_OUT
    assert dies == Verdict(Fate.TIMED_OUT)
    assert no_start == Verdict(Fate.AT_IMPORT)


def test_one_that_swallows_the_limit_is_ended_from_outside_and_no_process_is_left() -> None:
    stubborn = instead("__import__('signal').setitimer(2, 0); __import__('time').sleep(600)")
    run = tried([stubborn, *[instead("pass")] * 2], 1, wall_seconds=1.0)
    began = time.monotonic()
    assert next(run) == (0, Verdict(Fate.TIMED_OUT))
    assert time.monotonic() - began < 60
    run.close()
    assert multiprocessing.active_children() == []
    assert list(tried([])) == []


def die(*_) -> None:
    os._exit(1)


def test_processes_that_do_not_start(monkeypatch) -> None:
    monkeypatch.setattr(workers, "_verdict", die)
    with pytest.raises(MutantsError, match="don't start"):
        list(tried([instead("pass")], 1))
