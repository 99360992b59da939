"""What the tests of properties share: pytest in a folder of its own, runners that lie."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

LYING = Path(__file__).parents[1] / "runners" / "lying.py"
PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:syrupy", "-p", "no:randomly")
Go = Callable[..., pytest.RunResult]


@pytest.fixture
def go(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Go:
    """Runs pytest with a runner, in a folder that knows nothing of the kit; any warning is an error."""
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def run(runner: str, *args: str | Path, cache: bool = False) -> pytest.RunResult:
        plain = PLAIN[2:] if cache else PLAIN
        return pytester.runpytest_subprocess(*plain, "--runner", runner, *map(str, args), timeout=300)

    return run


@pytest.fixture
def lying() -> Callable[..., str]:
    """The command of ``runners/lying.py``."""
    return lambda *words: shlex.join((sys.executable, str(LYING), *words))
