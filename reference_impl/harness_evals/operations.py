"""The operations of the runner protocol for harness-evals: `input` in, `ok` out (PROTOCOL.md)."""

from collections.abc import Callable
from typing import Any

from ..runner.wire import decode_number, encode_number
from . import templates
from .described import MADE_AT, decode_dimension, decode_given, decode_json, decode_metric, decode_score, does
from .dimension import Dimension, PlainText
from .evaluate import AnyScore, Metric, assert_test, evaluate
from .json_lines import Record, as_text, json_lines
from .metric import Base, construct
from .operational import Case, Message, measure_operational
from .reliability import majority, measure_reliability
from .score import OWN_WORDS, Score
from .summary import summarise

__all__ = ["OPERATIONS"]


def _content(value: Any) -> dict[str, str]:
    return {"text": as_text(value)}


def _members(score: Score) -> dict[str, Any]:
    """A score as an object, without its creation time, which is not part of the answer."""
    return score.as_dict() | {"created_at": MADE_AT}


def _number_or_none(value: Any) -> int | float | None:
    return None if value is None else decode_number(value)


def _score(given: Any) -> Any:
    return {"score.json": _content(decode_score(given).as_dict())}


def _metric(given: Any) -> Any:
    arguments: dict[str, Any] = {key: decode_number(value) for key, value in given["others"].items()}
    if given["name"] is not None:
        arguments["name"] = given["name"]
    if given["dimension"] is not None:
        arguments["dimension"] = decode_dimension(given["dimension"])
    for key in ("threshold", "k"):
        if given[key] is not None:
            arguments[key] = decode_number(given[key])
    base = next(base for base in Base if base.value[0] == given["base"])
    settings = construct(base, given["implements"], arguments)
    kept = settings.dimension
    return {
        "name": settings.name,
        "dimension": {"text": str(kept)} if isinstance(kept, PlainText) else kept.value,
        "threshold": encode_number(settings.threshold),
        "k": None if settings.k is None else encode_number(settings.k),
    }


def _evaluate(given: Any) -> Any:
    metrics = [decode_metric(metric) for metric in given["metrics"]]
    if given["entry"] == "assert_test":
        scores = assert_test(metrics)
    else:
        scores = evaluate(metrics, asynchronous=given["entry"] == "a_evaluate")
    return {"scores.json": _content([_members(score) for score in scores])}


def _reliability(given: Any) -> Any:
    calls: list[str] = []

    def counted(name: str, measure_runs: Callable[[Metric], AnyScore]) -> Callable[[Metric], AnyScore]:
        def called(metric: Metric) -> AnyScore:
            calls.append(name)
            return measure_runs(metric)

        return called

    runs, built_in = given["runs"], given["measure_runs"] == "majority"
    sync = counted("measure_runs", majority(runs or []) if built_in else does(given["measure_runs"]))
    own_async = given["a_measure_runs"]
    metric = Metric(
        "outcome_consistency" if built_in else "reliable",
        Dimension.CORRECTNESS,
        decode_number(given["threshold"]),
        measure_reliability(runs, sync),
        None if own_async is None else measure_reliability(runs, counted("a_measure_runs", does(own_async))),
    )
    asynchronous = given["entry"] in ("a_measure", "a_evaluate")
    if given["entry"] in ("evaluate", "a_evaluate"):
        score = next(iter(evaluate([metric], asynchronous=asynchronous)), None)
    else:
        measure = (metric.a_measure if asynchronous else None) or metric.measure
        score = measure(metric)
    return {"calls": calls, "score.json": None if score is None else _content(_members(score))}


def _operational(given: Any) -> Any:
    case = given["case"]
    messages = None
    if case["messages"] is not None:
        messages = [
            Message(
                message["role"],
                decode_given(message["latency_ms"]),
                decode_given(message["token_count"]),
                decode_json(message["metadata"]),
            )
            for message in case["messages"]
        ]
    fields = {name: decode_given(value) for name, value in case.items() if name != "messages"}
    score, missing = measure_operational(
        given["metric"],
        Case(**fields, messages=messages),
        _number_or_none(given["maximum"]),
        _number_or_none(given["threshold"]),
    )
    return {"missing": missing, "score.json": _content(_members(score))}


def _dimensions(given: Any) -> Any:
    return {"summary.json": _content(summarise([_plain_scores(case) for case in given["cases"]]).as_dict())}


def _plain_scores(case: Any) -> list[Score | None]:
    return [
        None
        if score is None
        else Score(
            score["name"],
            decode_number(score["value"]),
            decode_number(score["threshold"]),
            metadata=decode_json(score["metadata"]),
        )
        for score in case
    ]


def _json(given: Any) -> Any:
    records = [
        Record(
            decode_json(case["input"]),
            case["tags"],
            decode_json(case["metadata"]),
            [decode_score(score) for score in case["scores"]],
        )
        for case in given["cases"]
    ]
    text = json_lines(records, with_summary=given["include_summary"] and given["finalize"])
    return {"results.jsonl": None if text is None else {"text": text}}


def _template(given: Any) -> Any:
    computed = _TEMPLATES[given["template"]](given["given"])
    score = Score("my_metric", threshold=decode_number(given["threshold"]), **computed)
    return {"score.json": _content(_members(score))}


def _reliability_template(given: Any) -> Any:
    if not given["runs"]:
        return {"value": 0.0, "reason": OWN_WORDS}
    return templates.reliability(given["runs"], decode_given(given["value"]))


_TEMPLATES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "deterministic": lambda given: templates.deterministic(given["output"], given["expected"]),
    "operational": lambda given: templates.operational(
        decode_given(given["latency_ms"]), decode_number(given["max_value"])
    ),
    "reliability": _reliability_template,
    "llm": lambda given: templates.llm(decode_json(given["judge"])),
    "embedding": lambda given: templates.embedding(
        *([decode_number(item) for item in vector] for vector in given["vectors"])
    ),
}

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "harness.score": _score,
    "harness.metric": _metric,
    "harness.evaluate": _evaluate,
    "harness.reliability": _reliability,
    "harness.operational": _operational,
    "harness.dimensions": _dimensions,
    "harness.json": _json,
    "harness.template": _template,
}
