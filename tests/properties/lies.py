"""For every property that is not the differential one: a runner in which it does not hold.

Each lie is a small change to a private copy of the reference: what it answers to one op, or a rule of it.
"""

import json
import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.variant import Variant
from reference_impl import aggregation, multi_step
from reference_impl.cpython312 import summation

Json = Any
Operation = Callable[[Json], Json]
Lie = Callable[[Variant], None]


def said(op: str, change: Callable[[Json, Json], Json]) -> Lie:
    """Changes what an op answers: ``change(given, answer)``."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: change(given, truth(given)))


def heard(op: str, change: Callable[[Json], Json]) -> Lie:
    """Changes what an op is asked."""
    return lambda variant: variant.wrap_op(op, lambda truth: lambda given: truth(change(given)))


def rule(place: Any, by: Any) -> Lie:
    """Puts another rule in the place of one."""
    return lambda variant: variant.replace(place, by)


# aggregate


def plain_sum(values: Any) -> Any:
    total = 0.0
    for value in values:
        total += float(value)
    return total


def values_of(change: Callable[[Any], Any], op: str = "aggregate") -> Lie:
    return said(op, lambda _, answer: {key: change(value) for key, value in answer.items()})


def rewards_where(keep: Callable[[Any], bool]) -> Lie:
    return heard(
        "aggregate", lambda given: {**given, "rewards": [r for r in given["rewards"] if keep(r)] or [None]}
    )


def counted_as_one(given: Json) -> Json:
    key = next((key for reward in given["rewards"] for key in reward or {}), "reward")
    return {**given, "rewards": [{key: 1} if reward is None else reward for reward in given["rewards"]]}


def finite_only(change: Callable[[float], Any]) -> Callable[[Any], Any]:
    def changed(value: Any) -> Any:
        return change(value) if isinstance(value, float) and abs(value) < 1e300 else value

    return changed


def own_name(given: Json, answer: Json) -> Json:
    keys = {key for reward in given["rewards"] for key in reward or {}}
    return {min(keys): answer[given["metric"]]} if len(keys) == 1 else answer


def many(change: Callable[[Json], Json]) -> Lie:
    return said("aggregate", lambda _, answer: change(answer) if len(answer) > 1 else answer)


def divided_by_one_more(given: Json, answer: Json) -> Json:
    if given["metric"] != "mean":
        return answer
    count = len(given["rewards"])
    return {key: v if isinstance(v, str) else v / (count + 1) * count for key, v in answer.items()}


def last_of_equals(choose: Any) -> Any:
    return lambda values: choose(list(reversed(values)))


AGGREGATE: dict[str, Lie] = {
    "ints-in-any-order": rule(summation.compensated_sum, plain_sum),
    "extremes-in-any-order": rule(aggregation.largest, lambda values: values[0]),
    "first-of-equals": rule(aggregation.largest, last_of_equals(max)),
    "none-is-zero": rewards_where(lambda reward: reward is not None),
    "empty-is-none": rewards_where(lambda reward: reward != {}),
    "missing-key-is-zero": heard(
        "aggregate",
        lambda given: {
            **given,
            "rewards": [
                r if r is None or len(r) != 1 or "a" in r else {"a": 1, **r} for r in given["rewards"]
            ],
        },
    ),
    "one-key-any-name": said("aggregate", own_name),
    "keys-apart": many(lambda answer: dict.fromkeys(answer, 7)),
    "keys-sorted": many(lambda answer: dict(reversed(answer.items()))),
    "mean-between-extremes": said("aggregate", divided_by_one_more),
    "mean-of-ints-between-extremes": said("aggregate", divided_by_one_more),
    "mean-is-sum-by-count": said("aggregate", divided_by_one_more),
    "zeros-leave-the-sum": heard("aggregate", counted_as_one),
    "doubling": values_of(finite_only(lambda value: round(value, 4))),
    "negation": values_of(finite_only(lambda value: math.floor(value * 100) / 100)),
    "sum-of-ints-is-exact": rule(summation.compensated_sum, plain_sum),
    "extremes-are-rewards": values_of(finite_only(lambda value: value + 0.001)),
}

# pass_at_k


def inverted(given: Json) -> Json:
    def turned(rewards: Json) -> Json:
        return rewards and {key: {0: 1, 1: 0}.get(value, value) for key, value in rewards.items()}

    return {"trials": [{**trial, "rewards": turned(trial["rewards"])} for trial in given["trials"]]}


def trials_where(keep: Callable[[Json], bool]) -> Lie:
    return heard("pass_at_k", lambda given: {"trials": [trial for trial in given["trials"] if keep(trial)]})


def favouring_the_first(given: Json, answer: Json) -> Json:
    first = (given["trials"] or [{"rewards": None}])[0]["rewards"]
    return {k: value / 2 if first and 1 in first.values() else value for k, value in answer.items()}


def nothing_where(condition: Callable[[Json], bool]) -> Lie:
    return said("pass_at_k", lambda given, answer: {} if any(map(condition, given["trials"])) else answer)


PASS_AT_K: dict[str, Lie] = {
    "is-a-probability": values_of(lambda value: value * 1.5, "pass_at_k"),
    "rises-with-k": said("pass_at_k", lambda _, answer: {k: v / int(k) for k, v in answer.items()}),
    "failing-attempt-never-raises": heard("pass_at_k", inverted),
    "passing-attempt-never-lowers": heard("pass_at_k", inverted),
    "none-is-failure": trials_where(lambda trial: trial["rewards"] is not None),
    "in-any-order": said("pass_at_k", favouring_the_first),
    "any-key": nothing_where(lambda trial: bool(trial["rewards"]) and "reward" not in trial["rewards"]),
    "any-task-names": heard(
        "pass_at_k", lambda given: {"trials": [{**t, "task": t["task"][:1]} for t in given["trials"]]}
    ),
    "spoilt-by-one": trials_where(
        lambda t: t["rewards"] is None or list(t["rewards"].values())[:1] in ([0], [1])
    ),
    "values-of-k": said(
        "pass_at_k", lambda given, answer: {"1": 0.0, **answer} if given["trials"] else answer
    ),
    "spellings-alike": nothing_where(
        lambda t: any(isinstance(v, float) for v in (t["rewards"] or {}).values())
    ),
    "of-certainty": values_of(lambda value: value * 0.99 + 0.001, "pass_at_k"),
}

# multi_step_reward


def gate_default(value: Any) -> Lie:
    """A step without a minimum has this one."""

    def change(given: Json) -> Json:
        steps = [
            {**s, "min_reward": value if s["min_reward"] is None else s["min_reward"]} for s in given["steps"]
        ]
        return {**given, "steps": steps}

    return heard("multi_step_reward", change)


def gates_changed(change: Callable[[Any], Any]) -> Lie:
    def changed(given: Json) -> Json:
        return {**given, "steps": [{**s, "min_reward": change(s["min_reward"])} for s in given["steps"]]}

    return heard("multi_step_reward", changed)


def results_changed(change: Callable[[Any], Any]) -> Lie:
    def changed(given: Json) -> Json:
        return {
            **given,
            "steps": [{**s, "verifier_result": change(s["verifier_result"])} for s in given["steps"]],
        }

    return heard("multi_step_reward", changed)


def planned_final(given: Json, answer: Json) -> Json:
    if given["strategy"] != "final" or not given["steps"]:
        return answer
    return {**answer, "verifier_result": given["steps"][-1]["verifier_result"]}


def own_mean(variant: Variant) -> None:
    """Steps are not averaged as trials are."""
    variant.replace_use(
        (multi_step, aggregation.mean), lambda values: math.fsum(map(float, values)) / (len(values) + 1)
    )


MULTI_STEP: dict[str, Lie] = {
    "final-is-last-executed": said("multi_step_reward", planned_final),
    "strategy-stops-nothing": said(
        "multi_step_reward",
        lambda given, answer: (
            {**answer, "steps_run": len(given["steps"])} if given["strategy"] == "mean" else answer
        ),
    ),
    "mean-by-default": heard(
        "multi_step_reward", lambda given: {**given, "strategy": given["strategy"] or "final"}
    ),
    "nothing-after-the-end": said("multi_step_reward", planned_final),
    "minus-infinity-ends-nothing": gates_changed(lambda gate: 1 if gate == "-Infinity" else gate),
    "no-minimum-ends-nothing": gates_changed(lambda gate: 1 if gate == {} else gate),
    "nan-ends-nothing": gates_changed(lambda gate: 1 if gate == {"reward": "NaN"} else gate),
    "number-gates-reward": gates_changed(
        lambda gate: gate if gate is None or isinstance(gate, dict) else {"a": gate}
    ),
    "mean-equals-aggregate": own_mean,
    "unverified-step-leaves-the-mean": results_changed(lambda result: result or {"rewards": {}}),
    "null-rewards-are-empty": results_changed(
        lambda result: result if result and result["rewards"] is not None else None
    ),
}

# plan_trials, evals_key, resolve_metrics


def by_agent(given: Json) -> Json:
    return {
        "trials": [
            [t, a] for _ in range(given["n_attempts"]) for a in given["agents"] for t in given["tasks"]
        ]
    }


def task_first(given: Json, answer: Json) -> Json:
    tasks = dict.fromkeys(given["tasks"])
    return {"trials": [pair for task in tasks for pair in answer["trials"] if pair[0] == task]}


def forgiving(truth: Operation) -> Operation:
    return lambda given: truth(given) if given["tasks"] else {"trials": []}


def only_own(given: Json, answer: Json) -> Json:
    names = [one["name"] for one in given["datasets"]]
    return {
        "metrics": {name: list(dict.fromkeys(metrics)) for name, metrics in answer["metrics"].items()}
        | {n: [] for n in names[5:]}
    }


def metrics_changed(change: Callable[[Json, Json], Json]) -> Lie:
    return said("resolve_metrics", lambda given, answer: {"metrics": change(given, answer["metrics"])})


def with_script(given: Json) -> Json:
    return {
        **given,
        "datasets": [
            {**one, "kind": "package"} if one["kind"] == "local" else one for one in given["datasets"]
        ],
    }


PLAN: dict[str, Lie] = {
    "plan-trials-count": said("plan_trials", lambda _, answer: {"trials": answer["trials"][:3]}),
    "plan-trials-attempts-repeat": said("plan_trials", task_first),
    "plan-trials-task-by-task": said("plan_trials", lambda given, _: by_agent(given)),
    "plan-trials-need-a-task": lambda variant: variant.wrap_op("plan_trials", forgiving),
    "evals-key-empty-model-is-none": said(
        "evals_key",
        lambda given, answer: answer if given["model"] != "" else {"evals_key": f"{given['agent']}____"},
    ),
    "evals-key-no-source-is-adhoc": heard(
        "evals_key", lambda given: {**given, "source": given["source"] or "none"}
    ),
    "evals-key-joins-names": said(
        "evals_key", lambda _, answer: {"evals_key": answer["evals_key"].replace(" ", "_").replace("/", "_")}
    ),
    "resolve-metrics-adhoc-is-the-jobs": metrics_changed(
        lambda given, metrics: {**metrics, "adhoc": ["mean"]}
    ),
    "resolve-metrics-never-none": metrics_changed(
        lambda given, metrics: metrics if given["job_metrics"] else {name: [] for name in metrics}
    ),
    "resolve-metrics-datasets-apart": metrics_changed(
        lambda given, metrics: {
            name: [one for listed in metrics.values() for one in listed] for name in metrics
        }
    ),
    "resolve-metrics-script-of-packages-only": heard("resolve_metrics", with_script),
    "resolve-metrics-repeated-dataset-adds": metrics_changed(
        lambda given, metrics: {name: list(dict.fromkeys(listed)) for name, listed in metrics.items()}
    ),
}

# reason_code


def code_changed(change: Callable[[Any, Any], Any]) -> Lie:
    return said(
        "reason_code", lambda given, answer: {"reason_code": change(given["text"], answer["reason_code"])}
    )


def text_changed(change: Callable[[str], str]) -> Lie:
    return heard(
        "reason_code", lambda given: {"text": None if given["text"] is None else change(given["text"])}
    )


REASON_CODE: dict[str, Lie] = {
    "of-a-code": code_changed(lambda _, code: code and f"x_{code}"),
    "known-codes-stand": code_changed(lambda _, code: code and code.removeprefix("harbor_")),
    "case": code_changed(lambda text, code: text if text and text.isupper() else code),
    "separators": text_changed(lambda text: text.replace("-", "")),
    "space-around": code_changed(lambda text, code: f"{code}_" if text and text.endswith("\n") else code),
    "blank-is-none": code_changed(lambda text, code: code or "harbor_trial_failed"),
    "words-anywhere": code_changed(
        lambda text, code: code if text and text.find("reward") < text.find("missing") else "unknown"
    ),
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
    "line-is-json": said("outcome", lambda _, answer: {"line": answer["line"].replace(" ", "")}),
    "unusable-is-all-zero": line_changed(lambda _, s: {**s, "total": 1} if s["reason_code"] else s),
    "score-between-0-and-1": line_changed(lambda _, s: {**s, "score": s["score"] * 100}),
    "status-from-errors": line_changed(lambda _, s: {**s, "status": "completed" if s["score"] else "failed"}),
    "resolved-is-score-of-total": line_changed(
        lambda _, s: {**s, "resolved": math.ceil(s["score"] * s["total"])}
    ),
    "total-falls-back": line_changed(lambda _, s: {**s, "total": min(s["total"], 5)}),
    "layout-is-free": line_changed(lambda given, s: {**s, "total": 99} if "\n" in text_of(given) else s),
    "order-of-members-is-free": line_changed(turned_first),
    "other-members-are-ignored": line_changed(
        lambda given, s: {**s, "score": 0.125} if '"name"' in text_of(given) else s
    ),
    "mean-hides-other-metrics": line_changed(
        lambda given, s: {**s, "score": 0.125} if "1000" in text_of(given) else s
    ),
}


def first_line(given: Json) -> Json:
    lines = [line for line in given["stdout"].splitlines() if line.startswith(PREFIX)]
    return {**given, "stdout": lines[0] if lines else ""}


def judged(change: Callable[[Json, Json], Json]) -> Lie:
    return said("read_outcome", change)


READ_OUTCOME: dict[str, Lie] = {
    "last-line-decides": heard("read_outcome", first_line),
    "noise-after": heard(
        "read_outcome", lambda given: {**given, "stdout": (given["stdout"].splitlines() or [""])[-1]}
    ),
    "score-between-0-and-1": judged(lambda _, answer: {**answer, "score": 0.5}),
    "time-out-comes-first": heard(
        "read_outcome", lambda given: {**given, "timed_out": given["timed_out"] and given["returncode"] == 0}
    ),
    "exit-codes-alike": judged(
        lambda given, answer: {**answer, "reason_code": "killed"} if given["returncode"] < 0 else answer
    ),
    "payload-layout": judged(
        lambda given, answer: {**answer, "score": 0.25} if "\t" in given["stdout"] else answer
    ),
    "other-members-are-ignored": judged(
        lambda given, answer: {**answer, "reason_code": "odd"} if '"x"' in given["stdout"] else answer
    ),
    "reads-lines-back": judged(lambda _, answer: {**answer, "status": "completed"}),
    "reason-is-a-code": judged(lambda _, answer: {**answer, "reason_code": None}),
}

# parse_reward and terminal_bench_reward


def files_changed(change: Callable[[dict[str, Json]], dict[str, Json]]) -> Lie:
    return heard("parse_reward", lambda given: {"files": change(given["files"])})


def texts_changed(name: str, change: Callable[[str], str]) -> Lie:
    def changed(files: dict[str, Json]) -> dict[str, Json]:
        content = files.get(name, {})
        return {**files, name: {"text": change(content["text"])}} if "text" in content else files

    return files_changed(changed)


def rewards_changed(change: Callable[[Json], Json]) -> Lie:
    def changed(_: Json, answer: Json) -> Json:
        return {
            "rewards": answer["rewards"] and {key: change(value) for key, value in answer["rewards"].items()}
        }

    return said("parse_reward", changed)


def refused_as_none(truth: Operation) -> Operation:
    def answer(given: Json) -> Json:
        try:
            return truth(given)
        except Exception:
            return {"rewards": None}

    return answer


def of_text(given: Json) -> bool:
    return "reward.json" not in given["files"]


def text_only(change: Callable[[Any], Any]) -> Lie:
    def changed(given: Json, answer: Json) -> Json:
        return {"rewards": {"reward": change(answer["rewards"]["reward"])}} if of_text(given) else answer

    return said("parse_reward", changed)


def first_duplicate(files: dict[str, Json]) -> dict[str, Json]:
    text = files.get("reward.json", {}).get("text")
    if text is None:
        return files
    try:
        members = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    except ValueError:
        return files
    return (
        {"reward.json": {"text": json.dumps(dict(reversed(members.items())))}}
        if isinstance(members, dict)
        else files
    )


def spelled(word: str, by: str) -> Lie:
    return texts_changed("reward.json", lambda text: text.replace(word, by))


def lenient(variant: Variant) -> None:
    variant.wrap_op("parse_reward", refused_as_none)


def sorted_rewards(_: Json, answer: Json) -> Json:
    return {"rewards": answer["rewards"] and dict(sorted(answer["rewards"].items()))}


REWARD: dict[str, Lie] = {
    "json-hides-text": files_changed(
        lambda files: {"reward.txt": files["reward.txt"]} if "reward.txt" in files else files
    ),
    "empty-json-is-final": files_changed(
        lambda files: {k: v for k, v in files.items() if k != "reward.json" or v != {"text": ""}}
    ),
    "space-around-text": texts_changed(
        "reward.txt", lambda text: text.replace("\u3000", "x").replace("\x0b", "x")
    ),
    "final-line-feed": texts_changed("reward.txt", lambda text: text + "x" if text.endswith("\n") else text),
    "white-space-is-no-number": texts_changed("reward.txt", str.strip),
    "text-equals-json-float": text_only(
        lambda value: value and round(value, 3) if isinstance(value, float) else value
    ),
    "text-is-always-float": text_only(
        lambda value: int(value) if isinstance(value, float) and value.is_integer() else value
    ),
    "sign-mirrors": rewards_changed(lambda value: 0.0 if value == 0 else value),
    "read-back": rewards_changed(lambda value: float(f"{value:.15g}") if isinstance(value, float) else value),
    "ints-kept": rewards_changed(
        lambda value: float(value) if isinstance(value, int) and abs(value) < 10**300 else value
    ),
    "json-space": texts_changed("reward.json", lambda text: "x" if "\n" in text else text),
    "json-escapes": texts_changed("reward.json", lambda text: text if text.isascii() else "{}"),
    "key-order": said("parse_reward", sorted_rewards),
    "last-duplicate-wins": files_changed(first_duplicate),
    "one-bad-value-refuses-all": spelled("null", "0"),
    "no-object-no-rewards": lenient,
    "bool-is-float": spelled("true", "1"),
    "string-is-float": texts_changed(
        "reward.json", lambda text: text.replace('"', "") if text.count('"') == 4 else text
    ),
    "only-numbers": rewards_changed(lambda value: value == 1.0 if value in (0, 1) else value),
    "underscores-between-digits": texts_changed(
        "reward.txt", lambda text: text + "x" if "_" in text else text
    ),
}
TERMINAL_BENCH: dict[str, Lie] = {
    "two-files": said(
        "terminal_bench_reward", lambda given, answer: {"reward.txt": {"text": f"-{given['exit_code']}\n"}}
    ),
    "reads-back": said(
        "terminal_bench_reward", lambda given, answer: {"reward.txt": {"text": f"{given['exit_code']}\n"}}
    ),
}

# job_result and pipeline


def document_changed(change: Callable[[Json, Json], Any], op: str = "job_result") -> Lie:
    """Changes the parsed result.json in place; what repeats a key is lost, which is a lie of its own."""

    def changed(given: Json, answer: Json) -> Json:
        document = json.loads(answer["result.json"]["text"])
        change(given, document)
        return {**answer, "result.json": {"text": json.dumps(document, indent=4, ensure_ascii=False)}}

    return said(op, changed)


def groups_changed(change: Callable[[Json], Any]) -> Lie:
    def changed(_: Json, document: Json) -> None:
        for group in document["stats"]["evals"].values():
            change(group)

    return document_changed(changed)


def errored_left_out(given: Json) -> Json:
    return {**given, "trials": [trial for trial in given["trials"] if trial["exception_info"] is None]}


def count_of_all(given: Json, document: Json) -> None:
    for group in document["stats"]["evals"].values():
        group["n_trials"] = len(given["trials"])


JOB_RESULT: dict[str, Lie] = {
    "counts-agree": heard("job_result", errored_left_out),
    "lists-every-trial": groups_changed(lambda group: group.update(exception_stats={})),
    "groups-apart": document_changed(count_of_all),
    "header-kept": document_changed(lambda _, document: document.update(updated_at=document["finished_at"])),
    "layout": said(
        "job_result", lambda _, answer: {"result.json": {"text": answer["result.json"]["text"] + "\n"}}
    ),
    "errors-leave-metrics": heard("job_result", errored_left_out),
    "no-result-is-null-rewards": heard(
        "job_result", lambda given: {**given, "trials": [t for t in given["trials"] if t["verifier_result"]]}
    ),
    "tokens-add-up": document_changed(lambda _, document: document["stats"].update(n_input_tokens=0)),
    "groups-are-evals-keys": document_changed(
        lambda _, document: document["stats"].update(evals=dict(sorted(document["stats"]["evals"].items())))
    ),
    "metrics-equal-aggregate": groups_changed(lambda group: group.update(metrics=group["metrics"][:1])),
    "pass-at-k-equals-op": groups_changed(lambda group: group.update(pass_at_k={})),
}
PIPELINE: dict[str, Lie] = {
    "reads-then-counts": document_changed(
        lambda _, document: document["stats"].update(n_errored_trials=0), "pipeline"
    ),
    "line-is-outcome": said(
        "pipeline", lambda _, answer: {**answer, "line": answer["line"].replace("0.0", "0")}
    ),
}


def _named(prefix: str, lies: dict[str, Lie]) -> dict[str, Lie]:
    return {f"{prefix}{slug}": lie for slug, lie in lies.items()}


LIES: dict[str, Lie] = {
    **_named("aggregate-", AGGREGATE),
    **_named("pass-at-k-", PASS_AT_K),
    **_named("multi-step-", MULTI_STEP),
    **PLAN,
    **_named("reason-code-", REASON_CODE),
    **_named("outcome-", OUTCOME),
    **_named("read-outcome-", READ_OUTCOME),
    **_named("parse-reward-", REWARD),
    **_named("terminal-bench-reward-", TERMINAL_BENCH),
    **_named("job-result-", JOB_RESULT),
    **_named("pipeline-", PIPELINE),
}
