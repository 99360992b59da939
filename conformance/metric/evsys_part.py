"""The worker's part for EvSys metrics: makes them, computes, and tells what came of it. One file.

Where the package ``evsys_sdk`` is not installed a stand-in takes its place, with what the document
shows of it: the decorator, the protocol and the threshold.
"""

import copy
import importlib.util
import inspect
import platform
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Protocol

PASS_THRESHOLD = 1.0

tools: Any = None
"""The worker."""
keys: dict[str, type] = {}
"""What the decorator was told."""
refused: list[str] = []
"""Keys that a second class was given."""
built_in: dict[str, Callable[[Any], float]] = {}
installed = False


def register_metric(key: str) -> Callable[[type], type]:
    """The decorator of the stand-in."""

    def decorate(metric: type) -> type:
        if keys.get(key, metric) is not metric:
            refused.append(key)
            raise ValueError(f"metric {key!r} is already registered")
        keys[key] = metric
        return metric

    return decorate


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
    made["evsys_sdk.registry"].register_metric = register_metric  # type: ignore[attr-defined]
    made["evsys_sdk.protocols"].Metric = Metric  # type: ignore[attr-defined]
    made["evsys_sdk.metrics.basic"].PASS_THRESHOLD = PASS_THRESHOLD  # type: ignore[attr-defined]
    return None


def listen() -> None:
    """Notes what the installed package's decorator is told."""
    from evsys_sdk import registry

    real = registry.register_metric

    def register(key: str) -> Callable[[type], type]:
        decorate = real(key)

        def noting(metric: type) -> type:
            try:
                made: type = decorate(metric)
            except ValueError:
                refused.append(key)
                raise
            keys[key] = metric
            return made

        return noting

    registry.register_metric = register


def noted() -> dict[str, Any]:
    """What is known where the class could not be loaded."""
    return {"refused": refused}


def describe(metric: type) -> dict[str, Any]:
    """The class from outside."""
    name = inspect.getattr_static(metric, "name", None)
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
        "name_is": tools.spelled(name)["text"] if inspect.getattr_static(metric, "name", None) else "missing",
        "keys": registered_as(metric),
        "needs": [one.name for one in named if one.default is one.empty],
        "takes": [one.name for one in named if one.default is not one.empty],
        "config": hasattr(metric, "Config"),
        "compute": callable(compute),
        "asynchronous": inspect.iscoroutinefunction(compute),
        "made": outcome(metric),
    }


def claims(metric: type) -> str | None:
    """The built-in's name that the class goes by."""
    names = [*registered_as(metric), inspect.getattr_static(metric, "name", None)]
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
    return {"value": tools.spelled(value)}


def answer(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Computes three times: on an instance, on it again, and on another; with others in between if asked."""
    kind: Any = {"tuple": tuple, "list": list}[request["form"]]

    def given(rewards: Any) -> Any:
        return kind(kind(samples) for samples in rewards)

    def on(instance: Any, rewards: Any = None) -> dict[str, Any]:
        return outcome(lambda: instance.compute(given(request["rewards"] if rewards is None else rewards)))

    try:
        instance: Any = metric()
        another: Any = metric()
    except BaseException as error:
        return {"first": {"raised": tools.described(error)}, "again": None, "new": None, "changed": False}
    data = given(request["rewards"])
    before = repr(copy.deepcopy(data))
    first = outcome(lambda: instance.compute(data))
    changed = repr(data) != before
    for rewards in request["between"]:
        on(instance, rewards)
    answered = {"first": first, "again": on(instance), "new": on(another), "changed": changed}
    if claimed := claims(metric):
        answered["claims"] = claimed
        answered["built_in"] = outcome(lambda: built_in[claimed](given(request["rewards"])))
    return answered
