"""What is wrong with a score of a harness-evals metric, and with what measuring it leaves. For the worker."""

import json
import os
import random
import sys
from collections.abc import Iterator
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
cases: Any = worker.beside(__file__, "cases")
inputs: Any = worker.beside(__file__, "inputs")
measuring: Any = worker.beside(__file__, "measuring")
experiments: Any = worker.beside(__file__, "experiments")
NOT_AT_HAND = "the kit has no judge, service or package for it to reach"
Finding = tuple[Any, ...]


def of_raising(group: str, raised: Any) -> Finding:
    """The rule that an exception breaks."""
    sentence, rule = f"measure raised {raised}", "raises"
    if raised.escapes:
        rule, sentence = "breaks-evaluation", f"{sentence}, which evaluate does not catch."
    elif group == "gone":
        return worker.UNREACHABLE, f"Where the judge can't be reached {sentence}"
    elif raised.cause == worker.UNREACHABLE:
        rule, sentence = worker.UNREACHABLE, f"{sentence}: {NOT_AT_HAND}."
    elif measuring.out_of_range(raised) and group in ("ordinary", "missing"):
        rule = "out-of-range"
    else:
        rule = {"nonsense": "judge-answers", "odd": "odd-values"}.get(group, "raises")
    return rule, sentence, raised.cause


def of_a_score(score: Any, own: Any) -> Iterator[Finding]:
    """A score, and whether it is of this metric."""
    text = worker.spelled(score.value)
    if not measuring.holds(lambda: 0.0 <= score.value <= 1.0):
        yield "out-of-range", f"The score's value is {text}."
    if not isinstance(score.value, float):
        yield "value-kind", f"The score's value is {text}, of type {type(score.value).__name__}."
    yield from of_passing(score, own)
    name, own_name = (worker.shortened(worker.spelled(one.name), 80) for one in (score, own))
    if name != own_name:
        yield "name", f"Its score is called {name}, the metric {own_name}."
    details = score.metadata if isinstance(score.metadata, dict) else {}
    plain = isinstance(score.metadata, (dict, type(None))) and isinstance(score.reason, (str, type(None)))
    if not plain:
        yield "metadata", "Its score's reason is no text, or its metadata are no dict."
    _, unsaved = worker.tried(lambda: json.dumps(details))
    if unsaved:
        yield "metadata", f"Saving its score's metadata as JSON raises {unsaved}"
    dimension = getattr(own.dimension, "value", None)
    if "dimension" in details and str(details["dimension"]) != dimension:
        shown = worker.shortened(str(details["dimension"]), 80)
        yield "other-dimension", f"Its score's metadata say dimension {shown}."


def of_passing(score: Any, own: Any) -> Iterator[Finding]:
    """Whether it passes from the metric's threshold on."""
    threshold, of_the_metric = worker.spelled(score.threshold), worker.spelled(own.threshold)
    passed = score.passed is True
    if passed != measuring.holds(lambda: score.value >= score.threshold):
        numbers = f"value {worker.spelled(score.value)} and threshold {threshold}"
        yield "passed-by-hand", f"passed is {passed} with {numbers}."
    if threshold != of_the_metric:
        yield "threshold", f"Its score has the threshold {threshold}, the metric {of_the_metric}."


def of_missing_data(metric: type, request: dict[str, Any], first: Any) -> Iterator[Finding]:
    """What it makes of fields that are missing. A field that it can do without is optional, and ignored."""
    from harness_evals import ReliabilityMetric

    score = first.it
    no_runs = request["name"] == "no-runs" and issubclass(metric, ReliabilityMetric)
    if measuring.holds(lambda: score.threshold <= 0):
        return
    needed, vacuous = experiments.missing(metric, request)
    if not (needed or no_runs):
        return
    what = "the runs" if no_runs else " and ".join(needed)
    gives, passed = f"Without {what} it gives {first.text}", score.passed is True
    if passed and vacuous:
        yield "missing-passes", f"{gives}, which passes, whatever else the case holds."
    elif passed and request["name"] == "none-word":
        without = measuring.measured(measuring.make(metric, request), inputs.resolved({"expected": None})).it
        if measuring.is_score(without) and without.passed is not True:
            yield "none-is-text", f"{gives} for the output None, which passes."
    elif not passed and not score.reason:
        if vacuous and (no_runs or set(needed) & set(cases.AMOUNTS)):
            yield "missing-reason", f"{gives} and no reason."
        elif vacuous or "expected" in needed:
            yield "no-reason", f"{gives} and no reason."


def leaves(instance: Any, fields: dict[str, Any], folder: str, variables: dict[str, str]) -> list[str]:
    """What of the process is another after a measurement: the folder, the variables, the seed."""
    states = []
    os.chdir(folder)
    for seed in (1, 2):
        random.seed(seed)
        measuring.measured(instance, fields)
        states.append(random.getstate())
    changed = {
        "the working directory": os.getcwd() != folder,
        "the environment variables": dict(os.environ) != variables,
        "the seed of random": states[0] == states[1],
    }
    os.chdir(folder)
    return [what for what, is_changed in changed.items() if is_changed]
