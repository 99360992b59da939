"""For every property of the specs beside harbor's: a runner in which it does not hold, as in ``lies``."""

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


def instead(op: str, answer: Operation) -> Lie:
    """Answers an op without asking anybody."""
    return lambda variant: variant.wrap_op(op, lambda _: answer)


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


def refusing(op: str, where: Callable[[Json], Any], error: type[Exception] = RuntimeError) -> Lie:
    """Refuses some inputs."""

    def around(truth: Operation) -> Operation:
        def answered(given: Json) -> Json:
            if where(given):
                raise error("no")
            return truth(given)

        return answered

    return lambda variant: variant.wrap_op(op, around)


# evsys

COMPUTE, REGISTRY = "evsys.compute", "evsys.registry"


def tasks(change: Callable[[list[Any]], list[Any]]) -> Lie:
    return heard(COMPUTE, lambda given: {**given, "task_rewards": change(given["task_rewards"])})


def each_task(change: Callable[[list[Any]], list[Any]]) -> Lie:
    return tasks(lambda listed: [change(rewards) for rewards in listed])


def of_metric(name: str, change: Callable[[Any], Any]) -> Lie:
    return said(
        COMPUTE,
        lambda given, answer: {"value": change(answer["value"])} if given["metric"] == name else answer,
    )


def reward_itself(given: Json) -> Json:
    rewards = [float(reward) for task in given["task_rewards"] for reward in task]
    return {"value": sum(rewards) / len(rewards) if rewards else 0.0}


EVSYS_COMPUTE: dict[str, Lie] = {
    "avg-is-mean-reward": of_metric("avg", lambda value: value if isinstance(value, str) else value + 0.5),
    "shares-in-range": said(COMPUTE, lambda _, answer: {"value": answer["value"] * 100}),
    "all-below-first-below-any": of_metric("pass^3", lambda value: 1 - value),
    "tasks-in-any-order": tasks(lambda listed: listed[:1]),
    "empty-tasks-skipped": each_task(lambda rewards: rewards or [0]),
    "nothing-is-zero": each_task(lambda rewards: rewards or [1]),
    "passing-alone-counts": instead(COMPUTE, reward_itself),
    "raised-reward-never-lowers": each_task(
        lambda rewards: [0 if isinstance(r, int) else r for r in rewards]
    ),
    "pass-rate-pools": tasks(lambda listed: [rewards[:1] for rewards in listed]),
    "first-sample-alone": each_task(lambda rewards: rewards[::-1]),
    "first-three-alone": each_task(lambda rewards: rewards[-3:]),
    "first-three-in-any-order": each_task(lambda rewards: rewards[:2]),
    "single-samples-are-one-task": each_task(lambda rewards: rewards[:1]),
    "tasks-weigh-alike": tasks(lambda listed: [[reward for rewards in listed for reward in rewards]]),
    "certainty": tasks(lambda listed: [[], *listed, [0.5]]),
    "unknown-refused": caught(COMPUTE, lambda _: {"value": 0.0}),
}


def results(change: Callable[[Json, list[Any]], list[Any]]) -> Lie:
    return said(REGISTRY, lambda given, answer: {"results": change(given, answer["results"])})


def each_result(change: Callable[[Json, Any], Any]) -> Lie:
    return results(
        lambda given, told: [change(action, one) for action, one in zip(given["actions"], told, strict=True)]
    )


def actions(change: Callable[[Any], Any]) -> Lie:
    return heard(REGISTRY, lambda given: {**given, "actions": [change(one) for one in given["actions"]]})


def second_is_refused(given: Json, told: list[Any]) -> list[Any]:
    seen: set[str] = set()
    found = []
    for action, one in zip(given["actions"], told, strict=True):
        again = action["do"] == "register" and action["key"] in seen
        found.append({"error": "ValueError"} if again else one)
        seen.add(action.get("key", ""))
    return found


def none_if_any_is_left_out(_: Json, one: Any) -> Any:
    return {**one, "values": {}} if one.get("left_out") else one


def by_own_name(given: Json) -> Json:
    renamed = [
        {**action, "key": given["classes"][action["class"]]["name"]} if action["do"] == "register" else action
        for action in given["actions"]
    ]
    return {**given, "actions": renamed}


def stops_at_failure(action: Any) -> Any:
    if action["do"] != "load":
        return action
    points = action["entry_points"]
    stop = next((index for index, point in enumerate(points) if point["fails"] is not None), len(points))
    return {**action, "entry_points": points[: stop + 1]}


def by_entry_points_name(action: Any) -> Any:
    if action["do"] != "load":
        return action
    points = [
        {**point, "registers": [[point["name"], label] for _, label in point["registers"]]}
        for point in action["entry_points"]
    ]
    return {**action, "entry_points": points}


EVSYS_REGISTRY: dict[str, Lie] = {
    "one-result-per-action": results(lambda _, told: [one for one in told if one]),
    "registering-again": results(second_is_refused),
    "key-has-one-class": each_result(lambda action, one: {} if action["do"] == "register" else one),
    "built-ins-stay": each_result(lambda action, one: {} if action["do"] == "register" else one),
    "key-not-name": heard(REGISTRY, by_own_name),
    "unknown-lists-all": each_result(
        lambda _, one: {**one, "available": one["available"][1:]} if "available" in one else one
    ),
    "unknown-disturbs-nobody": each_result(none_if_any_is_left_out),
    "raising-disturbs-nobody": each_result(none_if_any_is_left_out),
    "evaluates-as-compute": each_result(
        lambda _, one: {**one, "values": dict.fromkeys(one["values"], 0.25)} if "values" in one else one
    ),
    "values-in-order": each_result(
        lambda _, one: {**one, "values": dict(sorted(one["values"].items()))} if "values" in one else one
    ),
    "own-metric-returned": each_result(
        lambda _, one: {**one, "values": dict.fromkeys(one["values"], 1)} if "values" in one else one
    ),
    "failing-plugin-disturbs-nobody": actions(stops_at_failure),
    "plugin-as-decorator": actions(by_entry_points_name),
}

# harbor-metric

LINES, SCRIPT = "rewards_jsonl", "metric_script"


def lines(change: Callable[[str], str]) -> Lie:
    return said(LINES, lambda _, answer: {"rewards.jsonl": {"text": change(answer["rewards.jsonl"]["text"])}})


def rewards(change: Callable[[list[Any]], list[Any]], op: str = LINES) -> Lie:
    return heard(op, lambda given: {**given, "rewards": change(given["rewards"])})


def unescaped(text: str) -> str:
    return "".join(json.dumps(json.loads(line), ensure_ascii=False) + "\n" for line in text.splitlines())


def script(change: Callable[[str], str]) -> Lie:
    def changed(given: Json) -> Json:
        return {**given, "script": {"text": change(given["script"]["text"])}}

    return heard(SCRIPT, changed)


def document(change: Callable[[Any], Any]) -> Lie:
    def changed(_: Json, answer: Json) -> Json:
        return {"metric.json": {"text": json.dumps(change(json.loads(answer["metric.json"]["text"])))}}

    return said(SCRIPT, changed)


def bare_only(truth: Operation) -> Operation:
    def answered(given: Json) -> Json:
        text = given["script"]["text"]
        content = text[text.find("write_bytes(b") :]
        if "\\n" in content or "\\t" in content or "b' " in content:
            raise ValueError("white space")
        return truth(given)

    return answered


REWARDS_JSONL: dict[str, Lie] = {
    "one-line-per-trial": lines(lambda text: text.rstrip("\n")),
    "read-back": rewards(lambda listed: [reward or None for reward in listed]),
    "concatenates": rewards(lambda listed: sorted(listed, key=repr)),
    "null-line": rewards(lambda listed: [{} if reward is None else reward for reward in listed]),
    "ascii": lines(unescaped),
    "too-many-digits": caught(LINES, lambda _: {"rewards.jsonl": {"text": ""}}),
}
METRIC_SCRIPT: dict[str, Lie] = {
    "hands-on": document(lambda value: value if isinstance(value, dict) else {}),
    "given-rewards-jsonl": rewards(lambda listed: [one for one in listed if one], SCRIPT),
    "exit-code-refuses": caught(SCRIPT, lambda _: {"metric.json": {"text": "1"}}),
    "printed-ignored": refusing(SCRIPT, lambda given: "print(" in given["script"]["text"]),
    "space-is-free": lambda variant: variant.wrap_op(SCRIPT, bare_only),
    "document-mean": rewards(lambda listed: [one for one in listed if one is not None], SCRIPT),
}

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


SCORE_JSON = {"score.json": {"text": '{"name":"m","value":2,"threshold":0,"passed":true}'}}
HARNESS_SCORE: dict[str, Lie] = {
    "passed-is-computed": file(SCORE, lambda _, s: {**s, "passed": s["value"] > s["threshold"]}),
    "value-kept": member(SCORE, "value", lambda _, value: float(value)),
    "clamped-in-range": member(SCORE, "value", lambda given, value: 2.0 if given["clamped"] else value),
    "outside-refused": caught(SCORE, lambda _: SCORE_JSON),
    "barely-outside-moved": refusing(
        SCORE, lambda given: isinstance(given["value"], float) and not 0 <= given["value"] <= 1, ValueError
    ),
    "passed-not-given": heard(SCORE, lambda given: {**given, "passed": None}),
    "none-left-out": file(SCORE, lambda _, score: {"reason": None, **score}),
    "lower-threshold-never-fails": member(SCORE, "passed", lambda _, passed: not passed),
}
MADE = {"name": "m", "dimension": "safety", "threshold": 1.0, "k": None}
HARNESS_METRIC: dict[str, Lie] = {
    "keeps-arguments": said(METRIC, lambda _, answer: {**answer, "threshold": 1.0}),
    "others-swallowed": refusing(METRIC, lambda given: given["others"], TypeError),
    "without-threshold": heard(
        METRIC,
        lambda given: {**given, "threshold": 0.5 if given["threshold"] is None else given["threshold"]},
    ),
    "dimension-demanded": heard(
        METRIC, lambda given: {**given, "dimension": given["dimension"] or "correctness"}
    ),
    "five-dimensions": caught(METRIC, lambda _: MADE),
    "method-demanded": caught(METRIC, lambda _: MADE),
}


def metrics(change: Callable[[list[Any]], list[Any]]) -> Lie:
    return heard(EVALUATE, lambda given: {**given, "metrics": change(given["metrics"])})


def scores(change: Callable[[list[Any]], list[Any]]) -> Lie:
    return file(EVALUATE, lambda _, listed: change(listed), "scores.json")


def until_one_raises(listed: list[Any]) -> list[Any]:
    stop = next((place for place, one in enumerate(listed) if "raises" in one["measure"]), len(listed))
    return listed[: stop + 1]


def zero_for_none(metric: Any) -> Any:
    made = {"name": None, "value": 0, "threshold": None, "reason": None, "metadata": None}
    skipped = metric["measure"] == {"returns": None}
    return {**metric, "measure": {"score": {**made, "clamped": False, "passed": None}}} if skipped else metric


def own_dimension(given: Json, listed: list[Any]) -> list[Any]:
    dimension = given["metrics"][0]["dimension"] if given["metrics"] else ""
    return [{**score, "metadata": {**score["metadata"], "dimension": dimension}} for score in listed]


HARNESS_EVALUATE: dict[str, Lie] = {
    "in-order": scores(lambda listed: listed[::-1]),
    "metrics-apart": metrics(lambda listed: list({one["name"]: one for one in listed}.values())),
    "raising-disturbs-nobody": metrics(until_one_raises),
    "skipped-leaves-no-trace": metrics(lambda listed: [zero_for_none(one) for one in listed]),
    "dimension-added": scores(lambda listed: [{**score, "metadata": {}} for score in listed]),
    "dimension-kept": file(EVALUATE, own_dimension, "scores.json"),
    "async-alike": heard(
        EVALUATE,
        lambda given: {**given, "metrics": given["metrics"][given["entry"] == "a_evaluate" :]},
    ),
    "own-async-measure": heard(
        EVALUATE, lambda given: {**given, "metrics": [{**one, "a_measure": None} for one in given["metrics"]]}
    ),
    "assert-test": heard(
        EVALUATE,
        lambda given: {**given, "entry": given["entry"].replace("assert_test", "evaluate")},
    ),
}


def runs(change: Callable[[list[str]], list[str]]) -> Lie:
    return heard(RELIABILITY, lambda given: {**given, "runs": given["runs"] and change(given["runs"])})


HARNESS_RELIABILITY: dict[str, Lie] = {
    "no-runs-not-asked": heard(RELIABILITY, lambda given: {**given, "runs": given["runs"] or ["a"]}),
    "k-not-enforced": heard(
        RELIABILITY, lambda given: {**given, "runs": given["runs"] and given["runs"][: max(1, given["k"])]}
    ),
    "majority-in-any-order": runs(lambda listed: [one for one in listed if one == listed[0]] + listed[1:]),
    "majority-is-a-share": runs(lambda listed: [*listed, listed[0]]),
    "any-names": runs(lambda listed: [one.strip().lower()[:1] for one in listed]),
    "raises-unless-evaluated": heard(
        RELIABILITY, lambda given: {**given, "entry": given["entry"].replace("evaluate", "measure")}
    ),
}


def messages(change: Callable[[list[Any]], list[Any]]) -> Lie:
    def changed(given: Json) -> Json:
        case = given["case"]
        return {**given, "case": {**case, "messages": case["messages"] and change(case["messages"])}}

    return heard(OPERATIONAL, changed)


def amounts(change: Callable[[Any], Any]) -> Lie:
    def changed(given: Json) -> Json:
        case = given["case"]
        fields = {key: value if key == "messages" else change(value) for key, value in case.items()}
        return {**given, "case": fields}

    return heard(OPERATIONAL, changed)


def turns_of_all(listed: list[Any]) -> list[Any]:
    return [{**one, "role": "assistant"} for one in listed]


def missing_as_zero(listed: list[Any]) -> list[Any]:
    return [
        {**one, "latency_ms": one["latency_ms"] or 9999, "token_count": one["token_count"] or 0}
        for one in listed
    ]


HARNESS_OPERATIONAL: dict[str, Lie] = {
    "missing-is-zero": said(OPERATIONAL, lambda _, answer: {**answer, "missing": None}),
    "in-range": member(OPERATIONAL, "value", lambda _, value: value * 100),
    "more-never-better": member(OPERATIONAL, "value", lambda _, value: 1 - value),
    "nothing-is-best": amounts(lambda amount: amount or None),
    "negative-is-zero": amounts(lambda amount: amount if amount is None or amount > 0 else 0),
    "limit-positive": heard(
        OPERATIONAL,
        lambda given: {
            **given,
            "maximum": 1 if given["maximum"] in (0, -1, "-Infinity") else given["maximum"],
        },
    ),
    "threshold-leaves-value": file(
        OPERATIONAL, lambda _, score: {**score, "value": float(score["value"] >= score["threshold"])}
    ),
    "others-speak-free": messages(turns_of_all),
    "turns-without-data": messages(missing_as_zero),
}


def summary(change: Callable[[Json, dict[str, Any]], dict[str, Any]]) -> Lie:
    return file(DIMENSIONS, change, "summary.json")


def safety_averaged(_: Json, told: dict[str, Any]) -> dict[str, Any]:
    return {**told, "quality_pass_rate": (told["quality_pass_rate"] + told["safety_pass_rate"]) / 2}


def quality_averaged(_: Json, told: dict[str, Any]) -> dict[str, Any]:
    return {**told, "safety_pass_rate": (told["quality_pass_rate"] + told["safety_pass_rate"]) / 2}


def means(change: Callable[[float], float]) -> Lie:
    def changed(_: Json, told: dict[str, Any]) -> dict[str, Any]:
        parts = {name: {**part, "mean": change(part["mean"])} for name, part in told["by_metric"].items()}
        return {**told, "by_metric": parts}

    return summary(changed)


HARNESS_DIMENSIONS: dict[str, Lie] = {
    "safety-leaves-quality": summary(safety_averaged),
    "quality-leaves-safety": summary(quality_averaged),
    "rates-in-range": summary(lambda _, told: {**told, "quality_pass_rate": told["quality_pass_rate"] * 100}),
    "counts-add-up": heard(DIMENSIONS, lambda given: {"cases": [case[:2] for case in given["cases"]]}),
    "violations-counted": summary(
        lambda _, told: {**told, "safety_violations": min(1, told["safety_violations"])}
    ),
    "cases-regrouped": heard(DIMENSIONS, lambda given: {"cases": [case[:2] for case in given["cases"]]}),
    "skipped-left-out": heard(
        DIMENSIONS, lambda given: {"cases": [case for case in given["cases"] if None not in case]}
    ),
    "means-between-extremes": means(lambda mean: mean + 0.1),
}


def record_lines(change: Callable[[list[str]], list[str]]) -> Lie:
    def changed(_: Json, answer: Json) -> Json:
        content = answer["results.jsonl"]
        if content is None:
            return answer
        kept = change(content["text"].splitlines())
        return {"results.jsonl": {"text": "".join(f"{line}\n" for line in kept)}}

    return said(RESULTS, changed)


def scores_rounded(listed: list[str]) -> list[str]:
    read = [json.loads(line) for line in listed]
    for record in read:
        for score in record.get("scores", ()):
            score["value"] = round(score["value"], 4)
    return [json.dumps(record) for record in read]


HARNESS_JSON: dict[str, Lie] = {
    "one-line-per-case": heard(RESULTS, lambda given: {**given, "include_summary": False}),
    "cases-apart": record_lines(lambda listed: list(dict.fromkeys(listed))),
    "summary-behind": record_lines(lambda listed: listed[::-1]),
    "scores-as-written-alone": record_lines(scores_rounded),
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
    "cosine": template(
        "embedding", lambda given: {"vectors": [given["vectors"][0], [1] * len(given["vectors"][0])]}
    ),
}


def _named(prefix: str, lies: dict[str, Lie]) -> dict[str, Lie]:
    return {f"{prefix}-{slug}": lie for slug, lie in lies.items()}


LIES: dict[str, dict[str, Lie]] = {
    "harbor-metric": {**_named("rewards-jsonl", REWARDS_JSONL), **_named("metric-script", METRIC_SCRIPT)},
    "evsys": {**_named("evsys-compute", EVSYS_COMPUTE), **_named("evsys-registry", EVSYS_REGISTRY)},
    "harness-evals": {
        **_named("harness-score", HARNESS_SCORE),
        **_named("harness-metric", HARNESS_METRIC),
        **_named("harness-evaluate", HARNESS_EVALUATE),
        **_named("harness-reliability", HARNESS_RELIABILITY),
        **_named("harness-operational", HARNESS_OPERATIONAL),
        **_named("harness-dimensions", HARNESS_DIMENSIONS),
        **_named("harness-json", HARNESS_JSON),
        **_named("harness-template", HARNESS_TEMPLATE),
    },
}
