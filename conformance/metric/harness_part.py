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
read: set[str] = set()
"""The fields that a metric looked at."""
BULK = 14
"""Whoever reads so many fields reads all, and needs none of them."""
THRESHOLD = 0.25


def prepare(job: dict[str, Any]) -> str | None:
    """Looks for the package."""
    global fakes
    fakes = tools.from_file(__file__.replace("harness_part", "harness_fakes"), "_harbor_conformance_fakes")
    arguments.update(job["arguments"])
    sys.path.insert(0, job["caller"])
    found = importlib.util.find_spec("harness_evals")
    sys.path.pop(0)
    if found is None:
        return (
            f"harness-evals is not installed beside {sys.executable}: install it there "
            "(`pip install harness-evals`), name another Python with --python PATH, "
            "or let the kit build one with --python oracle"
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


def watched(fields: dict[str, Any]) -> Any:
    """The same, and it notes which fields are read."""
    from harness_evals import EvalCase

    names = set(EvalCase.__dataclass_fields__)

    class Watched(EvalCase):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in names:
                read.add(name)
            return super().__getattribute__(name)

    made = eval_case(fields, Watched)
    read.clear()
    return made


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
        "needs": [],
        "dimension_missing": None,
        "imports": [],
        "siblings": [],
    }
    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, BaseMetric) and value is not metric:
            if value.__module__ == metric.__module__:
                described["siblings"].append(name)
            elif not value.__module__.startswith("harness_evals.core."):
                described["imports"].append(name)
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
    own = {"name": tools.spelled(instance.name)["text"], "threshold": tools.spelled(instance.threshold)}
    fields = request["eval_case"]
    answered: dict[str, Any] = {"own": own, "reads": [], "falls_back": False}
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
    if request["missing"]:
        observed(lambda: make(metric, request).measure(watched(request["full"])))
        answered["reads"] = sorted(read) if len(read) < BULK else []
    case = watched(fields)
    before = shown(case)
    read.clear()
    answered["first"] = observed(lambda: instance.measure(case))
    answered["falls_back"] = bool(read - set(answered["reads"]))
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
