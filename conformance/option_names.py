"""The spelling of options: ``--fuzz`` for the command, ``--conformance-fuzz`` for pytest.

Messages use these functions, so that they name the right option in both.
"""

from collections.abc import Callable

__all__ = ["metric_option", "option", "prefixed", "use_pytest_names"]

_under_pytest = False


def prefixed(name: str) -> str:
    """The name for pytest: all options except ``--runner`` have a prefix, to avoid clashes with plugins."""
    return "--runner" if name == "runner" else f"--conformance-{name}"


def option(name: str) -> str:
    """The name for the user of this process."""
    return prefixed(name) if _under_pytest else f"--{name}"


def metric_option(name: str) -> str:
    """The name of an option of ``harbor-conformance metric`` for the user of this process."""
    return prefixed(f"metric-{name}") if _under_pytest else f"--{name}"


def use_pytest_names() -> Callable[[], None]:
    """Switches this process to pytest's names; returns a function that restores the previous state."""
    global _under_pytest
    before, _under_pytest = _under_pytest, True

    def restore() -> None:
        global _under_pytest
        _under_pytest = before

    return restore
