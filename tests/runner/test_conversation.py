"""The talk with a runner: who is blamed, what everybody else gets, and that it always ends in time."""

import itertools
import sys
import time

import pytest

from conformance.runner.conversation import MAX_RESTARTS, Conversation, Settings, SettingsError
from conformance.runner.one_shot import OneShot
from conformance.suite.vectors import load_file
from conformance.wire.messages import Ok
from tests.runner.test_bounds import dispatcher_for, verdicts

PATIENT = 30.0  # seconds a reply may take where time is not the subject
HASTY = 1.0  # where a reply never comes: others come in time, on a busy machine too
COUNT = 8

pytestmark = pytest.mark.slow


@pytest.fixture
def ask(vectors, hostile):
    """Asks a hostile runner for a file of vectors; the verdicts."""

    def run(*behaviour):
        path = vectors.several(COUNT)
        return verdicts(dispatcher_for(hostile(path, *behaviour)), path)

    return run


def told(verdicts):
    return [str(verdict.outcome) for verdict in verdicts]


def test_a_runner_that_does_not_start_again_stops_the_run(ask, monkeypatch, tmp_path) -> None:
    starts = tmp_path / "starts"
    monkeypatch.setenv("HOSTILE_STARTS", str(starts))
    found = ask("starts-once", "v3")
    assert told(found) == ["passed"] * 3 + ["crash"] + ["not-run"] * 4
    assert found[-1].sentence == (
        "not run: the runner can't be started again: the runner exited with code 9 before it answered hello"
    )
    assert starts.read_text(encoding="utf-8").count("\n") == 1 + MAX_RESTARTS + 1  # one to ask again


def test_each_reply_is_charged_with_its_own_time(ask) -> None:
    began = time.monotonic()
    found = ask("slow")
    assert told(found) == ["passed"] * COUNT
    assert 0.1 * COUNT <= sum(verdict.seconds for verdict in found) <= time.monotonic() - began


def test_time_in_which_nobody_listens_is_not_the_runners(vectors, hostile) -> None:
    """A pytest user's own slow test may run between two vectors."""
    path = vectors.several(2)
    talk = Conversation(Settings(hostile(path, "pipe-and-a-half"), "harbor-0.13.1", HASTY))
    talk.start()
    for vector in load_file(path):
        talk.submit(vector.request())
    assert isinstance(talk.next_reply().answer, Ok)
    time.sleep(HASTY * 1.5)
    assert isinstance(talk.next_reply().answer, Ok)
    assert talk.finish() == []


@pytest.mark.parametrize("kind", [Conversation, OneShot])
def test_what_was_not_waited_for_is_dropped_at_the_end(vectors, hostile, kind) -> None:
    path = vectors.several(COUNT)
    talk = kind(Settings(hostile(path, "hang", "v1"), "harbor-0.13.1", PATIENT))
    talk.start()
    for vector in load_file(path):
        talk.submit(vector.request())
    assert isinstance(talk.next_reply().answer, Ok)
    began = time.monotonic()
    assert talk.finish() == []
    assert time.monotonic() - began < PATIENT / 2


def test_never_more_than_the_pipeline_is_outstanding(vectors) -> None:
    """The runner reads what is there, waits a little for more, and answers all with what it saw."""
    source = (
        "import json, os, select\n"
        "os.read(0, 1 << 20)\n"
        "hello = {'runner': 'r', 'version': '1', 'protocol': 1, 'ops': ['evals_key']}\n"
        "os.write(1, json.dumps({'id': 0, 'ok': hello}).encode() + b'\\n')\n"
        "while got := os.read(0, 1 << 20):\n"
        "    while select.select([0], [], [], 0.1)[0]:\n"
        "        if not (more := os.read(0, 1 << 20)): break\n"
        "        got += more\n"
        "    ids = [json.loads(line)['id'] for line in got.splitlines()]\n"
        '    os.write(1, b\'\'.join(b\'{"id":%d,"ok":{"n":%d}}\\n\' % (id, len(ids)) for id in ids))\n'
    )
    path = vectors.several(10)
    talk = Conversation(Settings((sys.executable, "-c", source), "harbor-0.13.1", PATIENT, pipeline=4))
    talk.start()
    for vector in load_file(path):
        talk.submit(vector.request())
    seen = [talk.next_reply().answer for _ in range(10)]
    talk.kill()
    assert seen[:4] == [Ok({"n": 4})] * 4
    assert all(isinstance(answer, Ok) and answer.value["n"] <= 4 for answer in seen)


def test_work_is_done_while_a_runner_starts_and_no_longer() -> None:
    source = (
        "import json, sys, time\n"
        "sys.stdin.readline(); time.sleep(0.3)\n"
        "hello = {'runner': 'r', 'version': '1', 'protocol': 1, 'ops': ['evals_key']}\n"
        "print(json.dumps({'id': 0, 'ok': hello}), flush=True); sys.stdin.read()\n"
    )
    command = (sys.executable, "-c", source)
    for kind in (Conversation, OneShot):
        talk = kind(Settings(command, "harbor-0.13.1"))
        steps = itertools.count()  # without an end: hello's reply ends the work
        assert talk.start(steps).runner == "r"
        talk.kill()
        assert next(steps) > 2


def test_limits_that_are_none_are_refused() -> None:
    for timeout in (0.0, -1.0, float("nan"), float("inf"), 86_401.0):
        with pytest.raises(SettingsError, match="--runner-timeout must be above 0 and at most 86400 seconds"):
            Settings(("runner",), "harbor-0.13.1", timeout)
    with pytest.raises(SettingsError, match="--pipeline must be at least 1"):
        Settings(("runner",), "harbor-0.13.1", pipeline=0)
