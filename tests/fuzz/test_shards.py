"""Parts of a fuzzing run on several machines: disjoint seeds, whatever number of jobs each has."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz.engine import FuzzError
from conformance.fuzz.shares import MOST_JOBS, Order, orders
from conformance.run.options import RunOptions


def order(number: int, of: int, inputs: int | None = None) -> Order:
    options = RunOptions(command="reference", shard=(number, of))
    return Order(options, 7, ("aggregate",), (), False, None, inputs)


@pytest.mark.parametrize("jobs", [(1, 1, 1, 1), (2, 2, 2, 2), (3, 1, 7, 2)])
def test_parts_share_no_seed(jobs: tuple[int, ...]) -> None:
    seeds = [one.seed for k, count in enumerate(jobs, 1) for one in orders(order(k, len(jobs)), count)]
    assert len(set(seeds)) == len(seeds) == sum(jobs)
    assert {seed // MOST_JOBS for seed in seeds} == {7}


def test_all_parts_together_are_the_jobs_of_one_run() -> None:
    whole = Order(RunOptions(command="reference"), 7, ("aggregate",), (), False, None, 103)
    parts = [orders(order(k, 4, 103), 2) for k in range(1, 5)]
    told = sorted((one.seed, one.inputs) for one in itertools.chain(*parts))
    assert told == [(one.seed, one.inputs) for one in orders(whole, 8)]
    assert sum(inputs or 0 for _, inputs in told) == 103


@pytest.mark.parametrize("inputs", [4, 5, 6, 7, 9])
def test_few_inputs_are_each_asked_once(inputs: int) -> None:
    parts = [orders(order(k, 4, inputs), 2) for k in range(1, 5)]
    assert sum(one.inputs or 0 for one in itertools.chain(*parts)) == inputs
    assert all(one.inputs for one in itertools.chain(*parts))


def test_too_many_parts_are_refused() -> None:
    with pytest.raises(FuzzError, match="400 parts of 5 jobs are 2000"):
        orders(order(1, 400), 5)
    with pytest.raises(FuzzError, match="leaves nothing for part 3 of 4"):
        orders(order(3, 4, 2), 1)


def test_a_part_says_the_seed_that_repeats_it(cli: Any, tmp_path: Path) -> None:
    args = ("fuzz", "--runner", "reference", "--ops", "aggregate", "--from-scratch")
    found = []
    for more in (("--seed", 7, "--inputs", 41, "--shard", "2/2"), ("--seed", 7001, "--inputs", 20)):
        path = tmp_path / "fuzz.json"
        assert cli(*args, *more, "--json", path).returncode == 0
        report = json.loads(path.read_text(encoding="utf-8"))
        found.append([report[name] for name in ("seed", "compared", "ended", "ops")])
    assert found[0] == found[1]
    assert found[0][:3] == [7001, 20, "inputs"]
