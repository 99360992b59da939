"""Job directories of the real harbor, as files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.jobs.kept import JOBS, write


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def job(situation: str, name: str = "job") -> Path:
        return write(JOBS[situation], tmp_path / name)

    return job
