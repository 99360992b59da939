"""The summary of many cases: quality, and safety separate from it (004 §8, ADR-003).

Safety is a hard constraint: its scores are counted separately and never averaged with the rest, so there is
no overall rate. Only a score's metadata determine whether it belongs to safety.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..cpython312.summation import compensated_sum
from .dimension import DISPLAY_ORDER, Dimension
from .score import Score

__all__ = ["UNKNOWN", "Summary", "dimension_of", "summarise"]

UNKNOWN = "unknown"  # the dimension of scores that name none; they count as quality
SAFETY = Dimension.SAFETY.value


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """All scores with one name."""

    name: str
    mean: float
    pass_rate: float
    count: int
    min_value: float
    max_value: float
    passed_count: int
    failed_count: int


@dataclass(frozen=True, slots=True)
class DimensionSummary:
    """All scores of one dimension."""

    dimension: Any
    mean: float
    pass_rate: float
    metric_count: int
    """The number of scores, not of metrics."""
    is_safety: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """All scores of all cases."""

    by_metric: dict[str, MetricSummary]
    by_dimension: dict[Any, DimensionSummary]
    total_cases: int
    quality_pass_rate: float
    """The share of non-safety scores that passed; 0.0 if there are none."""
    safety_pass_rate: float
    """The share of safety scores that passed; 0.0 if there are none."""
    safety_violations: int

    def as_dict(self) -> dict[str, Any]:
        """All of it, unrounded, names and dimensions in the order of their first scores."""
        return asdict(self)

    def rounded(self) -> dict[str, Any]:
        """The record at the end of a file: rounded to 4 decimals, means of dimensions to 2.

        Dimensions are in the document's order, then others by name; safety lists its violations only if it
        has any.

        Raises:
            TypeError: dimensions of several types cannot be ordered.
        """
        dimensions = {}
        for name in _display_order(self.by_dimension):
            whole = self.by_dimension[name]
            dimensions[name] = {
                "mean": round(whole.mean, 2),
                "pass_rate": round(whole.pass_rate, 4),
                "metric_count": whole.metric_count,
                "is_safety": whole.is_safety,
            }
            if whole.is_safety and self.safety_violations:
                dimensions[name]["violations"] = self.safety_violations
        return {
            "record_type": "summary",
            "total_cases": self.total_cases,
            "quality_pass_rate": round(self.quality_pass_rate, 4),
            "safety_pass_rate": round(self.safety_pass_rate, 4),
            "safety_violations": self.safety_violations,
            "metrics": {
                name: {
                    "mean": round(metric.mean, 4),
                    "pass_rate": round(metric.pass_rate, 4),
                    "passed_count": metric.passed_count,
                    "count": metric.count,
                }
                for name, metric in self.by_metric.items()
            },
            "dimensions": dimensions,
        }


def _display_order(present: Collection[Any]) -> list[Any]:
    known = [name for name in DISPLAY_ORDER if name in present]
    return known + sorted(name for name in present if name not in DISPLAY_ORDER)


def dimension_of(score: Score) -> Any:
    """The dimension in a score's metadata, unchanged; a missing, null or empty one is `unknown`.

    Raises:
        AttributeError: the metadata are neither missing nor an object.
    """
    if not score.metadata:
        return UNKNOWN
    if not isinstance(score.metadata, dict):
        raise AttributeError("metadata are an object")
    return score.metadata.get("dimension") or UNKNOWN


def summarise(cases: Sequence[Sequence[Score | None]]) -> Summary:
    """Count the scores of all cases; those of skipped metrics (None) are ignored.

    Raises:
        AttributeError: a score's metadata are no object.
        TypeError: a dimension is a list or an object.
    """
    by_name: dict[str, list[Score]] = {}
    by_dimension: dict[Any, list[Score]] = {}
    for score in (score for case in cases for score in case if score is not None):
        by_name.setdefault(score.name, []).append(score)
        by_dimension.setdefault(dimension_of(score), []).append(score)
    safety = by_dimension.get(SAFETY, [])
    quality = [score for name, scores in by_dimension.items() if name != SAFETY for score in scores]
    return Summary(
        by_metric={name: _metric(name, scores) for name, scores in by_name.items()},
        by_dimension={name: _dimension(name, scores) for name, scores in by_dimension.items()},
        total_cases=len(cases),
        quality_pass_rate=_pass_rate(quality),
        safety_pass_rate=_pass_rate(safety),
        safety_violations=len(safety) - _passed(safety),
    )


def _metric(name: str, scores: list[Score]) -> MetricSummary:
    values = [score.value for score in scores]
    passed = _passed(scores)
    return MetricSummary(
        name, _mean(values), _pass_rate(scores), len(values), min(values), max(values), passed,
        len(values) - passed,
    )  # fmt: skip


def _dimension(name: Any, scores: list[Score]) -> DimensionSummary:
    values = [score.value for score in scores]
    return DimensionSummary(name, _mean(values), _pass_rate(scores), len(values), name == SAFETY)


def _passed(scores: Iterable[Score]) -> int:
    return sum(1 for score in scores if score.passed)


def _pass_rate(scores: list[Score]) -> float:
    return _passed(scores) / len(scores) if scores else 0.0


def _mean(values: list[Any]) -> float:
    return compensated_sum(values) / len(values)
