"""What is said of a pattern that matches no vector."""

import pytest

from conformance.suite.choosing import nothing_has
from conformance.suite.vectors import load_spec


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("harbor-0.13.1/pass-at-k/*", "did you mean 'harbor-0.13.1/pass_at_k/*'?"),
        ("harbor-0.13.1/plan_trials/*", "did you mean 'harbor-0.13.1/plan/*'?"),
        ("pass_at_k", "there are harbor-0.13.1/aggregation/*, "),
        (
            "harbor-0.13.1/aggregation/sum-ten-tenth",
            "did you mean 'harbor-0.13.1/aggregation/sum-ten-tenths'?",
        ),
        ("harbor-0.25.0/plan/*", "give its spec too, --spec harbor-0.25.0"),
        ("\x1b[31m", "there are harbor-0.13.1/aggregation/*, harbor-0.13.1/evals_key/*, "),
    ],
)
def test_a_pattern_that_matches_nothing(pattern, meant) -> None:
    said = nothing_has(pattern, load_spec("harbor-0.13.1"))
    assert said.startswith(("no vector has the id ", "no vector matches "))
    assert meant in said
    assert said.isprintable()
