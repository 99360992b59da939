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


def test_each_request_has_a_process_of_its_own(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    ask("one-shot")
    assert (tmp_path / "starts").read_text(encoding="utf-8").count("\n") == 1 + COUNT


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
