"""For every property that no known mistake or deviation breaks: a runner in which it does not hold.

Each lie is a small change to a private copy of the reference: what it answers to one op, or is asked.
"""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.variant import Variant

Json = Any
Operation = Callable[[Json], Json]
Lie = Callable[[Variant], None]
Change = Callable[[Any], Any]


def said(op: str, change: Callable[[Json, Json], Json]) -> Lie:
    """Changes what an op answers: ``change(given, answer)``."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: change(given, truth(given)))


def heard(op: str, change: Change) -> Lie:
    """Changes what an op is asked."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: truth(change(given)))


def member_heard(op: str, name: str, change: Change) -> Lie:
    """Changes one member of what an op is asked, where it is something."""
    return heard(op, lambda given: {**given, name: change(given[name])} if given[name] else given)


PREFIX = "BASE_BENCHMARK_RESULT="


def line_changed(where: str, begins: bool = False, **changes: Any) -> Lie:
    """Changes the summary in a line where the text of the result begins with something, or has it."""

    def changed(given: Json, answer: Json) -> Json:
        text = (given["result.json"] or {}).get("text", "")
        if not (text.startswith(where) if begins else where in text):
            return answer
        summary = {**json.loads(answer["line"].removeprefix(PREFIX)), **changes}
        return {"line": PREFIX + json.dumps(summary, sort_keys=True)}

    return said("outcome", changed)


def file(op: str, change: Callable[[Json, Any], Any], name: str = "score.json") -> Lie:
    """Changes the value in the file that an op answers."""

    def changed(given: Json, answer: Json) -> Json:
        if answer[name] is None:
            return answer
        return {**answer, name: {"text": json.dumps(change(given, json.loads(answer[name]["text"])))}}

    return said(op, changed)


def summary(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Lie:
    return file("harness.dimensions", lambda _, told: change(told), "summary.json")


def means_raised(told: dict[str, Any]) -> dict[str, Any]:
    parts = {name: {**part, "mean": part["mean"] + 0.1} for name, part in told["by_metric"].items()}
    return {**told, "by_metric": parts}


def all_steps(given: Json, answer: Json) -> Json:
    return {**answer, "steps_run": len(given["steps"])}


def first_run_alone(given: Json) -> Json:
    """Its runs, or the first of them where that is the worst."""
    runs = given.get("runs")
    return given | {"runs": runs[: len(runs) if runs[0] < runs[-1] else 1]} if runs else given


LIES: dict[str, Lie] = {
    "multi-step-strategy-stops-nothing": said(
        "multi_step_reward",
        lambda given, answer: answer if given["strategy"] != "mean" else all_steps(given, answer),
    ),
    "outcome-layout-is-free": line_changed("\n", total=99),
    "outcome-order-of-members-is-free": line_changed('{"stats"', begins=True, score=0.125),
    "outcome-other-members-are-ignored": line_changed('"name"', score=0.125),
    "read-outcome-other-members-are-ignored": said(
        "read_outcome",
        lambda given, answer: {**answer, "reason_code": "odd"} if '"x"' in given["stdout"] else answer,
    ),
    "job-result-no-result-is-null-rewards": member_heard(
        "job_result", "trials", lambda trials: [one for one in trials if one["verifier_result"]]
    ),
    "harness-score-lower-threshold-never-fails": file(
        "harness.score", lambda _, score: {**score, "passed": not score["passed"]}
    ),
    "harness-evaluate-async-alike": heard(
        "harness.evaluate",
        lambda given: {**given, "metrics": given["metrics"][given["entry"] == "a_evaluate" :]},
    ),
    "harness-evaluate-assert-test": member_heard(
        "harness.evaluate", "entry", lambda entry: entry.replace("assert_test", "evaluate")
    ),
    "harness-reliability-k-not-enforced": heard(
        "harness.reliability",
        lambda given: {**given, "runs": given["runs"] and given["runs"][: max(1, given["k"])]},
    ),
    "harness-reliability-majority-in-any-order": member_heard(
        "harness.reliability", "runs", lambda listed: [one for one in listed if one == listed[0]] + listed[1:]
    ),
    "harness-reliability-any-names": member_heard(
        "harness.reliability", "runs", lambda listed: [one.strip().lower()[:1] for one in listed]
    ),
    "harness-dimensions-rates-in-range": summary(
        lambda told: {**told, "quality_pass_rate": told["quality_pass_rate"] * 100}
    ),
    "harness-dimensions-means-between-extremes": summary(means_raised),
    "harness-template-runs-alike": member_heard("harness.template", "given", first_run_alone),
}
