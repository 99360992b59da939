"""What bounds a run, as a user gives it and is told of it."""

import pytest

pytestmark = pytest.mark.usefixtures("played")


def test_single_vectors_are_asked_again_where_that_is_said(cli) -> None:
    asked = ("run", "--runner", "reference", "harbor-0.13.1/aggregation/sum-int-2-53-plus-1")
    told = cli(*asked, "--again-seed", 7)
    said = "rephrased (--again-seed 7): 1 vector, none answered wrongly"
    assert (told.returncode, said in told.stdout) == (0, True)
    assert "asked again" not in cli(*asked).stdout
