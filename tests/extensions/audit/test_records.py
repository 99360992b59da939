"""Records of every generation, members that are missing or of nobody, reward files that are not there."""

import json
import shutil
import subprocess

import pytest

from conformance.extensions.audit.formats import RECORD_FORMS, Record, Report
from conformance.oracle import environments
from tests.extensions.audit.auditing import JOB, T0, audited, edit, found, put, report
from tools.jobs.kept import JOBS, write

RECORD = f"{T0}/{JOB}"
LATER = ("skills", "extra_allowed_hosts", "cpu_enforcement_policy", "extra_docker_compose")
VALUES = {"verifier_environment_mode": "shared", "schema_version": 1, "reward_valid": True}
FIRST, SECOND, _, FOURTH, FIFTH, _, LAST = RECORD_FORMS


def written_by(generation):
    """A record as releases of that generation write it."""
    value = json.loads(JOBS["tokens-and-cost"][RECORD])
    value["agent_info"]["model_info"] = {"name": "m", "provider": "p"}
    made = {name: value.get(name, VALUES.get(name)) for name in generation.members(Record)}
    made["agent_result"] = {name: value["agent_result"].get(name) for name in generation.members(Report)}
    if "step_results" not in generation.members(Record):
        made["config"] = {
            name: {key: part[key] for key in part if key not in LATER} if isinstance(part, dict) else part
            for name, part in value["config"].items()
        }
    return made


def said_of(records, top):
    """What is found in each record, the first one of a job: kind, place, severity, what is there.

    A record is given by its generation, and by what is changed in it then; `...` is left out.
    """
    folders = [write(JOBS["tokens-and-cost"], top / str(number)) for number in range(len(records))]
    for folder, (generation, change) in zip(folders, records, strict=True):
        (folder / RECORD).write_text(json.dumps(written_by(generation)))
        put(folder / RECORD, **change)
    names = ("kind", "path", "severity", "found", "file")
    return [
        [one[:4] for one in found(job, *names) if one[4] == RECORD and one[0] != "record"]
        for job in report(*folders)["jobs"]
    ]


def test_what_a_generation_may_write(tmp_path) -> None:
    moments = ("2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05+02:00")
    exception = dict.fromkeys(("exception_type", "exception_message", "exception_traceback"), "E")
    policy = {"should_retry": True, "should_grade": True, "has_valid_reward": True}
    late = {**exception, "occurred_at": moments[0], "policy": policy}
    records = (
        (LAST, {"/verifier_environment_mode": "separate"}),
        (LAST, {"/verifier_environment_mode": None}),
        (LAST, {"/agent_result/model_usage": {"m": {"n_input_tokens": 1, "cost_usd": None}}}),
        (FIRST, {"/agent_result/output_logprobs": [[-0.5, 0.0], []]}),
        (SECOND, {"/agent_result/rollout_details": [{"a b": [1, 2]}]}),
        (SECOND, {"/agent_result/metadata": {"a": {"b c": ["é", 0.5, True]}}}),
        (FOURTH, {"/agent_info/model_info/provider": None}),
        (SECOND, {"/config": {}}),
        (SECOND, {"/config": {"anything": [1, {"at": "all"}]}}),
        (SECOND, {"/config/task": {"path": "t0__0000000", "t0__0000000": 1}}),
        *((FIFTH, {"/exception_info": {**exception, "occurred_at": moment}}) for moment in moments),
        (LAST, {"/exception_info": late}),
        (LAST, {"/exception_info": late | {"policy_override": policy | {"should_retry": None}}}),
    )
    assert said_of(records, tmp_path) == [[]] * len(records)


def test_a_member_that_the_generation_writes_is_missed(tmp_path) -> None:
    places = (
        *((FIRST, "/source"), (SECOND, "/agent_result/metadata"), (FOURTH, "/agent_result/cost_usd")),
        *((LAST, f"/{name}") for name in ("agent_setup", "reward_valid", "schema_version")),
        (LAST, "/agent_info/model_info/provider"),
    )
    old = (SECOND, {"/agent_info/model_info/provider": None})  # it always has its provider
    told = said_of([*((generation, {place: ...}) for generation, place in places), old], tmp_path)
    due = [[("schema", place, "differs", "nothing")] for _, place in places]
    assert told == [*due, [("schema", "/agent_info/model_info/provider", "differs", "null")]]


# Reward files that are not there: nobody's mistake where no trial has any, and a finding where some have


def test_members_that_no_harbor_writes_are_one_note(written) -> None:
    folder = written("twelve-trials")
    for number, file in enumerate(sorted(folder.glob("*/result.json"))):
        put(file, **{"/foo": 1, **({"/bar": {"x": 1}} if number == 3 else {})})
    assert sorted(found(audited(folder), "path", "severity", "found")) == [
        ("/bar", "note", "a member that no release writes, in 1 record"),
        ("/foo", "note", "a member that no release writes, in 12 records"),
    ]


NAMES = (
    "pass-and-fail",
    "twelve-trials",
    "reward-errors",
    "not-a-number",
    "infinite",
    "steps-mean",
    "pass-at-k",
)


def all_of_it(folder):
    for verifier in [*folder.glob("*/verifier"), *folder.glob("*/steps")]:
        shutil.rmtree(verifier)
    return folder


def rewards_alone(folder):
    """As a mirror does that keeps the verifier's logs."""
    for verifier in [*folder.glob("*/verifier"), *folder.glob("*/steps/*/verifier")]:
        for file in verifier.glob("reward.*"):
            file.unlink()
        (verifier / "test-stdout.txt").write_text("ok\n")
    return folder


@pytest.mark.parametrize("strip", [all_of_it, rewards_alone])
def test_where_no_trial_has_any_the_records_are_judged(strip, written) -> None:
    folders = [written(name, name) for name in NAMES]
    before = report(*folders)["jobs"]
    for one, other in zip(before, report(*map(strip, folders))["jobs"], strict=True):
        assert (one["unverified"], other["counts"], other["errored"]) == (0, {}, one["errored"])
        assert other["unverified"] == other["trials"] > 0


@pytest.mark.parametrize("name", ["t0__0000000", "t1__0000001", "t11__0000011"])
def test_one_file_makes_all_that_are_missing_findings(name, written) -> None:
    folder, path = all_of_it(written("twelve-trials")), f"{name}/verifier/reward.txt"
    write({path: JOBS["twelve-trials"][path]}, folder)
    job = audited(folder)
    first = min(one.name for one in folder.iterdir() if one.is_dir() and one.name != name)
    due = ("reward-file", f"{first}/verifier/reward.txt", "RewardFileNotFoundError", "the same in 11 trials")
    assert (found(job, "kind", "file", "found", "likely"), job["unverified"]) == ([due], 0)


def test_a_change_is_found_without_reward_files(written) -> None:
    steps = all_of_it(written("steps-mean", "steps"))
    assert found(audited(steps)) == []
    write({"m__0000000/steps/s0/verifier/reward.txt": "1\n"}, steps)
    job = audited(steps)
    assert ({*found(job, "kind")}, job["unverified"]) == ({("reward-file",)}, 0)
    changed = all_of_it(written("steps-mean", "changed"))
    edit(changed / "m__0000000" / JOB, ('"reward": 0.0', '"reward": 0.25'))
    assert found(audited(changed), "kind") == [("steps",)]
    folder = all_of_it(written("fractions"))
    edit(folder / "t3__0000003" / JOB, ('"reward": 0.7', '"reward": 0.8'))
    assert found(audited(folder)) == [("record", "t3__0000003/result.json", "/verifier_result/rewards")]


# Times that harbor's own models read conform; others do not

GOOD = """2024-02-29T00:00:00 2000-02-29T23:59:59.999999Z 0001-01-01T00:00:00
    9999-12-31T23:59:59.999999-23:59 2026-01-01T00:00:00+23:59"""
BAD = """2026-02-30T25:61:00Z 2026-02-29T00:00:00 1900-02-29T00:00:00 2026-04-31T00:00:00Z
    2026-13-01T00:00:00 2026-00-10T00:00:00 2026-01-00T00:00:00 0000-00-00T00:00:00 0000-01-01T00:00:00
    2026-01-01T24:00:00 2026-01-01T23:60:00 2026-01-01T23:59:60 2026-01-01T00:00:00+24:00
    2026-01-01T00:00:00+05:60"""
TIMES = {**dict.fromkeys(GOOD.split(), True), **dict.fromkeys(BAD.split(), False)}
"""Whether harbor 0.13.1 reads them, as its own models said; `test_harbor_says_the_same` asks them again."""

_ASK = """
import json, sys
from harbor.models.job.result import JobResult
from harbor.models.trial.result import TrialResult
job, trial, times = json.load(sys.stdin)
def reads(model, document, time):
    try:
        return bool(model.model_validate_json(json.dumps({**document, "started_at": time})))
    except ValueError:
        return False
told = {time: [reads(JobResult, job, time), reads(TrialResult, trial, time)] for time in times}
late = {**job, "started_at": "2026-01-02T00:00:00", "finished_at": "2026-01-01T00:00:00"}
told["late"] = [reads(JobResult, late, late["started_at"])] * 2
json.dump(told, sys.stdout)
"""


@pytest.mark.oracle
def test_harbor_says_the_same() -> None:
    documents = [json.loads(JOBS["pass-and-fail"][path]) for path in (JOB, f"{T0}/{JOB}")]
    done = subprocess.run(
        [str(environments.ensure(lambda _: None).python), "-s", "-c", _ASK],
        input=json.dumps([*documents, list(TIMES)]),
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    due = {time: [read, read] for time, read in TIMES.items()}
    assert json.loads(done.stdout) == {**due, "late": [True, True]}


@pytest.mark.parametrize("file", [JOB, f"{T0}/{JOB}"])
def test_times(file, tmp_path) -> None:
    was = "2000-01-01T00:00:00" if file == JOB else "2000-01-01T00:00:00Z"
    folders = [write(JOBS["pass-and-fail"], tmp_path / str(number)) for number in range(len(TIMES))]
    for folder, time in zip(folders, TIMES, strict=True):
        edit(folder / file, (was, time))
    for (time, read), job in zip(TIMES.items(), report("--level", "value", *folders)["jobs"], strict=True):
        every = found(job, "kind", "file", "found", "path")
        places = [one[:3] for one in every if one[0] != "time"]  # the job and its trial are far apart
        assert places == ([] if read else [("schema", file, f'"{time}"')] * (3 if file == JOB else 10)), time
