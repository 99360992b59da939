import pytest

from reference_impl.scores import GroupScore, TrialRecord, scores
from reference_impl.verifier_result import Rewards


def record(
    rewards: Rewards | None, task: str = "t", group: str = "g", exception: str | None = None
) -> TrialRecord:
    return TrialRecord(group, task, rewards, exception)


def test_nothing_has_no_groups() -> None:
    assert scores([]) == {}


def test_every_record_is_in_n_and_in_the_mean() -> None:
    found = scores(
        [
            record({"reward": 1}),
            record({"reward": 0}, exception="OSError"),
            record(None, exception=""),
            record(None),
            record({}),
        ]
    )
    assert found == {"g": GroupScore(5, 3, 2, {"mean": 0.2}, {})}


def test_groups_share_nothing() -> None:
    mine = [record({"reward": 1}), record({"reward": 0})]
    theirs = [record({"a": 0.5, "b": 1}, group="h"), record(None, group="h")]
    together = scores([mine[0], theirs[0], mine[1], theirs[1]])
    assert together == scores(mine) | scores(theirs)
    assert together["g"].pass_at_k == {2: 1.0}
    assert together["h"] == GroupScore(2, 1, 0, {"a": 0.25, "b": 0.5}, {})


def test_a_record_replaces_no_other() -> None:
    failed = record(None, exception="AgentTimeoutError")
    assert scores([failed, record({"reward": 1}), failed])["g"] == GroupScore(
        3, 1, 2, {"mean": 1 / 3}, {2: pytest.approx(2 / 3)}
    )


def test_one_mean_that_overflows_leaves_no_values() -> None:
    with pytest.raises(OverflowError):
        scores([record({"reward": 1}), record({"reward": 10**400}, group="h")])
