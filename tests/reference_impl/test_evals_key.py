import pytest

from reference_impl.evals_key import evals_key


@pytest.mark.parametrize(
    ("agent", "model", "source", "expected"),
    [
        ("a", "m", "d", "a__m__d"),
        ("a", None, "d", "a__d"),
        ("a", "", "d", "a__d"),
        ("a", "m", None, "a__m__adhoc"),
        ("a", "m", "", "a__m__adhoc"),
        ("a", None, None, "a__adhoc"),
        ("a", "y/z", "my__data", "a__y/z__my__data"),
    ],
)
def test_parts_are_joined(agent: str, model: str | None, source: str | None, expected: str) -> None:
    assert evals_key(agent, model, source) == expected


def test_groups_can_collide() -> None:
    assert evals_key("a", "x", "d") == evals_key("a", None, "x__d")
