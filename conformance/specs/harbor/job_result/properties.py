"""Properties of every job's result."""

import json
import math
from collections import Counter
from typing import Any

from conformance.judging.comparison import Level
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.harbor.job_result.draw import binary, job_result, pipeline
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "job_result"
_FEW = 30
"""Jobs are large, so fewer of them are tried."""
_HEADER = ("id", "started_at", "updated_at", "finished_at", "n_total_trials")
_USAGE = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")


class _Members(list[tuple[str, Any]]):
    """An object in written form: NaN rewards repeat a key."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for name, value in self:
            if name == key:
                return value
        raise KeyError(key)

    def names(self) -> list[str]:
        """The keys, in order."""
        return [name for name, _ in self]

    def plain(self) -> dict[str, Any]:
        """The object, if no key repeats."""
        return {name: value.plain() if isinstance(value, _Members) else value for name, value in self}


def _read(answer: Any) -> _Members:
    try:
        result = json.loads(answer["result.json"]["text"], object_pairs_hook=_Members)
    except ValueError:
        fail("result.json is not JSON")
    if not isinstance(result, _Members):
        fail("result.json is not an object")
    return result


def _result(asker: Asker, job: dict[str, Any]) -> _Members | None:
    """The result of the job; None if a metric overflows."""
    answer = asker.answer(_OP, job)
    if isinstance(answer, Ok):
        return _read(answer.value)
    if answer.type != "OverflowError":
        fail(f"{_OP} gives the error {answer.type} where a value is expected")
    return None


def _key(trial: dict[str, Any]) -> str:
    model = trial["agent_info"]["model_info"]
    names = [trial["agent_info"]["name"], (model or {}).get("name"), trial["source"] or "adhoc"]
    return "__".join(names if names[1] else names[::2])


def _groups(job: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for trial in job["trials"]:
        groups.setdefault(_key(trial), []).append(trial)
    return groups


def _rewards(trial: dict[str, Any]) -> Any:
    return trial["verifier_result"] and trial["verifier_result"]["rewards"]


def _group(result: _Members, key: str) -> _Members:
    group: _Members = result["stats"]["evals"][key]
    return group


@holds("job-result-counts-agree", job_result, _FEW)
def _counts_agree(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    stats, trials = result["stats"], job["trials"]
    errors = sum(trial["exception_info"] is not None for trial in trials)
    asker.equal(len(trials), stats["n_completed_trials"], "n_completed_trials")
    asker.equal(errors, stats["n_errored_trials"], "n_errored_trials")
    asker.equal(max(job["n_total_trials"] - len(trials), 0), stats["n_pending_trials"], "n_pending_trials")
    asker.holds(stats["n_cancelled_trials"] <= errors, "more trials were cancelled than ended in an error")
    groups = [group for _, group in stats["evals"]]
    asker.equal(errors, sum(group["n_errors"] for group in groups), "the sum of n_errors")
    rewarded = sum(_rewards(trial) is not None for trial in trials)
    asker.equal(rewarded, sum(group["n_trials"] for group in groups), "the sum of n_trials")


@holds("job-result-lists-every-trial", job_result, _FEW)
def _lists_every_trial(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    for key, trials in _groups(job).items():
        group = _group(result, key)
        listed = Counter(name for _, by in group["reward_stats"] for _, names in by for name in names)
        expected = Counter(trial["trial_name"] for trial in trials for _ in _rewards(trial) or {})
        asker.holds(
            listed == expected, f"reward_stats of {key!a} lists {dict(listed)!a}, not {dict(expected)!a}"
        )
        errors = Counter(name for _, names in group["exception_stats"] for name in names)
        failed = Counter(trial["trial_name"] for trial in trials if trial["exception_info"] is not None)
        asker.holds(
            errors == failed, f"exception_stats of {key!a} lists {dict(errors)!a}, not {dict(failed)!a}"
        )


@holds("job-result-groups-apart", job_result, _FEW)
def _groups_are_separate(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    for key, trials in _groups(job).items():
        separate = _result(asker, {**job, "trials": trials})
        if separate is None:
            fail(f"the group {key!a} overflows alone, but not next to others")
        asker.equal(_group(separate, key), _group(result, key), f"the group {key!a} next to others")


@holds("job-result-header-kept", job_result, _FEW)
def _header_kept(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    for name in _HEADER:
        asker.equal(job[name], result[name], name)
    asker.equal(job["n_retries"], result["stats"]["n_retries"], "n_retries")


@holds("job-result-layout", job_result, _FEW)
def _layout(asker: Asker, job: Any) -> None:
    answer = asker.answer(_OP, job)
    if asker.level is Level.BYTES and isinstance(answer, Ok):
        text = answer.value["result.json"]["text"]
        neat = text.startswith('{\n    "id": "') and text.endswith("\n    }\n}") and '\n     "' not in text
        asker.holds(neat, "the text is not indented by four spaces, without a final line feed")
        lines = (line for line in text.split("\n")[1:-1])
        asker.holds(
            all((len(line) - len(line.lstrip(" "))) % 4 == 0 for line in lines),
            "an indent is not a multiple of four",
        )


@holds("job-result-errors-leave-metrics", job_result, _FEW)
def _errors_leave_metrics(asker: Asker, job: Any) -> None:
    healed = {**job, "trials": [{**trial, "exception_info": None} for trial in job["trials"]]}
    errored, cured = _result(asker, job), _result(asker, healed)
    asker.holds(
        (errored is None) == (cured is None), "the exceptions of trials decide whether a metric overflows"
    )
    if errored is None or cured is None:
        return
    for key in _groups(job):
        for name in ("n_trials", "metrics", "pass_at_k", "reward_stats"):
            left, right = _group(errored, key)[name], _group(cured, key)[name]
            asker.equal(right, left, f"{name} of {key!a} where trials ended in exceptions")


@holds("job-result-no-result-is-null-rewards", job_result, _FEW)
def _no_result_is_null_rewards(asker: Asker, job: Any) -> None:
    filled = [
        {**trial, "verifier_result": trial["verifier_result"] or {"rewards": None}} for trial in job["trials"]
    ]
    asker.same(_OP, job, {**job, "trials": filled}, "no verifier result differs from one without rewards")


def _reports(trial: dict[str, Any]) -> list[dict[str, Any]]:
    if trial["agent_result"] is not None:
        return [trial["agent_result"]]
    steps = trial["step_results"] or []
    return [step["agent_result"] for step in steps if step["agent_result"] is not None]


@holds("job-result-tokens-add-up", job_result, _FEW)
def _tokens_add_up(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    reports = [report for trial in job["trials"] for report in _reports(trial)]
    for name in _USAGE:
        counts = [report[name] for report in reports if report[name] is not None]
        asker.equal(sum(counts) if counts else None, result["stats"][name], name)


@holds("job-result-groups-are-evals-keys", job_result, _FEW)
def _groups_are_evals_keys(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    keys = []
    for trial in job["trials"]:
        agent = trial["agent_info"]
        names = {
            "agent": agent["name"],
            "model": (agent["model_info"] or {}).get("name"),
            "source": trial["source"],
        }
        keys.append(asker.ok("evals_key", names)["evals_key"])
    asker.equal(list(dict.fromkeys(keys)), result["stats"]["evals"].names(), "the list of groups")


def _written(value: Any) -> Any:
    """The value in result.json for a number: null if it is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@holds("job-result-metrics-equal-aggregate", job_result, _FEW)
def _metrics_equal_aggregate(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    for key, trials in _groups(job).items():
        names = job["metrics"].get(key.split("__")[-1], [])
        metrics = _group(result, key)["metrics"]
        asker.equal(len(names), len(metrics), f"the number of metrics of {key!a}")
        for name, metric in zip(names, metrics, strict=True):
            values = asker.ok("aggregate", {"metric": name, "rewards": list(map(_rewards, trials))})
            expected = {member: _written(value) for member, value in values.items()}
            asker.equal(expected, metric.plain(), f"the {name} of {key!a}")


@holds("job-result-pass-at-k-equals-op", lambda source: job_result(source, binary), _FEW)
def _pass_at_k_equals_op(asker: Asker, job: Any) -> None:
    result = _result(asker, job)
    if result is None:
        return
    for key, trials in _groups(job).items():
        attempts = [{"task": trial["task_name"], "rewards": _rewards(trial)} for trial in trials]
        expected = asker.ok("pass_at_k", {"trials": attempts})
        asker.equal(expected, _group(result, key)["pass_at_k"].plain(), f"pass_at_k of {key!a}")


def _read_trial(asker: Asker, trial: dict[str, Any]) -> dict[str, Any]:
    """The trial with the result of ``parse_reward`` on its files."""
    read = {name: value for name, value in trial.items() if name not in ("files", "steps", "strategy")}
    read |= {"step_results": None, "verifier_result": None}
    if trial["files"] is None:
        return read
    answer = asker.answer("parse_reward", {"files": trial["files"]})
    if isinstance(answer, Ok):
        return {**read, "verifier_result": {"rewards": answer.value["rewards"]}}
    return {**read, "exception_info": trial["exception_info"] or {"exception_type": answer.type}}


@holds("pipeline-reads-then-counts", lambda source: pipeline(source, with_steps=False), _FEW)
def _reads_then_counts(asker: Asker, job: Any) -> None:
    """Without NaNs, since those of reward files are distinguished in ways that rewards alone do not show."""
    trials = [_read_trial(asker, trial) for trial in job["trials"]]
    if any("NaN" in (_rewards(trial) or {}).values() for trial in trials):
        return
    actual, expected = asker.answer("pipeline", job), asker.answer(_OP, {**job, "trials": trials})
    if isinstance(actual, Ok):
        actual = Ok({"result.json": actual.value["result.json"]})
    asker.alike(_OP, expected, actual, "the result differs from that of the trials as their files are read")


@holds("pipeline-line-is-outcome", pipeline, _FEW)
def _line_is_outcome(asker: Asker, job: Any) -> None:
    answer = asker.answer("pipeline", job)
    if isinstance(answer, Ok):
        line = asker.answer("outcome", {"result.json": answer.value["result.json"]})
        asker.alike(
            "outcome", line, Ok({"line": answer.value["line"]}), "not the line of its own result.json"
        )
