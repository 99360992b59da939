"""Properties of the built-in operational metrics, and of the document's templates (004 §4)."""

import json
from typing import Any

from conformance.drawing.numbers import small_int, tenth
from conformance.drawing.source import Source
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import plain_threshold
from conformance.specs.harness_evals.operational.draw import operational

__all__: list[str] = []

_OP = "harness.operational"
_TEMPLATE = "harness.template"
_FIELDS = {
    "latency": "latency_ms",
    "token_cost": "token_count",
    "cost_efficiency": "cost_usd",
    "retry_count": "retry_count",
}
_TURNS = ("turn_latency", "turn_token_cost")
_EMPTY = {"latency_ms": None, "token_count": None, "cost_usd": None, "retry_count": None, "messages": None}
_AMOUNTS = (0, 1, 3, 5, 7, 100, 2000, 2500, 4999.5, 5000, 5001, 0.01, 0.1, 1e-9, 2.9, 1e300)
_MAXIMUMS = (None, 1, 3, 7.0, 0.1, 5000, 1e308)
_NEGATIVE = (-1, -5000, -2.5)


def _single(source: Source) -> str:
    return source.pick(tuple(_FIELDS))


def _turn(source: Source) -> str:
    return source.pick(_TURNS)


def _amount(source: Source) -> Any:
    return source.pick(_AMOUNTS)


def _maximum(source: Source) -> Any:
    return source.pick(_MAXIMUMS)


def _request(metric: str, amount: Any, maximum: Any = None, threshold: Any = None) -> dict[str, Any]:
    case = {**_EMPTY, _FIELDS[metric]: amount}
    return {"metric": metric, "maximum": maximum, "threshold": threshold, "case": case}


def _value(asker: Asker, request: Any) -> Any:
    return read(asker.ok(_OP, request))["value"]


@holds(
    "harness-operational-missing-is-zero", lambda source: (source.pick((*_FIELDS, *_TURNS)), _maximum(source))
)
def _missing_is_zero(asker: Asker, drawn: Any) -> None:
    metric, maximum = drawn
    request = {"metric": metric, "maximum": maximum, "threshold": None, "case": _EMPTY}
    answer = asker.ok(_OP, request)
    asker.equal(_FIELDS.get(metric, "messages"), answer["missing"], "the missing field that the reason names")
    score = read(answer)
    asker.holds(score["value"] == 0 and not score["passed"], f"a missing field gives {score['value']!r}")


@holds("harness-operational-in-range", lambda source: (_single(source), _amount(source), _maximum(source)))
def _in_range(asker: Asker, drawn: Any) -> None:
    value = _value(asker, _request(*drawn))
    asker.holds(0 <= value <= 1, f"the value is {value!r}")


@holds(
    "harness-operational-more-never-better",
    lambda source: (_single(source), _amount(source), _amount(source), _maximum(source)),
)
def _more_never_better(asker: Asker, drawn: Any) -> None:
    metric, first, second, maximum = drawn
    less, more = (_value(asker, _request(metric, amount, maximum)) for amount in sorted((first, second)))
    asker.holds(less >= more, f"the value rises from {less!r} to {more!r} with the amount")


@holds("harness-operational-nothing-is-best", lambda source: (_single(source), _maximum(source)))
def _nothing_is_best(asker: Asker, drawn: Any) -> None:
    metric, maximum = drawn
    asker.equal(1.0, _value(asker, _request(metric, 0, maximum)), f"{metric} of 0")


@holds(
    "harness-operational-negative-is-zero",
    lambda source: (_single(source), source.pick(_NEGATIVE), _maximum(source)),
)
def _negative_is_zero(asker: Asker, drawn: Any) -> None:
    asker.equal(0.0, _value(asker, _request(*drawn)), "the value of a negative amount")


@holds(
    "harness-operational-limit-positive",
    lambda source: (operational(source), source.pick((0, 0.0, -0.0, -1, "-Infinity"))),
)
def _limit_positive(asker: Asker, drawn: Any) -> None:
    described, maximum = drawn
    asker.refused(_OP, {**described, "maximum": maximum}, "ValueError")


@holds(
    "harness-operational-threshold-leaves-value",
    lambda source: (_single(source), _amount(source), plain_threshold(source), plain_threshold(source)),
)
def _threshold_leaves_value(asker: Asker, drawn: Any) -> None:
    metric, amount, *thresholds = drawn
    left, right = (_value(asker, _request(metric, amount, None, threshold)) for threshold in thresholds)
    asker.equal(left, right, "the value at another threshold")


_COUNTS = (None, 0, 1, None, 700, 1999, 2001, None, 0.5)


def _message(role: str, amount: Any) -> dict[str, Any]:
    return {"role": role, "latency_ms": amount, "token_count": amount, "metadata": None}


def _assistant(source: Source) -> list[Any]:
    return source.several(5, lambda source: _message("assistant", source.pick(_COUNTS)))


def _other_role(source: Source) -> dict[str, Any]:
    return _message(source.pick(("user", "tool", "Assistant", "")), source.pick(_COUNTS))


def _turns(metric: str, messages: list[Any]) -> dict[str, Any]:
    return {"metric": metric, "maximum": None, "threshold": None, "case": {**_EMPTY, "messages": messages}}


@holds(
    "harness-operational-others-speak-free",
    lambda source: (_turn(source), _assistant(source), source.below(6), _other_role(source)),
)
def _other_roles_are_ignored(asker: Asker, drawn: Any) -> None:
    metric, messages, index, ignored = drawn
    plain, longer = _turns(metric, messages), _turns(metric, [*messages[:index], ignored, *messages[index:]])
    asker.same(_OP, plain, longer, "a message that is not the assistant's matters")


@holds(
    "harness-operational-turns-without-data",
    lambda source: (_turn(source), _assistant(source), source.below(6)),
)
def _turns_without_data(asker: Asker, drawn: Any) -> None:
    metric, messages, index = drawn
    bare = _message("assistant", None)
    plain, longer = _turns(metric, messages), _turns(metric, [*messages[:index], bare, *messages[index:]])
    asker.same(_OP, plain, longer, "a turn without data matters")


def _template(name: str, case: Any, threshold: Any = 0.5) -> dict[str, Any]:
    return {"template": name, "threshold": threshold, "given": case}


def _template_score(asker: Asker, name: str, case: Any, threshold: Any = 0.5) -> Any:
    return read(asker.ok(_TEMPLATE, _template(name, case, threshold)))


def _texts(source: Source) -> tuple[str, str]:
    texts = ("", "ok", "line\nbreak", "é", "e\u0301", "None", "a\\b")
    return source.pick(texts), source.pick(texts)


@holds("harness-template-exact-match", _texts)
def _exact_match(asker: Asker, drawn: Any) -> None:
    output, expected = drawn
    value = _template_score(asker, "deterministic", {"output": output, "expected": expected})["value"]
    asker.equal(float(output == expected), value, f"the value of {output!a} for {expected!a}")


@holds("harness-template-threshold-leaves-value", lambda source: (*_texts(source), plain_threshold(source)))
def _template_threshold(asker: Asker, drawn: Any) -> None:
    output, expected, threshold = drawn
    score = _template_score(asker, "deterministic", {"output": output, "expected": expected}, threshold)
    asker.equal(float(output == expected), score["value"], "the value")
    asker.equal(score["value"] >= float(threshold), score["passed"], "passed")


_LATENCIES = (0, 1, 40, 99, 100, 101, 5000, 0.5, 1e9)


@holds(
    "harness-template-latency-falls",
    lambda source: (source.pick(_LATENCIES), source.pick(_LATENCIES), source.pick((100, 5000, 0.1, 7))),
)
def _latency_falls(asker: Asker, drawn: Any) -> None:
    first, second, maximum = drawn
    low, high = (
        _template_score(asker, "operational", {"latency_ms": latency, "max_value": maximum})["value"]
        for latency in sorted((first, second))
    )
    asker.holds(1 >= low >= high >= 0, f"the value goes from {low!r} to {high!r} with the latency")


_JUDGED = ("0", "1", "0.7", "1.2", "-3", "NaN", "Infinity", "-Infinity", "true", "1e400", "-0.0")


@holds("harness-template-judge-clamped", lambda source: source.pick(_JUDGED))
def _judge_clamped(asker: Asker, text: Any) -> None:
    value = _template_score(asker, "llm", {"judge": {"text": f'{{"score": {text}}}'}})["value"]
    asker.holds(isinstance(value, int | float) and 0 <= value <= 1, f"the value is {value!r}")
    expected = json.loads(text)
    if asker.level >= Level.VALUE and 0 <= expected <= 1:
        asker.holds(value == expected, f"the judge's {text} becomes {value!r}")


@holds(
    "harness-template-runs-alike",
    lambda source: [source.pick(("a", "b", "é")) for _ in range(source.between(2, 6))],
)
def _runs_alike(asker: Asker, texts: Any) -> None:
    left, right = (_template("reliability", {"runs": runs, "value": 0.5}) for runs in (texts, texts[::-1]))
    asker.same(_TEMPLATE, left, right, "the order of runs matters")


def _coordinate(source: Source) -> int | float:
    return tenth(source) if source.below(2) else small_int(source)


def _pairs(source: Source) -> list[Any]:
    return source.items(lambda source: (_coordinate(source), _coordinate(source)), (3, 8))


@holds("harness-template-cosine", _pairs)
def _cosine(asker: Asker, pairs: Any) -> None:
    vectors = [[pair[side] for pair in pairs] for side in (0, 1)]
    straight, swapped = (_template("embedding", {"vectors": turned}) for turned in (vectors, vectors[::-1]))
    asker.same(_TEMPLATE, straight, swapped, "the two embeddings are not alike")
    value = read(asker.ok(_TEMPLATE, straight))["value"]
    asker.holds(0 <= value <= 1, f"the value is {value!r}")
    if not any(vectors[0]) or not any(vectors[1]):
        asker.holds(value == 0, f"a zero vector gives {value!r}")
