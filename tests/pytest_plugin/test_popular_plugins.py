"""With each of fifty much used plugins of pytest installed, pytest collects: a user's tests and the vectors.

It needs PyPI and minutes, so it runs only at a release: ``pytest -m release``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGINS = (
    *("allure-pytest", "anyio", "hypothesis", "pytest-aiohttp", "pytest-asyncio"),
    *("pytest-bdd", "pytest-benchmark", "pytest-check", "pytest-clarity", "pytest-codspeed"),
    *("pytest-console-scripts", "pytest-cov", "pytest-datadir"),
    *("pytest-dependency", "pytest-django", "pytest-docker", "pytest-env", "pytest-flask", "pytest-forked"),
    *("pytest-github-actions-annotate-failures", "pytest-html", "pytest-httpserver", "pytest-httpx"),
    *("pytest-instafail", "pytest-json-report", "pytest-localserver", "pytest-memray", "pytest-metadata"),
    *("pytest-mock", "pytest-mypy", "pytest-order", "pytest-picked", "pytest-playwright"),
    *("pytest-random-order", "pytest-randomly", "pytest-recording"),
    *("pytest-regressions", "pytest-repeat", "pytest-reportlog", "pytest-rerunfailures", "pytest-shard"),
    *("pytest-socket", "pytest-spec", "pytest-split", "pytest-subtests", "pytest-sugar", "pytest-testmon"),
    *("pytest-timeout", "pytest-xdist", "syrupy"),
)

pytestmark = pytest.mark.release


def uv(*words):
    command = [sys.executable, "-m", "uv", *map(str, words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=280)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheel(shared):
    folder = shared.folder("wheel")
    with shared.alone(folder / "built"):
        if not list(folder.glob("*.whl")):
            uv("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.parametrize("plugin", [*PLUGINS, "pytest==8.1.*"])  # and with the oldest pytest
def test_pytest_collects_with(plugin, wheel, tmp_path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    uv("pip", "install", "--quiet", "--python", python, wheel, plugin)
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_plain.py").write_text("def test_plain(): pass\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    for words, collected in (
        ((), "test_plain.py::test_plain"),
        (("--runner=reference", "-k", "sum-ten-tenths"), "harbor-0.13.1/aggregation/sum-ten-tenths"),
    ):
        streams = {"capture_output": True, "encoding": "utf-8", "timeout": 120}
        command = [python, "-m", "pytest", "--co", "-q", *words]
        done = subprocess.run(command, cwd=project, env={**environment, "COLUMNS": "160"}, **streams)
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert collected in said
