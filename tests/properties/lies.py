"""For every property that no known mistake breaks: a runner in which it does not hold.

Each lie is a small change to a private copy of the reference: what it answers to one op, or a rule of it.
"""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.variant import Variant

Json = Any
Operation = Callable[[Json], Json]
Lie = Callable[[Variant], None]


def said(op: str, change: Callable[[Json, Json], Json]) -> Lie:
    """Changes what an op answers: ``change(given, answer)``."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: change(given, truth(given)))


def heard(op: str, change: Callable[[Json], Json]) -> Lie:
    """Changes what an op is asked."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: truth(change(given)))


# pass_at_k


PASS_AT_K: dict[str, Lie] = {
    "any-task-names": heard(
        "pass_at_k", lambda given: {"trials": [{**t, "task": t["task"][:1]} for t in given["trials"]]}
    ),
}

# multi_step_reward


def gates_changed(change: Callable[[Any], Any]) -> Lie:
    def changed(given: Json) -> Json:
        return {**given, "steps": [{**s, "min_reward": change(s["min_reward"])} for s in given["steps"]]}

    return heard("multi_step_reward", changed)


MULTI_STEP: dict[str, Lie] = {
    "strategy-stops-nothing": said(
        "multi_step_reward",
        lambda given, answer: (
            {**answer, "steps_run": len(given["steps"])} if given["strategy"] == "mean" else answer
        ),
    ),
    "no-minimum-ends-nothing": gates_changed(lambda gate: 1 if gate == {} else gate),
}


# reason_code


def code_changed(change: Callable[[Any, Any], Any]) -> Lie:
    return said(
        "reason_code", lambda given, answer: {"reason_code": change(given["text"], answer["reason_code"])}
    )


REASON_CODE: dict[str, Lie] = {
    "of-a-code": code_changed(lambda _, code: code and f"x_{code}"),
    "known-codes-stand": code_changed(lambda _, code: code and code.removeprefix("harbor_")),
}

# outcome and read_outcome

PREFIX = "BASE_BENCHMARK_RESULT="


def line_changed(change: Callable[[Json, Json], Json]) -> Lie:
    def changed(given: Json, answer: Json) -> Json:
        summary = change(given, json.loads(answer["line"].removeprefix(PREFIX)))
        return {"line": PREFIX + json.dumps(summary, sort_keys=True)}

    return said("outcome", changed)


def text_of(given: Json) -> str:
    return str((given["result.json"] or {}).get("text", ""))


def turned_first(given: Json, summary: Json) -> Json:
    return {**summary, "score": 0.125} if text_of(given).startswith('{"stats"') else summary


OUTCOME: dict[str, Lie] = {
    "layout-is-free": line_changed(lambda given, s: {**s, "total": 99} if "\n" in text_of(given) else s),
    "order-of-members-is-free": line_changed(turned_first),
    "other-members-are-ignored": line_changed(
        lambda given, s: {**s, "score": 0.125} if '"name"' in text_of(given) else s
    ),
}


def judged(change: Callable[[Json, Json], Json]) -> Lie:
    return said("read_outcome", change)


READ_OUTCOME: dict[str, Lie] = {
    "payload-layout": judged(
        lambda given, answer: {**answer, "score": 0.25} if "\t" in given["stdout"] else answer
    ),
    "other-members-are-ignored": judged(
        lambda given, answer: {**answer, "reason_code": "odd"} if '"x"' in given["stdout"] else answer
    ),
}

# parse_reward and terminal_bench_reward


def files_changed(change: Callable[[dict[str, Json]], dict[str, Json]]) -> Lie:
    return heard("parse_reward", lambda given: {"files": change(given["files"])})


def texts_changed(name: str, change: Callable[[str], str]) -> Lie:
    def changed(files: dict[str, Json]) -> dict[str, Json]:
        content = files.get(name, {})
        return {**files, name: {"text": change(content["text"])}} if "text" in content else files

    return files_changed(changed)


REWARD: dict[str, Lie] = {
    "json-space": texts_changed("reward.json", lambda text: "x" if "\n" in text else text),
}

# job_result and pipeline


JOB_RESULT: dict[str, Lie] = {
    "no-result-is-null-rewards": heard(
        "job_result", lambda given: {**given, "trials": [t for t in given["trials"] if t["verifier_result"]]}
    ),
}
PIPELINE: dict[str, Lie] = {
    "line-is-outcome": said(
        "pipeline", lambda _, answer: {**answer, "line": answer["line"].replace("0.0", "0")}
    ),
}


def caught(op: str, answer: Operation) -> Lie:
    """Answers where the op refuses."""

    def around(truth: Operation) -> Operation:
        def answered(given: Json) -> Json:
            try:
                return truth(given)
            except Exception:
                return answer(given)

        return answered

    return lambda variant: variant.wrap_op(op, around)


# evsys

COMPUTE, REGISTRY = "evsys.compute", "evsys.registry"


def tasks(change: Callable[[list[Any]], list[Any]]) -> Lie:
    return heard(COMPUTE, lambda given: {**given, "task_rewards": change(given["task_rewards"])})


def of_metric(name: str, change: Callable[[Any], Any]) -> Lie:
    return said(
        COMPUTE,
        lambda given, answer: {"value": change(answer["value"])} if given["metric"] == name else answer,
    )


EVSYS_COMPUTE: dict[str, Lie] = {
    "avg-is-mean-reward": of_metric("avg", lambda value: value if isinstance(value, str) else value + 0.5),
    "tasks-in-any-order": tasks(lambda listed: listed[:1]),
    "unknown-refused": caught(COMPUTE, lambda _: {"value": 0.0}),
}


def actions(change: Callable[[Any], Any]) -> Lie:
    return heard(REGISTRY, lambda given: {**given, "actions": [change(one) for one in given["actions"]]})


def by_entry_points_name(action: Any) -> Any:
    if action["do"] != "load":
        return action
    points = [
        {**point, "registers": [[point["name"], label] for _, label in point["registers"]]}
        for point in action["entry_points"]
    ]
    return {**action, "entry_points": points}


EVSYS_REGISTRY: dict[str, Lie] = {
    "plugin-as-decorator": actions(by_entry_points_name),
}

# harbor-metric

LINES, SCRIPT = "rewards_jsonl", "metric_script"


# harness-evals

SCORE, METRIC, EVALUATE = "harness.score", "harness.metric", "harness.evaluate"
RELIABILITY, OPERATIONAL = "harness.reliability", "harness.operational"
DIMENSIONS, RESULTS, TEMPLATE = "harness.dimensions", "harness.json", "harness.template"


def file(op: str, change: Callable[[Json, Any], Any], name: str = "score.json") -> Lie:
    """Changes the value in the file that an op answers."""

    def changed(given: Json, answer: Json) -> Json:
        if answer[name] is None:
            return answer
        return {**answer, name: {"text": json.dumps(change(given, json.loads(answer[name]["text"])))}}

    return said(op, changed)


def member(op: str, name: str, change: Callable[[Json, Any], Any]) -> Lie:
    return file(op, lambda given, score: {**score, name: change(given, score[name])})


HARNESS_SCORE: dict[str, Lie] = {
    "lower-threshold-never-fails": member(SCORE, "passed", lambda _, passed: not passed),
}
MADE = {"name": "m", "dimension": "safety", "threshold": 1.0, "k": None}
HARNESS_METRIC: dict[str, Lie] = {
    "five-dimensions": caught(METRIC, lambda _: MADE),
}


HARNESS_EVALUATE: dict[str, Lie] = {
    "async-alike": heard(
        EVALUATE,
        lambda given: {**given, "metrics": given["metrics"][given["entry"] == "a_evaluate" :]},
    ),
    "assert-test": heard(
        EVALUATE,
        lambda given: {**given, "entry": given["entry"].replace("assert_test", "evaluate")},
    ),
}


def runs(change: Callable[[list[str]], list[str]]) -> Lie:
    return heard(RELIABILITY, lambda given: {**given, "runs": given["runs"] and change(given["runs"])})


HARNESS_RELIABILITY: dict[str, Lie] = {
    "k-not-enforced": heard(
        RELIABILITY, lambda given: {**given, "runs": given["runs"] and given["runs"][: max(1, given["k"])]}
    ),
    "majority-in-any-order": runs(lambda listed: [one for one in listed if one == listed[0]] + listed[1:]),
    "any-names": runs(lambda listed: [one.strip().lower()[:1] for one in listed]),
}


def messages(change: Callable[[list[Any]], list[Any]]) -> Lie:
    def changed(given: Json) -> Json:
        case = given["case"]
        return {**given, "case": {**case, "messages": case["messages"] and change(case["messages"])}}

    return heard(OPERATIONAL, changed)


def missing_as_zero(listed: list[Any]) -> list[Any]:
    return [
        {**one, "latency_ms": one["latency_ms"] or 9999, "token_count": one["token_count"] or 0}
        for one in listed
    ]


HARNESS_OPERATIONAL: dict[str, Lie] = {
    "limit-positive": heard(
        OPERATIONAL,
        lambda given: {
            **given,
            "maximum": 1 if given["maximum"] in (0, -1, "-Infinity") else given["maximum"],
        },
    ),
    "turns-without-data": messages(missing_as_zero),
}


def summary(change: Callable[[Json, dict[str, Any]], dict[str, Any]]) -> Lie:
    return file(DIMENSIONS, change, "summary.json")


def means(change: Callable[[float], float]) -> Lie:
    def changed(_: Json, told: dict[str, Any]) -> dict[str, Any]:
        parts = {name: {**part, "mean": change(part["mean"])} for name, part in told["by_metric"].items()}
        return {**told, "by_metric": parts}

    return summary(changed)


HARNESS_DIMENSIONS: dict[str, Lie] = {
    "rates-in-range": summary(lambda _, told: {**told, "quality_pass_rate": told["quality_pass_rate"] * 100}),
    "skipped-left-out": heard(
        DIMENSIONS, lambda given: {"cases": [case for case in given["cases"] if None not in case]}
    ),
    "means-between-extremes": means(lambda mean: mean + 0.1),
}


def template(name: str, change: Callable[[Json], Json]) -> Lie:
    """Changes what one template is asked."""

    def changed(given: Json) -> Json:
        return {**given, "given": change(given["given"])} if given["template"] == name else given

    return heard(TEMPLATE, changed)


def passing_is_one(_: Json, score: Any) -> Any:
    return {**score, "value": float(score["passed"])}


def only_if_alike(given: Json) -> Json:
    return {**given, "runs": given["runs"] if given["runs"][0] < given["runs"][-1] else given["runs"][:1]}


def found_within(given: Json) -> Json:
    return {**given, "output": given["expected"]} if given["expected"] in given["output"] else given


HARNESS_TEMPLATE: dict[str, Lie] = {
    "exact-match": template("deterministic", found_within),
    "threshold-leaves-value": file(TEMPLATE, passing_is_one),
    "latency-falls": member(
        TEMPLATE, "value", lambda given, value: 1 - value if given["template"] == "operational" else value
    ),
    "judge-clamped": member(
        TEMPLATE, "value", lambda given, value: -3 if '"score": -3' in str(given["given"]) else value
    ),
    "runs-alike": template("reliability", only_if_alike),
}


def _named(prefix: str, lies: dict[str, Lie]) -> dict[str, Lie]:
    return {f"{prefix}{slug}": lie for slug, lie in lies.items()}


LIES: dict[str, Lie] = {
    **_named("pass-at-k-", PASS_AT_K),
    **_named("multi-step-", MULTI_STEP),
    **_named("reason-code-", REASON_CODE),
    **_named("outcome-", OUTCOME),
    **_named("read-outcome-", READ_OUTCOME),
    **_named("parse-reward-", REWARD),
    **_named("job-result-", JOB_RESULT),
    **_named("pipeline-", PIPELINE),
    **_named("evsys-compute-", EVSYS_COMPUTE),
    **_named("evsys-registry-", EVSYS_REGISTRY),
    **_named("harness-score-", HARNESS_SCORE),
    **_named("harness-metric-", HARNESS_METRIC),
    **_named("harness-evaluate-", HARNESS_EVALUATE),
    **_named("harness-reliability-", HARNESS_RELIABILITY),
    **_named("harness-operational-", HARNESS_OPERATIONAL),
    **_named("harness-dimensions-", HARNESS_DIMENSIONS),
    **_named("harness-template-", HARNESS_TEMPLATE),
}
