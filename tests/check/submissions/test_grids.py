"""Trials as tasks by attempts: every trial has its cell, and what has no room is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.check.report import Checked
from conformance.check.submissions import grids as module
from conformance.check.submissions.documents import submissions_json
from conformance.check.submissions.grids import MOST_ATTEMPTS, MOST_CELLS, grids
from conformance.check.submissions.rollup import roll_ups

Make = Callable[..., Any]


def grid(*jobs: Checked) -> dict[str, Any]:
    [rolled] = roll_ups(jobs)
    [made] = grids(rolled.groups)
    return made


def test_a_cell_says_what_came_of_a_trial(rows: Make, job: Make) -> None:
    made = grid(
        job("s/1", rows({"a": [1, 0, None, "Boom"], "b": [(1, "Boom"), 0.25], "c": [1e-5, -3, 2, 1]}))
    )
    assert made["tasks"] == ["a", "b", "c"]
    [one] = made["rewards"]
    assert one == {"key": "reward", "cells": ["1 0 - !", "1! 0.25 . .", "1e-05 -3 2 1"]}
    assert made["left_out"] == {"tasks": 0, "attempts": 0, "keys": 0}


def test_a_reward_that_is_no_double_is_unscored(rows: Make, job: Make) -> None:
    made = grid(job("s/1", rows({"a": [float("nan"), float("inf"), 10**400, 2**1024 - 1, -(2**1023)]})))
    assert made["rewards"][0]["cells"] == [f"- - - {2.0**1023 * (2 - 2**-52)!r} {-(2.0**1023):.17g}"]


def test_attempts_are_in_the_order_in_which_they_began_whatever_the_job(rows: Make, job: Make) -> None:
    made = grid(job("s/2", rows({"a": [0]}, first=1)), job("s/1", rows({"a": [1]}, first=2)))
    assert made["rewards"][0]["cells"] == ["0 1"]


def test_each_reward_key_has_its_cells(rows: Make, job: Make) -> None:
    made = grid(job("s/1", rows({"a": [{"x": 1, "reward": 0}, {"x": 0.5}]})))
    assert made["rewards"] == [{"key": "reward", "cells": ["0 -"]}, {"key": "x", "cells": ["1 0.5"]}]


def test_what_has_no_room_is_counted(rows: Make, job: Make, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 20)
    big = {f"t{at:02}": [1, 0] for at in range(30)}
    jobs = [job("a/1", rows({"t": [1, 1]}), "a"), job("b/1", rows(big), "b"), job("c/1", rows(big), "c")]
    made = grids([group for one in roll_ups(jobs) for group in one.groups])
    assert [len(one["tasks"]) for one in made] == [1, 4, 4], "the small one whole, the others alike"
    assert [one["left_out"]["tasks"] for one in made] == [0, 26, 26]
    assert sum(cell.count(" ") + 1 for one in made for of in one["rewards"] for cell in of["cells"]) <= 20
    several = {"t": [{"reward": 1, "x": 1}] * 11}
    [made_one] = grids(roll_ups([job("s/1", rows(several))])[0].groups)
    assert [one["key"] for one in made_one["rewards"]] == ["reward"]
    assert made_one["left_out"] == {"tasks": 0, "attempts": 0, "keys": 1}


def test_of_very_many_attempts_the_first_hundred_have_a_cell(rows: Make, job: Make) -> None:
    made = grid(job("s/1", rows({"a": [1] * (MOST_ATTEMPTS + 7), "b": [0]})))
    assert [len(row.split(" ")) for row in made["rewards"][0]["cells"]] == [MOST_ATTEMPTS, 1 + 106 - 7]
    assert made["left_out"]["attempts"] == 7


@pytest.mark.slow
def test_no_report_has_more_cells_than_that(rows: Make, job: Make) -> None:
    jobs = [
        job(f"{at}/1", rows({f"t{number}": [1] * 90 for number in range(300)}), str(at)) for at in range(3)
    ]
    made = grids([group for one in roll_ups(jobs) for group in one.groups])
    cells = sum(row.count(" ") + 1 for one in made for of in one["rewards"] for row in of["cells"])
    assert MOST_CELLS - 3 * 90 < cells <= MOST_CELLS


def test_names_of_tasks_may_be_anything(rows: Make, job: Make) -> None:
    hostile = ["<script>", "\ud800", "a b\n- !", "x" * 10_000, "::error::", "constructor"]
    made = grid(job("s/1", rows({name: [1] for name in hostile})))
    assert len(made["tasks"]) == len(made["rewards"][0]["cells"]) == len(hostile)
    assert max(map(len, made["tasks"])) <= 200
    json.dumps(made, ensure_ascii=False).encode("utf-8")


def test_a_job_of_its_own_has_its_groups(rows: Make, job: Make) -> None:
    own, other = job("own", rows({"a": [1]}), ""), job("s/1", rows({"a": [0]}))
    submissions, groups = submissions_json(roll_ups([other]), roll_ups([own]))
    assert [one["trials"]["rewards"][0]["cells"] for one in submissions[0]["groups"]] == [["0"]]
    assert list(groups) == ["own"]
    [group] = groups["own"]
    assert group["trials"]["rewards"][0]["cells"] == ["1"]
    assert group["scores"][0]["by"]["records"]["value"] == 1.0


def test_nothing_hangs_on_the_order_of_the_jobs(rows: Make, job: Make) -> None:
    jobs = [job(f"s/{at}", rows({f"t{at % 3}": [at % 2, None]}, first=2 * at)) for at in range(9)]
    assert grid(*jobs) == grid(*reversed(jobs))
