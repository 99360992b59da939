"""Leaderboards: ranks, what they hang on, tasks that are missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from syrupy.assertion import SnapshotAssertion

from conformance.check.below import Below
from conformance.check.submissions import rollup
from conformance.check.submissions.ranking import leaderboards
from conformance.check.submissions.remarks import ABOUT, Remark, remark_lines
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


def test_a_few_submissions_are_shown_in_full_and_many_by_what_is_remarkable(rows: Make, job: Make) -> None:
    jobs = [job(f"b/s{at}/1", rows({"t": [at % 2, None]}), f"b/s{at}") for at in range(4)]
    few, many = (roll_up_lines(roll_ups(jobs[:count]), below=Below("b/")) for count in (3, 4))
    assert [line.split(":")[0] for line in few if line.startswith("submission ")] == [
        f"submission s{at}" for at in range(3)
    ]
    assert not any(line.startswith("submission ") for line in many)
    note = "the score hangs on what unscored trials count: 50.0 % as zero, 100.0 % left out (1 of 2 unscored)"
    assert f"  note: {note}" in few
    assert many[0] == (
        "the score hangs on what unscored trials count: s1 50.0 % as zero, 100.0 % left out (1 of 2); "
        "s3 50.0 % as zero, 100.0 % left out (1 of 2)"
    )
    assert not any("b/" in line for line in [*few, *many])


def test_the_most_striking_are_named_first(rows: Make, job: Make) -> None:
    """At most five of each, as many as a line takes; the others are counted, and named on demand."""
    jobs = [
        job(f"s{at}/1", rows({f"t{n}": [1] for n in range(20)}), f"s{at}", planned=20 + (at * 7) % 11)
        for at in range(11)
    ]
    (line, *_), every = (roll_up_lines(roll_ups(jobs), every=every) for every in (False, True))
    most = [f"s{at} {at * 7 % 11} of {20 + at * 7 % 11}" for at in (3, 6, 9, 1, 4)]
    what = "trials that were planned and are missing"
    assert line == f"{what}: {'; '.join(most)}; … and 5 more"
    assert every[:2] == [f"{what}:", "    s3: 30 trials planned, 20 records: 10 missing"]
    assert sum(one.startswith("    s") for one in every) == 10


def test_a_long_remark_stands_alone() -> None:
    found = [(f"s{at}", Remark("metadata", "a sentence", "x" * 500)) for at in range(3)]
    (line,) = remark_lines(found, every=False)
    assert line.endswith("; … and 2 more")
    assert len(line) < 220


def test_every_remark_is_about_something_known() -> None:
    source = Path(rollup.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'Remark\(\s*"([a-z]+)"', source)) <= ABOUT.keys()


def test_of_many_submissions_the_best_are_listed(rows: Make, job: Make) -> None:
    """All of them on demand; what the order hangs on is of all."""
    jobs = [job(f"s{at:02}/1", rows({"t": [0] * (40 - at) + [1] * at}), f"s{at:02}") for at in range(30)]
    (board,) = leaderboards(roll_ups(jobs))
    best = leaderboard_lines(board, by_score=True, every=False)
    assert best[0] == "bench: 30 submissions, the first 10 by score (-v lists all)"
    assert [line.split()[-1] for line in best[2:]] == [f"s{at:02}" for at in range(29, 19, -1)]
    assert len(leaderboard_lines(board, by_score=True, every=True)) == 2 + 30
    few = leaderboards(roll_ups(jobs[:15]))[0]
    assert len(leaderboard_lines(few, every=False)) == 2 + 15


def test_benchmarks_of_one_submission_share_a_table(rows: Make, job: Make) -> None:
    jobs = [
        job(f"s{at}/1", rows({"t": [1]}, source=source), f"s{at}")
        for at, source in enumerate(["big", "big", "one", None])
    ]
    lines = roll_up_lines(roll_ups(jobs))
    at = next(at for at, line in enumerate(lines) if line.endswith("  one submission in a benchmark"))
    assert [" ".join(line.split()[-3:]) for line in lines[at + 1 : at + 3]] == ["s3 in adhoc", "s2 in one"]
    assert sum(line.endswith("  submission") for line in lines) == 1
