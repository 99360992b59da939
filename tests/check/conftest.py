"""Job directories of the real harbor, as files; `make_jobs.py` makes and packs them."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Files = dict[str, str]


def load_make_jobs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_jobs", Path(__file__).with_name("make_jobs.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE_JOBS = load_make_jobs()
JOBS: dict[str, Files] = MAKE_JOBS.unpacked(json.loads(MAKE_JOBS.JOBS.read_text(encoding="utf-8")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `situation` runs once for each of harbor's jobs."""
    if "situation" in metafunc.fixturenames:
        metafunc.parametrize("situation", list(JOBS))


@pytest.fixture(scope="session")
def jobs() -> dict[str, Files]:
    """Each job's files by path."""
    return JOBS


@pytest.fixture(scope="session")
def make_jobs() -> ModuleType:
    return MAKE_JOBS


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes a job into a folder of its own."""

    def write(situation: str, name: str = "job") -> Path:
        for path, content in JOBS[situation].items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
        return tmp_path / name

    return write
