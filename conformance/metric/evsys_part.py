"""The worker's part for EvSys metrics: makes them, computes, and tells what came of it. One file.

Where the package ``evsys_sdk`` is not installed a stand-in takes its place, with what a metric uses of
it: the decorator and the look-ups, at its root too, the protocol, the built-in metrics and the threshold.
"""

import contextlib
import copy
import importlib.util
import inspect
import platform
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Protocol

PASS_THRESHOLD = 1.0
TIMES = 20

tools: Any = None
"""The worker."""
keys: dict[str, type] = {}
"""What the decorator was told."""
refused: list[str] = []
"""Keys that a second class was given."""
nameless: list[str] = []
"""Classes that were registered without a key and have no name."""
written: dict[type, Any] = {}
"""What a class called itself before it was registered: the decorator changes its name."""
built_in: dict[str, Callable[[Any], float]] = {}
own_built_ins: dict[str, type] = {}
"""The stand-in's classes."""
BUILT_IN_CLASSES = {
    "mean_reward": "MeanReward",
    "avg": "Avg",
    "pass_rate": "PassRate",
    "pass@1": "PassAt1",
    "pass@3": "PassAt3",
    "pass^3": "PassHat3",
}
"""What the package calls its built-in metrics."""
installed = False


def register_metric(name: str | None = None) -> Callable[[type], type]:
    """The decorator of the stand-in."""

    def decorate(metric: type) -> type:
        key = key_of(name, metric)
        if not key:
            raise ValueError(f"metric class {metric.__name__} has no name and is registered without one")
        if keys.get(key, metric) is not metric:
            raise ValueError(f"metric {key!r} is already registered")
        with contextlib.suppress(TypeError, AttributeError):
            metric.name = key  # type: ignore[attr-defined]
        return metric

    return noting(name, decorate)


def get_metric(name: str) -> type:
    """The class of that name, as the stand-in has it."""
    if name not in list_metrics():
        raise KeyError(f"No metric registered under {name!r}. Available: {', '.join(list_metrics())}")
    return keys.get(name) or own_built_ins[name]


def list_metrics() -> list[str]:
    """The names that the stand-in knows."""
    return sorted({*keys, *own_built_ins})


def key_of(name: Any, metric: type) -> Any:
    """What a class is registered under."""
    return name or getattr(metric, "name", None)


def noting(name: Any, decorate: Callable[[type], type]) -> Callable[[type], type]:
    """The decorator, with what it is told and what comes of it noted."""

    def noted(metric: type) -> type:
        key = key_of(name, metric)
        called = inspect.getattr_static(metric, "name", None)
        try:
            made = decorate(metric)
        except ValueError:
            (refused if key else nameless).append(key or metric.__name__)
            raise
        written.setdefault(metric, called)
        keys[key] = metric
        return made

    return noted


class Metric(Protocol):
    """What the document says of a metric."""

    name: ClassVar[str]

    def compute(self, task_rewards: Any) -> float:
        """The aggregated score."""


def prepare(job: dict[str, Any]) -> str | None:
    """Puts the stand-in into place, or listens to the installed package's decorator."""
    global installed
    built_in.update(tools.from_file(job["built_in"], "_harbor_conformance_evsys").BUILT_IN)
    sys.path.insert(0, job["caller"])
    installed = importlib.util.find_spec("evsys_sdk") is not None
    if installed:
        listen()
    sys.path.remove(job["caller"])
    if installed:
        return None
    made = {name: ModuleType(name) for name in ("evsys_sdk", "evsys_sdk.registry", "evsys_sdk.protocols")}
    made |= {name: ModuleType(name) for name in ("evsys_sdk.metrics", "evsys_sdk.metrics.basic")}
    for name, module in made.items():
        module.__path__ = []
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, module)
    found = {"register_metric": register_metric, "get_metric": get_metric, "list_metrics": list_metrics}
    vars(made["evsys_sdk.registry"]).update(found)
    vars(made["evsys_sdk"]).update(found, Metric=Metric)
    made["evsys_sdk.protocols"].Metric = Metric  # type: ignore[attr-defined]
    own_built_ins.update({key: built_in_class(key) for key in built_in})
    classes = {BUILT_IN_CLASSES[key]: metric for key, metric in own_built_ins.items()}
    vars(made["evsys_sdk.metrics.basic"]).update(classes, PASS_THRESHOLD=PASS_THRESHOLD)
    return None


def built_in_class(key: str) -> type:
    """A built-in metric of the stand-in."""
    return type(
        BUILT_IN_CLASSES[key],
        (),
        {"name": key, "compute": lambda self, task_rewards: built_in[key](task_rewards)},
    )


def listen() -> None:
    """Notes what the installed package's decorator is told."""
    import evsys_sdk
    from evsys_sdk import registry

    real = registry.register_metric

    def register(name: str | None = None) -> Callable[[type], type]:
        return noting(name, real() if name is None else real(name))

    registry.register_metric = register
    if hasattr(evsys_sdk, "register_metric"):
        evsys_sdk.register_metric = register


def noted() -> dict[str, Any]:
    """What is known where the class could not be loaded."""
    return {"refused": refused, "nameless": nameless}


def describe(metric: type) -> dict[str, Any]:
    """The class from outside."""
    name = called(metric)
    compute = getattr(metric, "compute", None)
    try:
        parameters = list(inspect.signature(metric).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return {
        "environment": f"{platform.python_implementation()} {platform.python_version()}, "
        + ("evsys_sdk as installed" if installed else "a stand-in for evsys_sdk"),
        "name": name if isinstance(name, str) else None,
        "name_is": tools.spelled(name)["text"] if name is not None else "missing",
        "keys": registered_as(metric),
        "needs": [one.name for one in named if one.default is one.empty],
        "takes": [one.name for one in named if one.default is not one.empty],
        "config": hasattr(metric, "Config"),
        "compute": callable(compute),
        "asynchronous": inspect.iscoroutinefunction(compute),
        "made": outcome(metric),
    }


def called(metric: type) -> Any:
    """What a class calls itself, registered or not."""
    return written.get(metric, inspect.getattr_static(metric, "name", None))


def unaskable(described: dict[str, Any]) -> bool:
    """Whether nothing can be asked of the class."""
    return bool("raised" in described["made"] or not described["compute"] or described["asynchronous"])


def claims(metric: type) -> str | None:
    """The built-in's name that the class goes by."""
    names = [*registered_as(metric), called(metric)]
    return next((name for name in names if isinstance(name, str) and name in built_in), None)


def registered_as(metric: type) -> list[str]:
    """The keys that the class was given."""
    return [key for key, registered in keys.items() if registered is metric]


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """What a call gives."""
    try:
        value = call()
    except BaseException as error:
        return {"raised": tools.described(error)}
    if inspect.iscoroutine(value):
        value.close()
    return {"value": {**tools.spelled(value), "converted": converted(value)}}


def converted(value: Any) -> str | None:
    """The bits of the float that EvSys makes of a value; None where it can't."""
    try:
        return float(value).hex()
    except BaseException:
        return None


def answer(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Computes three times: on an instance, on it again, and on another; with others in between if asked."""
    kind: Any = {"tuple": tuple, "list": list}[request["form"]]

    def given(rewards: Any) -> Any:
        return kind(kind(samples) for samples in rewards)

    def on(instance: Any, rewards: Any = None) -> dict[str, Any]:
        return outcome(lambda: instance.compute(given(request["rewards"] if rewards is None else rewards)))

    instance: Any = metric()
    if request["quick"]:
        if request["primed"]:
            other: Any = metric()
            on(other, [[0.5 * reward + 0.125 for reward in samples] for samples in request["rewards"]])
        return {"first": on(instance)}
    if request["do"] == "vary":
        varying = tools.from_file(
            __file__.replace("evsys_part", "evsys_varied"), "_harbor_conformance_varied"
        )
        return {"varied": varying.varied(lambda rewards: outcome(lambda: metric().compute(rewards)))}
    another: Any = metric()
    data = given(request["rewards"])
    before = repr(copy.deepcopy(data))
    first = outcome(lambda: instance.compute(data))
    changed = repr(data) != before
    for rewards in request["between"]:
        on(instance, rewards)
    answered = {"first": first, "again": on(instance), "new": on(another), "changed": changed}
    if request["do"] == "repeat":
        others = [on(instance) for _ in range(2, TIMES)]
        answered["again"] = next((other for other in others if other != first), answered["again"])
    if claimed := claims(metric):
        answered["claims"] = claimed
        answered["built_in"] = outcome(lambda: built_in[claimed](given(request["rewards"])))
    return answered
