"""The profiles of the generations say what the models of every published release say."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.check.generations import (
    JOB_GENERATIONS,
    LIVE,
    RECORD_GENERATIONS,
    job_generation,
    record_generation,
)

MEMBERS = Path(__file__).parents[1] / "release_jobs" / "members.json"
MODELS: dict[str, list[dict[str, Any]]] = json.loads(MEMBERS.read_text(encoding="utf-8"))["models"]
RELEASES: list[str] = json.loads(MEMBERS.read_text(encoding="utf-8"))["releases"]


def key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def members(model: str, release: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The members of a release's model, in their order."""
    for one in MODELS[model]:
        if key(one["first"]) <= key(release) <= key(one["last"]):
            return tuple(one["members"])
    return default


@pytest.mark.parametrize("published", RELEASES)
def test_each_release_has_the_members_of_its_generation(published: str) -> None:
    (job,) = [one for one in JOB_GENERATIONS if key(one.first) <= key(published) <= key(one.last)]
    assert tuple(name for name in members("JobResult", published) if name != LIVE) == job.job
    assert members("JobStats", published) == job.stats
    assert members("AgentDatasetStats", published) == job.group
    (record,) = [one for one in RECORD_GENERATIONS if key(one.first) <= key(published) <= key(one.last)]
    assert members("TrialResult", published) == record.record
    assert members("AgentContext", published) == record.agent_result


@pytest.mark.parametrize("one", JOB_GENERATIONS, ids=lambda one: one.name)
def test_a_generation_is_told_by_its_members(one: Any) -> None:
    assert job_generation(one.job, one.stats, one.group) is one
    assert job_generation((*one.job, LIVE, "agent_info"), (*one.stats, "score"), one.group) is one
    if one.stats != JOB_GENERATIONS[1].stats:  # without groups the second is the first
        assert job_generation(one.job, one.stats, ()) is one


def test_what_lies_between_generations_is_taken_for_the_nearest() -> None:
    last = JOB_GENERATIONS[-1]
    without = [name for name in last.job if name != "updated_at"]
    assert job_generation(without, last.stats, last.group) is last
    assert job_generation(last.job, ("n_trials", "n_errors", *last.stats[2:]), last.group) is last
    first = JOB_GENERATIONS[0]
    assert job_generation((*first.job, "updated_at"), first.stats, first.group) is first


@pytest.mark.parametrize("one", RECORD_GENERATIONS, ids=lambda one: one.name)
def test_a_record_is_told_by_its_members(one: Any) -> None:
    found = record_generation(one.record, one.agent_result)
    assert (found.record, found.agent_result) == (one.record, one.agent_result)
