"""Work spread over a Dask scheduler's workers, one of them killed; and what can be wrong with a scheduler."""

import signal
import sys
import threading
from concurrent.futures import Future

import pytest

from conformance import workers
from conformance.workers import SchedulerError, spread
from conformance.workers import scheduler as module
from conformance.workers.scheduler import SchedulerCrew
from tests.workers.pieces import Piece, refuses, squared

pytestmark = pytest.mark.slow


def test_results_come_in_order_though_a_worker_is_killed(address, started, registered, tmp_path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    both = [started(), started()]
    registered()
    pieces = [Piece(number, 0.02, folder=str(notes)) for number in range(60)]
    heard = []

    def done(result) -> None:
        heard.append(result)
        begun_by = {int(path.name.split("-")[1]) for path in notes.iterdir()}
        if len(heard) >= 10 and both[0].pid in begun_by:
            both[0].send_signal(signal.SIGKILL)

    assert list(spread(squared, pieces, scheduler=address, done=done)) == [n**2 for n in range(60)]
    assert sorted(heard) == [n**2 for n in range(60)]  # none twice
    assert both[0].wait(timeout=300) == -signal.SIGKILL


def test_what_kills_every_worker_is_given_up(address, started, tmp_path) -> None:
    """The scheduler does not try for ever."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for _ in range(5):
        started()
    pieces = [Piece(number, deaths=9 * (number == 1), folder=str(notes)) for number in range(4)]

    def lost(piece, sentence):
        assert "died, one after the other" in sentence
        return -piece.number

    assert list(spread(squared, pieces, scheduler=address, lost=lost)) == [0, -1, 4, 9]


def test_an_error_of_the_work_is_raised_and_another_kit_on_a_worker_is_told(
    address, started, monkeypatch
) -> None:
    started()
    with pytest.raises(ValueError, match="no 1"):
        list(spread(refuses, [Piece(1)], scheduler=address))
    monkeypatch.setattr(module, "__version__", "0.0.1")
    with pytest.raises(SchedulerError, match=r"has harbor-conformance .*, this is 0\.0\.1: install"):
        list(spread(squared, [Piece(1)], scheduler=address))


def test_no_worker_and_all_workers_gone(address, monkeypatch, started) -> None:
    monkeypatch.setattr(module, "FIRST_WORKER", 0.5)
    with pytest.raises(SchedulerError, match="has no worker: start one with `dask worker tcp://"):
        list(spread(squared, [Piece(1)], scheduler=address))
    monkeypatch.setattr(module, "FIRST_WORKER", 120.0)
    monkeypatch.setattr(module, "NO_WORKER", 1.0)
    only = started()
    pieces = [Piece(number, 0.05) for number in range(100)]
    results = spread(squared, pieces, scheduler=address, done=lambda _: only.kill())
    with pytest.raises(SchedulerError, match="has had no worker for 1 seconds"):
        list(results)


@pytest.fixture
def crew(address, started):
    started()
    made = SchedulerCrew(squared, address, lambda *_: -1)
    yield made
    made.close(at_once=True)


def test_some_looks_that_see_no_worker(crew, monkeypatch) -> None:
    """However much time the clock says is over: the machine may have slept."""
    seen = [{}, {}, {"a worker": 1}, {}, {}, {}]
    monkeypatch.setattr(module, "NO_WORKER", 3.0)
    monkeypatch.setattr(crew._client, "nthreads", lambda: seen.pop(0))
    for _ in range(5):
        crew._check_workers()
    with pytest.raises(SchedulerError, match="has had no worker for 3 seconds"):
        crew._check_workers()


@pytest.mark.parametrize("given", ["tcp://127.0.0.1:{}", "127.0.0.1:{}", "nothing://here", "x", ""])
def test_a_scheduler_that_cannot_be_reached(given, monkeypatch) -> None:
    monkeypatch.setattr(module, "CONNECT_TIMEOUT_S", 1.0)
    with pytest.raises(SchedulerError) as raised:
        list(spread(squared, [Piece(1)], scheduler=given.format(9)))
    assert "can't be reached" in str(raised.value)
    # the error holds the frames behind it, and so would hold a client that failed, with its thread
    assert "IO loop" not in [thread.name for thread in threading.enumerate()]


def test_without_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SchedulerError, match=r"pip install 'harbor-conformance\[distributed\]'"):
        list(workers.spread(squared, [Piece(1)], scheduler="tcp://127.0.0.1:1"))


def test_a_result_that_gets_lost_is_asked_for_again(crew) -> None:
    """As where a worker dies after its result was fetched, and before Dask's executor has passed it on."""
    submit, lost, times = crew._executor.submit, [], 0

    def losing(*given):
        if len(lost) >= times:
            return submit(*given)
        lost.append(len(lost))
        future = Future()
        future.set_exception(TypeError("cannot unpack non-iterable _Done object"))
        return future

    crew._executor.submit = losing
    for times in (1, 3):
        lost.clear()
        crew.hand_out(times, Piece(7))
        assert crew.finished(lambda: None) == [(times, 49)]
        assert len(lost) == times
    times = 100
    crew.hand_out(0, Piece(7))
    with pytest.raises(SchedulerError, match=r"lost the result .* 4 times \(TypeError: cannot unpack"):
        crew.finished(lambda: None)
