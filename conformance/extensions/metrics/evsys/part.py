"""The worker's part for EvSys metrics: creates instances, computes, and judges results."""

import copy
import importlib.util
import inspect
import itertools
import math
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
inputs: Any = worker.kit_module(__file__, "inputs")
package: Any = worker.kit_module(__file__, "package")
relations: Any = worker.kit_module(str(Path(__file__).parent), "relations")
METHOD, STATE, SHOWN = "compute", "repeats", 300
SPECIAL = {"sampleless": "empty-tasks", "odd": "odd-rewards", "overflow": "overflow", "tuples": "tuples"}
"""The rule that a failure breaks, by group of cases; for other groups, except shape, it is `raises`."""
job: dict[str, Any] = {}
as_text = repr
known: Any = None
Finding = tuple[Any, ...]


def prepare(settings: dict[str, Any]) -> None:
    """Install the stand-in, or record the installed package's decorator."""
    global known
    job.update(settings)
    sys.path.insert(0, job["caller"])
    known = package.Package(worker.module_from_file(job["built_in"], "_harbor_conformance_evsys").BUILT_IN)
    installed = importlib.util.find_spec("evsys_sdk") is not None
    (known.record_decorator if installed else known.install_stand_in)()
    sys.path.remove(job["caller"])


def import_findings() -> list[Finding]:
    """Return the findings about exceptions of the decorator."""
    return list(known.refused)


def describe(metric: type) -> dict[str, Any]:
    """Describe the class."""
    compute = getattr(metric, "compute", None)
    asynchronous = inspect.iscoroutinefunction(compute)
    _, raised = worker.tried(metric)
    findings = list(check_class(metric))
    if not callable(compute) or asynchronous:
        fault = "is a coroutine function" if asynchronous else "is missing"
        findings.append(("no-compute", f"Its method compute {fault}."))
    if raised:
        findings.append(("cannot-be-made", f"Creating it without arguments raised {raised}"))
    return {
        "environment": "a stand-in for evsys_sdk" if known.classes else "evsys_sdk as installed",
        "askable": not raised and callable(compute) and not asynchronous,
        "findings": findings,
        "base": job["base"] or base_from(None),
    }


def check_class(metric: type) -> Iterator[Finding]:
    """Check its name, keys and constructor."""
    keys, name = known.names_of(metric)
    if not isinstance(name, str) or not name.strip():
        is_now = "missing" if name is None else worker.spelled(name)
        after = f"; the decorator makes it {keys[-1]!r}" if keys else ""
        yield "name", f"The class's name is {is_now}, where a string is expected{after}."
    for key in keys:
        if isinstance(name, str) and key != name:
            yield "key-is-name", f"Its name is {name!r}; registering it as {key!r} changes the name."
    own = metric.__module__.partition(".")[0] == "evsys_sdk"  # it is a built-in metric
    if not keys and not own:
        yield "not-registered", "No decorator registers it, so benchmarks can't use it."
    named = sorted(worker.parameters(metric), key=lambda parameter: parameter.default is not parameter.empty)
    code = getattr(getattr(metric, "__init__", None), "__code__", None)
    generated = code is not None and code.co_filename.startswith("<")
    if names := ", ".join(parameter.name for parameter in named):
        rule = "generated-parameters" if generated else "takes-parameters"
        yield rule, f"Its constructor takes {names}, but EvSys never passes parameters to a metric."
    elif hasattr(metric, "Config"):
        yield "takes-parameters", "It has a Config, but metrics have none."
    for key in set() if own else ({*keys, name} if isinstance(name, str) else {*keys}) & {*known.built_in}:
        sentence = f"{key!r} is the name of a built-in: registering another class under it raises"
        yield "key-taken" if key in keys else "built-in-key", f"{sentence} a ValueError."


def begin(metric: type) -> dict[str, Any]:
    """Find the first rewards for which the metric gives a number; cases are derived from them."""
    if job["base"] is None:
        deadline = time.monotonic() + job["seconds"]
        in_time = itertools.takewhile(lambda _: time.monotonic() < deadline, inputs.candidate_rewards(job))
        accepted = (tasks for tasks in in_time if isinstance(number(metric, copy.deepcopy(tasks)), float))
        job["base"] = base_from(next(accepted, None))
    return {"base": job["base"]}


def base_from(rewards: Any) -> dict[str, Any]:
    """Return the rewards to derive cases from; the first candidate if the metric accepts none."""
    values = job["values"] or sorted({reward for samples in job["like"] or () for reward in samples})
    special, first = rewards not in (None, inputs.USUAL), next(inputs.candidate_rewards(job))
    return {"rewards": rewards or first, "special": special, "values": values, "all_fail": rewards is None}


def number(metric: Any, rewards: Any) -> float | str:
    """Return a new instance's result for rewards: a float, or the exception's name."""
    result, raised = worker.tried(lambda: float(metric().compute(rewards)))
    return str(raised.kind) if raised else float(result)


def make(metric: type, _: dict[str, Any]) -> Any:
    """Create an instance."""
    return metric()


def request(name: str) -> dict[str, Any]:
    """Return how often to repeat a case, and that its answers are compared."""
    return {"times": 19 if inputs.CASES[name].do == "repeat" else 1, "compared": True}


def describe_input(request: dict[str, Any]) -> tuple[str, Any]:
    """Return the rewards as text, and as JSON."""
    rewards = value(request)
    text = repr(type(rewards)(map(type(rewards), rewards)))
    return f"task_rewards = {worker.shortened(text, SHOWN)}", {"rewards": rewards}


def value(request: dict[str, Any]) -> Any:
    """Return the rewards of a case, as lists or tuples."""
    rewards = inputs.rewards_of(request["name"], job["base"])
    return tuple(rewards) if inputs.CASES[request["name"]].group == "tuples" else rewards


def fresh(rewards: Any) -> Any:
    """Return equal rewards in new lists or tuples, with new floats."""
    kind = type(rewards)
    new = ([float.fromhex(old.hex()) if isinstance(old, float) else old for old in task] for task in rewards)
    return kind(map(kind, new))


def similar_inputs(request: dict[str, Any], rewards: Any, *, primed: bool) -> Any:
    """Return similar rewards, or those to compute before the case is repeated."""
    return (
        inputs.similar_rewards([*map(list, rewards)])
        if primed
        else inputs.rewards_between(request["name"], rewards)
    )


def outcome(attempt: tuple[Any, Any]) -> Any:
    """Return a computation's outcome, identified by the bits of the float that it converts to."""
    it, raised = attempt
    if raised:
        return worker.Outcome(None, raised.kind, f"raised {raised.kind}", raised)
    if inspect.iscoroutine(it):
        it.close()
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", worker.spelled(it))
    return worker.Outcome(it, text, bits(it) or f"{type(it).__name__} {text}")


def bits(it: Any) -> str | None:
    """Return the bits of a value's float; None if it can't be converted."""
    digits: str | None = worker.tried(lambda: float(it).hex())[0]
    return digits


def special(metric: type, request: dict[str, Any]) -> dict[str, Any] | None:
    """Run the experiments, for the case that consists of them."""
    if inputs.CASES[request["name"]].do != "vary":
        return None
    if job["base"]["special"] or job["base"]["values"]:
        return {"findings": []}
    compute: Any = metric.compute  # type: ignore[attr-defined]
    texts = [known.names_of(metric)[1], metric.__name__, metric.__doc__, getattr(compute, "__doc__", "")]
    passes = any("pass" in str(text).lower() for text in texts)
    deadline, numbers, findings = time.monotonic() + job["seconds"], dict[str, Any](), list[Finding]()

    def computed(rewards: list[list[float]]) -> Any:
        if (key := repr(rewards)) not in numbers:
            if time.monotonic() > deadline:
                raise TimeoutError
            numbers[key] = number(metric, rewards)
        return numbers[key]

    try:
        findings.extend(contrasts(computed, passes))
    except TimeoutError:
        return {"findings": findings, "note": job["late"]}
    return {"findings": findings}


SPREADS: dict[str, Callable[[list[float]], list[list[float]]]] = {
    "tasks": lambda cells: [[cell] * 3 for cell in cells],
    "samples": lambda cells: [cells],
    "threes": lambda cells: [cells[start : start + 3] for start in range(0, len(cells), 3)],
    "wide": lambda cells: [[cell] * 6 for cell in cells],
    "alike": lambda cells: [[*cells] for _ in range(4)],
    "uneven": lambda cells: [cells, [0.5], [0.25]],
}
"""Functions that turn a list of rewards into tasks."""


def contrasts(number: Callable[[list[list[float]]], Any], passes: bool) -> Iterator[Finding]:
    """Yield the findings of the table: relations between the numbers for lists of rewards show a fault."""

    def cell(word: str) -> float:
        value = float(word.rstrip("+-"))
        return math.nextafter(value, {"+": 9.0, "-": -9.0}.get(word[-1], value))

    table = relations.table_rows(Path(__file__).with_name("contrasts.txt"))
    for rule, spread, lists, wrong, sentence in table:
        if rule == "pass-threshold":
            rule = "threshold" if passes else "above-one"
        rows = [list(map(cell, relations.expanded(row))) for row in lists.split(";")]
        for name in ("tasks", "samples") if spread == "both" else (spread,):
            numbers = [number(SPREADS[name](row)) for row in rows]
            if all(isinstance(result, float) for result in numbers) and relations.holds(wrong, numbers):
                yield rule, sentence.format(*numbers)
                break


def judge(metric: Any, request: dict[str, Any], instance: Any, first: Any) -> Iterator[Finding]:
    """Judge the number, and compare it with those for equal rewards and of a built-in."""
    group, base, rewards = inputs.CASES[request["name"]].group, job["base"], value(request)
    rule = SPECIAL.get(group, "raises")
    if group in ("empty", "shape"):
        rule = "other-shapes" if base["special"] else "no-samples" if group == "empty" else "raises"
    if first.raised:
        cause = first.raised.cause
        rule = worker.UNREACHABLE if cause == worker.UNREACHABLE else rule
        yield rule, f"compute raised {first.raised}", cause
        if request["name"] == "usual" and not base["all_fail"]:
            yield "repeats", f"For these rewards it first gave a number, and then {first.text}."
    else:
        yield from check_value(group, rule, first)

    def compared(rule: str, rewards: Any, condition: str, *, rounding: bool = False) -> Iterator[Finding]:
        second = outcome(worker.tried(lambda: metric().compute(rewards)))
        pair = [float.fromhex(known) for known in (bits(first.it), bits(second.it)) if known is not None]
        if not rounding or (len(pair) == 2 and not relations.close(*pair)):
            yield from worker.compared(rule, first, second, condition)

    objects: dict[str, float] = {}
    kind = type(rewards)
    shared = kind(kind(objects.setdefault(repr(cell), cell) for cell in samples) for samples in rewards)
    yield from compared("equal-rewards", shared, "if equal rewards are the same object")
    if group in ("ints", "tuples"):
        rule, kinds = ("tuples", "lists") if group == "tuples" else ("int-rewards", "floats")
        floats = [list(map(float, samples)) for samples in rewards]
        yield from compared(rule, floats, f"for {kinds} of the same rewards", rounding=True)
    keys, name = known.names_of(metric)
    for key in [label for label in (*keys, name) if isinstance(label, str) and label in known.built_in][:1]:
        built_in = outcome(worker.tried(lambda: known.built_in[key](fresh(rewards))))  # noqa: B023
        yield from worker.compared("differs-from-built-in", first, built_in, f"as the built-in {key}")


def check_value(group: str, rule: str, first: Any) -> Iterator[Finding]:
    """Check a value that compute returned."""
    name = type(first.it).__name__
    article = "an" if name[:1] in "aeiou" else "a"
    returned = f"It returned {worker.shortened(first.text, 80)}, {article} {name}"
    converted = bits(first.it)
    if converted is None:
        own = group in ("empty", "sampleless", "odd", "shape") and rule != "raises"
        rule = rule if own else "not-a-float"
        yield rule, f"{returned} that float() rejects: the metric is left out.", f"returned {name}"
    elif not isinstance(first.it, float):
        yield "ints" if group == "ints" else "converted", f"{returned}, not a float, which is converted."
    if group not in ("odd", "overflow") and not math.isfinite(float.fromhex(converted or "0")):
        rule = "empty-tasks" if group == "sampleless" else "not-finite"
        yield rule, f"compute returned {first.text} for finite rewards."
