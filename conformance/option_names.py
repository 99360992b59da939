"""How a user writes an option: ``--fuzz`` for the command, ``--conformance-fuzz`` for pytest.

A message that names an option asks here, so that it is right wherever it is shown.
"""

from collections.abc import Callable

__all__ = ["metric_option", "option", "prefixed", "use_pytest_names"]

_under_pytest = False


def prefixed(name: str) -> str:
    """The name for pytest: all options but ``--runner`` are prefixed, so that no plugin has the same."""
    return "--runner" if name == "runner" else f"--conformance-{name}"


def option(name: str) -> str:
    """The name for the user of this process."""
    return prefixed(name) if _under_pytest else f"--{name}"


def metric_option(name: str) -> str:
    """The name of an option of ``harbor-conformance metric`` for the user of this process."""
    return prefixed(f"metric-{name}") if _under_pytest else f"--{name}"


def use_pytest_names() -> Callable[[], None]:
    """From now on the user of this process is pytest's; returns what restores the state before."""
    global _under_pytest
    before, _under_pytest = _under_pytest, True

    def restore() -> None:
        global _under_pytest
        _under_pytest = before

    return restore
