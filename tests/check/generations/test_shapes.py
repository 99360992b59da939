"""Jobs in the form of each generation, and the shapes in which such jobs are found in the world."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.check.audit import Audit, CouldNotTryError, audit
from conformance.check.findings import Severity
from conformance.judging.comparison import Level
from tests.check.generations.made_jobs import (
    AGENT,
    FORMS,
    MODEL,
    SOURCE,
    Files,
    Made,
    files,
    result,
    some,
    text,
)

JOB = "result.json"
KEY = f"{AGENT}__{MODEL}__{SOURCE}"
GROUP = f"/stats/evals/{KEY}"
COUNTER = {"0.6.2": "/stats/n_completed_trials"}
Place = Callable[[Path, Files], Path]


@pytest.fixture
def judged(tmp_path: Path, place: Place) -> Callable[..., Audit]:
    def judge(made: Files, level: Level = Level.VALUE) -> Audit:
        return audit(str(place(tmp_path / "job", made)), level, rows=True)

    return judge


def told(found: Audit) -> list[tuple[str, str, str, str]]:
    every = found.findings.ordered()
    return [
        (str(one.severity), one.kind, one.file, one.path) for one in every if one.severity > Severity.NOTE
    ]


def noted(found: Audit) -> list[str]:
    return [one.found for one in found.findings.ordered() if one.severity is Severity.NOTE]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    made: str = request.param
    return made


Judged = Callable[..., Audit]


def test_a_job_is_right_to_the_byte(form: str, judged: Judged) -> None:
    trials = some(40)
    found = judged(files(result(trials, form), trials, form), Level.BYTES)
    assert told(found) == []
    assert next(iter(found.generations)).startswith(f"job file: {form} to ")
    assert (found.state, found.trials, found.planned, found.unverified) == ("finished", 40, 40, 40)
    assert found.stated == {KEY: [{"mean": 13 / 40}]}
    assert {row.group for row in found.rows} == {KEY}
    assert sum(row.rewards is None for row in found.rows) == 4


# A mean that does not follow


def test_a_mean_of_nobody_is_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    document = result(trials, form)
    document["stats"]["evals"][KEY]["metrics"] = [{"mean": 0.162}]
    found = judged(files(document, trials, form))
    assert told(found) == [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]
    (one,) = found.findings.ordered()
    assert (one.found, one.expected) == ("0.162", "0.325")
    assert one.likely is not None


def test_records_that_were_replaced_are_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    again = [*(replace(one, rewards={"reward": 1.0}, exception=None) for one in trials[:12]), *trials[12:]]
    found = judged(files(result(trials, form), again, form))
    assert told(found) == [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]
    (one,) = found.findings.ordered()
    assert one.found == "0.325"
    assert one.expected.startswith("0.525, of the 40 trials")
    assert one.likely is not None
    assert one.likely.startswith(f"records were replaced after {JOB} was written: 9 with records that say")


def test_trials_that_were_run_again_under_new_names_are_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    new = [replace(one, name=f"x__{n:07d}", rewards={"reward": 1.0}) for n, one in enumerate(trials[30:], 30)]
    again = [*trials[:30], *(replace(one, task=f"t{n}") for n, one in enumerate(new, 30))]
    found = judged(files(result(trials, form), again, form))
    assert told(found) == [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]


def test_a_file_of_other_trials_with_the_same_mean_is_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    others = [replace(one, name=f"x{one.name}") for one in trials]
    found = judged(files(result(others, form), trials, form))
    assert told(found) == [("wrong", "missing-trial", JOB, "/stats/evals")]


def test_records_with_other_exceptions_are_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    again = [replace(one, exception="OtherError" if one.exception else None) for one in trials]
    found = judged(files(result(trials, form), again, form))
    assert told(found) == [("wrong", "listing", JOB, f"{GROUP}/exception_stats/AgentTimeoutError")]
    again = [replace(one, exception=None) for one in trials]
    found = judged(files(result(trials, form), again, form))
    assert told(found) == [("wrong", "record", JOB, "/stats/evals")]


# Counts that are others


@pytest.mark.parametrize("planned", [12, 40])
def test_a_file_of_some_of_the_trials_is_one_finding(form: str, planned: int, judged: Judged) -> None:
    trials = some(40)
    document = result(trials[:12], form) | {"n_total_trials": planned}
    found = judged(files(document, trials, form))
    place = COUNTER.get(form, "/stats/n_trials")
    assert told(found) == [("wrong", "extra-trial", JOB, place)]
    (one,) = found.findings.ordered()
    assert (one.found, one.expected) == ("12 trials counted", "40 trials, as records are there")
    assert one.likely is not None
    assert "28 not counted in it" in one.likely


def test_a_file_of_more_trials_than_there_are_is_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    found = judged(files(result(trials, form), trials[:12], form))
    assert told(found) == [("wrong", "missing-trial", JOB, COUNTER.get(form, "/stats/n_trials"))]


def test_a_file_without_any_of_its_trials_is_one_finding(form: str, judged: Judged) -> None:
    found = judged(files(result(some(9), form), [], form))
    assert told(found) == [("wrong", "missing-trial", JOB, COUNTER.get(form, "/stats/n_trials"))]


def test_silent_trials_that_are_not_counted_are_one_finding(form: str, judged: Judged) -> None:
    trials = some(12, unscored=99)
    silent = [Made(f"s{n}__{n:07d}", None) for n in range(20, 30)]
    found = judged(files(result(trials, form), trials + silent, form))
    assert told(found) == [("wrong", "extra-trial", JOB, COUNTER.get(form, "/stats/n_trials"))]


@pytest.mark.parametrize("count", [1, 4])
def test_unscored_trials_listed_as_zero_are_one_finding(form: str, count: int, judged: Judged) -> None:
    trials = some(10 * count)
    zeroed = [replace(one, rewards=one.rewards or {"reward": 0.0}) for one in trials]
    found = judged(files(result(zeroed, form), trials, form))
    assert told(found) == [("wrong", "listing", JOB, f"{GROUP}/reward_stats/reward/0.0")]
    (one,) = found.findings.ordered()
    assert one.likely is not None
    assert one.likely.startswith("unscored trials are listed as reward 0.0")


def test_unscored_trials_left_out_of_the_mean_are_one_finding(form: str, judged: Judged) -> None:
    trials = some(40)
    document = result(trials, form)
    document["stats"]["evals"][KEY]["metrics"] = [{"mean": 13 / 36}]
    found = judged(files(document, trials, form))
    assert told(found) == [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]
    assert "left out" in (found.findings.ordered()[0].likely or "")


# Members


def test_a_member_of_a_later_harbor_is_no_finding(form: str, judged: Judged) -> None:
    trials = some(12)
    document = result(trials, form)
    document |= {"trial_results": []}
    if form != "0.6.2":
        document["updated_at"] = document["finished_at"]
    if form == "0.1.2":
        document["stats"]["cost_usd"] = None
    found = judged(files(document, trials, form), Level.BYTES)
    assert told(found) == []
    assert not found.findings.notes


def test_a_member_of_nobody_is_one_note(form: str, judged: Judged) -> None:
    trials = some(12)
    document = {"agent_info": {"name": "x"}, **result(trials, form), "score": 1}
    found = judged(files(document, trials, form), Level.BYTES)
    assert told(found) == []
    assert noted(found) == ["members that no harbor writes: /agent_info, /score"]
    assert not found.findings.notes


def test_a_member_that_lacks_is_no_contradiction(judged: Judged) -> None:
    trials = some(12)
    document = result(trials, "0.6.2")
    del document["updated_at"]
    document["stats"]["n_trials"] = document["stats"].pop("n_completed_trials")
    found = judged(files(document, trials, "0.6.2"))
    assert {one[0] for one in told(found)} == {"differs"}
    assert [one[3] for one in told(found)] == ["/stats/n_completed_trials", "/updated_at"]
    document["stats"]["n_trials"] = 13
    assert "wrong" in {one[0] for one in told(judged(files(document, trials, "0.6.2")))}


# Keys and their metrics


def test_a_slash_is_a_dash_in_the_first_generation(form: str, judged: Judged) -> None:
    trials = [replace(one, source="a/b") for one in some(12)]
    document = result(trials, form, metrics=form != "0.1.2")  # the first looks for the metrics of `a-b`
    found = judged(files(document, trials, form, [{"name": "a/b"}]), Level.BYTES)
    assert told(found) == []
    if form == "0.1.2":
        document["stats"]["evals"] = {"nop__gpt__a/b": document["stats"]["evals"]["nop__gpt__a-b"]}
        found = judged(files(document, trials, form, [{"name": "a/b"}]))
        assert [one[:2] for one in told(found)] == [("wrong", "group")]


def test_a_metric_that_none_is_due_for_is_wrong_only_if_it_does_not_follow(judged: Judged) -> None:
    trials = [replace(one, source="a/b") for one in some(12)]
    document = result(trials, "0.1.2")
    place = "/stats/evals/nop__gpt__a-b/metrics"
    assert told(judged(files(document, trials, "0.1.2", [{"name": "a/b"}]))) == [
        ("differs", "metric", JOB, place)
    ]
    document["stats"]["evals"]["nop__gpt__a-b"]["metrics"] = [{"mean": 0.9}]
    assert told(judged(files(document, trials, "0.1.2", [{"name": "a/b"}]))) == [
        ("wrong", "metric", JOB, place)
    ]


def test_groups_that_differ_in_a_slash_alone_are_one_in_the_first_generation(judged: Judged) -> None:
    trials = [replace(one, model="a/b" if n % 2 else "a-b") for n, one in enumerate(some(12))]
    document = result(trials, "0.1.2")
    assert list(document["stats"]["evals"]) == ["nop__a-b__bench"]
    assert told(judged(files(document, trials, "0.1.2"), Level.BYTES)) == []


def test_a_group_that_nothing_makes_is_not_there_before_0_6_2(form: str, judged: Judged) -> None:
    trials = [*some(5, unscored=99), *(Made(f"s{n}__{n:07d}", None, source="x__y") for n in range(20, 23))]
    document = result(trials, form)
    document["stats"]["evals"]["nop__gpt__x__y"]["metrics"] = []  # those of `y` are looked for
    datasets = [{"path": "d/bench"}, {"path": "d/x__y"}]
    found = judged(files(document, trials, form, datasets))
    if form == "0.6.2":
        assert told(found) == []
        return
    assert told(found) == [("wrong", "group", JOB, "/stats/evals/nop__gpt__x__y")]
    del document["stats"]["evals"]["nop__gpt__x__y"]
    assert told(judged(files(document, trials, form, datasets), Level.BYTES)) == []


@pytest.mark.parametrize(
    ("added", "modes", "due"),
    [
        ({}, {}, [None]),
        ({"verifier_environment_mode": None}, {}, [None, "mean"]),
        ({"verifier_environment_mode": None}, {"model_usage": None}, ["mean"]),
    ],
    ids=["until-0.20.0", "0.21.0-or-0.22.0", "from-0.23.0"],
)
def test_a_dataset_that_is_not_configured_has_metrics_from_0_22_0_on(
    added: dict[str, Any], modes: dict[str, Any], due: list[str | None], judged: Judged
) -> None:
    trials = some(12)
    names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd", *modes)
    said = dict.fromkeys((*names, "rollout_details", "metadata"))
    for metrics in (None, "mean"):
        document = result(trials, "0.6.2", metrics=metrics is not None)
        made = files(document, trials, "0.6.2", [{"path": "d/another"}])
        for trial in trials:
            record = {**trial.record("0.6.2"), "agent_result": said, **added}
            order = [name for name in record if name not in added]
            after = order.index("verifier_result") + 1
            order[after:after] = added
            made[f"{trial.name}/{JOB}"] = text({name: record[name] for name in order})
        found = judged(made)
        assert (told(found) == []) is (metrics in due), (metrics, told(found))


# Where the file is not harbor's alone


def test_a_wrapped_file_is_judged_inside(form: str, judged: Judged) -> None:
    trials = some(12)
    document = result(trials, form)
    wrapped = {"config": {}, "eval": {"score": 0.5}, "result": document}
    found = judged(files(wrapped, trials, form), Level.BYTES)
    assert told(found) == []
    assert list(found.findings.notes) == ["result.json wraps the job's result in /result"]
    assert noted(found) == ["members that no harbor writes: /config, /eval"]
    assert (found.state, found.planned, found.stated) == ("finished", 12, {KEY: [{"mean": 1 / 3}]})
    document["stats"]["evals"][KEY]["n_errors"] += 1
    document["started_at"] = "yesterday"
    found = judged(files(wrapped, trials, form))
    assert told(found) == [
        ("differs", "schema", JOB, "/result/started_at"),
        ("wrong", "counter", JOB, f"/result{GROUP}/n_errors"),
    ]


def test_trials_in_the_file_are_the_jobs_where_there_are_no_directories(form: str, judged: Judged) -> None:
    trials = some(12)
    document = {**result(trials, form), "trial_results": [one.record(form) for one in trials]}
    found = judged(files(document, [], form))
    assert told(found) == []
    assert (found.trials, len(found.rows), found.unverified) == (12, 12, 12)
    (note,) = found.findings.notes
    assert note.startswith("there are no trial directories")
    document["stats"]["evals"][KEY]["metrics"][0]["mean"] = 0.75
    assert told(judged(files(document, [], form))) == [("wrong", "metric", JOB, f"{GROUP}/metrics/0/mean")]


def test_trials_in_the_file_are_held_to_the_directories(form: str, judged: Judged) -> None:
    trials = some(12)
    records = [one.record(form) for one in trials]
    document = {**result(trials, form), "trial_results": records}
    assert told(judged(files(document, trials, form))) == []
    records[3]["verifier_result"] = {"rewards": {"reward": 0.5}}
    records[0]["exception_info"] = None
    del records[5]
    assert told(judged(files(document, trials, form))) == [
        ("wrong", "extra-trial", JOB, "/trial_results"),
        ("wrong", "record", JOB, "/trial_results/0/exception_info"),
        ("wrong", "record", JOB, "/trial_results/3/verifier_result/rewards"),
    ]
    document["trial_results"] = [{"trial_name": 3}, *records]
    assert ("differs", "schema", JOB, "/trial_results/0") in told(judged(files(document, trials, form)))


def test_trials_without_a_file_are_read(form: str, judged: Judged) -> None:
    trials = some(12)
    made = files({}, trials, form)
    del made[JOB]
    found = judged(made)
    assert told(found) == []
    assert (found.state, found.trials, len(found.rows), found.planned) == ("unknown", 12, 12, None)
    assert [note for note in found.findings.notes if note.startswith("there is no result.json")]


def test_a_folder_without_anything_is_not_audited(judged: Judged) -> None:
    with pytest.raises(CouldNotTryError, match=r"there is no result\.json"):
        judged({"config.json": "{}"})
    with pytest.raises(CouldNotTryError, match=r"there is no result\.json") as refused:
        judged({"folder/result.json": text(result(some(3), "0.1.2"))})
    assert refused.value.audit is None


def test_an_unfinished_job_is_not_held_to_its_trials(form: str, judged: Judged) -> None:
    trials = some(12)
    document = {**result(trials[:4], form), "finished_at": None, "trial_results": []}
    found = judged(files(document, trials, form))
    assert (told(found), found.state, found.planned) == ([], "unfinished", 4)
    assert len(found.rows) == 12
    assert found.stated


def test_an_unfinished_jobs_counters_agree_with_its_own_lists(form: str, judged: Judged) -> None:
    trials = some(12)
    document = {**result(trials[:9], form), "finished_at": None}
    group, stats = document["stats"]["evals"][KEY], document["stats"]
    errored = "n_errored_trials" if form == "0.6.2" else "n_errors"
    for where, name, place in (
        (group, "n_errors", GROUP),
        (group, "n_trials", GROUP),
        (stats, errored, "/stats"),
    ):
        where[name] -= 1
        assert ("wrong", "counter", JOB, f"{place}/{name}") in told(judged(files(document, trials, form)))
        where[name] += 1
    assert told(judged(files(document, trials, form))) == []


def test_severities_are_those_of_the_kinds(judged: Judged) -> None:
    trials = some(12)
    made = files(result(trials, "0.1.2"), trials, "0.1.2")
    made[JOB] = json.dumps(json.loads(made[JOB]))
    found = judged(made, Level.BYTES)
    assert {one.severity for one in found.findings.ordered()} == {Severity.DIFFERS}
