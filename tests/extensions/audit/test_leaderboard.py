"""A leaderboard with jobs right and wrong in known ways: that is found, and nothing else is said."""

import math
import random
from collections import Counter

import pytest

from tests.extensions.audit.auditing import audited, found, lines, report
from tools.jobs import leaderboard


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small leaderboard, and what there is to find in it."""
    folder = tmp_path_factory.mktemp("made")
    return folder / "leaderboard", leaderboard.make(folder, 40, small=True)


@pytest.fixture(scope="module")
def document(made):
    return report("--level", "value", made[0], exits=1)


def told(job):
    return Counter(found(job, "severity", "kind", "file", "path"))


def test_every_fault_is_found_at_its_place_and_nothing_else_is_said(made, document) -> None:
    expected, jobs = made[1]["jobs"], {job["path"]: job for job in document["jobs"]}
    assert {name: told(job) for name, job in jobs.items()} == {
        name: told(due) for name, due in expected.items()
    }
    assert all(job["problem"] is None for job in jobs.values())
    assert sum(bool(due["findings"]) for due in expected.values()) >= 15


def test_states_and_generations_are_told(made, document) -> None:
    for job in document["jobs"]:
        due = made[1]["jobs"][job["path"]]
        open_ended = due["state"] in ("unfinished", "without result") and not due["findings"]
        assert (job["verdict"] == "unfinished") is open_ended, job["path"]
        names = [name for name in job["generations"] if name.startswith("job file")]
        assert bool(names) is (due["state"] in ("finished", "unfinished")), job["path"]
        release = tuple(map(int, due["release"].split(".")))
        for name in names:
            releases = name.split(": ")[1].split(" to ")
            first, last = (tuple(map(int, one.split("."))) for one in (releases[0], releases[-1]))
            assert first <= release <= last, (job["path"], name)


def test_submissions_roll_up_to_the_numbers_of_their_records(made, document) -> None:
    assert {one["name"] for one in document["submissions"]} == made[1]["submissions"].keys()
    for one in document["submissions"]:
        due = made[1]["submissions"][one["name"]]
        (group,) = one["groups"]
        counts = (group["tasks"], group["records"], sum(one["jobs"].values()))
        assert counts == (due["tasks"], due["records"], due["jobs"]), one["name"]
        (scores,) = group["scores"]
        assert scores["scored"] == due["scored"], one["name"]
        assert scores["by"]["records"]["value"] == pytest.approx(due["sum"] / due["records"], abs=1e-12)
        assert scores["by"]["scored"]["value"] == pytest.approx(due["sum"] / due["scored"], abs=1e-12)
        uneven = {**group["fewer"], **group["more"]}
        usual = group["attempts"]
        assert {task: uneven.get(task, usual) for task in due["tries"]} == due["tries"], one["name"]
        assert [double["trial"] for double in group["doubles"]] == due["doubles"], one["name"]


def test_no_line_of_the_page_is_long(made) -> None:
    for_copying = ("wrong: ", "differs: ", "note: ", "  repeat: ")
    page = lines("--level", "value", made[0])
    assert max(len(line) for line in page if not line.startswith(for_copying)) <= 100


# What jobs in the wild have: as much is said as it means for the numbers, and once


def with_mean(change):
    def changed(job) -> None:
        metric = job.result["stats"]["evals"][job.key]["metrics"][0]
        metric["mean"] = change(metric["mean"])

    return changed


def as_ints(job) -> None:
    for record in job.records.values():
        if record["verifier_result"]:
            reward = record["verifier_result"]["rewards"]["reward"]
            record["verifier_result"] = {"rewards": {"reward": int(reward)}}


def other_names(job) -> None:
    job.records = {f"attempt-{number}": record for number, record in enumerate(job.records.values())}


def without_times(job) -> None:
    for record in job.records.values():
        record |= dict.fromkeys(("started_at", "finished_at", "agent_execution"))


def other_metric(job) -> None:
    """What a registry says of its dataset, no file of the job does."""
    job.result["stats"]["evals"][job.key]["metrics"] = [{"max": 1.0}]


def with_file(path, content):
    return lambda job: job.raw.update({path: content})


CASES = {
    "last bits": (with_mean(lambda mean: math.nextafter(mean, 2)), [("differs", "metric")]),
    "rounded": (with_mean(lambda mean: round(mean, 3)), [("differs", "metric")]),
    "ints": (as_ints, []),
    "other names": (other_names, [("differs", "trial-name")]),
    "beside": (with_file("analysis/result.json", b'{"score": 1}'), [("differs", "schema")]),
    "no times": (without_times, []),
    "registry": (other_metric, []),
    "left over": (with_file("left-over__abcdefg/config.json", b"{}"), []),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("release", [(0, 1, 17), (0, 6, 6)])
def test_what_is_said_of_it(name, release, tmp_path) -> None:
    change, due = CASES[name]
    of = leaderboard.Submission("s", "terminus-2", "anthropic", "claude", [2], 0.6)
    job = leaderboard.made_job(random.Random(4), of, (None, release), leaderboard.task_names(7), 2, 0.0)
    change(job)
    one = audited(job.write(tmp_path), "--level", "value")
    assert (found(one, "severity", "kind"), one["trials"]) == (due, 14)
