"""The real harness-evals as a runner for the conformance kit.

It needs the standard library, the kit's helper for runners (``shim.py``), and a harness-evals installed next
to the Python that runs it. The metrics that a request describes are created here as subclasses of the
package's own classes; scoring, evaluating, summarising and writing are the package's. Only
`harness.template` has code of the document: its templates, with the `dimension` that the package requires.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import io
import json
import logging
import os
import re
import runpy
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SHIM = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "shim.py")))
OWN_WORDS = "<reason>"
"""Replaces reasons that the package words itself."""
MADE_AT = "2026-01-01T00:00:00+00:00"
"""Replaces the time at which the package created a score."""
RAISED = "Metric raised: "
RAISES = (AssertionError, AttributeError, KeyError, RuntimeError, TypeError, ValueError, ZeroDivisionError)
STOPS = (KeyboardInterrupt, SystemExit)
EXCEPTIONS = {kind.__name__: kind for kind in (*RAISES, *STOPS)}


# Decoding


def decoded(value: Any) -> Any:
    """A field's value: null, a bool, a number, `{"text": …}`, or `{"json": …}` for any other value."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        return SHIM.number(value)
    return value["text"] if "text" in value else json.loads(value["json"])


def content(value: Any) -> Any:
    """The JSON value in a file's content; None for null."""
    return None if value is None else json.loads(SHIM.to_bytes(value))


def written(value: Any) -> dict[str, str]:
    """A value as the package's JSON sink writes it."""
    return {"text": json.dumps(value, default=str)}


# Scores and metrics as described


def dimension(value: Any) -> Any:
    """A dimension by its value or, in an object, by its name; otherwise a text that is not a dimension."""
    from harness_evals import Dimension

    if isinstance(value, str):
        return Dimension(value)
    if isinstance(value, dict) and "member" in value:
        return Dimension[value["member"]]
    return value["text"]


def score_in(request: dict[str, Any]) -> Any:
    """A score with all fields that a request can set."""
    from harness_evals import Score

    fields: dict[str, Any] = {
        "name": request["name"],
        "value": decoded(request["value"]),
        "threshold": decoded(request["threshold"]),
        "reason": request["reason"],
        "metadata": content(request["metadata"]),
        "scoring_duration_ms": decoded(request["scoring_duration_ms"]),
        "created_at": datetime.fromisoformat(request["created_at"]),
    }
    if request.get("passed") is not None:
        fields["passed"] = request["passed"]
    return Score.clamped(**fields) if request.get("clamped") else Score(**fields)


def score_out(score: Any, own: dict[str, str]) -> dict[str, Any]:
    """A score's dictionary, without times and the package's own wording, which vary."""
    result: dict[str, Any] = score.to_dict()
    if isinstance(score.created_at, datetime):
        result["created_at"] = MADE_AT
    if isinstance(result.get("scoring_duration_ms"), float) and result["scoring_duration_ms"] >= 0:
        result["scoring_duration_ms"] = 0.0
    if "reason" in result:
        result["reason"] = own.get(result["reason"], result["reason"])
    return result


class Described:
    """The behaviour of a metric's method, as a request describes it."""

    def __init__(self, does: dict[str, Any]) -> None:
        self._does = does
        self.own: dict[str, str] = {}
        """The package's own reasons, and their replacements in the answer."""
        self.raised: BaseException | None = None

    def run(self, metric: Any) -> Any:
        """Raises, returns or scores as the request describes, for this metric."""
        if "raises" in self._does:
            wanted = self._does["raises"]
            message = wanted["message"]
            self.raised = EXCEPTIONS[wanted["type"]](message)
            raise self.raised
        if "returns" in self._does:
            return decoded(self._does["returns"])
        return self._score(metric, self._does["score"])

    def _score(self, metric: Any, wanted: dict[str, Any]) -> Any:
        from harness_evals import Score

        name, threshold = wanted["name"], decoded(wanted["threshold"])
        fields: dict[str, Any] = {
            "name": metric.name if name is None else name,
            "value": decoded(wanted["value"]),
            "threshold": metric.threshold if threshold is None else threshold,
            "reason": wanted["reason"],
            "metadata": content(wanted["metadata"]),
        }
        try:
            score = Score.clamped(**fields) if wanted["clamped"] else Score(**fields)
        except (TypeError, ValueError) as error:
            self.own[f"{RAISED}{error}"] = f"{RAISED}<{type(error).__name__}>"
            raise
        by_hand = wanted["passed"]
        if by_hand is not None:
            score.passed = by_hand
        return score


def metric_doing(
    base: Any, method: str, does: Any, a_does: Any, described: list[Described], **fields: Any
) -> Any:
    """A metric whose ``method`` does what the request describes, and its asynchronous method unless null.

    ``calls`` lists the methods that were called.
    """
    calls: list[str] = []

    def recording(name: str, does: Any) -> Callable[[Any, Any], Any]:
        described.append(Described(does))
        do = described[-1].run

        def called(self: Any, eval_case: Any) -> Any:
            calls.append(name)
            return do(self)

        return called

    body: dict[str, Any] = {method: recording(method, does), "calls": calls}
    if a_does is not None:
        a_called = recording(f"a_{method}", a_does)

        async def awaited(self: Any, eval_case: Any) -> Any:
            return a_called(self, eval_case)

        body[f"a_{method}"] = awaited
    return type("Metric", (base,), body)(**fields)


def own_words(described: list[Described]) -> dict[str, str]:
    """The package's own reasons, and their replacements."""
    return {words: instead for metric in described for words, instead in metric.own.items()}


@contextlib.contextmanager
def stopping(described: list[Described]) -> Iterator[None]:
    """Turns a KeyboardInterrupt or SystemExit that a described metric raised into an answer."""
    try:
        yield
    except STOPS as error:
        if any(error is metric.raised for metric in described):
            SHIM.fail(type(error).__name__, str(error))
        raise


# The operations. Each function imports what it needs from the package.


def harness_score(**request: Any) -> dict[str, Any]:
    """A score, constructed and written."""
    return {"score.json": written(score_in(request).to_dict())}


def harness_metric(**request: Any) -> dict[str, Any]:
    """The settings that a constructed metric keeps."""
    from harness_evals import BaseMetric, ReliabilityMetric, SafetyMetric

    bases = {base.__name__: base for base in (BaseMetric, SafetyMetric, ReliabilityMetric)}

    base = bases[request["base"]]
    methods = {name: (lambda self, case: None) for name in request["implements"]}
    arguments: dict[str, Any] = {key: SHIM.number(value) for key, value in request["others"].items()}
    for key, decode in (
        ("name", str),
        ("dimension", dimension),
        ("threshold", SHIM.number),
        ("k", SHIM.number),
    ):
        if request[key] is not None:
            arguments[key] = decode(request[key])
    metric = type("Described", (base,), methods)(**arguments)
    kept = metric.dimension
    return {
        "name": metric.name,
        "dimension": getattr(kept, "value", {"text": kept}),
        "threshold": metric.threshold,
        "k": getattr(metric, "k", None),
    }


def harness_evaluate(**request: Any) -> dict[str, Any]:
    """The scores of described metrics."""
    from harness_evals import BaseMetric, EvalCase, a_evaluate, assert_test, evaluate

    def metric_of(wanted: dict[str, Any], described: list[Described]) -> Any:
        return metric_doing(
            *(BaseMetric, "measure", wanted["measure"], wanted["a_measure"], described),
            name=wanted["name"],
            dimension=dimension(wanted["dimension"]),
            threshold=decoded(wanted["threshold"]),
        )

    described: list[Described] = []
    metrics = [metric_of(wanted, described) for wanted in request["metrics"]]
    case = EvalCase(input="", output="")
    with stopping(described):
        if request["entry"] == "a_evaluate":
            scores = asyncio.run(a_evaluate(case, metrics))
        else:
            scores = {"evaluate": evaluate, "assert_test": assert_test}[request["entry"]](case, metrics)
    own = own_words(described)
    return {"scores.json": written([score_out(score, own) for score in scores])}


def harness_reliability(**request: Any) -> dict[str, Any]:
    """The score of a described reliability metric, or of the built-in majority, on some runs."""
    from harness_evals import Dimension, EvalCase, ReliabilityMetric, a_evaluate, evaluate
    from harness_evals.metrics.reliability.outcome_consistency import OutcomeConsistencyMetric

    class Majority(OutcomeConsistencyMetric):  # type: ignore[misc]
        """The package's own metric, with its calls counted."""

        calls: list[str]

        def measure_runs(self, eval_case: Any) -> Any:
            self.calls.append("measure_runs")
            return super().measure_runs(eval_case)

    def metric_of(request: dict[str, Any], described: list[Described]) -> Any:
        numbers = {name: SHIM.number(request[name]) for name in ("threshold", "k")}
        does, a_does = request["measure_runs"], request["a_measure_runs"]
        if does == "majority":
            metric = Majority(**numbers)
            metric.calls = []
            return metric
        named = {"name": "reliable", "dimension": Dimension.CORRECTNESS}
        return metric_doing(ReliabilityMetric, "measure_runs", does, a_does, described, **named, **numbers)

    def measured(entry: str, metric: Any, case: Any) -> Any:
        if entry == "measure":
            return metric.measure(case)
        if entry == "a_measure":
            return asyncio.run(metric.a_measure(case))
        scores = evaluate(case, [metric]) if entry == "evaluate" else asyncio.run(a_evaluate(case, [metric]))
        return scores[0] if scores else None

    outputs = request["runs"]
    runs = None if outputs is None else [EvalCase(input="", output=output) for output in outputs]
    described: list[Described] = []
    metric = metric_of(request, described)
    with stopping(described):
        score = measured(request["entry"], metric, EvalCase(input="", output="", runs=runs))
    own = own_words(described)
    if score is None:
        return {"calls": metric.calls, "score.json": None}
    if not metric.calls or isinstance(metric, Majority):
        own[score.reason] = OWN_WORDS
    return {"calls": metric.calls, "score.json": written(score_out(score, own))}


def harness_operational(**request: Any) -> dict[str, Any]:
    """The score of a built-in operational metric."""
    from harness_evals import EvalCase, Message
    from harness_evals.metrics import operational

    metrics = {
        "latency": (operational.LatencyMetric, "max_ms"),
        "token_cost": (operational.TokenCostMetric, "max_tokens"),
        "cost_efficiency": (operational.CostEfficiencyMetric, "max_cost_usd"),
        "retry_count": (operational.RetryCountMetric, "max_retries"),
        "turn_latency": (operational.TurnLatencyMetric, "max_ms_per_turn"),
        "turn_token_cost": (operational.TurnTokenCostMetric, "max_tokens_per_turn"),
    }
    fields = ("latency_ms", "token_count", "cost_usd", "retry_count")

    def message(wanted: dict[str, Any]) -> Any:
        return Message(
            role=wanted["role"],
            latency_ms=decoded(wanted["latency_ms"]),
            token_count=decoded(wanted["token_count"]),
            metadata=content(wanted["metadata"]),
        )

    kind, limit = metrics[request["metric"]]
    arguments = {limit: request["maximum"], "threshold": request["threshold"]}
    metric = kind(**{name: SHIM.number(value) for name, value in arguments.items() if value is not None})
    case = {name: decoded(request["case"][name]) for name in fields}
    messages = request["case"]["messages"]
    case["messages"] = None if messages is None else [message(wanted) for wanted in messages]
    score = metric.measure(EvalCase(input="", output="", **case))
    named = [name for name in case if re.search(rf"\b{name}\b", score.reason or "")]
    absent = [name for name in named if not case[name]]
    own = {score.reason: OWN_WORDS} if score.reason else {}
    return {"missing": absent[0] if absent else None, "score.json": written(score_out(score, own))}


def harness_dimensions(**request: Any) -> dict[str, Any]:
    """The summary of some cases' scores."""
    from harness_evals import Score, summarize

    def score(wanted: dict[str, Any] | None) -> Any:
        if wanted is None:
            return None
        return Score(
            name=wanted["name"],
            value=SHIM.number(wanted["value"]),
            threshold=SHIM.number(wanted["threshold"]),
            metadata=content(wanted["metadata"]),
        )

    cases = [[score(wanted) for wanted in case] for case in request["cases"]]
    return {"summary.json": written(asdict(summarize(cases)))}


def harness_json(**request: Any) -> dict[str, Any]:
    """The file that the JSON sink writes."""
    from harness_evals import EvalCase, JsonSink

    def written_to(path: Path, request: dict[str, Any]) -> None:
        sink = JsonSink(str(path), include_summary=request["include_summary"])
        for case in request["cases"]:
            eval_case = EvalCase(
                input=content(case["input"]), output="", tags=case["tags"], metadata=content(case["metadata"])
            )
            sink.write([score_in(wanted) for wanted in case["scores"]], eval_case)
        if request["finalize"]:
            sink.finalize()

    with tempfile.TemporaryDirectory(prefix="harness-adapter-") as folder:  # removed with its request
        path = Path(folder) / "results.jsonl"
        with contextlib.redirect_stderr(io.StringIO()):  # the sink prints where it wrote
            written_to(path, request)
        if not path.exists():
            return {"results.jsonl": None}
        return {"results.jsonl": {"text": path.read_bytes().decode("utf-8")}}


def harness_template(**request: Any) -> dict[str, Any]:
    """The document's templates, with the dimension that the package requires."""
    from harness_evals import BaseMetric, Dimension, EvalCase, ReliabilityMetric, Score
    from harness_evals.llm.embedding import _cosine_similarity

    def template(measure: Callable[[Any], dict[str, Any]], base: Any = BaseMetric) -> Any:
        """A metric whose score has the fields that `measure` computes from the case."""

        def scored(self: Any, case: Any) -> Any:
            return Score(name=self.name, threshold=self.threshold, **measure(case))

        method = "measure_runs" if base is ReliabilityMetric else "measure"
        return type("Template", (base,), {method: scored})

    def deterministic(request: dict[str, Any]) -> Any:
        return template(lambda case: {"value": 1.0 if str(case.output) == str(case.expected) else 0.0})

    def operational(request: dict[str, Any]) -> Any:
        maximum = SHIM.number(request["max_value"])

        def measure(case: Any) -> dict[str, Any]:
            if case.latency_ms is None:
                return {"value": 0.0, "reason": "latency_ms not provided"}
            value = max(0.0, 1.0 - case.latency_ms / maximum)
            return {"value": value, "metadata": {"latency_ms": case.latency_ms, "max_value": maximum}}

        return template(measure)

    def reliability(request: dict[str, Any]) -> Any:
        def measure(case: Any) -> dict[str, Any]:
            runs = case.runs or []
            if len(runs) < 2:
                return {"value": 0.0, "reason": f"Need at least 2 runs, got {len(runs)}"}
            return {"value": decoded(request["value"]), "metadata": {"k": len(runs)}}

        return template(measure, ReliabilityMetric)

    def llm(request: dict[str, Any]) -> Any:
        result = content(request["judge"])
        return template(lambda case: {"value": max(0.0, min(1.0, result.get("score", 0.0)))})

    def embedding(request: dict[str, Any]) -> Any:
        pair = [[SHIM.number(item) for item in vector] for vector in request["vectors"]]
        return template(lambda case: {"value": max(0.0, min(1.0, _cosine_similarity(pair[0], pair[1])))})

    templates = {
        "deterministic": deterministic,
        "operational": operational,
        "reliability": reliability,
        "llm": llm,
        "embedding": embedding,
    }

    wanted = request["given"]
    kind = templates[request["template"]](wanted)
    threshold = SHIM.number(request["threshold"])
    metric = kind(name="my_metric", dimension=Dimension.CORRECTNESS, threshold=threshold)
    runs = wanted.get("runs")
    case = EvalCase(
        input="",
        output=wanted.get("output", ""),
        expected=wanted.get("expected"),
        latency_ms=decoded(wanted.get("latency_ms")),
        runs=None if runs is None else [EvalCase(input="", output=output) for output in runs],
    )
    score = metric.measure(case)
    own = {score.reason: OWN_WORDS} if issubclass(kind, ReliabilityMetric) and not runs else {}
    return {"score.json": written(score_out(score, own))}


FUNCTIONS = (
    *(harness_score, harness_metric, harness_evaluate, harness_reliability),
    *(harness_operational, harness_dimensions, harness_json, harness_template),
)
OPERATIONS = {function.__name__.replace("_", "."): function for function in FUNCTIONS}


def main() -> int:
    """Set the process up and serve."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # This file's folder must not come first on the path: it would shadow the real package.
    own_folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own_folder]
    logging.disable(logging.CRITICAL)
    if importlib.util.find_spec("harness_evals") is None:
        sys.stderr.write(f"harness-evals is not installed next to {sys.executable}\n")
        return 2
    version = importlib.metadata.version("harness-evals")
    SHIM.serve(OPERATIONS, name="harness-evals", version=version)
    return 0


if __name__ == "__main__":
    sys.exit(main())
