"""The worker's part for harness-evals metrics: creates instances, measures, and judges scores."""

import asyncio
import importlib.metadata
import importlib.util
import inspect
import json
import sys
from collections.abc import Iterator
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
inputs: Any = worker.kit_module(__file__, "inputs")
measuring: Any = worker.kit_module(__file__, "measuring")
experiments: Any = worker.kit_module(__file__, "experiments")
make, fresh, as_text, outcome = measuring.make, measuring.fresh, measuring.as_text, measuring.outcome
METHOD, STATE = "measure", "state"
job: dict[str, Any] = {}
USUAL = ("name", "dimension", "threshold", "k", "llm", "judge", "embedding", "provider")
"""Constructor parameters that don't affect measuring."""
MOST_OPTIONS, MOST_TRIED, SHOWN = 8, 6, 60
Finding = tuple[Any, ...]


def prepare(settings: dict[str, Any]) -> str | None:
    """Check that the package is installed."""
    job.update(settings)
    measuring.arguments.update(job["arguments"])
    sys.path.insert(0, job["caller"])
    spec = importlib.util.find_spec("harness_evals")
    sys.path.pop(0)
    python = job["python_option"]
    return None if spec else (
        f"harness-evals is not installed for {sys.executable}: install it there "
        f"(`pip install harness-evals`), name another Python with {python} PATH, "
        f"or let the kit build one with {python} oracle"
    )  # fmt: skip


def describe(metric: type) -> dict[str, Any]:
    """Describe the class, after creating it in several ways."""
    version = importlib.metadata.version("harness-evals")
    instance, raised = worker.tried(lambda: make(metric, {}))
    findings: list[Finding] = []
    if raised and "'dimension'" in raised.message:
        findings = [("no-dimension", f"Creating it raised TypeError: {raised.message} (in super().__init__)")]
        measuring.needs_dimension.add(metric)
        instance, raised = worker.tried(lambda: make(metric, {}))
    findings += check_class(metric, instance, raised)
    cannot = [] if raised is None else list(why_not_made(metric, raised))
    return {
        "environment": f"harness-evals {version}",
        "askable": raised is None,
        "findings": findings,
        "cannot": cannot,
        "base": job["base"] or inputs.FULL,
    }


def why_not_made(metric: type, raised: Any) -> Iterator[tuple[str, str]]:
    """Yield reasons other than the class itself why it can't be created: a sentence, and a needed file."""
    target, option = job["target"], job["argument_option"]
    known = measuring.constructor(metric, {})
    named = [arg for arg in worker.parameters(metric) if arg.name not in (*USUAL, *measuring.models, *known)]
    problem = f"creating {target} raised {raised}"
    if needs := [arg.name for arg in named if arg.default is arg.empty]:
        words = f"give it with {option} {needs[0]}=JSON, or check a subclass that sets what JSON lacks"
        yield f"the constructor of {target} needs {' and '.join(needs)}: {words}", ""
    if raised.cause == worker.UNREACHABLE:
        judge = "let its constructor take the judge as llm, which the kit replaces"
        yield f"{problem}: {experiments.UNAVAILABLE}; {judge}", ""
    elif raised.cause.startswith("/"):
        yield problem, raised.cause
    elif raised.kind in ("ValueError", "TypeError", "KeyError") and named:
        takes = f"its constructor takes {', '.join(arg.name for arg in named[:MOST_OPTIONS])}"
        yield f"{problem}: {takes}; give what it needs with {option} NAME=JSON", ""


def check_class(metric: type, instance: Any, raised: Any) -> Iterator[Finding]:
    """Check the class and its instance before it measures anything."""
    from harness_evals import BaseMetric, Dimension

    if not issubclass(metric, BaseMetric):
        yield "base-class", "It does not extend any of the package's metric classes."
    if raised:
        yield "cannot-be-made", f"Creating it raised {raised}", raised.cause
    else:
        dimension, name = getattr(instance, "dimension", None), getattr(instance, "name", None)
        if not isinstance(dimension, Dimension):
            text = worker.shortened(worker.spelled(dimension), 80)
            members = ", ".join(Dimension.__members__)
            yield "odd-dimension", f"Its dimension is {text}, not a member of Dimension: {members}."
        if type(name) is not str or not name:
            yield "name", f"Its name is {worker.spelled(name)}, where a text is expected."
        wanted = experiments.THRESHOLD
        actual, raised = worker.tried(lambda: make(metric, {}, threshold=wanted).threshold)
        if raised:
            yield "threshold", f"Creating it with threshold={wanted} raised {raised}"
        elif not (isinstance(actual, float) and actual == wanted):
            yield (
                "threshold",
                f"Created with threshold={wanted}, it has the threshold {worker.spelled(actual)}.",
            )
        _, raised = worker.tried(lambda: make(metric, {}, note="an unknown argument"))
        if raised:
            yield "keywords", f"Creating it with an additional keyword argument raised {raised}"
    imported = set()
    for kind in vars(sys.modules[metric.__module__]).values():
        if isinstance(kind, type) and issubclass(kind, BaseMetric) and kind.__module__ != metric.__module__:
            needed = {held.name for held in worker.parameters(kind) if held.default is held.empty}
            abstract = inspect.isabstract(kind) or "name" in needed or kind.__name__.startswith("_")
            imported |= set() if abstract else {kind.__name__}
    if imported:
        yield "imports-metric", f"Its module imports another metric: {', '.join(sorted(imported))}."


def begin(metric: type) -> dict[str, Any]:
    """Set a base case that the metric accepts: known from the first process, or found by experiments."""
    from harness_evals import EvalCase

    for case in job["like"]:
        known = EvalCase.from_dict({"input": "", "output": case.get("expected", ""), **case}).to_dict()
        inputs.like.append({**dict.fromkeys(inputs.FULL), **known})
    measuring.collect_names(metric)
    if inputs.named:
        objects = [json.dumps(inputs.named_keys(value)) for value in (1, 0.5, "Paris")]
        inputs.KINDS["JSON objects of what it names"] = objects
    if job["values"]:
        inputs.KINDS["the values given"] = job["values"]
    if job["base"] is not None:
        inputs.base = job["base"]
        return {"models": sorted(measuring.models)}
    description = experiments.begin(metric)
    tried, raised = description.pop("tried"), description.pop("raised")
    description["models"] = sorted(measuring.models)
    if raised is None:
        return dict(description)
    more = f" and {len(tried) - MOST_TRIED} more" if len(tried) > MOST_TRIED else ""
    kinds = f"it fails for every input: {', '.join(tried[:MOST_TRIED])}{more}"
    rule, sentence, cause = experiments.exception_finding("ordinary", raised)
    sentence += f"; {kinds}. {job['more_options']}" if rule == "raises" else ""
    return {**description, "askable": False, "findings": [(rule, sentence, cause)]}


def request(name: str) -> dict[str, Any]:
    """Return a case, how often to repeat it, and how to compare its answers."""
    case = inputs.CASES[name]
    near = case["group"] in ("ordinary", "missing") and name not in inputs.LARGE
    times = 19 if case["do"] == "repeat" else 1
    return {**case, "times": times, "compared": case["group"] != "odd", "near": near}


def value(request: dict[str, Any]) -> Any:
    """Return the fields of a case."""
    return inputs.resolved(request["changes"])


def describe_input(request: dict[str, Any]) -> tuple[str, Any]:
    """Return the case as text (content, and differences from the full case), and as JSON."""
    fields, changes = value(request), request["changes"]
    parts = [name for name in fields if name in inputs.CONTENT or name in changes]
    texts = [f"{name}={worker.shortened(repr(fields[name]), SHOWN)}" for name in parts]
    unchanged = [name for name in fields if name not in parts and fields[name] is not None]
    texts += [f"… and {', '.join(unchanged)} as in the case full"] if unchanged and changes else []
    models = [": ".join(pair) for pair in request["models"].items()]
    return "\n".join([f"EvalCase({', '.join(texts)})", *models]), fields | request["models"]


def similar_inputs(request: dict[str, Any], fields: dict[str, Any], *, primed: bool) -> list[dict[str, Any]]:
    """Return similar cases, or those to measure before the case is repeated."""
    cases = [inputs.resolved(changes) for changes in request["between"]]
    near = inputs.near(fields, respelled=not request["changes"]) if primed or cases else []
    return [*([] if primed else cases), *near]


def special(metric: type, request: dict[str, Any]) -> dict[str, Any] | None:
    """Run experiments, and cases that are not a single measurement."""
    if set(request["models"]) - measuring.models:
        return {}  # it does not use this model
    if request["do"] == "explore":
        from harness_evals import BaseMetric

        dataset = getattr(metric, "measure_dataset", None) is not BaseMetric.measure_dataset
        return {**experiments.explore(metric, request), "dataset": dataset}
    if request["do"] not in ("runs", "loop", "together"):
        return None
    return {"findings": list(check_specially(metric, request))}


def check_specially(metric: type, request: dict[str, Any]) -> Iterator[Finding]:
    """Check that each run matters, and that it works in an event loop and concurrently."""
    from harness_evals import ReliabilityMetric

    fields, instance = value(request), make(metric, request)
    if request["do"] == "runs":
        ignored = issubclass(metric, ReliabilityMetric) and experiments.ignored_runs(metric, request)
        if ignored:
            yield "drops-runs", f"Changing {ignored} never changes the score."
    elif request["do"] == "loop":

        async def measuring_inside() -> Any:
            return measuring.measured(instance, fields)

        outside, inside = measuring.measured(instance, fields), asyncio.run(measuring_inside())
        if inside.raised and not outside.raised:
            yield "running-loop", f"While an event loop runs, measure raised {inside.raised}"
    else:

        async def awaited(fields: dict[str, Any]) -> Any:
            try:
                return outcome((await instance.a_measure(fresh(fields)), None))
            except BaseException as error:
                return outcome((None, worker.described(error)))

        async def gathered(several: list[dict[str, Any]]) -> Any:
            return (await asyncio.gather(*map(awaited, several)))[len(several) // 2]

        before = similar_inputs(request, fields, primed=False)
        cases = ([fields], *[[*before, fields, *before]] * 2)
        first, *among = [asyncio.run(gathered(several)) for several in cases]
        for mixed in [held for held in among if held.brief != first.brief][:1]:
            yield from worker.compared("state", first, mixed, "while other cases are measured", "a_measure")


def judge(metric: type, request: dict[str, Any], instance: Any, first: Any) -> Iterator[Finding]:
    """Judge the score, scores with other thresholds and missing data, and side effects."""
    fields, new, score = value(request), make(metric, request), first.it
    if first.raised:
        yield experiments.exception_finding(request["group"], first.raised)
    elif score is None:
        yield "skips", "measure returned None: the case is left out."
    elif not measuring.is_score(score):
        returned = worker.shortened(first.text, 80)
        yield "no-score", f"measure returned {returned}: evaluate raises AttributeError."
    else:
        yield from experiments.check_score(score, new)
        if "nan" in request["models"].values() and score.passed is True:
            yield "nan-is-perfect", f"It returned {first.text} for NaN, which passes."
        elif request["group"] in ("gone", "nonsense") and score.passed is True:
            yield from experiments.check_fallback(metric, request, first)
        if request["missing"] or request["name"] == "no-runs":
            yield from experiments.check_missing_data(metric, request, first)
    if getattr(instance, "dimension", None) != getattr(new, "dimension", None):
        yield "other-dimension", "Measuring changes the metric's dimension."
    if request["between"] and experiments.asks_differently(metric, request, instance, fields):
        yield "state", "After other cases it asks its model a different question for the same case."
    if request["near"]:
        yield from experiments.thresholds(metric, request, fields, first)
    case = fresh(fields)
    before = as_text(case)
    awaited = outcome(worker.tried(lambda: asyncio.run(instance.a_measure(case))))
    if as_text(case) != before:
        yield "changes-input", "a_measure modifies the case, and the next metric gets the modified case."
    if request["compared"]:
        yield from worker.compared("async-differs", first, awaited, "where a_measure is awaited")


def more(first: Any) -> dict[str, Any]:
    """Return the data for checking all answers together."""
    score = measuring.is_score(first.it)
    reason = first.it.reason if score else None
    lacking = isinstance(reason, str) and worker.mentions_missing_access(reason)
    return {
        "score": first.text if score else None,
        "skipped": first.it is None and not first.raised,
        "lacking": worker.spelled(reason) if lacking else None,
    }
