"""The audit's statistics are the reference's."""

from __future__ import annotations

import itertools

from conformance.check.job.statistics import QuickStatistics
from reference_impl import AgentResult, Job, JobStatistics, Trial, VerifierResult

NUMBERS = (None, 0, 7, 10**20)
COSTS = (None, -0.0, 0.1, 0.25)


def trials() -> list[Trial]:
    reports = [None, *(AgentResult(n, n, None, cost) for n, cost in itertools.product(NUMBERS, COSTS))]
    names = [("a", "m", "d"), ("a", None, "m__d"), ("a", "", None), ("a__m", None, "d")]
    results = [None, VerifierResult(None), VerifierResult({}), VerifierResult({"r": 1, "q": -0.0})]
    made = []
    for index, (report, steps) in enumerate(itertools.product(reports, [None, [], reports[:9]])):
        agent, model, source = names[index % 4]
        exception = (None, "CancelledError", "ValueError")[index % 3]
        result = results[index % 5 % 4]
        made.append(Trial("t", f"t__{index}", source, agent, model, result, exception, report, steps))
    return made


def text(statistics: JobStatistics, some: list[Trial]) -> str:
    for trial in some:
        statistics.add(trial)
    return statistics.result(Job("0", "s", None, None, len(some), 0, {})).text()


def test_they_are_the_same_whatever_the_trials_report() -> None:
    every = trials()
    for some in ([], every, every[::-1], every[3:40], *([trial] for trial in every)):
        assert text(QuickStatistics(), some) == text(JobStatistics(), some)
