"""A small leaderboard, made by hand: two submissions, three jobs, nine trials."""

import pytest

from conformance.check.audit import Audit
from conformance.check.findings import Finding, Findings
from conformance.check.report import Checked
from conformance.check.trials.rows import TrialRow
from conformance.judging.comparison import Level


def trial(name: str, task: str, reward: float | None, **more: object) -> TrialRow:
    rewards = None if reward is None else {"reward": reward}
    error = "AgentTimeoutError" if reward is None else None
    known = {"source": "d", "agent": "a", "model": "m", "group": "a__m__d", "started": 5.5}
    return TrialRow(name, task, rewards=rewards, exception=error, **{**known, **more})  # type: ignore[arg-type]


def job(path: str, planned: int, rows: list[TrialRow], *findings: Finding) -> Checked:
    found = Findings(Level.BYTES)
    for finding in findings:
        found.add(finding)
    errored = sum(row.exception is not None for row in rows)
    audit = Audit(path, found, "finished", len(rows), errored, rows, planned=planned)
    return Checked(path, audit, None, path.split("/")[0])


@pytest.fixture
def leaderboard() -> list[Checked]:
    """`one` scored 2 of 4 planned, of 4 records, of 3 scored; `two` 3 of 6 planned, of 5 and of 5."""
    metric = Finding("metric", "result.json", "/stats/evals/a__m__d/metrics/0/mean", "0.9", "0.5", "c")
    counter = Finding("counter", "result.json", "/stats/n_completed_trials", "9", "3", "c")
    return [
        job(
            "one/first",
            4,
            [
                trial("p__1", "p", 1.0, n_input_tokens=10, cost_usd=0.25),
                trial("p__2", "p", 1.0),
                trial("q__1", "q", 0.0),
                trial("r__1", "r", None),
            ],
            metric,
        ),
        job(
            "two/first",
            4,
            [trial("p__1", "p", 1.0), trial("q__1", "q", 0.0), trial("r__1", "r", 1.0)],
            metric,
            counter,
        ),
        job("two/second", 2, [trial("p__3", "p", 0.0), trial("r__2", "r", 1.0)]),
        Checked("two/third", None, "there is no result.json", "two"),
    ]
