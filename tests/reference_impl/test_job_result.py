import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.agent_result import AgentResult
from reference_impl.job_result import Job, JobStatistics, Trial, job_result
from reference_impl.json_text import PydanticSerializationError
from reference_impl.verifier_result import Rewards, VerifierResult

JOB = Job(
    id="0D0D0D0D-0000-4000-8000-000000000000",
    started_at="2026-01-02T03:04:05",
    updated_at="2026-01-02T03:04:06.500000",
    finished_at="2026-01-02T03:04:06.500000",
    n_total_trials=2,
    n_retries=1,
    metrics={"d": ["mean"]},
)


def trial(rewards: Rewards | None = None, name: str = "x", exception: str | None = None) -> Trial:
    return Trial("t", name, "d", "a", None, VerifierResult(rewards), exception)


def stats(*trials: Trial, **job: Any) -> Any:
    result = job_result(replace(JOB, **job), trials)
    return json.loads(result.text())["stats"]


def group(*trials: Trial, **job: Any) -> Any:
    (only,) = stats(*trials, **job)["evals"].values()
    return only


# The real harbor's text.
TEXT = """\
{
    "id": "0d0d0d0d-0000-4000-8000-000000000000",
    "started_at": "2026-01-02T03:04:05",
    "updated_at": "2026-01-02T03:04:06.500000",
    "finished_at": "2026-01-02T03:04:06.500000",
    "n_total_trials": 2,
    "stats": {
        "n_completed_trials": 2,
        "n_errored_trials": 1,
        "n_running_trials": 0,
        "n_pending_trials": 0,
        "n_cancelled_trials": 0,
        "n_retries": 1,
        "evals": {
            "a__m__d": {
                "n_trials": 2,
                "n_errors": 1,
                "metrics": [
                    {
                        "mean": 0.500005
                    }
                ],
                "pass_at_k": {},
                "reward_stats": {
                    "reward": {
                        "1.0": [
                            "hello__0000000"
                        ],
                        "1e-05": [
                            "hello__0000001"
                        ]
                    }
                },
                "exception_stats": {
                    "AgentTimeoutError": [
                        "hello__0000001"
                    ]
                }
            }
        },
        "n_input_tokens": 12,
        "n_cache_tokens": null,
        "n_output_tokens": null,
        "cost_usd": 0.00001
    }
}"""


def test_text() -> None:
    first = Trial("hello", "hello__0000000", "d", "a", "m", VerifierResult({"reward": 1.0}))
    second = replace(
        first,
        trial_name="hello__0000001",
        verifier_result=VerifierResult({"reward": 1e-05}),
        exception="AgentTimeoutError",
        agent_result=AgentResult(12, cost_usd=1e-05),
    )
    assert job_result(JOB, [first, second]).text() == TEXT


def test_no_trials() -> None:
    counts = stats(n_total_trials=0)
    assert counts["evals"] == {}
    assert counts["cost_usd"] is None


@pytest.mark.parametrize(("planned", "pending"), [(5, 3), (2, 0), (1, 0)])
def test_pending_is_what_is_left_of_the_plan(planned: int, pending: int) -> None:
    counts = stats(trial(), trial(), n_total_trials=planned)
    assert (counts["n_completed_trials"], counts["n_pending_trials"]) == (2, pending)


def test_a_trial_counts_by_its_rewards_and_by_its_exception() -> None:
    trials = [
        trial({"reward": 1}),
        trial({"reward": 1}, exception="E"),
        trial({}),
        trial(None),
        replace(trial(), verifier_result=None, exception="E"),
    ]
    counts = group(*trials)
    assert (counts["n_trials"], counts["n_errors"]) == (3, 2)
    assert counts["metrics"] == [{"mean": 0.4}]
    assert stats(*trials)["n_errored_trials"] == 2


def test_cancelled_trials_are_counted_by_name() -> None:
    names = ["x", "y", "x"]
    counts = stats(*(trial(name=name, exception="CancelledError") for name in names), trial(exception="E"))
    assert (counts["n_cancelled_trials"], counts["n_errored_trials"]) == (2, 4)


def test_groups_come_in_order_of_appearance() -> None:
    sources = ["z", None, "a", "", "z"]
    evals = stats(*(replace(trial({"r": 1}), source=source) for source in sources))["evals"]
    assert list(evals) == ["a__z", "a__adhoc", "a__a"]
    assert [counts["n_trials"] for counts in evals.values()] == [2, 2, 1]


@pytest.mark.parametrize(
    ("source", "model", "metrics", "names"),
    [
        ("d", None, {"d": ["max", "sum"]}, ["max", "sum"]),
        ("d", None, {}, []),
        ("my__d", None, {"my__d": ["max"]}, []),
        ("my__d", None, {"my__d": ["max"], "d": ["sum"]}, ["sum"]),
        ("d__", None, {"d__": ["max"]}, []),
        ("d__", None, {"": ["min"]}, ["min"]),
        ("d", "m_", {"d": ["max"], "_d": ["min"]}, ["min"]),
        (None, None, {"adhoc": ["min"]}, ["min"]),
    ],
)
def test_metrics_are_looked_up_by_the_end_of_the_key(
    source: str | None, model: str | None, metrics: Mapping[str, Sequence[str]], names: list[str]
) -> None:
    counts = group(replace(trial({"r": 1}), source=source, model=model), metrics=metrics)
    assert [list(metric) for metric in counts["metrics"]] == [[name] for name in names]


def test_pass_at_k_is_by_group() -> None:
    binary = [trial({"r": reward}) for reward in (0, 1, 1, 1)]
    partial = [replace(trial({"r": 0.5}), source="e") for _ in range(2)]
    evals = stats(*binary, *partial)["evals"]
    assert evals["a__d"]["pass_at_k"] == {"2": 1.0, "4": 1.0}
    assert evals["a__e"]["pass_at_k"] == {}


def test_equal_rewards_share_the_first_spelling() -> None:
    rewards = [1, 1.0, 0.0, -0.0, 0, 2**53 + 1, 2.0**53]
    listed = group(*(trial({"r": reward}, str(index)) for index, reward in enumerate(rewards)))
    assert listed["reward_stats"] == {
        "r": {
            "1": ["0", "1"],
            "0.0": ["2", "3", "4"],
            "9007199254740993": ["5"],
            "9007199254740992.0": ["6"],
        }
    }


def test_each_nan_is_listed_by_itself_unless_it_is_the_same_object() -> None:
    shared = math.nan
    rewards = [float("nan"), shared, float("nan"), shared]
    text = job_result(JOB, [trial({"r": reward}, str(i)) for i, reward in enumerate(rewards)]).text()
    assert text.count('"nan"') == 3
    assert json.loads(text)["stats"]["evals"]["a__d"]["metrics"] == [{"mean": None}]


def test_rewards_and_exceptions_come_in_order_of_appearance() -> None:
    counts = group(trial({"b": 1, "a": 2}, exception="Z"), trial({"a": 1, "c": 2}, exception="A"))
    assert list(counts["reward_stats"]) == ["b", "a", "c"]
    assert list(counts["reward_stats"]["a"]) == ["2", "1"]
    assert list(counts["exception_stats"]) == ["Z", "A"]
    assert list(counts["metrics"][0]) == ["a", "b", "c"]


def test_costs_of_steps_are_added_up_by_trial_first() -> None:
    steps = [AgentResult(1, cost_usd=0.2), None, AgentResult(2, cost_usd=0.3)]
    counts = stats(
        replace(trial(), agent_result=AgentResult(cost_usd=0.1)), replace(trial(), step_results=steps)
    )
    assert (counts["n_input_tokens"], counts["n_cache_tokens"]) == (3, None)
    assert counts["cost_usd"] == 0.1 + (0.2 + 0.3) != 0.1 + 0.2 + 0.3


def test_not_a_finished_job() -> None:
    result = json.loads(job_result(replace(JOB, updated_at=None, finished_at=None), []).text())
    assert result["updated_at"] is result["finished_at"] is None


def test_a_metric_that_raises_ends_the_job() -> None:
    with pytest.raises(OverflowError):
        job_result(JOB, [trial({"r": 10**400})])
    assert group(trial({"r": 10**400}), metrics={"d": ["max"]})["metrics"] == [{"max": 10**400}]


@pytest.mark.parametrize("listed", [trial({"r": 1}, "\ud800"), trial(None, "\ud800", "E")])
def test_what_cannot_be_written(listed: Trial) -> None:
    with pytest.raises(PydanticSerializationError):
        job_result(replace(JOB, metrics={}), [listed])


def test_a_trial_that_is_not_listed_can_have_any_name() -> None:
    assert group(trial(None, "\ud800"), trial({}, "\ud800"))["n_trials"] == 1


def test_other_names_lose_their_surrogates() -> None:
    evals = stats(replace(trial({"\ud800": 1}, exception="\udfff"), agent="\ud801"))["evals"]
    lost = "\ufffd" * 3
    assert list(evals) == [f"{lost}__d"]
    assert list(evals[f"{lost}__d"]["reward_stats"]) == list(evals[f"{lost}__d"]["exception_stats"]) == [lost]


def trials() -> st.SearchStrategy[Trial]:
    numbers = st.integers() | st.floats() | st.sampled_from([0, 1, 0.0, 1.0, -0.0])
    names = st.text('ab_"\n\u2028\U0001f600', max_size=3)
    rewards = st.none() | st.dictionaries(names, numbers, max_size=3)
    usage = st.none() | st.builds(AgentResult, st.none() | st.integers(), cost_usd=st.none() | st.floats())
    return st.builds(
        Trial,
        task_name=names,
        trial_name=names,
        source=st.none() | names,
        agent=names,
        model=st.none() | names,
        verifier_result=st.none() | st.builds(VerifierResult, rewards),
        exception=st.none() | names,
        agent_result=usage,
        step_results=st.none() | st.lists(usage, max_size=3),
    )


@given(st.lists(trials(), max_size=6))
def test_any_trials_give_a_result_that_says_the_same_parsed_and_as_text(some: list[Trial]) -> None:
    counts = stats(*some, metrics={"": ["max"], "a": ["min"], "adhoc": ["min"]}, n_total_trials=len(some))
    assert counts["n_completed_trials"] == len(some)
    errors = [group["n_errors"] for group in counts["evals"].values()]
    assert sum(errors) == counts["n_errored_trials"] == sum(t.exception is not None for t in some)


def test_trials_may_come_one_by_one() -> None:
    given_: list[Trial] = [trial({"r": 0.1}, str(index)) for index in range(10)]

    def one_by_one() -> Iterator[Trial]:
        yield from given_

    statistics = JobStatistics()
    for each in given_:
        statistics.add(each)
    assert job_result(JOB, one_by_one()).text() == statistics.result(JOB).text()


def test_many_trials_take_no_more_than_their_share() -> None:
    def many(count: int) -> Iterator[Trial]:
        for index in range(count):
            yield replace(trial({"r": float("nan")}, str(index)), task_name=str(index))

    counts = stats(*many(20_000), n_total_trials=20_000)
    assert counts["evals"]["a__d"]["n_trials"] == 20_000
