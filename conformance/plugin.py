"""The pytest plugin's options: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

Without ``--runner`` this module is all that is loaded; with it come the hooks of ``pytest_hooks``.
"""

from pathlib import Path

import pytest

from conformance.ops import CLASSES
from conformance.paths import DEFAULT_SPEC, vectors_dir


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; all do nothing without ``--runner``."""
    group = parser.getgroup("conformance", "harbor conformance (all need --runner)")
    group.addoption(
        "--runner", metavar="CMD", help="check this runner: a command, or 'reference', or 'oracle'"
    )
    group.addoption("--spec", default=DEFAULT_SPEC, help="the spec to check against (default: %(default)s)")
    group.addoption(
        "--level",
        choices=["value", "exact", "bytes"],
        default="bytes",
        help="how strictly answers are compared (default: %(default)s)",
    )
    group.addoption(
        "--classes",
        metavar="X,Y",
        help=f"fail, not skip, what is unsupported in these classes ({', '.join(CLASSES)})",
    )
    group.addoption(
        "--runner-timeout",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long one reply may take (default: %(default)s)",
    )
    group.addoption(
        "--pipeline", type=int, default=64, metavar="N", help="the most requests outstanding (default: 64)"
    )
    group.addoption("--oneshot", action="store_true", help="start the command once per request")
    group.addoption(
        "--known-failures", type=Path, metavar="FILE", help="failures that are expected, strictly"
    )
    group.addoption("--conformance-report", type=Path, metavar="FILE", help="write a JSON report")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Keeps the conftests of ``testpaths`` out: without a path the kit's vectors are the collection."""
    known = early_config.known_args_namespace
    if known.runner is not None and not known.file_or_dir:
        known.file_or_dir = [str(vectors_dir(known.spec))]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Loads the hooks where there is a runner to check."""
    if config.getoption("--runner") is not None:
        from conformance import pytest_hooks

        pytest_hooks.install(config)
