"""Experiments with a harness-evals metric: the inputs that it accepts and reads, and checks of its scores.

For the worker.
"""

import json
import sys
import time
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
inputs: Any = worker.kit_module(__file__, "inputs")
measuring: Any = worker.kit_module(__file__, "measuring")
UNAVAILABLE = "the sandbox has no judge, service or package for it"
Finding = tuple[Any, ...]
MOST_SECONDS = 4.0
BULK = 14
"""A metric that reads this many fields reads all of them without needing any."""
NEW_INSTANCES = 8
"""If prompts are random, this many instances rarely agree by chance."""
THRESHOLD = 0.25
NEAR = (0.0, -0.06, -0.03, -0.01, 0.01, 0.03, 0.06)
"""Distances of thresholds from a score that reveal rounding or a wrong comparison."""


def measured(metric: type, request: dict[str, Any], fields: dict[str, Any]) -> Any:
    """Return a new instance's outcome for a watched case."""
    attempt = worker.tried(lambda: measuring.make(metric, request).measure(measuring.watched(fields)))
    return measuring.outcome(attempt)


def begin(metric: type) -> dict[str, Any]:
    """Find a case that the metric accepts, preferably with a score above 0, and make it the base.

    Returns the case and its description, what was ``tried``, and the exception if all attempts ``raised``.
    """
    until = time.monotonic() + MOST_SECONDS
    best: dict[str, Any] = {"rank": -1}
    tried: dict[str, None] = {}
    fields: set[str] = set()

    def variations() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for name in sorted(fields - set(inputs.CONTENT)) if len(fields) < BULK and not inputs.like else []:
            cases = ({**inputs.FULL, name: value} for value in inputs.variations(name))
            yield from ((f"other {name}", "a case", case) for case in cases)

    for kind, where, case in chain(inputs.candidates(), variations()):
        tried.setdefault(kind)
        result = measured(metric, {}, inputs.resolved({}, case))
        fields.update(measuring.read)
        score, raised = result.it, result.raised
        if measuring.is_score(score):
            rank = 3 if measuring.is_true(lambda score=score: score.value > 0) else 2
        else:
            rank = 1 if raised is None else 3 if measuring.out_of_range(raised) else 0
        if rank > best["rank"]:
            best.update(rank=rank, begins=f"{kind} for {where}", raised=raised)
            inputs.base = case
        if best["rank"] == 3 or time.monotonic() > until:
            break
    raised = None if best["rank"] else best["raised"]
    return {"base": inputs.base, "begins": best["begins"], "tried": list(tried), "raised": raised}


def explore(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Find the fields that a metric reads, and its different answers."""
    prompts_before = len(measuring.prompts)
    until = time.monotonic() + MOST_SECONDS
    prompts, fields, varied = set[str](), set[str](), set[str]()
    outcomes: dict[str, Any] = {}

    def changes() -> Iterator[dict[str, Any]]:
        yield {}
        while waiting := sorted(fields - varied):
            varied.update(waiting)
            yield from ({name: value} for name in waiting for value in inputs.variations(name))
        for first, second, *_ in inputs.KINDS.values():
            yield {"output": first}
            yield from ({"output": output, "expected": first} for output in (first, second, type(first)()))

    for changed in changes():
        before = len(measuring.prompts)
        outcome = measured(metric, request, inputs.resolved(changed))
        prompts.update({"\n".join(measuring.prompts[before:])} - {""})
        fields.update(measuring.read)
        outcomes.setdefault(outcome.text, outcome)
        if time.monotonic() > until:
            break
    reads_all = len(fields) >= BULK
    return {
        "reads": [] if reads_all else sorted(fields),
        "every": reads_all,
        "judged": len(measuring.prompts) != prompts_before,
        "one_prompt": len(prompts) == len(outcomes) == 1,
        "values": sorted(text for text, result in outcomes.items() if measuring.is_score(result.it))[:40],
    }


def missing(metric: type, request: dict[str, Any]) -> tuple[list[str], bool]:
    """Return the missing fields that a metric needs, and whether nothing else affects its answer then.

    It needs the fields that it reads, if their values matter. A model's answers may vary.
    """
    names = request["missing"]

    def tried(changed: dict[str, Any]) -> str:
        return str(measured(metric, request, inputs.resolved(changed)).text)

    full = tried({})
    needed = sorted(measuring.read & set(names)) if len(measuring.read) < BULK else []
    if names and not needed:
        return needed, False
    varied = ({name: value} for name in needed for value in inputs.variations(name) if value is not None)
    matters = not names or any(tried(changed) != full for changed in varied)
    prompts_before = len(measuring.prompts)
    base = tried(request["changes"])
    other_effects = len(measuring.prompts) != prompts_before or any(
        tried({**request["changes"], name: value}) != base
        for name in inputs.FULL
        if name not in (names or ("runs",))
        for value in inputs.variations(name)
    )
    return needed, matters and not other_effects


def ignored_runs(metric: type, request: dict[str, Any]) -> str | None:
    """Return the runs that never matter although others do: one of five, or those beyond the hundredth."""

    def tried(outputs: list[int]) -> str:
        first, second = inputs.resolved({"runs": {"$": "runs", "outputs": [0, 1]}})["runs"]
        kinds = [first, {**inputs.BAD_RUN, **second, "latency_ms": inputs.BAD_RUN["latency_ms"]}]
        runs = inputs.resolved({"runs": [kinds[output] for output in outputs]})
        return str(measuring.measured(measuring.make(metric, request), runs).text)

    def matter(count: int, first: int, end: int) -> bool:
        return any(
            tried(outputs) != tried([*outputs[:first], *[output] * (end - first), *outputs[end:]])
            for outputs in ([0] * count, [1] * count, [0, 1] * (count // 2) + [0] * (count % 2))
            for output in (0, 1)
        )

    unused = [index for index in range(5) if not matter(5, index, index + 1)]
    if 0 < len(unused) < 5:
        return "the last of five runs" if unused[-1] == 4 else f"run {unused[-1] + 1} of 5"
    late_ignored = not unused and matter(150, 0, 1) and not matter(150, 100, 150)
    return "all runs beyond the hundredth" if late_ignored else None


def asks_differently(metric: type, request: dict[str, Any], instance: Any, fields: dict[str, Any]) -> bool:
    """Return whether a used instance asks its model a different question from new instances, which agree."""

    def prompts_of(questioned: Any) -> Any:
        before, _ = len(measuring.prompts), measuring.measured(questioned, fields)
        return measuring.prompts[before:]

    first, *further = [prompts_of(measuring.make(metric, request)) for _ in range(NEW_INSTANCES)]
    return all(prompts == first for prompts in further) and prompts_of(instance) != first


def thresholds(
    metric: type, request: dict[str, Any], fields: dict[str, Any], first: Any
) -> Iterator[Finding]:
    """Check instances with other thresholds: a fixed one, and some at and near the score."""
    value = first.it.value if measuring.is_score(first.it) else 0.0
    known = isinstance(value, float) and 0.0 < value <= 1.0
    near = [THRESHOLD, *(value + offset for offset in (NEAR if known else ()))]
    for chosen in [threshold for threshold in near if 0.0 < threshold <= 1.0]:
        instance, raised = worker.tried(lambda limit=chosen: measuring.make(metric, request, threshold=limit))
        score = None if raised else measuring.measured(instance, fields).it
        if measuring.is_score(score):
            yield from check_score(score, instance, only=("passed-by-hand", "threshold"))


def exception_finding(group: str, raised: Any) -> Finding:
    """Return the finding for an exception."""
    sentence = f"measure raised {raised}"
    if raised.escapes:
        return "breaks-evaluation", f"{sentence}, which evaluate does not catch.", raised.cause
    if group == "gone":
        return worker.UNREACHABLE, f"When the judge can't be reached, {sentence}"
    if raised.cause == worker.UNREACHABLE:
        return worker.UNREACHABLE, f"{sentence}: {UNAVAILABLE}.", raised.cause
    out = measuring.out_of_range(raised) and group in ("ordinary", "missing")
    rule = {"nonsense": "judge-answers", "odd": "odd-values"}.get(group, "raises")
    return "out-of-range" if out else rule, sentence, raised.cause


def check_score(score: Any, own: Any, only: Collection[str] = ()) -> Iterator[Finding]:
    """Check a score, and whether it belongs to this metric, for all rules or ``only`` some."""
    text, threshold, wanted = map(worker.spelled, (score.value, score.threshold, own.threshold))
    passed, details = score.passed is True, score.metadata if isinstance(score.metadata, dict) else {}
    name, own_name = (worker.shortened(worker.spelled(owner.name), 80) for owner in (score, own))
    of_metric = str(getattr(own.dimension, "value", None))
    dimension = str(details.get("dimension", of_metric))
    plain = isinstance(score.metadata, (dict, type(None))) and isinstance(score.reason, (str, type(None)))
    _, unsaved = worker.tried(lambda: json.dumps(details))
    kind, label = type(score.value).__name__, worker.shortened(dimension, 80)
    in_range = measuring.is_true(lambda: 0.0 <= score.value <= 1.0)
    of_itself = passed == measuring.is_true(lambda: score.value >= score.threshold)
    for holds, rule, sentence in (
        (in_range, "out-of-range", f"The score's value is {text}."),
        (isinstance(score.value, float), "value-kind", f"The score's value is {text}, of type {kind}."),
        (of_itself, "passed-by-hand", f"passed is {passed} with value {text} and threshold {threshold}."),
        (threshold == wanted, "threshold", f"Its score's threshold is {threshold}, the metric's {wanted}."),
        (name == own_name, "name", f"Its score's name is {name}, the metric's {own_name}."),
        (plain, "metadata", "Its score's reason is not a text, or its metadata are not a dict."),
        (not unsaved, "metadata", f"Saving its score's metadata as JSON raises {unsaved}"),
        (dimension == of_metric, "other-dimension", f"Its score's metadata have the dimension {label}."),
    ):
        if not holds and rule in (only or (rule,)):
            yield rule, sentence


def check_fallback(metric: type, request: dict[str, Any], first: Any) -> Iterator[Finding]:
    """Report a passing score although the metric's judge gave no valid answer."""
    before = len(measuring.prompts)
    measuring.measured(measuring.make(metric, request), inputs.resolved(request["changes"]))
    gives = f"it gives {first.text}, which passes."
    if len(measuring.prompts) != before and request["group"] == "gone":
        yield worker.UNREACHABLE, f"When the judge can't be reached, {gives}"
    elif len(measuring.prompts) != before:
        yield "judge-answers", f"For an answer that breaks the judge's schema {gives}"


def check_missing_data(metric: type, request: dict[str, Any], first: Any) -> Iterator[Finding]:
    """Check its results for missing fields. Fields that it does not need are optional."""
    from harness_evals import ReliabilityMetric

    score = first.it
    no_runs = request["name"] == "no-runs" and issubclass(metric, ReliabilityMetric)
    if measuring.is_true(lambda: score.threshold <= 0):
        return
    needed, vacuous = missing(metric, request)
    if not (needed or no_runs):
        return
    subject = "the runs" if no_runs else " and ".join(needed)
    gives, passed = f"Without {subject} it gives {first.text}", score.passed is True
    if passed and vacuous:
        yield "missing-passes", f"{gives}, which passes, whatever else the case contains."
    elif passed and request["name"] == "none-word":
        without = measuring.measured(measuring.make(metric, request), inputs.resolved({"expected": None})).it
        if measuring.is_score(without) and without.passed is not True:
            yield "none-is-text", f"{gives} for the output None, which passes."
    elif not passed and not score.reason:
        if vacuous and (no_runs or set(needed) & set(inputs.AMOUNTS)):
            yield "missing-reason", f"{gives} without a reason."
        elif vacuous or "expected" in needed:
            yield "no-reason", f"{gives} without a reason."
