"""The judgement of jobs over the datasets: what conforms gives no finding, one change gives its own."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.check.dataset.judge import Finding, Judge, join_repeated, judge
from conformance.check.dataset.manifest import Manifest
from conformance.extensions.dataset.table import DATASETS
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


REWARD = "verifier_result.rewards.reward"
IN_TRIALS: list[tuple[str, str, str, Json]] = [
    ("text", "txt-one", REWARD, 1),
    ("text", "txt-minus-zero", REWARD, 0.0),
    ("text", "txt-one", REWARD, True),
    ("text", "txt-one", REWARD, None),
    ("text", "txt-one", "verifier_result.rewards", {"score": 1.0}),
    ("text", "txt-one", "verifier_result.rewards", None),
    ("text", "txt-one", "verifier_result", None),
    ("text", "txt-one", "exception_info", {"exception_type": "OSError"}),
    ("text", "txt-pass", "exception_info.exception_type", "ValueError"),
    ("text", "txt-pass", "exception_info", None),
    ("text", "txt-pass", "verifier_result", {"rewards": {"reward": 0.0}}),
    ("json", "json-top-null", "verifier_result", None),
    ("json", "json-empty-object", "verifier_result.rewards", None),
    ("integers", "json-int-one", REWARD, 2),
    ("non-finite", "txt-nan", REWARD, 0.0),
    ("steps", "one-step-int", REWARD, 1),
    ("steps", "one-step-int", "step_results.0.verifier_result", None),
    ("steps", "gate-reward-below-threshold", "step_results", []),
    ("text", "txt-one", "agent_info.name", "oracle"),
    ("text", "txt-one", "agent_info", "nop"),
]
"""Dataset, task, member and another value."""


def test_one_change_in_a_trial_is_found_there_and_nowhere_else(
    manifest: Manifest, conforming: Conforming
) -> None:
    for dataset, task, path, value in IN_TRIALS:
        trials, result = conforming(dataset)
        record = trial_of(trials, task)
        put(record, path, value)
        finding = one(judge(manifest, trials, result))
        assert finding.file == f"{record['trial_name']}/result.json"
        place = {"exception_info.exception_type": "exception_info", "agent_info": "agent_info.name"}
        assert finding.pointer == f"/{place.get(path, path).replace('.', '/')}", (task, path)
        assert finding.clause.startswith("003-")
        assert finding.stands != finding.due
        if "agent" not in path:
            assert finding.task == f"{dataset}/{task}"
            assert finding.likely


IN_GROUPS: list[tuple[str, str, Json, str]] = [
    ("tenths", "metrics", [{"mean": 0.09999999999999999}], "003-3.3-metrics-list"),
    ("text", "metrics", [{"reward": 1.0166666666666666}], "003-3.3-metrics-list"),
    ("files", "pass_at_k", {"1": 0.29411764705882354}, "003-3.3-pass-at-k-stored"),
    ("binary", "pass_at_k", {}, "003-3.3-pass-at-k-stored"),
    ("non-finite", "metrics", [{"mean": 0.0}], "003-3.3-metrics-list"),
    ("two__words", "metrics", [{"mean": 0.75}], "003-3.3-metrics-list"),
    ("json", "n_trials", 28, "003-3.3-n-trials"),
    ("json", "n_errors", 0, "003-3.3-n-errors"),
    ("files", "reward_stats.reward", {"1": [], "0": []}, "003-3.3-reward-stats"),
    ("files", "exception_stats", {}, "003-3.3-exception-stats"),
    ("files", "exception_stats", None, "003-3.3-exception-stats"),
]
"""Dataset, member of its group, another value, clause."""


def test_one_change_in_the_group_is_found_there(manifest: Manifest, conforming: Conforming) -> None:
    for dataset, path, value, clause in IN_GROUPS:
        trials, result = conforming(dataset)
        put(result["stats"]["evals"][f"nop__{dataset}"], path, value)
        finding = one(judge(manifest, trials, result))
        assert (finding.file, finding.clause) == ("result.json", clause)
        assert finding.pointer == f"/stats/evals/nop__{dataset}/{path.partition('.')[0]}"
    for counter in ("n_total_trials", "stats.n_completed_trials", "stats.n_errored_trials"):
        trials, result = conforming("files")
        put(result, counter, 16)
        assert one(judge(manifest, trials, result)).pointer == "/" + counter.replace(".", "/")


def test_what_is_another_job_is_one_finding(manifest: Manifest, conforming: Conforming) -> None:
    trials, result = conforming("files")
    evals = result["stats"]["evals"]
    evals["nop__gpt__files"] = evals.pop("nop__files")
    finding = one(judge(manifest, trials, result))
    assert (finding.pointer, finding.stands, finding.due) == ("/stats/evals", "nop__gpt__files", "nop__files")
    trials, result = conforming("tenths")
    assert one(judge(manifest, trials, result, "BASE_BENCHMARK_RESULT={}")).clause == "003-5-line-format"
    extra = ("other__1", {"task_name": "other", "source": "tenths"})
    assert one(judge(manifest, [*trials, extra], result)).pointer == "/task_name"
    trials, result = conforming("binary")
    finding = one(judge(manifest, trials[1:], result))
    assert finding.stands == f"4 trials of {trials[0][1]['task_name']}"
    assert finding.due == "5 trials of each task of binary"
    finding = one(judge(manifest, trials[: len(trials) // 5], result))
    assert finding.likely == "The job was not run with 5 attempts (-k 5)."
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


@pytest.mark.slow
@given(st.data())
def test_a_record_of_any_shape_gives_findings_and_no_error(manifest: Manifest, data: st.DataObject) -> None:
    shapes = st.dictionaries(st.sampled_from(MEMBERS), ANYTHING) | ANYTHING
    record, result = data.draw(shapes, label="record"), data.draw(shapes, label="result")
    if isinstance(record, dict) and data.draw(st.booleans(), label="known task"):
        record["task_name"] = data.draw(st.sampled_from(["txt-one", "strategy-mean-two-steps"]), label="task")
    for finding in judge(manifest, [("trial", record)], result):
        assert finding.rule
        assert finding.stands.isprintable()
