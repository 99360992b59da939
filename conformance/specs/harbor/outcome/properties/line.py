"""Properties of every outcome line, when it is written."""

import json
import math
from fractions import Fraction
from typing import Any

from conformance.judging.comparison import Level
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.harbor.outcome.draw import PREFIX
from conformance.specs.harbor.results import good_result, result_file

__all__: list[str] = []

_OP = "outcome"
_FEW = 30
"""Results are large, so fewer of them are tried."""
_MEMBERS = ["reason_code", "resolved", "score", "status", "total"]


def _file(result: Any, **style: Any) -> dict[str, Any]:
    return {"result.json": {"text": json.dumps(result, **style)}}


def _summary(asker: Asker, files: Any) -> dict[str, Any]:
    line = asker.ok(_OP, files)["line"]
    asker.holds(line.startswith(PREFIX), f"the line does not begin with {PREFIX}")
    try:
        summary = json.loads(line[len(PREFIX) :])
    except ValueError:
        fail("the line is not JSON")
    asker.holds(sorted(summary) == _MEMBERS, f"the line's members are {sorted(summary)}")
    return dict(summary)


@holds("outcome-line-is-json", result_file, _FEW)
def _line_is_json(asker: Asker, files: Any) -> None:
    line = asker.ok(_OP, files)["line"]
    summary = _summary(asker, files)
    asker.holds(summary["status"] in ("completed", "failed"), f"the status is {summary['status']!r}")
    asker.holds(isinstance(summary["score"], int | float), f"the score is {summary['score']!r}")
    asker.holds(math.isfinite(summary["score"]), f"the score is {summary['score']!r}")
    if asker.level is Level.BYTES:
        asker.equal(PREFIX + json.dumps(summary, sort_keys=True), line, "the line")


@holds("outcome-unusable-is-all-zero", result_file, _FEW)
def _unusable_is_all_zero(asker: Asker, files: Any) -> None:
    summary = _summary(asker, files)
    reason = summary["reason_code"]
    if reason is not None:
        asker.holds(reason in ("harbor_result_missing", "harbor_result_malformed"), f"{summary}")
        values = (summary["status"], summary["score"], summary["resolved"], summary["total"])
        asker.holds(values == ("failed", 0, 0, 0), f"an unusable result is summarised as {summary}")


@holds("outcome-score-between-0-and-1", good_result, _FEW)
def _score_between_0_and_1(asker: Asker, result: Any) -> None:
    score = _summary(asker, _file(result))["score"]
    asker.holds(0 <= score <= 1, f"the score of samples between 0 and 1 is {score!r}")


@holds("outcome-status-from-errors", good_result, _FEW)
def _status_from_errors(asker: Asker, result: Any) -> None:
    expected = "failed" if result["stats"]["n_errored_trials"] else "completed"
    asker.equal(expected, _summary(asker, _file(result))["status"], "the status")


@holds("outcome-resolved-is-score-of-total", good_result, _FEW)
def _resolved_is_score_of_total(asker: Asker, result: Any) -> None:
    summary = _summary(asker, _file(result))
    product = Fraction(summary["score"] * result["n_total_trials"])
    low, fraction = divmod(product, 1)
    even = low + (fraction > Fraction(1, 2) or (fraction == Fraction(1, 2) and low % 2))
    asker.equal(int(even), summary["resolved"], "resolved")


@holds("outcome-total-falls-back", good_result, _FEW)
def _total_falls_back(asker: Asker, result: Any) -> None:
    stats = result["stats"]
    expected = result["n_total_trials"] or stats["n_completed_trials"] + stats["n_errored_trials"]
    asker.equal(expected, _summary(asker, _file(result))["total"], "the total")


@holds("outcome-layout-is-free", good_result, _FEW)
def _layout_is_free(asker: Asker, result: Any) -> None:
    plain, spread = _file(result), _file(result, indent=4, separators=(" ,", ":\t"))
    asker.same(_OP, plain, spread, "the layout of result.json matters")


@holds("outcome-order-of-members-is-free", good_result, _FEW)
def _order_of_members_is_free(asker: Asker, result: Any) -> None:
    """Except for groups and metrics: the sum is taken in their order."""
    stats = dict(reversed(result["stats"].items()))
    asker.same(_OP, _file(result), _file({"stats": stats, **result}), "the order of members matters")
    turned = dict(reversed({**result, "stats": stats}.items()))
    asker.same(_OP, _file(result), _file(turned), "the order of members matters")


_STRANGERS = ("name", "n_errored_trials", "score", "finished_at", "mean", "total")


@holds(
    "outcome-other-members-are-ignored",
    lambda source: (good_result(source), source.pick(_STRANGERS), source.pick((None, 7, "x", [1]))),
    _FEW,
)
def _other_members_are_ignored(asker: Asker, drawn: Any) -> None:
    result, name, value = drawn
    stats = {**result["stats"], f"other_{name}": value}
    stats["evals"] = {key: {**group, name: value} for key, group in stats["evals"].items()}
    longer = {**result, name: value, "stats": stats}
    asker.same(_OP, _file(result), _file(longer), "a member that the rules do not name matters")


@holds(
    "outcome-mean-hides-other-metrics",
    lambda source: (good_result(source), source.pick(("max", "a", "zz"))),
    _FEW,
)
def _mean_hides_other_metrics(asker: Asker, drawn: Any) -> None:
    result, name = drawn
    groups = {}
    for key, group in result["stats"]["evals"].items():
        metrics = [{**metric, name: 1000} if "mean" in metric else metric for metric in group["metrics"]]
        groups[key] = {"metrics": metrics}
    longer = {**result, "stats": {**result["stats"], "evals": groups}}
    asker.same(_OP, _file(result), _file(longer), "a value next to mean counts")
