"""What a runner may cost: memory for its replies, time for its failures, and what it leaves behind."""

import os
import shlex
from pathlib import Path

import pytest

from conformance.judging.verdict import Outcome
from conformance.oracle.commands import settings_of
from conformance.run.dispatcher import Dispatcher
from conformance.run.flaky import Allowance
from conformance.run.options import RunOptions
from conformance.runner import allowance, reply_errors
from conformance.runner.allowance import Keeping, TooHeavyError, weighed
from conformance.suite.vectors import load_file
from tests.processes import running, waited_for

pytestmark = pytest.mark.slow


def dispatcher_for(command, **more):
    options = RunOptions(command=shlex.join(command), timeout=more.pop("timeout", 30.0), **more)
    return Dispatcher(options, settings_of(options))


def verdicts(dispatcher, path):
    vectors = load_file(path)
    try:
        dispatcher.start()
        dispatcher.prefetch(vectors)
        return list(map(dispatcher.verdict, vectors))
    finally:
        dispatcher.kill()


def outcomes(dispatcher, path):
    return [(one.outcome, one.sentence) for one in verdicts(dispatcher, path)]


@pytest.mark.parametrize("oneshot", [False, True])
def test_replies_of_a_mebibyte_end_the_run(vectors, hostile, monkeypatch, oneshot) -> None:
    monkeypatch.setattr(allowance, "ALLOWED", 4 << 20)
    path = vectors.several(12)
    dispatcher = dispatcher_for(hostile(path, "big-replies"), oneshot=oneshot)
    told = outcomes(dispatcher, path)
    assert {outcome for outcome, _ in told} == {Outcome.MISMATCH, Outcome.NOT_RUN}
    assert told[-1][0] is Outcome.NOT_RUN
    assert "replies are far longer than the questions warrant" in told[-1][1]
    assert 4 <= dispatcher.keeping.left_out <= 8  # and none of them is kept


def test_what_is_kept_weighed_and_late_has_a_bound() -> None:
    keeping = Keeping(left=100)
    assert [keeping.keeps(60), keeping.keeps(60), keeping.keeps(30)] == [True, False, True]
    assert (keeping.left, keeping.left_out) == (10, 1)
    assert not Keeping().keeps(allowance.KEPT_EACH + 1)
    with pytest.raises(TooHeavyError, match="would take"):
        weighed(b"{}," * (4 << 20))
    assert [reply_errors.too_often_late(late, 0) for late in (1, 2)] == [None, None]
    assert reply_errors.too_often_late(3, 0) == "not run: none of 3 requests was answered in time"
    assert reply_errors.too_often_late(19, 1) is None
    assert reply_errors.too_often_late(20, 180) is None
    assert reply_errors.too_often_late(20, 179) is not None
    for line in (b'{"id":1,"ok":{"a":[' + b"{}," * 1000 + b"{}]}}", b"[" + b"0.5," * 1000 + b"1]"):
        assert len(line) < weighed(line) < 40 * len(line)


@pytest.mark.parametrize("oneshot", [False, True])
def test_who_is_late_too_often_gets_no_more_requests(vectors, hostile, monkeypatch, oneshot) -> None:
    """Each right reply in between would else buy it five more time-outs."""
    monkeypatch.setattr(reply_errors, "_MOST_LATE", 3)
    path = vectors.several(9)
    command = hostile(path, "hang", "v1", "v3", "v5")
    found = outcomes(dispatcher_for(command, timeout=1.5, oneshot=oneshot), path)
    assert "".join(str(outcome)[0] for outcome, _ in found) == "ptptptnnn"
    assert found[-1][1] == (
        "not run: 3 of 6 replies did not come in time, which is more than one in ten: fix the "
        "runner, or give it more time with --runner-timeout"
    )


def test_who_never_replied_is_not_asked_again(vectors, hostile) -> None:
    path = vectors.several(4)
    dispatcher = dispatcher_for(hostile(path, "hang"), timeout=0.8)
    told = outcomes(dispatcher, path)
    assert [outcome for outcome, _ in told] == [*[Outcome.TIMEOUT] * 3, Outcome.NOT_RUN]
    assert dispatcher.allowance == Allowance(), "nothing of it is used"


def test_after_enough_time_nothing_is_asked(vectors, hostile) -> None:
    path = vectors.several(8)
    told = outcomes(dispatcher_for(hostile(path, "hang"), max_time=3.0), path)
    assert {outcome for outcome, _ in told} == {Outcome.NOT_RUN}
    assert told[0][1] == "not run: --max-time was over, 3 s"


@pytest.mark.parametrize("how", [[], ["--oneshot"]])
def test_hello_gets_no_more_than_the_time_of_the_run(cli, how) -> None:
    done = cli("run", "--runner", "sleep 250", "--max-time", "0.2", *how)
    assert done.returncode == 2
    assert "did not answer hello before --max-time was over" in done.stdout


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="daemons are found in /proc alone")
@pytest.mark.parametrize("oneshot", [False, True])
def test_a_daemon_of_the_runner_is_ended(vectors, hostile, monkeypatch, oneshot) -> None:
    monkeypatch.setenv("HOSTILE_DAEMON", mark := f"daemon-{os.getpid()}-{oneshot}")
    path = vectors.several(2)
    assert outcomes(dispatcher_for(hostile(path, "daemon"), oneshot=oneshot), path)
    waited_for(lambda: not any("left by hostile.py" in words for words in running(mark)), "end of it")
