"""Leaderboards: ranks, what they hang on, tasks that are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syrupy.assertion import SnapshotAssertion

from conformance.check.submissions.ranking import leaderboards
from conformance.check.submissions.rollup import roll_ups
from conformance.check.submissions.text import leaderboard_lines, roll_up_lines

Make = Callable[..., Any]


def test_ranks_and_what_they_hang_on(rows: Make, job: Make, snapshot: SnapshotAssertion) -> None:
    """One with unscored trials moves up where they are left out; one with retries where the best counts."""
    jobs = [
        job("l/a/1", rows({"t": [1, 0], "u": [1, 0], "v": [1, 0]}), "l/a"),
        job("l/b/1", rows({"t": [1, 1], "u": [1, 1], "v": [0, 0]}), "l/b"),
        job("l/c/1", rows({"t": [1, None], "u": [1, None]}), "l/c", planned=6),
        job("l/d/1", rows({"t": ["X", "X"], "u": ["X", "X"], "v": ["X", "X"]}), "l/d"),
    ]
    (board,) = leaderboards(roll_ups(jobs))
    assert [(entry.name, entry.rank, entry.missing) for entry in board.entries] == [
        ("l/a", 2, []),
        ("l/b", 1, []),
        ("l/c", 2, ["v"]),
        ("l/d", 4, []),
    ]
    assert {order.denominator: (order.swapped, order.first) for order in board.orders} == {
        "scored": (1, [("l/b", "l/c")]),
        "best-attempt": (2, [("l/b", "l/a"), ("l/b", "l/c")]),
    }
    assert "\n".join(leaderboard_lines(board)) == snapshot
    names = [line.split()[-1] for line in leaderboard_lines(board, by_score=True)[2:6]]
    assert names == ["b", "a", "c", "d"]


def test_each_dataset_has_a_board_of_its_own(rows: Make, job: Make) -> None:
    jobs = [
        job("a/1", rows({"t": [1]}) + rows({"t": [1]}, source=None), "a"),
        job("b/1", rows({"t": [1]}) + rows({"t": [0]}, model="n", first=1), "b"),
    ]
    boards = leaderboards(roll_ups(jobs))
    assert [(board.source, [entry.name for entry in board.entries]) for board in boards] == [
        ("", ["a"]),
        ("bench", ["a", "b (a / m)", "b (a / n)"]),
    ]
    assert leaderboards(roll_ups(jobs[:1])) == []


def test_tasks_of_a_package_and_of_a_registry_are_the_same(rows: Make, job: Make) -> None:
    jobs = [
        job("a/1", rows({"org/t": [1], "t": [0], "org/only": [1]}), "a"),
        job("b/1", rows({"t": [1], "only": [0]}), "b"),
        job("c/1", rows({"t": [1], "only": [0]}), "c"),
    ]
    (board,) = leaderboards(roll_ups(jobs))
    assert [entry.missing for entry in board.entries] == [[], [], []]
    (group,) = board.entries[0].roll_up.groups
    assert {task: len(attempts) for task, attempts in group.group.tasks.items()} == {"org/only": 1, "t": 2}
    assert "1 task under two names, each taken for one: org/t, t" in board.entries[0].roll_up.notes


def test_tasks_of_two_organisations_are_apart(rows: Make, job: Make) -> None:
    (one,) = roll_ups([job("a/1", rows({"x/t": [1], "y/t": [0], "t": [0]}), "a")])
    assert list(one.groups[0].group.tasks) == ["t", "x/t", "y/t"]


def test_a_few_submissions_are_shown_in_full_and_many_by_their_notes(rows: Make, job: Make) -> None:
    jobs = [job(f"s{at}/1", rows({"t": [at % 2, None]}), f"s{at}") for at in range(4)]
    few, many = (roll_up_lines(roll_ups(jobs[:count])) for count in (3, 4))
    assert sum(line.startswith("submission ") for line in few) == 3
    assert not any(line.startswith("submission ") for line in many)
    note = "the score hangs on what unscored trials count: 50.0 % as zero, 100.0 % left out (1 of 2 unscored)"
    assert f"  note: {note}" in few
    assert f"s3: {note}" in many
