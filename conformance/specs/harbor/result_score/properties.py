"""Properties of the score of every result (003 §5)."""

import json
from typing import Any

from conformance.drawing.numbers import small_int
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.results import good_result

__all__: list[str] = []

_OP = "result_score"
_FEW = 30
"""Results are large, so fewer of them are tried."""


def _file(result: Any) -> dict[str, Any]:
    return {"result.json": {"text": json.dumps(result)}}


@holds("result-score-counts-are-ignored", lambda source: (good_result(source), small_int(source)), _FEW)
def _counts_are_ignored(asker: Asker, drawn: Any) -> None:
    result, count = drawn
    stats = {**result["stats"], "n_errored_trials": count, "n_completed_trials": 2 * count}
    recounted = {"n_total_trials": 3 * count, "stats": stats}
    asker.same(_OP, _file(result), _file(recounted), "the number of trials matters")


@holds("result-score-mean-hides-other-metrics", good_result, _FEW)
def _mean_hides_other_metrics(asker: Asker, result: Any) -> None:
    groups = {
        key: {"metrics": [{**row, "max": 1000} if "mean" in row else row for row in group["metrics"]]}
        for key, group in result["stats"]["evals"].items()
    }
    changed = {**result, "stats": {**result["stats"], "evals": groups}}
    asker.same(_OP, _file(result), _file(changed), "a value next to mean counts")
