"""Loading is not answering: without a time-out of the user's, a first reply may take longer than others."""

import time

import pytest

from conformance.runner import settings
from conformance.runner.conversation import Conversation
from conformance.runner.one_shot import OneShot
from conformance.runner.settings import Settings
from conformance.suite.vectors import load_file
from conformance.wire.messages import Failed, Ok

pytestmark = pytest.mark.slow

SPEC = "harbor-0.13.1"
HASTY, LOADING = 0.8, 60.0


@pytest.fixture(autouse=True)
def hasty(monkeypatch) -> None:
    monkeypatch.setattr(settings, "TIMEOUT", HASTY)
    monkeypatch.setattr(settings, "LOADING", LOADING)


@pytest.fixture(params=[Conversation, OneShot])
def talk_of(request):
    return request.param


def answers(talk, vectors, count, path):
    talk.start()
    for vector in load_file(path):
        talk.submit(vector.request())
    replies = [talk.next_reply() for _ in range(count)]
    talk.kill()
    return [(reply.answer, reply.seconds) for reply in replies]


def test_the_first_reply_of_an_operation_may_take_longer(talk_of, vectors, hostile) -> None:
    path = vectors.several(2)
    told = answers(talk_of(Settings(hostile(path, "loads-late"), SPEC)), vectors, 2, path)
    assert [type(answer) for answer, _ in told] == [Ok, Ok]
    assert told[0][1] > HASTY


def test_a_time_out_of_the_users_means_every_reply(talk_of, vectors, hostile) -> None:
    path = vectors.several(1)
    [(answer, _)] = answers(talk_of(Settings(hostile(path, "loads-late"), SPEC, HASTY)), vectors, 1, path)
    assert isinstance(answer, Failed)
    assert answer.outcome == "timeout"
    assert answer.sentence.startswith("no reply within 0.8 s")


def test_other_replies_have_the_usual_time(vectors, hostile) -> None:
    path = vectors.several(3)
    began = time.monotonic()
    told = answers(Conversation(Settings(hostile(path, "hang", "v1"), SPEC)), vectors, 2, path)
    assert isinstance(told[1][0], Failed)
    assert told[1][0].sentence.startswith("no reply within 0.8 s")
    assert time.monotonic() - began < LOADING


def test_an_operation_that_never_answers_is_waited_for_once(vectors, hostile, monkeypatch) -> None:
    """Each process would load anew: a run of an op that hangs must not take the long time again and again."""
    monkeypatch.setattr(settings, "LOADING", 2.5)  # that of hello, which is answered, too
    path = vectors.several(4)
    told = answers(Conversation(Settings(hostile(path, "hang"), SPEC)), vectors, 4, path)
    sentences = [answer.sentence.partition(":")[0] for answer, _ in told]
    assert sentences == ["no reply within 2.5 s"] + ["no reply within 0.8 s"] * 3


def test_each_operation_has_its_own(vectors, hostile, monkeypatch) -> None:
    monkeypatch.setattr(settings, "LOADING", 2.5)
    given = {"files": {}}
    path = vectors.write([vectors.entry("a"), vectors.entry("b", "parse_reward", given, {"rewards": None})])
    told = answers(Conversation(Settings(hostile(path, "hang", "b"), SPEC)), vectors, 2, path)
    assert isinstance(told[0][0], Ok)
    assert told[1][0].sentence.startswith("no reply within 2.5 s")


def test_hello_has_the_long_time(vectors, hostile) -> None:
    assert Settings(("r",), SPEC).hello_seconds == LOADING
    assert Settings(("r",), SPEC, 2.0).hello_seconds == 6.0
    assert Settings(("r",), SPEC, 2.0).first_seconds == 2.0
