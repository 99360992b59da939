"""Instantiates a harness-evals metric with the real package, and measures cases. For the worker.

A metric with an ``llm`` or ``embedding`` parameter gets a fake that answers as a request says.
"""

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
fakes: Any = worker.sibling(__file__, "fakes")
inputs: Any = worker.sibling(__file__, "inputs")
arguments: dict[str, Any] = {}
"""The user's arguments for the constructor."""
models: set[str] = set()
"""The fakes passed to a constructor."""
needs_dimension: set[type] = set()
"""Classes that don't name their dimension themselves."""
read: set[str] = set()
"""The fields that a metric read."""
OF_NO_METRIC = ("harness_evals.core", "abc", "builtins")
LONGEST, MOST_NAMED, MOST_LOOKED_AT = 60, 16, 5000
keys: set[tuple[str, str]] = set()
"""The keys that it looked up, with their field; ``json`` for text that it parsed itself."""


def constructor(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the constructor always gets."""
    from harness_evals import Dimension

    given, modes = dict(arguments), request.get("models", {})
    needed = {"dimension": Dimension.CORRECTNESS, "name": "named_by_the_kit"}
    made: dict[str, tuple[str, Callable[[str], Any]]] = {
        "basellm": ("llm", fakes.llm),
        "basedecisionprovider": ("llm", fakes.provider),
        "baseembedding": ("embedding", fakes.embedding),
    }
    named = {"llm": "basellm", "judge": "basellm", "embedding": "baseembedding"}
    for one in worker.parameters(metric):
        annotation = f"{one.name} {one.annotation}".lower()
        kind = named.get(one.name) or next((kind for kind in made if kind in annotation), None)
        if one.name in given:
            given[one.name] = records(str(one.annotation), given[one.name])
            continue
        if kind is not None:
            model, make_fake = made[kind]
            given[one.name] = make_fake(modes.get(model, "good"))
            models.add(model)
        elif one.name in needed and one.default is one.empty:
            given[one.name] = needed[one.name]
    if metric in needs_dimension:
        given.setdefault("dimension", Dimension.CORRECTNESS)
    return given


def records(annotation: str, value: Any) -> Any:
    """A constructor's argument; lists of the package's records are built from JSON objects."""
    from harness_evals.core.types import Message, ToolCall

    kind = next((kind for kind in (Message, ToolCall) if kind.__name__ in annotation), None)
    if kind is None or not isinstance(value, list):
        return value
    return [kind.from_dict(one) if isinstance(one, dict) else one for one in value]


def note_what_it_names(metric: type) -> None:
    """Collects the texts and tool calls in an instance, in the metric's code and in its module."""
    from harness_evals.core.types import ToolCall

    instance, _ = worker.tried(lambda: make(metric, {}))
    own = [kind for kind in metric.__mro__ if not kind.__module__.startswith(OF_NO_METRIC)]
    places = [*map(vars, own), *(vars(sys.modules[kind.__module__]) for kind in own)]
    known = [value for place in places for name, value in place.items() if not name.startswith("__")]
    waiting = [*(() if instance is None else vars(instance).values()), metric.__init__, *known]  # type: ignore[misc]
    for one in waiting:
        if isinstance(one, re.Pattern):
            waiting.append(one.pattern)
        elif isinstance(one, str) and 1 < len(one) <= LONGEST and one not in inputs.FULL:
            found = worker.tried(lambda one=one: inputs.example(one))[0] if "\\" in one else one
            inputs.named += [found] if found and len(inputs.named) < MOST_NAMED else []
        elif isinstance(one, ToolCall):
            inputs.calls.append(one.to_dict())
        elif len(waiting) < MOST_LOOKED_AT:
            waiting += parts_of(one)


def parts_of(value: Any) -> Any:
    """The parts of a value of a known kind; for code the constants, except argument names."""
    if isinstance(value, FunctionType):
        value = value.__code__
    if isinstance(value, CodeType):
        return [one for one in value.co_consts if type(one) is not tuple]
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, (list, tuple, set, frozenset)) else ()


def make(metric: type, request: dict[str, Any], **more: Any) -> Any:
    """The metric."""
    return metric(**{**constructor(metric, request), **more})


def fresh(fields: dict[str, Any], kind: type | None = None) -> Any:
    """The case with these fields; values that JSON lacks are objects with the member ``$``."""
    from harness_evals import EvalCase
    from harness_evals.core.types import Message, ToolCall

    def decoded(value: Any) -> Any:
        if isinstance(value, dict):
            return fakes.ODD[value["$"]] if "$" in value else {key: decoded(value[key]) for key in value}
        return list(map(decoded, value)) if isinstance(value, list) else value

    made = decoded(fields)
    for name, of in (("messages", Message), ("tool_calls", ToolCall), ("expected_tool_calls", ToolCall)):
        if made.get(name):
            made[name] = [of.from_dict(item) for item in made[name]]
    if made.get("runs"):
        made["runs"] = [fresh(run) for run in made["runs"]]
    return (kind or EvalCase)(**made)


def shown(case: Any) -> str:
    """The case as text, including added attributes, to detect changes."""
    return str(worker.tried(lambda: f"{case!r} {[list(vars(one)) for one in (case, *(case.runs or ()))]}")[0])


def measured(instance: Any, fields: dict[str, Any]) -> Any:
    """One measurement of a new case."""
    return outcome(worker.tried(lambda: instance.measure(fresh(fields))))


def outcome(made: tuple[Any, Any]) -> Any:
    """A score, or the exception."""
    score, raised = made
    if raised:
        return worker.Outcome(None, raised.kind, f"raised {raised.kind}", raised)
    if not is_score(score):
        return worker.Outcome(score, worker.spelled(score), type(score).__name__)
    value, threshold, name = map(worker.spelled, (score.value, score.threshold, score.name))
    of_a_kind = f"a {type(score.value).__name__} with passed {score.passed is True}"
    brief = f"{value}, {of_a_kind}, threshold {threshold} and name {name}"
    details = worker.spelled((score.reason, score.metadata))
    return worker.Outcome(score, value, brief, None, details)


def is_score(value: Any) -> bool:
    """Whether it is one of the package's scores."""
    from harness_evals import Score

    return isinstance(value, Score)


def out_of_range(raised: Any) -> bool:
    """Whether the score's class refused the value."""
    return bool(raised.file.endswith("core/score.py")) and raised.kind == "ValueError"


def holds(comparison: Callable[[], Any]) -> bool:
    """Whether a comparison of values, which may not be numbers, holds."""
    return bool(worker.tried(lambda: bool(comparison()))[0])


def watched(fields: dict[str, Any]) -> Any:
    """A case that records which of its fields and keys are read."""
    from harness_evals import EvalCase

    class Watched(EvalCase):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in EvalCase.__dataclass_fields__:
                read.add(name)
            return super().__getattribute__(name)

    made = fresh(fields, Watched)
    for name in ("metadata", "tags", *inputs.CONTENT):
        if type(getattr(made, name)) is dict:
            setattr(made, name, noting(getattr(made, name), name))
    read.clear()
    return made


def noting(given: dict[Any, Any], where: str) -> Any:
    """A dict that records the keys looked up."""

    def note(key: Any) -> None:
        if isinstance(key, str):
            keys.add((where, key))

    class Noting(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: Any) -> Any:
            note(key)
            return super().__getitem__(key)

        def get(self, key: Any, default: Any = None) -> Any:
            note(key)
            return super().get(key, default)

        def __contains__(self, key: Any) -> bool:
            if where not in inputs.CONTENT:  # if it may be a word in a text
                note(key)
            return super().__contains__(key)

    return Noting(given)


@contextlib.contextmanager
def noting_keys() -> Iterator[None]:
    """Records the keys looked up in the block, including those of JSON parsed from a text."""
    real = json.loads

    def loads(*args: Any, **options: Any) -> Any:
        found = real(*args, **options)
        return noting(found, "json") if type(found) is dict else found

    keys.clear()
    json.loads = loads
    try:
        yield
    finally:
        json.loads = real


def unknown_keys() -> set[tuple[str, str]]:
    """The looked-up keys that no case has."""
    found = set()
    for where, key in keys:
        given = inputs.base.get(where, inputs.FULL.get(where))
        if key not in (given if isinstance(given, dict) else {"answer", "score", "question"}):
            found.add((where, key))
    return found
