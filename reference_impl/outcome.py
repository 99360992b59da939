"""Writes a job's outcome as a line on stdout, and judges such a line (003 §5).

The consumer runs a job in a container. There the job's `result.json` is summarised in one line,
`BASE_BENCHMARK_RESULT={...}`; outside, the line is found in the output and judged together with how the
process ended. A score is a fraction from 0 to 1, the mean of all metric values of the job.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from .aggregation import mean
from .cpython312.parsing import MAX_INT_DIGITS, Json, parse_float, parse_int, parse_json
from .reason_code import reason_code

__all__ = ["RESULT_PREFIX", "Outcome", "Summary", "read_outcome", "result_score", "summarise"]

RESULT_PREFIX = "BASE_BENCHMARK_RESULT="  # 003 §5 rule 6
_FIRST_INT_TOO_LONG = 10**MAX_INT_DIGITS  # Python refuses to print it


@dataclass(frozen=True, slots=True)
class Summary:
    """The content of the line about a job; the defaults are those of a job without a usable result."""

    status: str = "failed"
    """`completed` if no trial ended in an error, else `failed`; the score does not matter."""
    score: float = 0.0
    """The mean of all metric values, 0.0 if there are none."""
    resolved: int = 0
    """Score times the planned number of trials, rounded half to even."""
    total: int = 0
    """The planned number of trials; if that is 0, completed and errored ones together."""
    reason_code: str | None = None
    """Why there is no usable result, None if there is one."""

    def line(self) -> str:
        """The line, without newline: the prefix and JSON with sorted keys (003 §5 rule 6).

        Raises:
            ValueError: `total` has more than 4300 digits.
        """
        if abs(self.total) >= _FIRST_INT_TOO_LONG:
            raise ValueError(f"total has more than {MAX_INT_DIGITS} digits")
        return RESULT_PREFIX + json.dumps(asdict(self), sort_keys=True)


def summarise(result_json: bytes | None) -> Summary:
    """Summarise the content of `result.json`, None if there is no such file (003 §5).

    Any error while reading it makes it malformed, including a NaN or infinite score.
    """
    if result_json is None:
        return Summary(reason_code="harbor_result_missing")
    try:
        return _summarise(parse_json(result_json.decode("utf-8")))
    except Exception:  # the rule is: any exception
        return Summary(reason_code="harbor_result_malformed")


def result_score(result_json: bytes | None) -> float | None:
    """The score of `result.json`; None if there is no such file or it is malformed (003 §5).

    Counts are not read, so there is a score even if a malformed count makes the summary malformed.
    """
    if result_json is None:
        return None
    try:
        score = _score(_stats(parse_json(result_json.decode("utf-8"))))
    except Exception:  # the rule is: any exception
        return None
    return score if math.isfinite(score) else None


def _summarise(result: Json) -> Summary:
    """The summary of a parsed result; any exception makes it malformed (003 §5 rules 1 to 5)."""
    stats = _stats(result)

    # A count that is missing is 0, as is one that is null.
    planned = _count(_object(result).get("n_total_trials"))
    completed = _count(stats.get("n_completed_trials"))
    errored = _count(stats.get("n_errored_trials"))

    # resolved = score * planned, rounded half to even, where NaN and infinity cannot be rounded
    score = _score(stats)
    return Summary(
        status="completed" if errored == 0 else "failed",
        score=score,
        resolved=round(score * planned),
        total=planned or completed + errored,
    )


def _stats(result: Json) -> dict[str, Json]:
    """The `stats` of a parsed result; empty if they are missing."""
    return _object(_object(result).get("stats", {}))


def _score(stats: dict[str, Json]) -> float:
    """The mean of the metric values of all groups, in the order in which they are written."""
    values = _metric_values(_object(stats.get("evals", {})))
    return mean(values) if values else 0.0


def _metric_values(groups: dict[str, Json]) -> list[float]:
    """The value under `mean` of every metric of every group, or all its values (003 §5 rule 1)."""
    values: list[float] = []
    for group in groups.values():
        for entry in _entries(_object(group).get("metrics", [])):
            metric = _object(entry)
            numbers = [metric["mean"]] if "mean" in metric else metric.values()
            values.extend(map(_number, numbers))
    return values


def _entries(metrics: Json) -> Iterable[Json]:
    """The list of metrics; an object or string is only accepted if empty, as its parts are not metrics."""
    if isinstance(metrics, list | dict | str):
        return metrics
    raise TypeError("a list of metrics is due here")


def _object(value: Json) -> dict[str, Json]:
    """The value itself, if it is an object."""
    if not isinstance(value, dict):
        raise TypeError("an object is due here")
    return value


def _count(value: Json) -> int:
    """A count as Python's `int` converts it; every falsy value is 0."""
    if not value:
        return 0
    if isinstance(value, str):
        return parse_int(value)
    if isinstance(value, int | float):
        return int(value)
    raise TypeError("a count is due here")


def _number(value: Json) -> float:
    """A number as Python's `float` converts it, from a bool or a string too."""
    if isinstance(value, str):
        return parse_float(value)
    if isinstance(value, int | float):
        return float(value)
    raise TypeError("a number is due here")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The consumer's judgement of a finished process."""

    status: str
    """`completed`, `failed` or `timed_out`."""
    score: float
    """0 to 1; 0.0 unless completed."""
    reason_code: str | None
    """Why it is not a plain success, if known."""


def read_outcome(stdout: str, returncode: int, timed_out: bool) -> Outcome:
    """Find the line in `stdout` and judge it together with how the process ended (003 §5).

    A time-out takes precedence over the exit code, and the exit code over the line.

    Raises:
        ValueError: an int in the line has more than 4300 digits.
        RecursionError: the line's JSON is nested too deeply to read.
        OverflowError: the score is an int beyond the double range.
    """
    payload = _find_payload(stdout)

    # A process that was stopped has failed, whatever it printed before.
    if timed_out:
        return Outcome("timed_out", 0.0, "timed_out")

    # So has a process that exited with an error, but the line may say why.
    if returncode != 0:
        reason = None if isinstance(payload, str) else _reason(payload)
        return Outcome("failed", 0.0, reason or "harbor_nonzero_exit")

    # A process that succeeded is judged by its line, if there is one.
    if isinstance(payload, str):
        return Outcome("failed", 0.0, payload)
    return _judge(payload)


def _find_payload(stdout: str) -> dict[str, Json] | str:
    """The object in the last line with the prefix, or a reason code if that line has none.

    Earlier lines do not count, and lines end wherever `str.splitlines` ends them.
    """
    for line in reversed(stdout.splitlines()):
        if line.startswith(RESULT_PREFIX):
            try:
                payload = parse_json(line.removeprefix(RESULT_PREFIX))
            except json.JSONDecodeError:
                return "harbor_result_malformed"
            return payload if isinstance(payload, dict) else "harbor_result_malformed"
    return "harbor_result_missing"


def _judge(payload: dict[str, Json]) -> Outcome:
    """The outcome of a process that exited with 0, by the line that it printed."""
    # Both status and score have to be there.
    status = payload.get("status")
    if not isinstance(status, str) or "score" not in payload:
        return Outcome("failed", 0.0, "harbor_result_partial")

    # The status is one of two; the score is a number, not a bool, from 0 to 1, and not NaN.
    invalid = Outcome("failed", 0.0, "harbor_result_invalid")
    value = payload["score"]
    if status not in ("completed", "failed"):
        return invalid
    if isinstance(value, bool) or not isinstance(value, int | float):
        return invalid
    score = float(value)
    if not 0.0 <= score <= 1.0:
        return invalid

    # Completed with any score, or failed with 0: a failure with a score contradicts itself.
    if status == "completed":
        return Outcome("completed", score, _reason(payload))
    return invalid if score > 0.0 else Outcome("failed", 0.0, _reason(payload))


def _reason(payload: dict[str, Json]) -> str | None:
    """The payload's reason as a code; anything but a string means no reason."""
    reason = payload.get("reason_code")
    return reason_code(reason) if isinstance(reason, str) else None
