"""What the tests of the templates share: projects that are built once for all workers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.templates.echoing.asking import Asked
from tests.templates.echoing.building import Builder
from tests.templates.echoing.talking import Runner


@pytest.fixture(scope="session")
def builder(shared: Any) -> Any:
    """Builds projects in a folder that all workers of a run share."""
    return Builder(shared.root / "templates")


@pytest.fixture
def echo_of() -> Iterator[Callable[..., Any]]:
    """``echo_of(command, folder, strings=, oneshot=)``: an echo runner to be asked; it ends with the test."""
    runners = []

    def start(command: list[str], folder: Path, *, strings: bool, oneshot: bool = False) -> Any:
        runners.append(Runner(command, folder, strings=strings, oneshot=oneshot))
        return Asked(runners[-1])

    yield start
    for runner in runners:
        runner.close()
