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


def test_nothing_to_do() -> None:
    assert plan_trials(0, ["t"], ["a"]) == plan_trials(1, [], ["a"]) == []
