"""A runner that answers one request a start: the same outcomes, a process for each request."""

import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.verdict import Verdict
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import load_file

PATIENT = 30.0  # seconds a reply may take where time is not the subject
HASTY = 3.0  # where it never comes: other processes start and answer in time, on a busy machine too
COUNT = 5

Ask = Callable[..., list[Verdict]]


def asking(command: tuple[str, ...], timeout: float) -> Dispatcher:
    options = RunOptions(command=shlex.join(command), timeout=timeout, oneshot=True)
    return Dispatcher(options, options.settings())


@pytest.fixture
def ask(vectors: Any, hostile: Callable[..., tuple[str, ...]]) -> Iterator[Ask]:
    dispatchers: list[Dispatcher] = []

    def run(behaviour: str, *slugs: str, timeout: float = PATIENT, count: int = COUNT) -> list[Verdict]:
        path = vectors.several(count)
        dispatcher = asking(hostile(path, behaviour, *slugs), timeout)
        dispatchers.append(dispatcher)
        asked = load_file(path)
        dispatcher.start()
        dispatcher.prefetch(asked)
        verdicts = [dispatcher.verdict(vector) for vector in asked]
        assert dispatcher.finish() == []
        return verdicts

    yield run
    for dispatcher in dispatchers:
        dispatcher.kill()


def told(verdicts: list[Verdict]) -> list[str]:
    return [str(verdict.outcome) for verdict in verdicts]


@pytest.mark.parametrize("behaviour", ["one-shot", "correct", "flood-stderr"])
def test_a_correct_runner_passes_in_order(ask: Ask, behaviour: str) -> None:
    verdicts = ask(behaviour)
    assert told(verdicts) == ["passed"] * COUNT
    assert [verdict.vector.id.rpartition("/")[2] for verdict in verdicts] == ["v0", "v1", "v2", "v3", "v4"]


def test_each_request_has_a_process_of_its_own(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    ask("one-shot")
    assert (tmp_path / "starts").read_text(encoding="utf-8").count("\n") == 1 + COUNT


@pytest.mark.parametrize(
    ("behaviour", "outcome", "sentence"),
    [
        ("wrong", "mismatch", 'at /evals_key: "v1__adhoc" expected, "wrong" came'),
        ("exit", "crash", "the runner exited with code 3 instead of replying"),
        ("partial-line", "crash", "the runner exited with code 0 instead of replying"),
        ("grandchild", "crash", "the runner exited with code 4 instead of replying"),
        ("hang", "timeout", "no reply within 3 s: did you flush stdout after each reply (python -u, "),
        ("garbage", "protocol-error", "the runner's reply can't be used: it is not JSON"),
        (
            "wrong-id",
            "protocol-error",
            "the runner's reply can't be used: its id is the number 2 where the number 1",
        ),
        ("duplicate-reply", "protocol-error", "more than one line came in reply"),
        ("unfinished-extra", "protocol-error", "more than one line came in reply"),
        ("extra-line", "protocol-error", "more than one line came in reply"),
        ("huge", "protocol-error", "the runner's reply is longer than 1 MiB"),
        ("long", "protocol-error", "the runner's reply is longer than 1 MiB"),
    ],
)
def test_one_is_blamed_and_all_others_are_judged(
    ask: Ask, behaviour: str, outcome: str, sentence: str
) -> None:
    hasty = behaviour in ("hang", "grandchild")
    verdicts = ask(behaviour, "v1", timeout=HASTY if hasty else PATIENT)
    assert told(verdicts) == ["passed", outcome, "passed", "passed", "passed"]
    assert sentence in verdicts[1].sentence


def test_the_last_words_stand_beside_the_blame(ask: Ask) -> None:
    verdicts = ask("exit", "v1")
    assert verdicts[1].stderr == "first words\nlast words\n"


def test_after_six_failures_in_a_row_the_rest_is_not_run(ask: Ask) -> None:
    verdicts = ask("exit", count=9)
    assert told(verdicts) == ["crash"] * 6 + ["not-run"] * 3
    assert verdicts[-1].sentence == "not run: the runner failed 6 times in a row without a good reply"


def test_a_good_reply_starts_the_count_anew(ask: Ask) -> None:
    bad = [f"v{index}" for index in range(12) if index % 4]
    assert told(ask("exit", *bad, count=12)) == ["passed", "crash", "crash", "crash"] * 3


@pytest.mark.parametrize(
    ("behaviour", "sentence", "timeout"),
    [
        ("hello-exit", "the runner exited with code 7 before it answered hello", PATIENT),
        ("hello-garbage", "the runner's answer to hello can't be used: it is not JSON", PATIENT),
        ("hello-hang", "the runner runs, but did not answer hello within 1.5 s: did you flush stdout", 0.5),
    ],
)
def test_a_failing_start_is_told_in_one_sentence(
    ask: Ask, behaviour: str, sentence: str, timeout: float
) -> None:
    with pytest.raises(RunnerStartError, match=sentence):
        ask(behaviour, timeout=timeout)


def test_a_missing_command_is_a_failing_start() -> None:
    dispatcher = asking(("no-such-runner",), PATIENT)
    with pytest.raises(RunnerStartError, match="the command 'no-such-runner' does not exist"):
        dispatcher.start()


def test_kill_does_not_wait_for_what_was_not_asked(
    vectors: Any, hostile: Callable[..., tuple[str, ...]]
) -> None:
    path = vectors.several(40)
    dispatcher = asking(hostile(path, "hang"), PATIENT)
    dispatcher.start()
    dispatcher.prefetch(load_file(path))
    began = time.monotonic()
    dispatcher.kill()
    assert time.monotonic() - began < PATIENT
