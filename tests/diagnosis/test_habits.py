"""Programs with several habits of real authors, written without the catalogue: each habit is named."""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from conformance.diagnosis.diagnose import diagnose
from conformance.judging.comparison import Level
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs
from tests.diagnosis.runs import REFERENCE

Answer = Ok | Refused
NO_LINE = {
    "reason_code": "harbor_result_malformed",
    "resolved": 0,
    "score": 0.0,
    "status": "failed",
    "total": 0,
}
MALFORMED = Ok({"line": f"BASE_BENCHMARK_RESULT={json.dumps(NO_LINE)}"})


def steps(op: str, given: Any) -> Answer:
    """A step is looked at only where it has rewards, and whatever raises ends the loop."""
    ran = []
    for step in given["steps"]:
        ran.append(step)
        rewards, gates = (step["verifier_result"] or {}).get("rewards"), step["min_reward"]
        gates = gates if isinstance(gates, dict) else {"reward": "-inf" if gates is None else gates}
        low = rewards is not None and any(float(rewards.get(k, "-inf")) < float(v) for k, v in gates.items())
        if step["exception"] is not None or low:
            break
    results = [one["verifier_result"] for one in ran]
    measured = [one if one and one["rewards"] is not None else None for one in results]
    plain = [{"verifier_result": one, "exception": None, "min_reward": None} for one in measured]
    answer = REFERENCE.answer(op, {**given, "steps": plain})
    return Ok({**answer.value, "steps_run": len(ran)}) if isinstance(answer, Ok) else answer


def scores(op: str, given: Any) -> Answer:
    """What has rewards is no error."""
    answer = REFERENCE.answer(op, given)
    if isinstance(answer, Ok):
        for one in given["trials"]:
            rewarded = one["exception"] is not None and one["rewards"] is not None
            answer.value["groups"][one["group"]]["n_errors"] -= rewarded
    return answer


def reasons(op: str, given: Any) -> Answer:
    """The rules about rewards come first, as printed, and one pattern finds spaces and hyphens."""
    text = given["text"] and re.sub(r"[\s-]*-[\s-]*", "-", given["text"].strip())
    if text and "reward" in text.lower():
        word = next((one for one in ("missing", "empty") if one in text.lower()), "parse_error")
        return Ok({"reason_code": f"harbor_reward_{word}"})
    return REFERENCE.answer(op, {"text": text})


def typed(op: str, given: Any) -> Answer:
    """A struct: a count is an int, and a null the zero value of its type."""
    file = given["result.json"]
    try:
        job = json.loads(file["text"])
        stats = job.get("stats") or {} if job.get("stats", {}) in ({}, None) else job["stats"]
        evals = stats.get("evals", {}) or {}
        counts = (job.get("n_total_trials"), stats.get("n_completed_trials"), stats.get("n_errored_trials"))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return REFERENCE.answer(op, given)
    if any(one is not None and type(one) is not int for one in counts):
        return MALFORMED
    if isinstance(evals, dict):
        groups = {key: group or {} if group is None else group for key, group in evals.items()}
        text = json.dumps({**job, "stats": {**stats, "evals": groups}})
        return REFERENCE.answer(op, {"result.json": {"text": text}})
    return REFERENCE.answer(op, given)


def plan(op: str, given: Any) -> Answer:
    """Agents first, attempts last."""
    names = itertools.product(given["agents"], given["tasks"])
    trials = [[task, agent] for agent, task in names for _ in range(given["n_attempts"])]
    return Ok({"trials": trials}) if given["tasks"] else REFERENCE.answer(op, given)


def passes(op: str, given: Any) -> Answer:
    """1 or more is a pass, and no rewards are a failure, whatever they look like."""
    trials = [
        {**one, "rewards": {k: int(float(v) >= 1) for k, v in (one["rewards"] or {}).items()} or None}
        for one in given["trials"]
    ]
    return REFERENCE.answer(op, {"trials": trials})


HABITS = [
    ("multi_step_reward", steps, "every-exception-ends no-rewards-pass-gate null-rewards-left-out"),
    ("scores", scores, "rewarded-errors-uncounted"),
    ("outcome", typed, "counts-must-be-ints"),
    ("plan_trials", plan, "plan-inside-out"),
    ("pass_at_k", passes, "pass-from-one-on empty-rewards-fail"),
    ("reason_code", reasons, "rule-read-literally reward-words-first hyphens-taken-together"),
]


@pytest.mark.parametrize(("op", "program", "names"), HABITS, ids=[op for op, *_ in HABITS])
def test_habits_of_authors_are_named_together(op: str, program: Callable[..., Answer], names: str) -> None:
    small = [one for one in runs.of_ops(op) if not re.search(r"\d{16}|base64", str(one.input))]
    diagnosis = diagnose(runs.evidence_of(program, small), Level.BYTES)
    assert runs.named(diagnosis) >= set(names.split()), [line.says for line in diagnosis.lines]
    assert len(diagnosis.unexplained) <= 0.2 * diagnosis.total


def test_what_several_do_together_is_foreknown_though_none_does_it_alone() -> None:
    """One attempt with a reward of 0.5: pass@1 exists only where both are made."""
    names = ("pass-at-1-included", "pass-above-zero")
    diagnosis = diagnose(runs.evidence_of_mistakes(*names, asked=runs.of_ops("scores")), Level.BYTES)
    assert runs.named(diagnosis) == set(names)
    assert len(diagnosis.lines) == len(names)


def metrics_of_each(op: str, given: Any) -> Answer:
    """Each name's last dataset, whatever its kind: its metric.py, its metrics and the job's, each once."""
    found = {
        one["name"]: list(
            dict.fromkeys(["uv-script"] * one["metric_py"] + one["metrics"] + given["job_metrics"])
        )
        or ["mean"]
        for one in given["datasets"]
    }
    found.setdefault("adhoc", given["job_metrics"] or ["mean"])
    right = REFERENCE.answer(op, given)
    return right if isinstance(right, Refused) else Ok({"metrics": found})


def test_what_new_inputs_showed_stays_when_another_cause_is_dropped() -> None:
    heard = runs.evidence_of(metrics_of_each, runs.of_ops("resolve_metrics"))
    ask = lambda op, inputs: [metrics_of_each(op, given) for given in inputs]  # noqa: E731
    named = runs.named(diagnose(heard, Level.BYTES, ask=ask))
    assert {"local-metric-py-used", "registry-metric-py-used", "repeated-dataset-overwrites"} <= {*named}


def test_rare_mistakes_are_named_beside_one_that_shows_everywhere() -> None:
    """Of 355 failures few are looked at closely, and the layout is wrong in all of them."""
    names = {
        "usage-of-steps-ignored",
        "cancelled-per-record",
        "rewards-filed-by-spelling",
        "two-space-indent",
    }
    diagnosis = diagnose(runs.evidence_of_mistakes(*names, asked=runs.of_ops("job_result")), Level.BYTES)
    assert runs.named(diagnosis) == names
    assert not diagnosis.unexplained


def codes_in_front(op: str, given: Any) -> Answer:
    """A code without harbor's prefix gets it."""
    answer = REFERENCE.answer(op, given)
    code = answer.value["reason_code"] if isinstance(answer, Ok) else None
    return answer if code is None or code.startswith("harbor_") else Ok({"reason_code": f"harbor_{code}"})


def test_what_is_put_in_front_is_named() -> None:
    diagnosis = diagnose(runs.evidence_of(codes_in_front, runs.of_ops("reason_code")), Level.BYTES)
    says = 'text that does not begin with "harbor_" gets that prefix in the answer\'s `reason_code`'
    assert diagnosis.lines[0].says.startswith(says), [line.says for line in diagnosis.lines]
    assert len(diagnosis.lines[0].keys) >= 0.8 * diagnosis.total
