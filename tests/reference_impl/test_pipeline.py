import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.agent_result import AgentResult
from reference_impl.job_result import Job
from reference_impl.multi_step import MinReward, Strategy
from reference_impl.pipeline import UnreadStep, UnreadTrial, pipeline, read_trial
from reference_impl.verifier_result import Rewards

JOB = Job("id", "then", "now", "now", n_total_trials=2, n_retries=0, metrics={"d": ["mean"]})


def trial(files: Mapping[str, bytes] | None, exception: str | None = None) -> UnreadTrial:
    return UnreadTrial("t", "x", "d", "a", None, exception, AgentResult(7), files)


def text(content: str) -> dict[str, bytes]:
    return {"reward.txt": content.encode()}


def rewards(content: str) -> dict[str, bytes]:
    return {"reward.json": content.encode()}


def step(
    files: Mapping[str, bytes] | None, min_reward: MinReward = None, exception: str | None = None
) -> UnreadStep:
    return UnreadStep(files, exception, min_reward, AgentResult(1))


def steps(*some: UnreadStep, strategy: Strategy = Strategy.MEAN, exception: str | None = None) -> UnreadTrial:
    return UnreadTrial("t", "x", "d", "a", None, exception, None, None, some, strategy)


def outcome(*trials: UnreadTrial) -> Any:
    result, line = pipeline(JOB, trials)
    assert json.loads(result.text())["n_total_trials"] == JOB.n_total_trials
    prefix, _, summary = line.partition("=")
    assert prefix == "BASE_BENCHMARK_RESULT"
    return json.loads(summary)


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({}, "RewardFileNotFoundError"),
        (text(""), "RewardFileEmptyError"),
        (text("x"), "VerifierOutputParseError"),
        (rewards("[]"), "ValidationError"),
        (rewards("[" * 100_000), "RecursionError"),
    ],
)
def test_what_reading_raises_is_the_trials_exception(files: Mapping[str, bytes], error: str) -> None:
    read = read_trial(trial(files))
    assert (read.verifier_result, read.exception) == (None, error)
    assert read_trial(trial(files, "AgentTimeoutError")).exception == "AgentTimeoutError"


@pytest.mark.parametrize(
    ("files", "measured"),
    [(text("1"), {"reward": 1.0}), (rewards('{"a": 1}'), {"a": 1}), (rewards("null"), None)],
)
def test_rewards_are_kept_beside_an_earlier_exception(
    files: Mapping[str, bytes], measured: Rewards | None
) -> None:
    read = read_trial(trial(files, "AgentTimeoutError"))
    assert read.verifier_result is not None
    assert repr(read.verifier_result.rewards) == repr(measured)
    assert read.exception == "AgentTimeoutError"
    assert read_trial(trial(files)).exception is None


def test_a_verifier_that_never_ran_is_no_error() -> None:
    read = read_trial(trial(None))
    assert (read.verifier_result, read.exception, read.agent_result) == (None, None, AgentResult(7))


def test_a_steps_exception_stays_with_the_step() -> None:
    read = read_trial(steps(step(text("1")), step(text("x")), step(text("0"))))
    assert read.verifier_result is not None
    assert read.verifier_result.rewards == {"reward": 1.0}
    assert read.exception is None
    assert read.step_results == [AgentResult(1)] * 2


def test_a_step_that_raised_but_was_verified_goes_on() -> None:
    read = read_trial(steps(step(text("1"), exception="E"), step(text("0"))))
    assert read.verifier_result is not None
    assert read.verifier_result.rewards == {"reward": 0.5}


def test_only_steps_that_ran_report() -> None:
    read = read_trial(steps(step(text("0"), 0.5), step(text("1")), strategy=Strategy.FINAL))
    assert read.verifier_result is not None
    assert read.verifier_result.rewards == {"reward": 0.0}
    assert read.step_results == [AgentResult(1)]


def test_a_mean_beyond_the_double_range_is_the_trials_exception() -> None:
    huge = step(rewards('{"reward": 1%s}' % ("0" * 400)))
    read = read_trial(steps(huge))
    assert (read.verifier_result, read.exception) == (None, "OverflowError")
    assert read.step_results == [AgentResult(1)]
    assert read_trial(steps(huge, exception="E")).exception == "E"


def test_no_steps() -> None:
    read = read_trial(steps())
    assert (read.verifier_result, read.exception, read.step_results) == (None, None, [])


def test_the_line_sums_up_the_result() -> None:
    good = trial(text("1\n"))
    assert outcome(good, good)["status"] == "completed"
    assert outcome(good, trial(text(""))) == {
        "status": "failed",
        "score": 0.5,
        "resolved": 1,
        "total": 2,
        "reason_code": None,
    }


def test_nan_is_written_as_null_and_the_line_says_malformed() -> None:
    assert outcome(trial(text("nan")))["reason_code"] == "harbor_result_malformed"


def test_a_bare_nan_is_one_entry_and_other_nans_are_not() -> None:
    def nans(files: Mapping[str, bytes]) -> int:
        return pipeline(JOB, [trial(files)] * 2)[0].text().count('"nan"')

    assert nans(rewards('{"reward": NaN}')) == 1
    assert nans(rewards('{"reward": "nan"}')) == 2
    assert nans(text("nan")) == 2


def test_a_metric_that_raises_ends_the_job() -> None:
    huge = trial(rewards('{"reward": 1%s}' % ("0" * 400)))
    with pytest.raises(OverflowError):
        pipeline(JOB, [huge])
    pipeline(replace(JOB, metrics={"d": ["max"]}), [huge])
