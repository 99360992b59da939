"""The real harness-evals as a runner for the conformance kit.

One file: the standard library and whatever harness-evals is installed next to the Python that runs
it. It speaks the runner protocol, version 1, on stdin and stdout. The metrics that a request
describes are made here as subclasses of the package's own classes; scoring, evaluating, summing up
and writing are the package's. Only `harness.template` holds code of the document: its templates,
with the `dimension` that the package requires.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import importlib.metadata
import importlib.util
import io
import json
import logging
import math
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PROTOCOL = 1
MESSAGE_LIMIT = 2_000
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NON_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
OWN_WORDS = "<reason>"
"""Replaces reasons that the package words itself."""
MADE_AT = "2026-01-01T00:00:00+00:00"
"""Replaces the time at which the package created a score."""
RAISED = "Metric raised: "
RAISES = (AssertionError, AttributeError, KeyError, RuntimeError, TypeError, ValueError, ZeroDivisionError)
STOPS = (KeyboardInterrupt, SystemExit)
EXCEPTIONS = {kind.__name__: kind for kind in (*RAISES, *STOPS)}

Operation = Callable[[dict[str, Any]], dict[str, Any]]


class BadRequest(Exception):  # noqa: N818 - the name is the error type of the reply
    """The request cannot be decoded."""


# Decoding


def field(value: Any, name: str, *kinds: type) -> Any:
    """The member `name` of a request object, which must be of one of `kinds`."""
    if not isinstance(value, dict):
        raise BadRequest(f"an object with the member {name!r} is expected")
    if name not in value:
        raise BadRequest(f"the member {name!r} is missing")
    if kinds and type(value[name]) not in kinds:
        raise BadRequest(f"the member {name!r} has the wrong type")
    return value[name]


def without_digit_limit(call: Callable[[Any], Any], value: Any) -> Any:
    """Call with ints of any size: the protocol has no limit; the package keeps CPython's."""
    sys.set_int_max_str_digits(0)
    try:
        return call(value)
    finally:
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)


def number(value: Any) -> int | float:
    """A number, or a string that spells one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in NON_FINITE:
            return float(NON_FINITE[value])
        match = NUMBER.fullmatch(value)
        if match:
            return float(value) if match[1] or match[2] else int(without_digit_limit(int, value))
    raise BadRequest("a number is expected, or a string that spells one")


def number_or_none(value: Any) -> int | float | None:
    """A number, or null."""
    return None if value is None else number(value)


def given(value: Any) -> Any:
    """A field's value: null, a bool, a number, `{"text": …}`, or `{"json": …}` for any other value."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        return number(value)
    if len(value) == 1 and "text" in value:
        return field(value, "text", str)
    if len(value) == 1 and "json" in value:
        return json.loads(field(value, "json", str))
    raise BadRequest("a value is null, a bool, a number, a text or JSON")


def content(value: Any) -> Any:
    """The JSON value that a file's content holds."""
    if not isinstance(value, dict) or len(value) != 1:
        raise BadRequest("file content is an object with either 'text' or 'base64'")
    try:
        if "text" in value:
            data = field(value, "text", str).encode("utf-8")
        else:
            data = base64.b64decode(field(value, "base64", str), validate=True)
        return json.loads(data)
    except (ValueError, binascii.Error) as error:
        raise BadRequest(f"file content cannot be decoded: {error}") from error


def content_or_none(value: Any) -> Any:
    """As `content`, or null."""
    return None if value is None else content(value)


def number_out(value: Any) -> Any:
    """A number as in the protocol: non-finite floats are strings."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def written(value: Any) -> dict[str, str]:
    """A value as the package's JSON sink writes it."""
    return {"text": json.dumps(value, default=str)}


# Scores and metrics as described


def dimension(value: Any) -> Any:
    """A dimension by its value or, in an object, by its name; or a text that is not a dimension."""
    from harness_evals import Dimension

    if isinstance(value, str):
        return Dimension(value)
    if isinstance(value, dict) and "member" in value:
        return Dimension[field(value, "member", str)]
    return field(value, "text", str)


def score_in(request: dict[str, Any]) -> Any:
    """A score with every field that a request can set."""
    from harness_evals import Score

    fields: dict[str, Any] = {
        "name": field(request, "name", str),
        "value": given(field(request, "value")),
        "threshold": given(field(request, "threshold")),
        "reason": field(request, "reason", str, type(None)),
        "metadata": content_or_none(field(request, "metadata")),
        "scoring_duration_ms": number_or_none(field(request, "scoring_duration_ms")),
        "created_at": datetime.fromisoformat(field(request, "created_at", str)),
    }
    if request.get("passed") is not None:
        fields["passed"] = field(request, "passed", bool)
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
        """Do it for this metric."""
        if "raises" in self._does:
            wanted = field(self._does, "raises", dict)
            message = field(wanted, "message", str)
            self.raised = EXCEPTIONS[field(wanted, "type", str)](message)
            raise self.raised
        if "returns" in self._does:
            return given(self._does["returns"])
        return self._score(metric, field(self._does, "score", dict))

    def _score(self, metric: Any, wanted: dict[str, Any]) -> Any:
        from harness_evals import Score

        name, threshold = field(wanted, "name", str, type(None)), given(field(wanted, "threshold"))
        fields: dict[str, Any] = {
            "name": metric.name if name is None else name,
            "value": given(field(wanted, "value")),
            "threshold": metric.threshold if threshold is None else threshold,
            "reason": field(wanted, "reason", str, type(None)),
            "metadata": content_or_none(field(wanted, "metadata")),
        }
        try:
            score = Score.clamped(**fields) if field(wanted, "clamped", bool) else Score(**fields)
        except (TypeError, ValueError) as error:
            self.own[f"{RAISED}{error}"] = f"{RAISED}<{type(error).__name__}>"
            raise
        by_hand = field(wanted, "passed", bool, type(None))
        if by_hand is not None:
            score.passed = by_hand
        return score


@contextlib.contextmanager
def stopping(described: list[Described]) -> Iterator[None]:
    """Turns a KeyboardInterrupt or SystemExit that a described metric raised into an answer."""
    try:
        yield
    except STOPS as error:
        if any(error is one.raised for one in described):
            raise Stopped(error) from None
        raise


class Stopped(Exception):  # noqa: N818 - the reply names the exception that it holds
    """An exception that no handler of Exception catches, raised by a described metric."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


# The operations. Each function here imports what it needs of the package and returns the operation.


def harness_score() -> Operation:
    """A score, made and written."""
    import harness_evals  # noqa: F401 - the operation is there only where the package is

    def run(request: dict[str, Any]) -> dict[str, Any]:
        return {"score.json": written(score_in(request).to_dict())}

    return run


def harness_metric() -> Operation:
    """A constructed metric: the settings that it keeps."""
    from harness_evals import BaseMetric, ReliabilityMetric, SafetyMetric

    bases = {base.__name__: base for base in (BaseMetric, SafetyMetric, ReliabilityMetric)}

    def run(request: dict[str, Any]) -> dict[str, Any]:
        base = bases[field(request, "base", str)]
        methods = {name: (lambda self, case: None) for name in field(request, "implements", list)}
        arguments: dict[str, Any] = {
            key: number(value) for key, value in field(request, "others", dict).items()
        }
        for key, decode in (("name", str), ("dimension", dimension), ("threshold", number), ("k", number)):
            if field(request, key) is not None:
                arguments[key] = decode(request[key])
        metric = type("Described", (base,), methods)(**arguments)
        kept = metric.dimension
        return {
            "name": metric.name,
            "dimension": getattr(kept, "value", {"text": kept}),
            "threshold": number_out(metric.threshold),
            "k": number_out(getattr(metric, "k", None)),
        }

    return run


def harness_evaluate() -> Operation:
    """The scores of described metrics."""
    from harness_evals import BaseMetric, EvalCase, a_evaluate, assert_test, evaluate

    class Metric(BaseMetric):  # type: ignore[misc]
        """A metric that does what the request says."""

        sync: Described

        def measure(self, eval_case: Any) -> Any:
            return self.sync.run(self)

    class AsyncMetric(Metric):
        """A metric with its own asynchronous measure."""

        own_async: Described

        async def a_measure(self, eval_case: Any) -> Any:
            return self.own_async.run(self)

    def made(wanted: dict[str, Any], described: list[Described]) -> Metric:
        sync, own_async = Described(field(wanted, "measure", dict)), field(wanted, "a_measure")
        metric = (Metric if own_async is None else AsyncMetric)(
            name=field(wanted, "name", str),
            dimension=dimension(field(wanted, "dimension")),
            threshold=given(field(wanted, "threshold")),
        )
        metric.sync = sync
        described.append(sync)
        if isinstance(metric, AsyncMetric):
            metric.own_async = Described(own_async)
            described.append(metric.own_async)
        return metric

    def run(request: dict[str, Any]) -> dict[str, Any]:
        described: list[Described] = []
        metrics = [made(wanted, described) for wanted in field(request, "metrics", list)]
        case = EvalCase(input="", output="")
        entry = field(request, "entry", str)
        with stopping(described):
            if entry == "a_evaluate":
                scores = asyncio.run(a_evaluate(case, metrics))
            else:
                scores = {"evaluate": evaluate, "assert_test": assert_test}[entry](case, metrics)
        own = {words: instead for one in described for words, instead in one.own.items()}
        return {"scores.json": written([score_out(score, own) for score in scores])}

    return run


def harness_reliability() -> Operation:
    """The score of a described reliability metric, or of the built-in majority, on some runs."""
    from harness_evals import Dimension, EvalCase, ReliabilityMetric, a_evaluate, evaluate
    from harness_evals.metrics.reliability.outcome_consistency import OutcomeConsistencyMetric

    class Metric(ReliabilityMetric):  # type: ignore[misc]
        """A metric whose measure_runs does what the request says."""

        calls: list[str]
        sync: Described

        def measure_runs(self, eval_case: Any) -> Any:
            self.calls.append("measure_runs")
            return self.sync.run(self)

    class AsyncMetric(Metric):
        """A metric with its own asynchronous measure."""

        own_async: Described

        async def a_measure_runs(self, eval_case: Any) -> Any:
            self.calls.append("a_measure_runs")
            return self.own_async.run(self)

    class Majority(OutcomeConsistencyMetric):  # type: ignore[misc]
        """The package's own metric, its calls counted."""

        calls: list[str]

        def measure_runs(self, eval_case: Any) -> Any:
            self.calls.append("measure_runs")
            return super().measure_runs(eval_case)

    def made(request: dict[str, Any], described: list[Described]) -> Any:
        numbers = {"threshold": number(field(request, "threshold")), "k": number(field(request, "k"))}
        if request["measure_runs"] == "majority":
            return Majority(**numbers)
        own_async = field(request, "a_measure_runs")
        kind = Metric if own_async is None else AsyncMetric
        metric = kind(name="reliable", dimension=Dimension.CORRECTNESS, **numbers)
        metric.sync = Described(field(request, "measure_runs", dict))
        described.append(metric.sync)
        if isinstance(metric, AsyncMetric):
            metric.own_async = Described(own_async)
            described.append(metric.own_async)
        return metric

    def measured(entry: str, metric: Any, case: Any) -> Any:
        if entry == "measure":
            return metric.measure(case)
        if entry == "a_measure":
            return asyncio.run(metric.a_measure(case))
        found = evaluate(case, [metric]) if entry == "evaluate" else asyncio.run(a_evaluate(case, [metric]))
        return found[0] if found else None

    def run(request: dict[str, Any]) -> dict[str, Any]:
        outputs = field(request, "runs", list, type(None))
        runs = None if outputs is None else [EvalCase(input="", output=output) for output in outputs]
        described: list[Described] = []
        metric = made(request, described)
        metric.calls = []
        with stopping(described):
            score = measured(field(request, "entry", str), metric, EvalCase(input="", output="", runs=runs))
        own = {words: instead for one in described for words, instead in one.own.items()}
        if score is None:
            return {"calls": metric.calls, "score.json": None}
        if not metric.calls or isinstance(metric, Majority):
            own[score.reason] = OWN_WORDS
        return {"calls": metric.calls, "score.json": written(score_out(score, own))}

    return run


def harness_operational() -> Operation:
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
            role=field(wanted, "role", str),
            latency_ms=given(field(wanted, "latency_ms")),
            token_count=given(field(wanted, "token_count")),
            metadata=content_or_none(field(wanted, "metadata")),
        )

    def run(request: dict[str, Any]) -> dict[str, Any]:
        kind, limit = metrics[field(request, "metric", str)]
        arguments = {limit: field(request, "maximum"), "threshold": field(request, "threshold")}
        metric = kind(**{name: number(value) for name, value in arguments.items() if value is not None})
        case = field(request, "case", dict)
        messages = field(case, "messages", list, type(None))
        score = metric.measure(
            EvalCase(
                input="",
                output="",
                **{name: given(field(case, name)) for name in fields},
                messages=None if messages is None else [message(wanted) for wanted in messages],
            )
        )
        named = [name for name in (*fields, "messages") if re.search(rf"\b{name}\b", score.reason or "")]
        absent = [name for name in named if not case[name]]
        own = {score.reason: OWN_WORDS} if score.reason else {}
        return {
            "missing": absent[0] if absent else None,
            "score.json": written(score_out(score, own)),
        }

    return run


def harness_dimensions() -> Operation:
    """The summary of some cases' scores."""
    from harness_evals import Score, summarize

    def score(wanted: dict[str, Any] | None) -> Any:
        if wanted is None:
            return None
        return Score(
            name=field(wanted, "name", str),
            value=number(field(wanted, "value")),
            threshold=number(field(wanted, "threshold")),
            metadata=content_or_none(field(wanted, "metadata")),
        )

    def run(request: dict[str, Any]) -> dict[str, Any]:
        cases = [[score(wanted) for wanted in case] for case in field(request, "cases", list)]
        return {"summary.json": written(asdict(summarize(cases)))}

    return run


def harness_json() -> Operation:
    """The file that the JSON sink writes."""
    from harness_evals import EvalCase, JsonSink

    def written_to(path: Path, request: dict[str, Any]) -> None:
        sink = JsonSink(str(path), include_summary=field(request, "include_summary", bool))
        for case in field(request, "cases", list):
            eval_case = EvalCase(
                input=content(field(case, "input")),
                output="",
                tags=field(case, "tags", dict, type(None)),
                metadata=content_or_none(field(case, "metadata")),
            )
            sink.write([score_in(wanted) for wanted in field(case, "scores", list)], eval_case)
        if field(request, "finalize", bool):
            sink.finalize()

    def run(request: dict[str, Any]) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="harness-adapter-") as folder:  # removed with its request
            path = Path(folder) / "results.jsonl"
            with contextlib.redirect_stderr(io.StringIO()):  # the sink prints where it wrote
                written_to(path, request)
            if not path.exists():
                return {"results.jsonl": None}
            return {"results.jsonl": {"text": path.read_bytes().decode("utf-8")}}

    return run


def harness_template() -> Operation:
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
        maximum = number(field(request, "max_value"))

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
            return {"value": given(field(request, "value")), "metadata": {"k": len(runs)}}

        return template(measure, ReliabilityMetric)

    def llm(request: dict[str, Any]) -> Any:
        result = content(field(request, "judge"))
        return template(lambda case: {"value": max(0.0, min(1.0, result.get("score", 0.0)))})

    def embedding(request: dict[str, Any]) -> Any:
        pair = [[number(item) for item in one] for one in field(request, "vectors", list)]
        return template(lambda case: {"value": max(0.0, min(1.0, _cosine_similarity(pair[0], pair[1])))})

    templates = {
        "deterministic": deterministic,
        "operational": operational,
        "reliability": reliability,
        "llm": llm,
        "embedding": embedding,
    }

    def run(request: dict[str, Any]) -> dict[str, Any]:
        wanted = field(request, "given", dict)
        kind = templates[field(request, "template", str)](wanted)
        threshold = number(field(request, "threshold"))
        metric = kind(name="my_metric", dimension=Dimension.CORRECTNESS, threshold=threshold)
        runs = wanted.get("runs")
        case = EvalCase(
            input="",
            output=wanted.get("output", ""),
            expected=wanted.get("expected"),
            latency_ms=given(wanted.get("latency_ms")),
            runs=None if runs is None else [EvalCase(input="", output=output) for output in runs],
        )
        score = metric.measure(case)
        own = {score.reason: OWN_WORDS} if issubclass(kind, ReliabilityMetric) and not runs else {}
        return {"score.json": written(score_out(score, own))}

    return run


OPERATIONS: dict[str, Callable[[], Operation]] = {
    "harness.score": harness_score,
    "harness.metric": harness_metric,
    "harness.evaluate": harness_evaluate,
    "harness.reliability": harness_reliability,
    "harness.operational": harness_operational,
    "harness.dimensions": harness_dimensions,
    "harness.json": harness_json,
    "harness.template": harness_template,
}


# The protocol


class Runner:
    """Answers requests; loads all operations at hello, which has a longer timeout than an answer."""

    def __init__(self) -> None:
        self._loaded: dict[str, SimpleNamespace] = {}

    def reply(self, line: bytes) -> dict[str, Any]:
        """The reply to a line; every line gets one."""
        identity = None
        try:
            try:
                request = without_digit_limit(json.loads, line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise BadRequest(f"not a line of JSON: {error}") from error
            identity = request.get("id") if isinstance(request, dict) else None
            name = field(request, "op", str)
            if name == "hello":
                for each in OPERATIONS:  # otherwise the first request waits for the imports
                    with contextlib.suppress(Exception):
                        self._operation(each)
                return {"id": identity, "ok": hello()}
            found = self._operation(name)
            if found.problem is not None:
                return {"id": identity, "unsupported": found.problem}
            return {"id": identity, "ok": found.run(field(request, "input", dict))}
        except Stopped as stopped:
            return {"id": identity, "error": describe(stopped.error)}
        except Exception as error:
            return {"id": identity, "error": describe(error)}

    def _operation(self, name: str) -> SimpleNamespace:
        if name not in self._loaded:
            self._loaded[name] = load(name)
        return self._loaded[name]


def load(name: str) -> SimpleNamespace:
    """The operation, or why there is none."""
    if name not in OPERATIONS:
        return SimpleNamespace(run=None, problem=f"no operation {name!r} here")
    try:
        return SimpleNamespace(run=OPERATIONS[name](), problem=None)
    except ImportError as error:
        return SimpleNamespace(run=None, problem=f"this harness-evals lacks what {name} needs: {error}")


def hello() -> dict[str, Any]:
    """Who answers, and what."""
    version = importlib.metadata.version("harness-evals")
    return {"runner": "harness-evals", "version": version, "protocol": PROTOCOL, "ops": list(OPERATIONS)}


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as in the protocol."""
    return {"type": type(error).__name__, "reason_code": None, "message": str(error)[:MESSAGE_LIMIT]}


def encode(reply: dict[str, Any]) -> bytes:
    """A reply's line. Lone surrogates are escaped."""
    text = str(without_digit_limit(json.JSONEncoder(allow_nan=False).encode, reply))
    return text.encode("ascii") + b"\n"


def serve() -> int:
    """Answer each line of stdin until it closes. Whatever the package prints goes to stderr."""
    sys.stdout.flush()
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    if importlib.util.find_spec("harness_evals") is None:
        sys.stderr.write(f"harness-evals is not installed next to {sys.executable}\n")
        return 2
    runner = Runner()
    try:
        for line in requests:
            replies.write(encode(runner.reply(line)))
            replies.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        # The reader is gone: buffered output must go somewhere when the file is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())
        return 1
    return 0


def main() -> int:
    """Set the process up and serve."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # This file's folder must not come first on the path: it would shadow the real package.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    return serve()


if __name__ == "__main__":
    sys.exit(main())
