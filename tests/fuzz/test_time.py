"""The time that is given bounds all of a run: what a runner takes, shrinking, the diagnosis."""

import shlex
import sys
from types import SimpleNamespace

import pytest

from conformance.fuzz import engine, findings
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.findings import Keeper, evidence
from conformance.fuzz.inputs import all_ops
from conformance.oracle.commands import settings_of
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec

pytestmark = pytest.mark.slow
HELLO = '{"id":0,"ok":{"runner":"r","version":"1","protocol":1,"ops":["aggregate","evals_key"]}}'
PLAIN = (sys.executable, "-I", "-S", "-c")
SOON = 25.0
"""Seconds within which a run of a few ends on a busy machine; to wait for a runner would take longer."""
WRONG = "print(json.dumps({'id': id, 'ok': {}}), flush=True)"


def runner(body, begin=""):
    """A runner of two operations that meets every request with ``body``."""
    lines = ["import sys, json, time", begin, "sys.stdin.readline()", f"print({HELLO!r}, flush=True)"]
    lines += ["for line in sys.stdin:", "    id = json.loads(line)['id']", f"    {body}"]
    return shlex.join((*PLAIN, "\n".join(lines)))


def fuzzed(command, seconds, **options):
    """A run that has ended, and how long it took from hello's reply."""
    chosen = RunOptions(command=command, timeout=30.0, **options)
    few = load_spec("harbor-0.13.1")[:50]
    run = Fuzz(Plan(chosen, settings_of(chosen), 1, all_ops(), few, seconds, None))
    run.run()
    return run, run.seconds


@pytest.mark.parametrize("oneshot", [False, True])
def test_a_runner_that_hangs_is_not_waited_for(oneshot, tmp_path) -> None:
    hangs = f"import sys, time\nif '\"hello\"' not in sys.stdin.readline(): time.sleep(60)\nprint({HELLO!r})"
    command = shlex.join((*PLAIN, hangs)) if oneshot else runner("time.sleep(60)")
    run, seconds = fuzzed(command, 1.0, oneshot=oneshot)
    assert seconds < SOON
    assert (run.compared, run.causes.count, run.stopped) == (0, 0, None)
    assert run.unanswered > 0
    said = Keeper(tmp_path / "out.json", run).cut()
    assert said == [f"{run.unanswered} inputs were still unanswered, and are not counted"]


def test_a_runner_that_is_slow_or_starts_again_slowly_is_not_waited_for(tmp_path) -> None:
    run, seconds = fuzzed(runner("time.sleep(0.3); " + WRONG), 3.0)
    assert seconds < SOON
    assert run.causes.found
    assert run.not_fully_shrunk >= 1
    # Its first start is quick, as the time given begins when hello is answered.
    mark = tmp_path / "started"
    begin = f"import os\nif os.path.exists({str(mark)!r}): time.sleep(60)\nopen({str(mark)!r}, 'w').close()"
    _, seconds = fuzzed(runner("sys.exit(1)", begin), 1.0)
    assert seconds < SOON


def test_time_is_left_for_the_diagnosis_of_what_was_found(monkeypatch) -> None:
    right, _ = fuzzed(shlex.join((sys.executable, "-m", "reference_impl")), 1.0)
    assert right.seconds >= 0.9
    monkeypatch.setattr(engine, "_DIAGNOSIS_LEAST", 2.0)
    wrong, _ = fuzzed(f"{sys.executable} -m conformance.mistakes mean-floors", 6.0)
    assert wrong.causes.found
    assert wrong.until - wrong.asking_until == 2.0
    assert wrong.seconds < 6.0


def clock_of(monkeypatch, seconds_each):
    """A clock that only the diagnosis moves, by so much for each answer; what that was given."""
    clock = SimpleNamespace(now=1000.0, seen=[], monotonic=lambda: clock.now)

    def slow(given, *_, **__) -> None:
        clock.seen.append(sum(not one.clause for one in given))
        clock.now += clock.seen[-1] * seconds_each

    monkeypatch.setattr(findings, "diagnose", slow)
    monkeypatch.setattr(findings, "time", clock)
    return clock


@pytest.fixture(scope="module")
def found():
    """A run of some inputs that has found something; nothing is asked again, so that one does for all."""
    options = RunOptions(command=f"{sys.executable} -m conformance.mistakes mean-floors", timeout=30.0)
    run = Fuzz(Plan(options, settings_of(options), 1, all_ops(), load_spec("harbor-0.13.1"), None, 600))
    run.run()
    return run


def test_the_diagnosis_has_its_time(found, tmp_path, monkeypatch) -> None:
    """Without a time, all at once."""
    clock = clock_of(monkeypatch, 0.0)
    keeper = Keeper(tmp_path / "out.json", found)
    keeper.diagnose()
    assert (clock.seen, keeper.cut()) == ([len(evidence(found))], [])
    first = evidence(found)[: 4 * len(found.causes.found)]  # has some of everything
    assert {one.passed for one in first} == {True, False}
    shown = {findings.finding_id("harbor-0.13.1", cause.shown) for cause in found.causes.found}
    assert shown <= {one.key for one in first}
    clock = clock_of(monkeypatch, 0.01)
    keeper, every = Keeper(tmp_path / "out.json", found), len(evidence(found))
    assert every > 384
    monkeypatch.setattr(found, "until", clock.now + 1.7)
    keeper.diagnose()
    assert clock.seen == [24, 96]
    assert keeper.cut()[-1] == f"the diagnosis used 96 of {every} answers"
    monkeypatch.setattr(found, "until", clock.now - 1)
    late = Keeper(tmp_path / "late.json", found)
    late.diagnose()
    assert late.cut()[-1] == "there was no diagnosis"
