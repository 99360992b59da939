"""What the tests of the diagnosis share: runs made up in this process."""

from types import ModuleType

import pytest

from tests.diagnosis import runs as made_up


@pytest.fixture
def runs() -> ModuleType:
    """The module beside."""
    return made_up
