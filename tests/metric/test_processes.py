"""What other programs of the same user hold in shared memory is not taken for a metric's left-overs."""

import multiprocessing
from pathlib import Path

import pytest

from conformance.metric.processes import shared_objects, unused

SHARED = Path("/dev/shm")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not SHARED.is_dir(), reason="there is no /dev/shm here")]


def test_a_semaphore_in_use_is_not_left_over() -> None:
    before = shared_objects()
    held = multiprocessing.get_context("spawn").Semaphore()
    made = shared_objects() - before
    assert made
    assert unused(made) & {str(SHARED / f"sem{held._semlock.name.replace('/', '.')}")} == set()


def test_what_nobody_holds_is_left_over(tmp_path: Path) -> None:
    path = SHARED / f"conformance-{tmp_path.name}-{tmp_path.parent.name}"
    with path.open("w") as file:
        file.write("left")
        file.flush()
        assert unused({str(path)}) == set()
    try:
        assert unused({str(path)}) == {str(path)}
    finally:
        path.unlink()
