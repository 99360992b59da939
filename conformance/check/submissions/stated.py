"""Which denominator gives a score that somebody states: a job's `result.json`, or a submission's metadata."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from conformance.check.submissions.attempts import Attempt, Group, StatedJob, exact
from conformance.check.submissions.metadata import Metadata
from conformance.check.submissions.scores import HARBOR, Scores, scores_of

__all__ = ["Claim", "JobsClaim", "claims", "jobs_claim"]

_NUMBER = re.compile(
    r"\s*([+-]?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?)\s*(%?)\s*(?:(?:±|\+/-|\+-).*)?", re.DOTALL
)
_OF_A_SCORE = re.compile(
    r"accuracy|score|mean|resolved|pass_?rate|success|solved|reward|pass@|pass_at", re.IGNORECASE
)
_FEWEST_DIGITS = 3
"""Significant digits that make a number under any other name worth a look."""
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Claim:
    """A number in a file of metadata that states a score."""

    file: str
    path: str
    text: str
    """As it is spelled there."""
    key: str | None
    """The reward key whose score it is; None where it is none."""
    by: list[str]
    """The denominators that give it, to the digits that it is given in."""


@dataclass(frozen=True, slots=True)
class JobsClaim:
    """What the jobs' `result.json` state of one reward key of a group."""

    value: float | None
    """The mean over the jobs, weighted with their records; None where one of them states none."""
    by: list[str]
    """The denominators of the submission's own score that give it."""
    jobs: dict[str, int] = field(default_factory=dict)
    """Jobs by the denominator of their own score that gives what they state; `none` where none does."""
    odd: list[str] = field(default_factory=list)
    """The jobs that state what harbor's mean does not give."""
    unstated: int = 0
    """Jobs that state no such mean."""


def jobs_claim(group: Group, found: Scores) -> JobsClaim:
    """What the jobs of a group state of one reward key, and which denominator gives it."""
    counts: Counter[str] = Counter()
    odd: list[str] = []
    weighted, records, unstated = [], 0, 0
    for job in group.stated:
        value = _mean_of(job, found.key, len(group.reward_keys))
        if value is None:
            unstated += 1
            continue
        weighted.append(value * len(job.attempts))
        records += len(job.attempts)
        by = _giving(value, _harbors(job, found.key)) or _giving(value, _own_scores(job, found.key))
        counts[by[0] if by else "none"] += 1
        if HARBOR not in by:
            odd.append(job.job)
    if not records or unstated:
        return JobsClaim(None, [], dict(sorted(counts.items())), odd, unstated)
    value = math.fsum(weighted) / records
    if not math.isfinite(value):
        return JobsClaim(None, [], dict(sorted(counts.items())), odd, unstated)
    by = _giving(value, {name: score.value for name, score in found.by.items()})
    return JobsClaim(value, by, dict(sorted(counts.items())), odd, unstated)


def _mean_of(job: StatedJob, key: str, keys: int) -> float | None:
    """The mean that a job states: the member of that name, or of the key where there are several."""
    for metric in job.metrics:
        for name in (key,) if keys > 1 else ("mean", key):
            value = metric.get(name)
            number = value if isinstance(value, int | float) else getattr(value, "value", None)
            if isinstance(number, int | float) and not isinstance(number, bool):
                try:
                    return float(number) if math.isfinite(number) else None
                except OverflowError:
                    return None
    return None


def _harbors(job: StatedJob, key: str) -> dict[str, float]:
    """Harbor's mean of a job's own trials."""
    values = [exact((attempt.row.rewards or {}).get(key)) or 0 for attempt in job.attempts]
    try:
        return {HARBOR: float(Fraction(sum(values, 0)) / len(values))}
    except OverflowError:
        return {}


def _own_scores(job: StatedJob, key: str) -> dict[str, float]:
    tasks: dict[str, list[Attempt]] = {}
    for attempt in job.attempts:
        tasks.setdefault(attempt.row.task, []).append(attempt)
    usual = max(map(len, tasks.values()), default=0)
    own = scores_of(tasks, key, job.planned, usual)
    return {name: score.value for name, score in own.by.items()}


def _giving(value: float, by: Mapping[str, float], within: float = 0.0) -> list[str]:
    """The denominators whose score is the value, `within` what its rounding may take."""
    return [
        name for name, score in by.items() if abs(score - value) <= within + _CLOSE * max(1.0, abs(value))
    ]


def claims(metadata: Sequence[Metadata], found: Sequence[Scores]) -> list[Claim]:
    """The numbers in metadata that state a score, or seem to by their name."""
    result = []
    for file in metadata:
        for path, text in file.values.items():
            claim = _claim(file.file, path, text, found)
            if claim is not None:
                result.append(claim)
    return result


def _claim(file: str, path: str, text: str, found: Sequence[Scores]) -> Claim | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[1]) > 40:
        return None
    value, decimals = float(match[1]), len(match[3] or "") - int(match[4] or 0)
    if not math.isfinite(value) or abs(decimals) > 300:
        return None
    digits = len((match[2] + (match[3] or "")).lstrip("0"))
    named = _OF_A_SCORE.search(path.rpartition("/")[2]) is not None
    if not named and digits < _FEWEST_DIGITS:
        return None
    half = 0.5 * 10.0**-decimals
    readings = [(value / 100, half / 100)] if match[5] else [(value, half)]
    if not match[5] and 1 < abs(value) <= 100:
        readings.append((value / 100, half / 100))
    for one in found:
        by = {name: score.value for name, score in one.by.items()}
        by |= {f"pass@{k}": value for k, value in one.pass_at_k.items()}
        for reading, within in readings:
            giving = _giving(reading, by, within)
            if giving:
                return Claim(file, path, text, one.key, giving)
    return Claim(file, path, text, None, []) if named else None
