"""Makes audited jobs in memory, with no files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformance.check.audit import Audit
from conformance.check.findings import Findings
from conformance.check.report import Checked
from conformance.check.trials.rows import TrialRow
from conformance.judging.comparison import Level


def make_rows(of: dict[str, Sequence[Any]], first: int = 0, **same: Any) -> list[TrialRow]:
    """One trial for each value of each task: a reward, a dict of them, or None for unscored.

    A string is the exception of an unscored one; a tuple has a reward and an exception.
    """
    found = []
    for task, values in of.items():
        for at, value in enumerate(values, start=first):
            reward, exception = value if isinstance(value, tuple) else (value, None)
            if isinstance(value, str):
                reward, exception = None, value
            rewards = reward if isinstance(reward, dict) or reward is None else {"reward": reward}
            members = {
                "trial": f"{task}__{at:07}",
                "source": "bench",
                "agent": "a",
                "model": "m",
                "group": "a__m__bench",
                "started": 1.7e9 + at,
                **same,
            }
            found.append(TrialRow(task=task, rewards=rewards, exception=exception, **members))
    return found


def make_job(
    name: str,
    trials: list[TrialRow],
    submission: str = "s",
    mean: float | None = None,
    planned: int | None = -1,
) -> Checked:
    """A job without a finding; it planned as many trials as it has, where nothing else is said."""
    audit = Audit(name, Findings(Level.BYTES), "finished", len(trials))
    audit.rows = trials
    audit.planned = len(trials) if planned == -1 else planned
    audit.stated = {} if mean is None else {"a__m__bench": [{"mean": mean}]}
    return Checked(name, audit, None, submission)


@pytest.fixture
def rows() -> Callable[..., list[TrialRow]]:
    return make_rows


@pytest.fixture
def job() -> Callable[..., Checked]:
    return make_job
