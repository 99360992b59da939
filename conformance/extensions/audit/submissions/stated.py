"""Checks stated scores: which denominator gives them, and how they contradict the trials.

Metadata contradicts trials that name another agent or model.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from conformance.extensions.audit.metadata import Metadata
from conformance.extensions.audit.report import few
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.submissions.attempts import Group, JobShare, Submission
from conformance.extensions.audit.submissions.scores import HARBOR, harbor_mean, scores_of

Json = dict[str, Any]
_NUMBER = re.compile(
    r"\s*([+-]?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?)\s*(%?)\s*(?:(?:±|\+/-|\+-).*)?", re.DOTALL
)
_OF_A_SCORE = re.compile(
    r"accuracy|score|mean|resolved|pass_?rate|success|solved|reward|pass@|pass_at", re.IGNORECASE
)
_FEWEST_DIGITS = 3
"""The least significant digits that make a number worth a look, whatever its name."""
_CLOSE = 1e-9


def jobs_claim(group: Group, found: Mapping[str, Any]) -> Json:
    """The score of one reward key that a group's jobs state, and the denominators that give it, as reported.

    `value` is the mean over the jobs, weighted by their records; null if one of them states none. `jobs`
    counts the jobs by the denominator of their own score that gives the stated value. `odd` names the jobs
    whose stated value differs from harbor's mean.
    """
    counts: Counter[str] = Counter()
    odd: list[str] = []
    weighted, records, unstated = [], 0, 0
    for share in group.shares:
        value = _mean_of(share, found["key"], len(group.reward_keys))
        if value is None:
            unstated += 1
            continue
        weighted.append(value * len(share.rows))
        records += len(share.rows)
        mean = harbor_mean(share.rows, found["key"])
        by = [] if mean is None else _denominators_giving(value, {HARBOR: mean})
        by = by or _denominators_giving(value, _values(_own_scores(share, found["key"])))
        counts[by[0] if by else "none"] += 1
        if HARBOR not in by:
            odd.append(share.job)
    whole = math.fsum(weighted) / records if records and not unstated else math.nan
    known = math.isfinite(whole)
    return {
        "value": whole if known else None,
        "by": _denominators_giving(whole, _values(found)) if known else [],
        "jobs": dict(sorted(counts.items())),
        "odd": odd,
        "unstated": unstated,
    }


def _mean_of(share: JobShare, key: str, keys: int) -> float | None:
    """The mean that a job states: the member `mean`, or the key's member if there are several keys."""
    for metric in share.metrics:
        for name in (key,) if keys > 1 else ("mean", key):
            number = metric.get(name)
            if isinstance(number, int | float) and not isinstance(number, bool):
                with suppress(OverflowError):
                    return float(number) if math.isfinite(number) else None
                return None
    return None


def _own_scores(share: JobShare, key: str) -> Json:
    tasks: dict[str, list[TrialRow]] = {}
    for row in share.rows:
        tasks.setdefault(row.task, []).append(row)
    return scores_of(tasks, key, share.planned, max(map(len, tasks.values()), default=0))


def _values(scores: Mapping[str, Any]) -> dict[str, float]:
    return {name: score["value"] for name, score in scores["by"].items()}


def _denominators_giving(value: float, by: Mapping[str, float], within: float = 0.0) -> list[str]:
    """The denominators whose score equals the value, within the tolerance `within` for its rounding."""
    return [
        name for name, score in by.items() if abs(score - value) <= within + _CLOSE * max(1.0, abs(value))
    ]


def claims(metadata: Sequence[Metadata], found: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    """The numbers in metadata that state a score, or seem to by their name, as reported."""
    for file in metadata:
        for path, text in file.values.items():
            claim = _claim(path, text, found)
            if claim is not None:
                yield {"file": file.file, "path": path, "text": text, **claim}


def _claim(path: str, text: str, found: Sequence[Mapping[str, Any]]) -> Json | None:
    """The reward key of the number, and the denominators that give it to its precision."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[1]) > 40:
        return None
    value, decimals = float(match[1]), len(match[3] or "") - int(match[4] or 0)
    digits = len((match[2] + (match[3] or "")).lstrip("0"))
    named = _OF_A_SCORE.search(path.rpartition("/")[2]) is not None
    if not math.isfinite(value) or abs(decimals) > 300 or (not named and digits < _FEWEST_DIGITS):
        return None
    half = 0.5 * 10.0**-decimals
    readings = [] if match[5] else [(value, half)]
    if match[5] or 1 < abs(value) <= 100:
        readings.append((value / 100, half / 100))
    for one in found:
        by = _values(one) | {f"pass@{k}": value for k, value in one["pass_at_k"].items()}
        for reading, within in readings:
            if giving := _denominators_giving(reading, by, within):
                return {"key": one["key"], "by": giving}
    return {"key": None, "by": []} if named else None


_AGENT = re.compile(r"agent|agent_?name|agent_display_name|agent/name", re.IGNORECASE)
_MODEL = re.compile(r"model|model_?name|model_display_name|models?/name", re.IGNORECASE)
_SHORTEST = 3
"""The shortest name that counts as equal to a longer name that contains it, in characters."""


def contradictions(metadata: Sequence[Metadata], submission: Submission) -> list[str]:
    """The contradictions between metadata and trials, in sentences."""
    rows = [row for group in submission.groups for row in group.rows]
    if not rows:
        return []
    notes = []
    for file in metadata:
        named = {
            "agent": (_texts_under(file, _AGENT), {row.agent for row in rows}),
            "model": (_texts_under(file, _MODEL), {row.model for row in rows if row.model}),
        }
        for what, (stated, found) in named.items():
            unstated = sorted(name for name in found if not any(_is_similar(name, text) for text in stated))
            if stated and unstated:
                names = few(dict.fromkeys(stated))
                notes.append(f"{file.file} names the {what} {names}, trials have {few(unstated)}")
    return notes


def _texts_under(file: Metadata, name: re.Pattern[str]) -> list[str]:
    """The texts whose last keys match, ignoring positions in a list."""
    found = []
    for path, text in file.values.items():
        keys = [key for key in path.split("/") if not key.isdigit()]
        if text.strip() and text != "null" and any(name.fullmatch("/".join(keys[-n:])) for n in (1, 2)):
            found.append(text)
    return found


def _is_similar(one: str, other: str) -> bool:
    short, long = sorted((_normalized(one), _normalized(other)), key=len)
    return short == long or (len(short) >= _SHORTEST and short in long)


def _normalized(name: str) -> str:
    """The name without differences of spelling, such as case and punctuation."""
    return re.sub(r"[\W_]+", "", name.rpartition("/")[2].casefold())
