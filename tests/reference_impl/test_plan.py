import pytest

from reference_impl.plan import plan_trials


def test_attempts_then_tasks_then_agents() -> None:
    assert plan_trials(2, ["t1", "t2"], ["a1", "a2"]) == [
        ("t1", "a1"),
        ("t1", "a2"),
        ("t2", "a1"),
        ("t2", "a2"),
        ("t1", "a1"),
        ("t1", "a2"),
        ("t2", "a1"),
        ("t2", "a2"),
    ]


def test_duplicates_are_kept() -> None:
    assert plan_trials(1, ["t", "t"], ["a"]) == [("t", "a"), ("t", "a")]


@pytest.mark.parametrize(("n_attempts", "agents"), [(0, ["a"]), (-1, ["a"]), (2, [])])
def test_nothing_to_do(n_attempts: int, agents: list[str]) -> None:
    assert plan_trials(n_attempts, ["t"], agents) == []


@pytest.mark.parametrize(("n_attempts", "agents"), [(1, ["a"]), (0, []), (1, [])])
def test_a_job_needs_a_task(n_attempts: int, agents: list[str]) -> None:
    with pytest.raises(ValueError, match="at least one task"):
        plan_trials(n_attempts, [], agents)
