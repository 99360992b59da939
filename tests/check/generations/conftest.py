"""Jobs that published releases wrote, and jobs of every generation that are made here."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RELEASE_JOBS = Path(__file__).parents[1] / "release_jobs" / "jobs"
SUFFIX = ".json.xz"
Files = dict[str, str]


def key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


RELEASES = sorted((path.name.removesuffix(SUFFIX) for path in RELEASE_JOBS.glob(f"*{SUFFIX}")), key=key)


def written_by(release: str) -> dict[str, Files]:
    """The files of each situation that the release played, by path."""
    made: dict[str, Any] = json.loads(lzma.decompress((RELEASE_JOBS / f"{release}{SUFFIX}").read_bytes()))
    return {name: job["files"] for name, job in made.items() if job["files"]}


def put(folder: Path, files: Files) -> Path:
    """Writes a job."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    return folder


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "release" in metafunc.fixturenames:
        metafunc.parametrize("release", RELEASES)


@pytest.fixture
def release_jobs(release: str) -> dict[str, Files]:
    return written_by(release)


@pytest.fixture
def place() -> Callable[[Path, Files], Path]:
    return put
