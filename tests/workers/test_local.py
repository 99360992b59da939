"""Work spread over processes of this machine: the order, the dead, and that nothing is left running."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.workers import spread
from conformance.workers.spreading import RESULTS_AHEAD, WorkerDiedError
from tests.processes import alive, waited_for
from tests.workers.pieces import Piece, refuses, squared

pytestmark = pytest.mark.timeout(90)  # less than for other tests: a lost result is waited for without end


def of(pieces, processes, **more):
    return list(spread(squared, pieces, processes, **more))


def told(piece, sentence):
    assert "died twice" in sentence
    return -piece.number


def begun(folder):
    return sorted(int(path.name.split("-")[0]) for path in folder.iterdir())


@pytest.mark.parametrize("processes", [1, *(pytest.param(count, marks=pytest.mark.slow) for count in (2, 3))])
def test_results_come_in_the_order_of_the_inputs(processes) -> None:
    seconds = 0.05 if processes > 1 else 0
    pieces = [Piece(number, seconds=seconds if number % 4 == 0 else 0) for number in range(20)]
    assert of(pieces, processes) == [number**2 for number in range(20)]
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_an_error_of_the_work_is_raised_and_so_is_a_death_without_a_word_for_it(tmp_path) -> None:
    """Without input there is no process."""
    assert of([], 1) == of([], 2) == []
    with pytest.raises(ValueError, match=r"no [12]"):
        list(spread(refuses, [Piece(1), Piece(2)], 2))
    assert multiprocessing.active_children() == []
    with pytest.raises(WorkerDiedError, match="killed, perhaps because memory ran out"):
        of([Piece(1, deaths=9, folder=str(tmp_path)), Piece(2)], 2)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [{3: 1}, {2: 9, 3: 9}], ids=["once", "twice"])
def test_a_process_that_dies_costs_nothing_or_its_own_piece_alone(deaths, tmp_path) -> None:
    pieces = [Piece(number, deaths=deaths.get(number, 0), folder=str(tmp_path)) for number in range(8)]
    due = [-number if deaths.get(number) == 9 else number**2 for number in range(8)]
    assert of(pieces, 2, lost=told) == due
    assert begun(tmp_path) == sorted([*range(8), *deaths])


@pytest.mark.slow
def test_results_wait_for_their_turn_in_bounded_number(tmp_path) -> None:
    """The first piece takes long; the others are not all begun meanwhile."""
    pieces = [Piece(number, 1.5 * (not number), folder=str(tmp_path)) for number in range(100)]
    results = spread(squared, pieces, 2)
    assert next(results) == 0
    assert len(begun(tmp_path)) <= (RESULTS_AHEAD + 1) * 4 + 1
    assert len(list(results)) == 99


@pytest.mark.slow
def test_large_pieces_are_begun_first(tmp_path) -> None:
    pieces = [Piece(n, 0.1, folder=str(tmp_path), weight=50 * (n == 39) + 1) for n in range(40)]
    heard = []
    of(pieces, 2, weight=lambda piece: piece.weight, done=heard.append)
    assert 39**2 in heard[:4]
    assert sorted(heard) == [number**2 for number in range(40)]


INTERRUPTED = """
import sys
from conformance.workers import spread
from tests.processes import alive, waited_for
from tests.workers.pieces import Piece, squared
if __name__ == "__main__":
    print("begun", flush=True)
    list(spread(squared, [Piece(n, 600, folder=sys.argv[1]) for n in range(4)], 2))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running(tmp_path, number) -> None:
    """Whatever ends the process that the others work for, they end too, at once and without a word."""
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED)
    notes = tmp_path / "notes"
    notes.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = subprocess.Popen([sys.executable, str(program), str(notes)], env=environment, **pipes)
    waited_for(lambda: len([*notes.iterdir()]) == 2, "two workers")
    workers = [int(path.name.split("-")[1]) for path in notes.iterdir()]
    if number is signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode != 0
    assert stderr.count("Traceback") == (number is signal.SIGINT)  # the program's own
    waited_for(lambda: not any(map(alive, workers)), "end")
