"""What bounds a run, as a user gives it and is told of it."""

import time

import pytest

from conformance.judging.known_failures import KnownFailures

pytestmark = pytest.mark.usefixtures("played")


def test_single_vectors_are_asked_again_where_that_is_said(cli) -> None:
    asked = ("run", "--runner", "reference", "harbor-0.13.1/aggregation/sum-int-2-53-plus-1")
    told = cli(*asked, "--again-seed", 7)
    said = "rephrased (--again-seed 7): 1 vectors, none answered wrongly"
    assert (told.returncode, said in told.stdout) == (0, True)
    assert "asked again" not in cli(*asked).stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", ["harbor-0.13.1/*/none-{}-*", "*{}x", "harbor-0.13.1/agg*[ab]{}*"])
def test_tens_of_thousands_of_patterns_are_no_burden(form) -> None:
    listed = "".join(f"{form.format(number)} mismatch\n" for number in range(5_000))
    known = KnownFailures.parse(listed, "list")
    ids = [f"harbor-0.13.1/aggregation/vector-{number}" for number in range(2000)]
    began = time.process_time()
    for one in ids:
        known.expecting(one, "mismatch")
    assert len(known.problems(ids, {})) > 2_000
    assert time.process_time() - began < 8  # each tried on each takes minutes
