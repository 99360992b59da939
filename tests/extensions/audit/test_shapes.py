"""Jobs in the form of each generation, and the shapes in which such jobs are found in the world."""

from dataclasses import replace

import pytest

from tests.extensions.audit.auditing import JOB, audited, found, grave
from tools.jobs.model import Job, Trial, record_of, result_of

FORMS = ("0.1.2", "0.4.0", "0.6.0", "0.6.2")
"""The first release of each generation of the job's file."""
KEY = "nop__gpt__bench"
GROUP = f"/stats/evals/{KEY}"
WHAT = ("severity", "kind", "file", "path")


def counter(form):
    """Where the trials are counted."""
    return "/stats/n_completed_trials" if form == "0.6.2" else "/stats/n_trials"


def some(count, unscored=10):
    """Trials of different tasks: every third passes, every tenth has no rewards and an exception."""
    made = []
    for number in range(count):
        rewards = None if number % unscored == 7 else {"reward": float(number % 3 == 0)}
        exception = "AgentTimeoutError" if rewards is None or number % 11 == 0 else None
        made.append(trial(f"t{number}", number, rewards, exception))
    return made


def trial(task, number, rewards, exception=None, **own):
    times = {"began": number, "ended": number + 0.5}
    return Trial(f"{task}__{number:07d}", task, rewards, exception, **times, own=own)


def job(form, trials, records=None, **more):
    """A job whose file is that of some trials, with the records of others."""
    made = Job("job", tuple(map(int, form.split("."))), trials, **more).build()
    if records is not None:
        made.records = {one.name: record_of(made, one) for one in records}
    return made


def group(made):
    return made.result["stats"]["evals"][made.key]


@pytest.fixture(
    params=[FORMS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in FORMS[1:3]), FORMS[3]]
)
def form(request):
    return request.param


@pytest.fixture
def judged(tmp_path):
    def judge(made, *options):
        return audited(made.write(tmp_path), *(options or ("--level", "value")))

    return judge


# What does not follow is one finding: trials of the file and of the records, kind and place, and texts

FORTY = some(40)
REPLACED = [*(replace(one, rewards={"reward": 1.0}, exception=None) for one in FORTY[:12]), *FORTY[12:]]
OTHER_TRIALS = (replace(FORTY[n], name=f"x__{n:07d}", rewards={"reward": 1.0}) for n in range(30, 40))
OTHERS = [replace(one, name=f"x{one.name}") for one in FORTY]
EXCEPTIONS = [replace(one, exception="OtherError" if one.exception else None) for one in FORTY]
NONE = [replace(one, exception=None) for one in FORTY]
ZEROED = [replace(one, rewards=one.rewards or {"reward": 0.0}) for one in FORTY]
SILENT = [*some(12, unscored=99), *(trial(f"s{n}", n, None) for n in range(20, 30))]
EVALS, MEAN, TIMEOUTS = (
    "/stats/evals",
    f"{GROUP}/metrics/0/mean",
    f"{GROUP}/exception_stats/AgentTimeoutError",
)
ZERO = f"{GROUP}/reward_stats/reward/0.0"
AS_ZERO = {"likely": "unscored trials are listed with reward 0.0"}
LISTED = " listed differently in result.json"
OTHER_MEAN = {"expected": "0.525, the value for the existing trials", "likely": f"9{LISTED}"}
FEWER = {"found": "12 trials counted", "expected": "40, the number of records"}
ONE_FINDING = {
    "records replaced": (FORTY, REPLACED, "metric", MEAN, {"found": "0.325", **OTHER_MEAN}),
    "trials run again": (FORTY, [*FORTY[:30], *OTHER_TRIALS], "metric", MEAN, {"found": "0.325"}),
    "others with the same mean": (OTHERS, FORTY, "missing-trial", EVALS, {}),
    "other exceptions": (FORTY, EXCEPTIONS, "listing", TIMEOUTS, {}),
    "no exceptions": (FORTY, NONE, "record", EVALS, {"likely": f"8{LISTED}"}),
    "some of the trials": (FORTY[:12], FORTY, "extra-trial", "COUNTER", FEWER),
    "more trials than there are": (FORTY, FORTY[:12], "missing-trial", "COUNTER", {}),
    "no record": (some(9), [], "missing-trial", "COUNTER", {}),
    "silent trials not counted": (SILENT[:12], SILENT, "extra-trial", "COUNTER", {}),
    "unscored listed as zero": (ZEROED, FORTY, "listing", ZERO, AS_ZERO),
    "one unscored listed as zero": (ZEROED[:10], FORTY[:10], "listing", ZERO, AS_ZERO),
}


@pytest.mark.parametrize("what", ONE_FINDING)
def test_what_does_not_follow_is_one_finding(form, what, judged) -> None:
    of_file, of_records, kind, path, texts = ONE_FINDING[what]
    made = job(form, of_file, of_records)
    told, due = judged(made), [("wrong", kind, JOB, path.replace("COUNTER", counter(form)))]
    assert grave(told, *WHAT) == due
    (one,) = (one for one in told["findings"] if one["severity"] != "note")
    for name, text in texts.items():
        assert one[name].startswith(text)
    if what.startswith("some"):
        made.result["n_total_trials"] = 40
        assert grave(judged(made), *WHAT) == due
        assert "28 not counted in result.json" in one["likely"]


# Keys and their metrics


def test_a_slash_is_a_dash_in_the_first_generation(form, judged) -> None:
    made = job(form, some(12), source="a/b")
    assert found(judged(made, "--level", "bytes")) == []
    if form == "0.1.2":
        evals = made.result["stats"]["evals"]
        assert evals["nop__gpt__a-b"]["metrics"] == []  # it looks for the metrics of `a-b`
        place = "/stats/evals/nop__gpt__a-b/metrics"
        for mean, severity in ((4 / 12, "differs"), (0.9, "wrong")):
            evals["nop__gpt__a-b"]["metrics"] = [{"mean": mean}]
            assert grave(judged(made), *WHAT) == [(severity, "metric", JOB, place)]
        made.result["stats"]["evals"] = {"nop__gpt__a/b": {**evals["nop__gpt__a-b"], "metrics": []}}
        assert grave(judged(made), "severity", "kind") == [("wrong", "group")]


def test_groups_that_differ_in_a_slash_alone_are_one_in_the_first_generation(judged) -> None:
    trials = [replace(one, own={"model": "a/b" if n % 2 else "a-b"}) for n, one in enumerate(some(12))]
    made = job("0.1.2", trials)
    assert list(made.result["stats"]["evals"]) == ["nop__a-b__bench"]
    assert found(judged(made, "--level", "bytes")) == []


def test_a_group_that_nothing_makes_is_not_there_before_0_6_2(form, judged) -> None:
    trials = [*some(5, unscored=99), *(trial(f"s{n}", n, None, source="x__y") for n in range(20, 23))]
    made = job(form, trials)
    made.config["datasets"] = [{"path": "d/bench"}, {"path": "d/x__y"}]
    told = grave(judged(made), *WHAT)
    if form == "0.6.2":
        assert told == []
        return
    assert told == [("wrong", "group", JOB, "/stats/evals/nop__gpt__x__y")]
    del made.result["stats"]["evals"]["nop__gpt__x__y"]
    assert found(judged(made, "--level", "bytes")) == []


@pytest.mark.parametrize(
    ("release", "due"), [("0.20.0", [None]), ("0.21.0", [None, "mean"]), ("0.23.0", ["mean"])]
)
def test_a_dataset_that_is_not_configured_has_metrics_from_0_22_0_on(release, due, judged) -> None:
    trials = [replace(one, tokens=(1, 1, 1, 0.5)) for one in some(12)]
    for metrics in (None, "mean"):
        made = job(release, trials)
        made.config["datasets"] = [{"path": "d/another"}]
        if metrics is None:
            group(made)["metrics"] = []
        assert (grave(judged(made)) == []) is (metrics in due), metrics


def test_the_only_trial_of_such_a_dataset_is_lost(judged) -> None:
    """It is missing; its group still has the job's metrics, as 0.23.0 writes them."""
    trials = [*some(11), trial("y", 11, {"reward": 1.0}, source="y")]
    made = job("0.23.0", trials, trials[:11])
    made.config["datasets"] = [{"path": "d/bench"}]
    due = ("wrong", "missing-trial", f"{trials[11].name}/{JOB}")
    assert grave(judged(made), "severity", "kind", "file") == [due]


# Where the file is not harbor's alone


def test_a_wrapped_file_is_judged_inside(form, judged) -> None:
    made = job(form, some(12))
    inner = made.result
    made.result = {"config": {}, "eval": {"score": 0.5}, "result": inner}
    told = judged(made, "--level", "bytes")
    assert found(told, "severity", "found") == [("note", "members that no release writes: /config, /eval")]
    assert told["notes"] == ["result.json wraps the job's result in /result"]
    assert (told["state"], told["groups"][0]["planned"]) == ("finished", 12)
    assert told["groups"][0]["scores"][0]["stated"]["value"] == 1 / 3
    inner["stats"]["evals"][KEY]["n_errors"] += 1
    inner["started_at"] = "yesterday"
    assert grave(judged(made), *WHAT) == [
        ("differs", "schema", JOB, "/result/started_at"),
        ("wrong", "counter", JOB, f"/result{GROUP}/n_errors"),
    ]


def test_an_unfinished_jobs_counters_agree_with_its_own_lists(form, judged) -> None:
    made = job(form, some(12))
    made.result = result_of(job(form, some(9))) | {"finished_at": None}
    errored = "n_errored_trials" if form == "0.6.2" else "n_errors"
    of_group, of_job = group(made), made.result["stats"]
    for where, name, place in (
        (of_group, "n_errors", GROUP),
        (of_group, "n_trials", GROUP),
        (of_job, errored, "/stats"),
    ):
        where[name] -= 1
        assert ("wrong", "counter", JOB, f"{place}/{name}") in grave(judged(made), *WHAT)
        where[name] += 1
    assert grave(judged(made)) == []


def test_keys_in_another_order_than_trials_bring_them_only_differ(judged) -> None:
    trials = [replace(one, rewards={"b": 1.0, "a": 0.5}, exception=None) for one in some(4)]
    trials[3].exception, trials[1].exception = "LaterError", "EarlierError"
    made, names = job("0.6.2", trials), ("exception_stats", "reward_stats")
    for name in names:
        group(made)[name] = dict(reversed(group(made)[name].items()))
    due = [("differs", "order", f"{GROUP}/{name}") for name in names]
    assert found(judged(made, "--level", "bytes"), "severity", "kind", "path") == due
    assert found(judged(made, "--level", "exact")) == []


def test_lists_in_different_orders_are_no_second_contradiction(judged) -> None:
    """The numbers decide who is wrong; of the order, the first name that is elsewhere is shown."""
    made = job("0.6.2", ZEROED, FORTY)
    names = group(made)["exception_stats"]["AgentTimeoutError"]
    names[1], names[3] = names[3], names[1]  # both are unscored, so in the other list too
    first = (f"{GROUP}/exception_stats/AgentTimeoutError/1", '"t17__0000017"', '"t7__0000007"')
    told = found(judged(made, "--level", "bytes"), "kind", "severity", "path", "found", "expected")
    assert told[0] == ("order", "differs", *first)
    assert grave(judged(made), *WHAT) == [("wrong", "listing", JOB, ZERO)]
