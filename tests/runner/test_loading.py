"""Loading is not answering: without a time-out of the user's, a first reply may take longer than others."""

import time

import pytest

from conformance.runner import settings
from conformance.runner.conversation import Conversation
from conformance.runner.one_shot import OneShot
from conformance.runner.settings import Settings
from conformance.suite.vectors import load_file
from conformance.wire.messages import Ok

pytestmark = pytest.mark.slow

SPEC = "harbor-0.13.1"
HASTY, LOADING = 0.8, 60.0


@pytest.fixture(autouse=True)
def hasty(monkeypatch) -> None:
    monkeypatch.setattr(settings, "TIMEOUT", HASTY)
    monkeypatch.setattr(settings, "LOADING", LOADING)


def answers(kind, given, path):
    """The answers to all vectors of a file, with the seconds that each took."""
    talk, vectors = kind(given), load_file(path)
    talk.start()
    for vector in vectors:
        talk.submit(vector.request())
    replies = [talk.next_reply() for _ in vectors]
    talk.kill()
    return [(reply.answer, reply.seconds) for reply in replies]


@pytest.mark.parametrize("kind", [Conversation, OneShot])
def test_the_first_reply_of_an_operation_may_take_longer(kind, vectors, hostile) -> None:
    """A time-out of the user's means every reply."""
    path = vectors.several(2)
    told = answers(kind, Settings(hostile(path, "loads-late"), SPEC), path)
    assert [type(answer) for answer, _ in told] == [Ok, Ok]
    assert told[0][1] > HASTY
    path = vectors.several(1)
    [(answer, _)] = answers(kind, Settings(hostile(path, "loads-late"), SPEC, HASTY), path)
    assert (answer.outcome, answer.sentence.partition(":")[0]) == ("timeout", "no reply within 0.8 s")


def test_other_replies_have_the_usual_time_and_hello_has_the_long_one(vectors, hostile) -> None:
    path = vectors.several(2)
    began = time.monotonic()
    told = answers(Conversation, Settings(hostile(path, "hang", "v1"), SPEC), path)
    assert told[1][0].sentence.startswith("no reply within 0.8 s")
    assert time.monotonic() - began < LOADING
    assert Settings(("r",), SPEC).hello_seconds == LOADING
    given = Settings(("r",), SPEC, 2.0)
    assert (given.hello_seconds, given.first_seconds) == (6.0, 2.0)


def test_an_operation_that_never_answers_is_waited_for_once(vectors, hostile, monkeypatch) -> None:
    """Each process would load anew; each operation has its own long time."""
    monkeypatch.setattr(settings, "LOADING", 2.5)  # that of hello, which is answered, too
    entries = [vectors.entry("a"), vectors.entry("b", "parse_reward", {"files": {}}, {"rewards": None})]
    path = vectors.write(entries)
    (right, _), (hung, _) = answers(Conversation, Settings(hostile(path, "hang", "b"), SPEC), path)
    assert isinstance(right, Ok)
    assert hung.sentence.startswith("no reply within 2.5 s")
    path = vectors.several(4)
    told = answers(Conversation, Settings(hostile(path, "hang"), SPEC), path)
    sentences = [answer.sentence.partition(":")[0] for answer, _ in told]
    assert sentences == ["no reply within 2.5 s"] + ["no reply within 0.8 s"] * 2 + ["not run"]
