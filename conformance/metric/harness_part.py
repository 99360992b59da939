"""The worker's part for harness-evals metrics: makes them with the real package, measures, and tells.

A metric that takes an ``llm`` or an ``embedding`` gets one that answers as a request says.
"""

import asyncio
import importlib.metadata
import importlib.util
import inspect
import platform
import sys
from collections.abc import Callable, Coroutine
from typing import Any

tools: Any = None
"""The worker."""
fakes: Any = None
"""What stands in for models, from the file beside this one."""
arguments: dict[str, Any] = {}
"""What the user gives the constructor."""
reading: Any = None
"""What a metric reads, from another."""
source: Any = None
"""What its source shows, from a third."""
TIMES = 20
USUAL = ("name", "dimension", "threshold", "k", "llm", "judge", "embedding", "provider")
"""What a constructor takes that says nothing of how it measures."""
THRESHOLD = 0.25


def prepare(job: dict[str, Any]) -> str | None:
    """Looks for the package."""
    global fakes, reading, source
    fakes, reading, source = (
        tools.from_file(__file__.replace("harness_part", f"harness_{name}"), f"_harbor_conformance_{name}")
        for name in ("fakes", "reading", "source")
    )
    reading.hands = sys.modules[__name__]
    arguments.update(job["arguments"])
    sys.path.insert(0, job["caller"])
    found = importlib.util.find_spec("harness_evals")
    sys.path.pop(0)
    if found is None:
        python = job["python_option"]
        return (
            f"harness-evals is not installed beside {sys.executable}: install it there "
            f"(`pip install harness-evals`), name another Python with {python} PATH, "
            f"or let the kit build one with {python} oracle"
        )
    return None


def noted() -> dict[str, Any]:
    """Nothing is known where the class could not be loaded."""
    return {}


def decoded(value: Any) -> Any:
    """A value of a request; what JSON lacks stands in an object with the member ``$``."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        if "$" in value:
            return fakes.ODD[value["$"]]
        return {key: decoded(item) for key, item in value.items()}
    return value


def eval_case(fields: dict[str, Any], kind: type | None = None) -> Any:
    """The case that a request describes."""
    from harness_evals import EvalCase
    from harness_evals.core.types import Message, ToolCall

    made = decoded(fields)
    for name, of in (("messages", Message), ("tool_calls", ToolCall), ("expected_tool_calls", ToolCall)):
        if made.get(name):
            made[name] = [of.from_dict(item) for item in made[name]]
    if made.get("runs"):
        made["runs"] = [eval_case(run) for run in made["runs"]]
    return (kind or EvalCase)(**made)


def is_base(kind: type) -> bool:
    """Whether a class is one to derive metrics from, and no metric: abstract, or without its own name."""
    needed = {one.name for one in parameters(kind) if one.default is one.empty}
    return inspect.isabstract(kind) or "name" in needed


def parameters(metric: type) -> list[inspect.Parameter]:
    """What the constructor takes."""
    try:
        return list(inspect.signature(metric).parameters.values())
    except (TypeError, ValueError):
        return []


def constructor(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the constructor gets in any case."""
    from harness_evals import Dimension

    given = dict(arguments)
    for one in parameters(metric):
        named = f"{one.name} {one.annotation}".lower()
        if one.name in given or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.name in ("llm", "judge") or "basellm" in named:
            given[one.name] = fakes.llm(request.get("llm", "good"))
            models.add("llm")
        elif "basedecisionprovider" in named:
            given[one.name] = fakes.provider(request.get("llm", "good"))
            models.add("llm")
        elif one.name == "embedding" or "baseembedding" in named:
            given[one.name] = fakes.embedding(request.get("embedding", "good"))
            models.add("embedding")
        elif one.name == "dimension" and one.default is one.empty:
            given[one.name] = Dimension.CORRECTNESS
        elif one.name == "name" and one.default is one.empty:
            given[one.name] = "named_by_the_kit"
    if metric in needs_dimension:
        given.setdefault("dimension", Dimension.CORRECTNESS)
    return given


models: set[str] = set()
"""The fakes that a constructor was given."""
needs_dimension: set[type] = set()
"""Classes that don't name their dimension themselves."""


def make(metric: type, request: dict[str, Any], **more: Any) -> Any:
    """The metric."""
    return metric(**{**constructor(metric, request), **more})


def describe(metric: type) -> dict[str, Any]:
    """The class from outside, and made in several ways."""
    from harness_evals import BaseMetric, Dimension, ReliabilityMetric

    module = sys.modules[metric.__module__]
    described: dict[str, Any] = {
        "environment": f"{platform.python_implementation()} {platform.python_version()}, "
        f"harness-evals {importlib.metadata.version('harness-evals')}",
        "extends": issubclass(metric, BaseMetric),
        "reliability": issubclass(metric, ReliabilityMetric),
        "file": inspect.getsourcefile(metric) if metric.__module__ in sys.modules else None,
        "dataset": getattr(metric, "measure_dataset", None)
        is not getattr(BaseMetric, "measure_dataset", None),
        "needs": [],
        "dimension_missing": None,
        "imports": [],
        "siblings": [],
    }
    for name, value in vars(module).items():
        is_metric = isinstance(value, type) and issubclass(value, BaseMetric) and value is not metric
        if is_metric and value.__module__ == metric.__module__ and not is_base(value):
            described["siblings"].append(name)
    described["imports"] = source.imported_metrics(
        module,
        lambda value: (
            isinstance(value, type)
            and issubclass(value, BaseMetric)
            and value.__module__ != metric.__module__
            and not is_base(value)
        ),
    )
    made = tried(lambda: make(metric, {}))
    if "raised" in made and "'dimension'" in made["raised"]["message"]:
        described["dimension_missing"] = made["raised"]["message"]
        needs_dimension.add(metric)
        made = tried(lambda: make(metric, {}))
    unknown = [one.name for one in parameters(metric) if one.default is one.empty]
    known = constructor(metric, {})
    described["models"] = sorted(models)
    described["needs"] = [
        one.name
        for one in parameters(metric)
        if one.name in unknown
        and one.name not in known
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    described["options"] = [
        one.name
        for one in parameters(metric)
        if one.name not in (*USUAL, *described["models"])
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    described["made"] = {key: value for key, value in made.items() if key != "it"}
    if "it" in made:
        instance = made["it"]
        dimension = getattr(instance, "dimension", None)
        described["name"] = tools.spelled(getattr(instance, "name", None))
        described["dimension"] = dimension.value if isinstance(dimension, Dimension) else None
        described["dimension_is"] = tools.spelled(dimension)["text"]
        other = tried(lambda: make(metric, {}, threshold=THRESHOLD))
        described["threshold"] = other.get("raised") or tools.spelled(getattr(other["it"], "threshold", None))
        extra = tried(lambda: make(metric, {}, note="an argument that nobody knows"))
        described["keywords"] = extra.get("raised")
    return described


def unaskable(described: dict[str, Any]) -> bool:
    """Whether nothing can be asked of the class."""
    return "raised" in described["made"]


def tried(call: Callable[[], Any]) -> dict[str, Any]:
    """What a call gives, or what it raises."""
    try:
        return {"it": call()}
    except BaseException as error:
        return {"raised": tools.described(error)}


def observed(call: Callable[[], Any]) -> dict[str, Any]:
    """What a measurement gives."""
    from harness_evals import Score

    made = tried(call)
    if "raised" in made:
        made["raised"]["in_score"] = any(
            name.endswith("core/score.py") for name in made["raised"]["files"][-1:]
        )
        return made
    score = made["it"]
    if score is None:
        return {"skipped": True}
    if not isinstance(score, Score):
        return {"other": tools.spelled(score)}
    metadata = score.metadata if isinstance(score.metadata, dict) else {}
    in_range = tried(lambda: 0.0 <= score.value <= 1.0)
    computed = tried(lambda: score.value >= score.threshold)
    return {
        "value": tools.spelled(score.value),
        "in_range": bool(in_range.get("it")),
        "threshold": tools.spelled(score.threshold),
        "passed": score.passed is True,
        "computed": bool(computed.get("it")),
        "name": tools.spelled(score.name)["text"],
        "reason": bool(score.reason),
        "dimension": str(metadata["dimension"]) if "dimension" in metadata else None,
        "needs_passing": score.threshold <= 0 if isinstance(score.threshold, (int, float)) else False,
    }


def answer(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Does what the request says."""
    instance = make(metric, request)
    fields = request["eval_case"]
    if request["quick"]:
        if request["primed"]:
            one(make(metric, request), {**fields, "output": "something else"})
        return {"first": one(instance, fields)}
    own = {"name": tools.spelled(instance.name)["text"], "threshold": tools.spelled(instance.threshold)}
    answered: dict[str, Any] = {"own": own}
    if request["do"] == "explore":
        return {**answered, "explored": reading.explore(metric, request)}
    if request["do"] == "runs":
        return {**answered, **reading.ignored_runs(metric, request)}
    if request["do"] == "repeat":
        first = one(instance, fields)
        others = [one(instance, fields) for _ in range(1, TIMES)]
        differ = [other for other in others if reading.spelled(other) != reading.spelled(first)]
        return {**answered, "first": first, "again": (differ or others)[0]}
    if request["do"] == "evaluate":
        from harness_evals import evaluate

        done = tried(lambda: [score.to_dict() for score in evaluate(eval_case(fields), [instance])])
        return {**answered, "raised": done.get("raised")}
    if request["do"] == "loop":
        return {**answered, "outside": one(instance, fields), "inside": inside_a_loop(instance, fields)}
    if request["do"] == "sequence":
        first = one(instance, fields)
        for other in request["between"]:
            one(instance, other)
        return {
            **answered,
            "first": first,
            "again": one(instance, fields),
            "new": one(make(metric, request), fields),
        }
    if request["missing"] or request["name"] == "no-runs":
        answered["missing"] = reading.missing(metric, request)
    case = eval_case(fields)
    before = shown(case)
    answered["first"] = observed(lambda: instance.measure(case))
    answered["changed"] = shown(case) != before
    answered["again"] = one(instance, fields)
    answered["later"] = observed(lambda: asyncio.run(instance.a_measure(eval_case(fields))))
    return answered


def one(instance: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """One measurement of a new case."""
    return observed(lambda: instance.measure(eval_case(fields)))


def inside_a_loop(instance: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The synchronous measurement while an event loop runs."""

    async def measuring() -> dict[str, Any]:
        return one(instance, fields)

    wanted: Coroutine[Any, Any, dict[str, Any]] = measuring()
    return asyncio.run(wanted)


def shown(case: Any) -> str:
    """The case in text, to see whether it changed."""
    try:
        return repr(case)
    except Exception:
        return ""
