"""The judgement of jobs over the datasets: what conforms gives no finding, one change gives its own."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.dataset.judge import Finding, Judge, join_repeated, judge
from conformance.dataset.manifest import Manifest
from conformance.dataset.table import DATASETS
from conformance.judging.comparison import Level

Json = Any
Trials = list[tuple[str, Json]]
Conforming = Callable[[str], tuple[Trials, Json]]


def put(document: Json, path: str, value: Json) -> None:
    """Set what stands at a dotted path."""
    *parents, last = path.split(".")
    for key in parents:
        document = document[int(key) if isinstance(document, list) else key]
    document[last] = value


def trial_of(trials: Trials, task: str) -> Json:
    return next(record for _, record in trials if record["task_name"] == task)


@pytest.mark.parametrize("name", [dataset.name for dataset in DATASETS])
def test_a_job_that_conforms_has_no_finding(name: str, manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming(name)
    line = next(dataset.job["line"] for dataset in manifest.datasets if dataset.name == name)
    assert judge(manifest, trials, result, line) == []
    assert judge(manifest, reversed(trials), result) == []


def one(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


@pytest.mark.parametrize(
    ("dataset", "task", "path", "value", "pointer"),
    [
        ("text", "txt-one", "verifier_result.rewards.reward", 1, "/verifier_result/rewards/reward"),
        ("text", "txt-minus-zero", "verifier_result.rewards.reward", 0.0, "/verifier_result/rewards/reward"),
        ("text", "txt-one", "verifier_result.rewards.reward", True, "/verifier_result/rewards/reward"),
        ("text", "txt-one", "verifier_result.rewards.reward", None, "/verifier_result/rewards/reward"),
        ("text", "txt-one", "verifier_result.rewards", {"score": 1.0}, "/verifier_result/rewards"),
        ("text", "txt-one", "verifier_result.rewards", None, "/verifier_result/rewards"),
        ("text", "txt-one", "verifier_result", None, "/verifier_result"),
        ("text", "txt-one", "exception_info", {"exception_type": "OSError"}, "/exception_info"),
        ("text", "txt-pass", "exception_info.exception_type", "ValueError", "/exception_info"),
        ("text", "txt-pass", "exception_info", None, "/exception_info"),
        ("text", "txt-pass", "verifier_result", {"rewards": {"reward": 0.0}}, "/verifier_result"),
        ("json", "json-top-null", "verifier_result", None, "/verifier_result"),
        ("json", "json-empty-object", "verifier_result.rewards", None, "/verifier_result/rewards"),
        ("integers", "json-int-one", "verifier_result.rewards.reward", 2, "/verifier_result/rewards/reward"),
        ("non-finite", "txt-nan", "verifier_result.rewards.reward", 0.0, "/verifier_result/rewards/reward"),
        ("steps", "one-step-int", "verifier_result.rewards.reward", 1, "/verifier_result/rewards/reward"),
        ("steps", "one-step-int", "step_results.0.verifier_result", None, "/step_results/0/verifier_result"),
        ("steps", "gate-reward-below-threshold", "step_results", [], "/step_results"),
        ("text", "txt-one", "agent_info.name", "oracle", "/agent_info/name"),
        ("text", "txt-one", "agent_info", "nop", "/agent_info/name"),
    ],
)  # fmt: skip
def test_one_change_in_a_trial_is_found_there_and_nowhere_else(
    dataset: str, task: str, path: str, value: Json, pointer: str, manifest: Manifest, conforming: Conforming
) -> None:
    trials, result = conforming(dataset)
    record = trial_of(trials, task)
    put(record, path, value)
    finding = one(judge(manifest, trials, result))
    assert finding.file == f"{record['trial_name']}/result.json"
    assert finding.pointer == pointer
    assert finding.clause.startswith("003-")
    assert finding.stands != finding.due
    if "agent" not in path:
        assert finding.task == f"{dataset}/{task}"
        assert finding.likely


@pytest.mark.parametrize(
    ("dataset", "path", "value", "pointer", "clause"),
    [
        ("tenths", "metrics", [{"mean": 0.09999999999999999}], "metrics", "003-3.3-metrics-list"),
        ("text", "metrics", [{"reward": 1.0166666666666666}], "metrics", "003-3.3-metrics-list"),
        ("files", "pass_at_k", {"1": 0.29411764705882354}, "pass_at_k", "003-3.3-pass-at-k-stored"),
        ("binary", "pass_at_k", {}, "pass_at_k", "003-3.3-pass-at-k-stored"),
        ("non-finite", "metrics", [{"mean": 0.0}], "metrics", "003-3.3-metrics-list"),
        ("two__words", "metrics", [{"mean": 0.75}], "metrics", "003-3.3-metrics-list"),
        ("json", "n_trials", 28, "n_trials", "003-3.3-n-trials"),
        ("json", "n_errors", 0, "n_errors", "003-3.3-n-errors"),
        ("files", "reward_stats.reward", {"1": [], "0": []}, "reward_stats", "003-3.3-reward-stats"),
        ("files", "exception_stats", {}, "exception_stats", "003-3.3-exception-stats"),
        ("files", "exception_stats", None, "exception_stats", "003-3.3-exception-stats"),
    ],
)
def test_one_change_in_the_group_is_found_there(
    dataset: str,
    path: str,
    value: Json,
    pointer: str,
    clause: str,
    manifest: Manifest,
    conforming: Conforming,
) -> None:
    trials, result = conforming(dataset)
    put(result["stats"]["evals"][f"nop__{dataset}"], path, value)
    finding = one(judge(manifest, trials, result))
    assert (finding.file, finding.clause) == ("result.json", clause)
    assert finding.pointer == f"/stats/evals/nop__{dataset}/{pointer}"


@pytest.mark.parametrize("counter", ["n_total_trials", "stats.n_completed_trials", "stats.n_errored_trials"])
def test_a_counter_that_is_off_by_one_is_found(
    counter: str, manifest: Manifest, conforming: Conforming
) -> None:
    trials, result = conforming("files")
    put(result, counter, 16)
    assert one(judge(manifest, trials, result)).pointer == "/" + counter.replace(".", "/")


def test_another_key_of_the_group_is_found(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("files")
    evals = result["stats"]["evals"]
    evals["nop__gpt__files"] = evals.pop("nop__files")
    finding = one(judge(manifest, trials, result))
    assert (finding.pointer, finding.stands, finding.due) == ("/stats/evals", "nop__gpt__files", "nop__files")


def test_another_line_is_found(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("tenths")
    assert one(judge(manifest, trials, result, "BASE_BENCHMARK_RESULT={}")).clause == "003-5-line-format"


def test_a_missing_trial_is_found(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("binary")
    finding = one(judge(manifest, trials[1:], result))
    assert finding.stands == f"4 trials of {trials[0][1]['task_name']}"
    assert finding.due == "5 trials of each task of binary"


def test_a_job_with_too_few_attempts_is_one_finding(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("binary")
    finding = one(judge(manifest, trials[: len(trials) // 5], result))
    assert finding.likely == "The job was not run with 5 attempts (-k 5)."


def test_a_trial_of_no_task_is_found(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("tenths")
    extra = ("other__1", {"task_name": "other", "source": "tenths"})
    assert one(judge(manifest, [*trials, extra], result)).pointer == "/task_name"


def test_another_jobs_directory_is_found(manifest: Manifest) -> None:
    assert one(judge(manifest, [], {})).stands == "no trial of the dataset"


def test_a_source_that_is_recorded_differently_still_finds_the_task(
    manifest: Manifest, conforming: Conforming
) -> None:
    trials, result = conforming("tenths")
    for _, record in trials:
        record["source"] = None
    found = judge(manifest, trials, result)
    assert not any(finding.pointer == "/task_name" for finding in found)


def test_a_job_over_several_datasets_is_judged_group_by_group(
    manifest: Manifest, conforming: Conforming
) -> None:
    (trials, result), (more, other) = conforming("tenths"), conforming("files")
    result["stats"]["evals"] |= other["stats"]["evals"]
    assert judge(manifest, trials + more, result) == []
    result["stats"]["evals"]["nop__files"]["n_trials"] = 0
    assert one(judge(manifest, trials + more, result)).clause == "003-3.3-n-trials"


def test_the_kind_of_a_number_and_the_sign_of_zero_break_level_exact(
    manifest: Manifest, conforming: Conforming
) -> None:
    trials, result = conforming("text")
    put(trial_of(trials, "txt-one"), "verifier_result.rewards.reward", 1)
    put(trial_of(trials, "txt-minus-zero"), "verifier_result.rewards.reward", 0)
    put(trial_of(trials, "txt-plus-one"), "verifier_result.rewards.reward", 1.5)
    found = {finding.task: finding.breaks for finding in judge(manifest, trials, result)}
    assert found == {
        "text/txt-one": Level.EXACT,
        "text/txt-minus-zero": Level.EXACT,
        "text/txt-plus-one": Level.VALUE,
    }


def test_figures_that_follow_from_differing_trials_are_not_judged(
    manifest: Manifest, conforming: Conforming
) -> None:
    trials, result = conforming("tenths")
    put(trials[0][1], "verifier_result.rewards.reward", 0.5)
    put(result["stats"]["evals"]["nop__tenths"], "metrics", [{"mean": 0.14}])
    court = Judge(manifest)
    found = [finding for folder, record in trials for finding in court.trial(folder, record)]
    assert len(found) == 1
    assert list(court.finish(result)) == []
    assert court.differing == {"tenths": 1}
    assert court.seen == ["tenths"]


def test_repeated_keys_are_joined() -> None:
    text = '{"nan": ["a"], "nan": ["b"], "x": 1, "x": 2}'
    assert json.loads(text, object_pairs_hook=join_repeated) == {"nan": ["a", "b"], "x": 2}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = (
    "task_name", "source", "agent_info", "verifier_result", "exception_info", "step_results", "stats",
)  # fmt: skip


@given(st.data())
def test_a_record_of_any_shape_gives_findings_and_no_error(manifest: Manifest, data: st.DataObject) -> None:
    shapes = st.dictionaries(st.sampled_from(MEMBERS), ANYTHING) | ANYTHING
    record, result = data.draw(shapes, label="record"), data.draw(shapes, label="result")
    if isinstance(record, dict) and data.draw(st.booleans(), label="known task"):
        record["task_name"] = data.draw(st.sampled_from(["txt-one", "strategy-mean-two-steps"]), label="task")
    for finding in judge(manifest, [("trial", record)], result):
        assert finding.rule
        assert finding.stands.isprintable()
