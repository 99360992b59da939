"""What the tests of properties share: pytest in a folder of its own, runners that lie."""

from collections.abc import Callable

import pytest

from conformance.properties import trying


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine too, failures are made as small as they get."""
    monkeypatch.setattr(trying, "SHRINKING_SECONDS", 300.0)


Go = Callable[..., pytest.RunResult]


@pytest.fixture
def go(run_pytest: Go) -> Go:
    return lambda runner, *args, **how: run_pytest("--runner", runner, *args, **how)
