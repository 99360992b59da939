"""Two submissions, task by task."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from conformance.check.submissions.comparison import Compared, CompareError, compared, counterparts
from conformance.check.submissions.comparison_report import comparison_lines
from conformance.check.submissions.rollup import RollUp, roll_ups

Make = Callable[..., Any]


@pytest.fixture
def one(rows: Make, job: Make) -> Callable[..., RollUp]:
    """A submission of one job, from its rewards by task."""

    def make(name: str, of: dict[str, Any], **same: Any) -> RollUp:
        trials = rows(of, **same)
        trials = [replace(trial, trial=f"{name}-{at}") for at, trial in enumerate(trials)]
        (made,) = roll_ups([job(f"{name}/1", trials, name)])
        return made

    return make


def both(a: RollUp, b: RollUp, **settings: Any) -> Compared:
    ((left, right),) = counterparts(a, b)
    return compared(left, right, **settings)


def test_the_difference_over_common_tasks(one: Make) -> None:
    a = one("a", {"t": [1, 1], "u": [0, 1], "v": [0, 0], "w": [1, 0], "gone": [1]})
    b = one("b", {"t": [0, 0], "u": [0, 1], "v": [1, 1], "w": [1, 1], "new": [0]}, model="n")
    found = both(a, b)
    differences = [-1.0, 0.0, 1.0, 0.5]
    assert [pair.difference for pair in found.pairs] == differences
    assert found.means == (0.5, 0.625)
    assert found.difference == mean(differences)
    assert found.standard_error == pytest.approx(stdev(differences) / math.sqrt(4), rel=1e-12)
    assert (found.gained, found.lost, found.only) == (2, 1, (["gone"], ["new"]))
    assert (found.flipped(1), found.flipped(-1)) == (["t"], ["v"])
    assert found.sign_test == 1.0
    assert found.agents == ("a / m", "a / n")


def test_the_sign_test_is_exact(one: Make) -> None:
    a = one("a", {f"t{at:02}": [0] for at in range(12)})
    b = one("b", {f"t{at:02}": [1 if at < 10 else -1] for at in range(12)})
    found = both(a, b)
    assert (found.gained, found.lost) == (10, 2)
    assert found.sign_test == 2 * (1 + 12 + 66) / 2**12
    assert not found.fractional


def test_unscored_trials_are_zero_or_left_out(one: Make) -> None:
    a, b = one("a", {"t": [1, None], "u": ["X"]}), one("b", {"t": [1], "u": [1]})
    assert [pair.means[0] for pair in both(a, b).pairs] == [0.5, 0.0]
    found = both(a, b, left_out=True)
    assert [(pair.task, pair.means, pair.attempts) for pair in found.pairs] == [("t", (1.0, 1.0), (1, 1))]
    assert found.unscored == (["u"], [])
    assert found.standard_error is None


def test_nothing_in_common_that_counts(one: Make) -> None:
    a, b = one("a", {"t": ["X"]}), one("b", {"u": [1]})
    found = both(a, b)
    assert (found.means, found.difference, found.interval, found.sign_test) == (None, None, None, 1.0)
    assert "no task has trials that count in both" in "\n".join(comparison_lines([found], [a, b], 20))


def test_reward_keys(one: Make) -> None:
    a, b = (one(name, {"t": [{"x": 1, "y": 2}]}) for name in "ab")
    with pytest.raises(CompareError, match="choose one with --key: x, y"):
        both(a, b)
    with pytest.raises(CompareError, match="no trial has a reward 'z': there is x, y"):
        both(a, b, key="z")
    assert both(a, b, key="y").means == (2.0, 2.0)


def test_which_groups_are_compared(one: Make) -> None:
    with pytest.raises(CompareError, match="no benchmark in common"):
        counterparts(one("a", {"t": [1]}), one("b", {"u": [1]}, source="other"))
    found = both(one("a", {"t": [1]}), one("b", {"org/t": [0], "t": [1]}, source="other"))
    assert found.notes == ["the datasets have two names: bench and other"]
    assert found.pairs[0].attempts == (1, 2)


def test_several_agents_need_the_same_in_both(rows: Make, job: Make) -> None:
    mixed = [*rows({"t": [1]}), *rows({"t": [0]}, model="n", first=1)]
    (a,) = roll_ups([job("a/1", mixed, "a")])
    (b,) = roll_ups([job("b/1", rows({"t": [0]}, model="n", first=2), "b")])
    (c,) = roll_ups([job("c/1", rows({"t": [0]}, model="o", first=3), "c")])
    assert both(a, b).agents == ("a / n", "a / n")
    with pytest.raises(CompareError, match="several agents or models ran bench"):
        counterparts(a, c)


def test_trials_that_stand_in_both_are_said(rows: Make, job: Make) -> None:
    a, b = roll_ups([job(f"{name}/1", rows({"t": [1], "u": [0]}), name) for name in "ab"])
    assert both(a, b).notes == ["2 trials stand in both: t__0000000, …"]


def test_rewards_beyond_all_measure(one: Make) -> None:
    found = both(one("a", {"t": [1e308], "u": [1e308]}), one("b", {"t": [-1e308], "u": [-1e307]}))
    assert found.difference == -1.55e308
    assert found.standard_error is None or math.isfinite(found.standard_error)


def test_the_text_of_a_comparison(one: Make, snapshot: SnapshotAssertion) -> None:
    a = one("a", {f"t{at}": [1, 1] for at in range(4)} | {"gone": [1, 0]})
    b = one("b", {f"t{at}": [at % 2, 1] for at in range(4)} | {"\x1b[1m": [0, 0]})
    assert "\n".join(comparison_lines([both(a, b)], [a, b], 1)) == snapshot
