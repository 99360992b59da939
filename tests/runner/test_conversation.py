"""The talk with a runner: who is blamed, what everybody else gets, and that it always ends in time."""

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.verdict import Outcome, Verdict
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.runner import conversation
from conformance.runner.conversation import (
    MAX_RESTARTS,
    Conversation,
    RunnerStartError,
    Settings,
    SettingsError,
)
from conformance.suite.vectors import load_file
from conformance.wire.messages import Ok

PATIENT = 30.0  # seconds a reply may take where time is not the subject
HASTY = 2.0  # where a reply never comes: others come in time, on a busy machine too
COUNT = 8

Asked = tuple[list[Verdict], list[str]]
Ask = Callable[..., Asked]
Command = Callable[..., tuple[str, ...]]


def asking(options: RunOptions) -> Dispatcher:
    return Dispatcher(options, options.settings())


@pytest.fixture
def ask(vectors: Any, hostile: Command) -> Iterator[Ask]:
    """Asks a hostile runner for a file of vectors; the verdicts, and what was wrong with the end."""
    dispatchers: list[Dispatcher] = []

    def run(
        behaviour: str, *slugs: str, timeout: float = PATIENT, pipeline: int = 64, count: int = COUNT
    ) -> Asked:
        path = vectors.several(count)
        command = hostile(path, behaviour, *slugs)
        dispatcher = asking(RunOptions(command=shlex.join(command), timeout=timeout, pipeline=pipeline))
        dispatchers.append(dispatcher)
        asked = load_file(path)
        dispatcher.start()
        dispatcher.prefetch(asked)
        return [dispatcher.verdict(vector) for vector in asked], dispatcher.finish()

    yield run
    for dispatcher in dispatchers:
        dispatcher.kill()


def told(verdicts: list[Verdict]) -> list[str]:
    return [str(verdict.outcome) for verdict in verdicts]


def all_passed_but(outcome: str, index: int, count: int = COUNT) -> list[str]:
    return ["passed"] * index + [outcome] + ["passed"] * (count - index - 1)


@pytest.mark.parametrize("pipeline", [1, 3, 64])
def test_a_correct_runner_passes_in_order(ask: Ask, pipeline: int) -> None:
    verdicts, problems = ask("correct", pipeline=pipeline, count=100)
    assert told(verdicts) == ["passed"] * 100
    assert [verdict.vector.id.rpartition("/v")[2] for verdict in verdicts] == [str(i) for i in range(100)]
    assert problems == []


AT_ONE = [
    ("wrong", "mismatch", 'at /evals_key: "v3__adhoc" expected, "wrong" came'),
    ("wrong-error", "wrong-error", "the runner answered with the error KeyError where a value is due"),
    ("unsupported", "unsupported", "the runner says unsupported: not here"),
    ("ok-null", "protocol-error", "its ok is not an object"),
    ("pipe-and-a-half", "mismatch", "at /evals_key"),
    ("nested-400", "mismatch", "at /evals_key"),
    ("exit", "crash", "the runner exited with code 3 instead of replying"),
    ("exit-0", "crash", "the runner exited with code 0 instead of replying"),
    ("kill", "crash", "the runner was killed by SIGKILL instead of replying"),
    ("closes-stdout", "crash", "the runner closed its standard output instead of replying"),
    ("partial-line", "crash", "the runner exited with code 0 instead of replying, in the middle of a line"),
    ("garbage", "protocol-error", "it is not JSON: 'Traceback (most recent call last):'"),
    ("garbage-control", "protocol-error", "it is not well-formed UTF-8"),
    ("blank-line", "protocol-error", "it is not JSON: ''"),
    ("null", "protocol-error", "it is not a JSON object: 'null'"),
    ("list", "protocol-error", "it is not a JSON object: '[1]'"),
    (
        "wrong-id",
        "protocol-error",
        "its id is the number 5 where the number 4 was due: answer in order, each request once",
    ),
    (
        "string-id",
        "protocol-error",
        'its id is the string "4" where the number 4 was due: send back the id as it came',
    ),
    (
        "float-id",
        "protocol-error",
        "its id is the number 4.0 where the number 4 was due: send back the id as it came",
    ),
    ("nested-id", "protocol-error", "where the number 4 was due"),
    ("two-answers", "protocol-error", "it must hold an id and exactly one of ok, error, unsupported"),
    ("huge", "protocol-error", "the runner's reply is longer than 1 MiB"),
    ("huge-unfinished", "protocol-error", "the runner's reply is longer than 1 MiB"),
    ("long", "protocol-error", "the runner's reply is longer than 1 MiB"),
    ("invalid-utf8", "protocol-error", "it is not well-formed UTF-8"),
    ("bare-nan", "protocol-error", "it holds the bare token NaN, which is not JSON (send a string)"),
    ("bare-infinity", "protocol-error", "it holds the bare token -Infinity"),
    ("duplicate-key", "protocol-error", "it holds an object with a duplicate key"),
    ("5000-digits", "protocol-error", "it is an int of more than 4300 digits"),
    ("float-overflow", "protocol-error", "it holds 1e400, which no double holds (send a string)"),
    ("nested-100000", "protocol-error", "it is nested too deeply"),
]
"""A behaviour at one request in the midst of others; what it comes to, and a part of the sentence."""


@pytest.mark.parametrize(("behaviour", "outcome", "sentence"), AT_ONE)
def test_one_is_blamed_and_all_others_are_judged(
    ask: Ask, behaviour: str, outcome: str, sentence: str
) -> None:
    verdicts, problems = ask(behaviour, "v3")
    assert told(verdicts) == all_passed_but(outcome, 3)
    assert sentence in verdicts[3].sentence
    assert len(verdicts[3].sentence) < 700
    assert problems == []


@pytest.mark.parametrize(("behaviour", "pipeline"), [("hang", 1), ("hang", 64), ("late", 1)])
def test_a_deadline_is_kept(ask: Ask, behaviour: str, pipeline: int) -> None:
    verdicts, _ = ask(behaviour, "v3", timeout=HASTY, pipeline=pipeline)
    assert told(verdicts) == all_passed_but("timeout", 3)
    assert verdicts[3].sentence.startswith("no reply within 2 s: did you flush stdout after each reply (")
    assert verdicts[3].sentence.endswith("? If it only needs longer, --runner-timeout raises that limit")
    assert HASTY <= verdicts[3].seconds < PATIENT


@pytest.mark.parametrize("pipeline", [1, 64])
def test_a_line_without_an_end_has_a_deadline_too(ask: Ask, pipeline: int) -> None:
    verdicts, _ = ask("trickle", "v3", timeout=HASTY, pipeline=pipeline)
    assert told(verdicts) == all_passed_but("timeout", 3)
    assert verdicts[3].sentence.startswith('no whole reply within 2 s, only \'{"id":')
    assert "without a line feed: end each reply with one, and flush" in verdicts[3].sentence


def test_a_reply_out_of_order_is_a_wrong_id(ask: Ask) -> None:
    verdicts, _ = ask("late", "v3")
    assert told(verdicts) == all_passed_but("protocol-error", 3)
    assert (
        "its id is the number 5 where the number 4 was due: answer in order, each request once"
        in verdicts[3].sentence
    )


@pytest.mark.parametrize("behaviour", ["duplicate-reply", "extra-line", "unfinished-extra"])
def test_a_line_too_many_is_blamed_on_the_next(ask: Ask, behaviour: str) -> None:
    verdicts, _ = ask(behaviour, "v3")
    assert told(verdicts) == all_passed_but("protocol-error", 4)


@pytest.mark.parametrize("behaviour", ["duplicate-reply", "extra-line", "unfinished-extra"])
def test_a_line_too_many_after_the_last_reply_is_a_problem_of_the_run(ask: Ask, behaviour: str) -> None:
    verdicts, problems = ask(behaviour, f"v{COUNT - 1}")
    assert told(verdicts) == ["passed"] * COUNT
    assert problems == ["the runner wrote to standard output after its last reply"]


def test_words_after_the_end_of_input_are_a_problem_of_the_run(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_CLOSE_SECONDS", PATIENT)
    verdicts, problems = ask("words-after-the-end")
    assert told(verdicts) == ["passed"] * COUNT
    assert problems == ["the runner wrote to standard output after its last reply"]


def test_a_runner_that_stays_is_ended(ask: Ask) -> None:
    began = time.monotonic()
    verdicts, problems = ask("stays-after-the-end")
    assert told(verdicts) == ["passed"] * COUNT
    assert problems == []
    assert time.monotonic() - began < PATIENT


def test_a_flood_on_stderr_decides_nothing(ask: Ask) -> None:
    verdicts, problems = ask("flood-stderr")
    assert told(verdicts) == ["passed"] * COUNT
    assert problems == []


def test_a_runner_that_stops_listening_is_blamed_for_the_next(ask: Ask) -> None:
    verdicts, _ = ask("closes-stdin", "v3", timeout=HASTY, pipeline=1)
    assert told(verdicts) == all_passed_but("timeout", 4)


def test_a_grandchild_that_holds_the_pipes_hides_no_crash(ask: Ask) -> None:
    verdicts, _ = ask("grandchild", "v3", timeout=HASTY)
    assert told(verdicts) == all_passed_but("crash", 3)
    assert "exited with code 4" in verdicts[3].sentence


def test_the_last_words_stand_beside_the_blame(ask: Ask) -> None:
    verdicts, _ = ask("exit", "v3")
    assert verdicts[3].sentence == "the runner exited with code 3 instead of replying"
    assert verdicts[3].stderr == "first words\nlast words\n"
    assert verdicts[4].stderr == ""


def test_a_process_that_dies_now_and_then_costs_one_each_time(ask: Ask) -> None:
    verdicts, _ = ask("dies-every-3", count=9)
    assert told(verdicts) == ["passed", "passed", "crash"] * 3


@pytest.mark.parametrize("behaviour", ["exit", "garbage", "nested-100000"])
def test_after_five_fruitless_restarts_the_rest_is_not_run(ask: Ask, behaviour: str) -> None:
    count = MAX_RESTARTS + 4
    verdicts, _ = ask(behaviour, count=count)
    assert [verdict.outcome is Outcome.NOT_RUN for verdict in verdicts] == [False] * 6 + [True] * 3
    assert verdicts[-1].sentence == (
        "not run: the runner was started again 5 times in a row without a good reply"
    )


def test_a_good_reply_starts_the_count_anew(ask: Ask) -> None:
    bad = [f"v{index}" for index in range(24) if index % 4]
    verdicts, _ = ask("exit", *bad, count=24)
    assert told(verdicts) == ["passed", "crash", "crash", "crash"] * 6


def test_a_runner_that_does_not_start_again_stops_the_run(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    monkeypatch.setenv("HOSTILE_STARTS", str(starts))
    verdicts, _ = ask("starts-once", "v3")
    assert told(verdicts) == ["passed"] * 3 + ["crash"] + ["not-run"] * 4
    assert verdicts[-1].sentence == (
        "not run: the runner can't be started again: the runner exited with code 9 before it answered hello"
    )
    assert starts.read_text(encoding="utf-8").count("\n") == 1 + MAX_RESTARTS


def test_a_runner_for_one_request_gets_a_hint(ask: Ask) -> None:
    verdicts, _ = ask("one-shot")
    assert told(verdicts) == ["passed", "crash"] * (COUNT // 2)
    assert verdicts[1].sentence == (
        "the runner exited with code 0 instead of replying "
        "(a runner that answers one request a start needs --oneshot)"
    )
    assert verdicts[3].sentence == verdicts[1].sentence


def test_each_reply_is_charged_with_its_own_time(ask: Ask) -> None:
    began = time.monotonic()
    verdicts, _ = ask("slow")
    assert told(verdicts) == ["passed"] * COUNT
    assert 0.1 * COUNT <= sum(verdict.seconds for verdict in verdicts) <= time.monotonic() - began


def test_time_in_which_nobody_listens_is_not_the_runners(vectors: Any, hostile: Command) -> None:
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


def test_what_was_not_waited_for_is_dropped_at_the_end(vectors: Any, hostile: Command) -> None:
    path = vectors.several(COUNT)
    talk = Conversation(Settings(hostile(path, "hang", "v1"), "harbor-0.13.1", PATIENT))
    talk.start()
    for vector in load_file(path):
        talk.submit(vector.request())
    assert isinstance(talk.next_reply().answer, Ok)
    began = time.monotonic()
    assert talk.finish() == []
    assert time.monotonic() - began < PATIENT / 2


def test_never_more_than_the_pipeline_is_outstanding(vectors: Any) -> None:
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


STARTS = [
    ("hello-exit", "the runner exited with code 7 before it answered hello"),
    ("hello-exit-0", "the runner exited with code 0 before it answered hello"),
    ("hello-kill", "the runner was killed by SIGKILL before it answered hello"),
    (
        "hello-garbage",
        "the runner's answer to hello can't be used: it is not JSON: 'starting up...' (it looks",
    ),
    ("hello-long", "the runner's answer to hello is longer than 1 MiB"),
    ("hello-two-lines", 'can\'t be used: more than one line came in reply: \'{"id": 0, "ok"'),
    ("hello-wrong-id", "can't be used: its id is the number 1 where the number 0 was due"),
    ("hello-protocol-2", "can't be used: its protocol is the number 2, the kit speaks the number 1"),
    ("hello-error", 'can\'t be used: it is an error: ValueError: what?: \'{"id": 0, "error"'),
    ("hello-unsupported", "can't be used: it says unsupported: no such spec: '{"),
    ("hello-null", 'can\'t be used: its ok is not an object: \'{"id": 0, "ok": null}\''),
    ("hello-no-ops", "can't be used: ops must be a list of the ops' names: '{"),
    ("hello-numbers", 'can\'t be used: numbers must be "json" or "string", not binary: \'{'),
]


@pytest.mark.parametrize(("behaviour", "sentence"), STARTS)
def test_a_failing_start_is_told_in_one_sentence(ask: Ask, behaviour: str, sentence: str) -> None:
    with pytest.raises(RunnerStartError) as failure:
        ask(behaviour)
    assert sentence in str(failure.value)
    assert len(str(failure.value)) < 500
    assert failure.value.stderr == ("first words\nlast words\n" if behaviour == "hello-exit" else "")


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("hello-hang", "the runner runs, but did not answer hello within 1.5 s: did you flush stdout after"),
        (
            "hello-partial",
            "gave no whole answer to hello within 1.5 s, only '{\"id\":…,' without a line feed",
        ),
    ],
)
def test_hello_has_a_deadline(ask: Ask, behaviour: str, sentence: str) -> None:
    began = time.monotonic()
    with pytest.raises(RunnerStartError) as failure:
        ask(behaviour, timeout=0.5)
    assert sentence in str(failure.value)
    assert str(failure.value).index("flush") < str(failure.value).index("--runner-timeout")
    assert 3 * 0.5 <= time.monotonic() - began < PATIENT


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), 86_401.0])
def test_a_wait_without_an_end_is_refused(timeout: float) -> None:
    with pytest.raises(SettingsError, match="--runner-timeout must be above 0 and at most 86400 seconds"):
        Settings(("runner",), "harbor-0.13.1", timeout)


def test_a_pipeline_of_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="--pipeline must be at least 1"):
        Settings(("runner",), "harbor-0.13.1", pipeline=0)


def test_a_missing_command_is_a_failing_start() -> None:
    with pytest.raises(RunnerStartError, match="the command 'no-such-runner' does not exist"):
        Conversation(Settings(("no-such-runner",), "harbor-0.13.1")).start()


def test_a_runner_that_dies_between_hello_and_the_first_request_is_blamed_for_it(ask: Ask) -> None:
    verdicts, _ = ask("hello-then-exit")
    assert told(verdicts) == ["crash"] * (1 + MAX_RESTARTS) + ["not-run"] * (COUNT - 1 - MAX_RESTARTS)


def test_numbers_are_spelled_for_a_runner_that_asks_for_it(vectors: Any, hostile: Command) -> None:
    given = {"metric": "sum", "rewards": [{"reward": 1}, {"reward": 0.5}, {"reward": "NaN"}, None]}
    path = vectors.write([vectors.entry("a", "aggregate", given, {"sum": "NaN"})])
    [vector] = load_file(path)
    assert json.loads(b"{" + vector.request(numbers_as_strings=True).tail)["input"]["rewards"] == [
        {"reward": "1"},
        {"reward": "0.5"},
        {"reward": "NaN"},
        None,
    ]
    dispatcher = asking(RunOptions(command=shlex.join(hostile(path, "hello-strings")), timeout=PATIENT))
    assert dispatcher.start().numbers_as_strings
    assert dispatcher.verdict(vector).outcome is Outcome.PASSED
    assert dispatcher.finish() == []


def test_an_op_that_hello_did_not_name_is_not_asked(ask: Ask) -> None:
    verdicts, _ = ask("hello-few-ops")
    assert told(verdicts) == ["unsupported"] * COUNT
    assert "evals_key is not among the ops that hello named" in verdicts[0].sentence
