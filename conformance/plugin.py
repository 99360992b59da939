"""The pytest plugin: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

Hooks and options only; the session's state is in ``pytest_session``, the items in ``pytest_items``.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from conformance.comparison import Level
from conformance.ops import CLASSES
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.pytest_items import VectorFile, VectorItem
from conformance.pytest_session import SESSION, ConformanceSession, is_worker
from conformance.vectors import NOT_SECTIONS


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; all do nothing without ``--runner``."""
    group = parser.getgroup("conformance", "harbor conformance (all need --runner)")
    group.addoption(
        "--runner", metavar="CMD", help="check this runner: a command, or 'reference', or 'oracle'"
    )
    group.addoption("--spec", default=DEFAULT_SPEC, help="the spec to check against (default: %(default)s)")
    group.addoption(
        "--level",
        choices=[str(level) for level in Level if level],
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
def pytest_configure(config: pytest.Config) -> None:
    """Sets the session up, and collects the kit's vectors where no path was given."""
    if not config.getoption("--runner"):
        return
    session = ConformanceSession.from_options(config)
    config.stash[SESSION] = session
    config.pluginmanager.register(session, "harbor-conformance-session")
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(vectors_dir(session.spec))]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Starts the runner, so that a failing start is told once and before anything else."""
    state = session.config.stash.get(SESSION, None)
    if state is not None and not session.config.option.collectonly:
        state.start()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says what is under test."""
    state = config.stash.get(SESSION, None)
    return state.header() if state is not None else []


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> VectorFile | None:
    """Collects the kit's vector files, and JSON files named on the command line."""
    state = parent.config.stash.get(SESSION, None)
    if state is None or file_path.suffix != ".json" or file_path.name in NOT_SECTIONS:
        return None
    if file_path.parent == vectors_dir(state.spec) or parent.session.isinitpath(file_path):
        return VectorFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Tells the session which vectors will be asked for, in their final order."""
    state = session.config.stash.get(SESSION, None)
    if state is not None:
        state.selected([item.vector for item in session.items if isinstance(item, VectorItem)])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """Under xdist a worker learns what comes next only here."""
    if isinstance(item, VectorItem) and isinstance(nextitem, VectorItem):
        state = item.config.stash[SESSION]
        if is_worker(item.config):
            state.announce([item.vector, nextitem.vector])
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts the conformance outcome on the report."""
    report = yield
    if call.when == "call" and isinstance(item, VectorItem):
        item.attach(report)
    return report


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """Judges the run as a whole once all outcomes are in, and sets the exit status."""
    yield
    state = session.config.stash.get(SESSION, None)
    if state is not None:
        session.exitstatus = state.finish(int(session.exitstatus))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The account by class."""
    state = terminalreporter.config.stash.get(SESSION, None)
    if state is not None:
        state.summarise(terminalreporter)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leaves no runner behind, whatever happened."""
    state = config.stash.get(SESSION, None)
    if state is not None:
        state.kill()
