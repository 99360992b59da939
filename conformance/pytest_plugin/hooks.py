"""The pytest plugin's hooks, loaded only with ``--runner``.

The run's state is in ``session``, the items in ``items``.
"""

import json
import shlex
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance import interrupts
from conformance.errors import UserError
from conformance.oracle.commands import of_release
from conformance.paths import vectors_dir
from conformance.properties import properties_file
from conformance.pytest_plugin.items import PropertyFile, PropertyItem, VectorFile, VectorItem
from conformance.pytest_plugin.options import is_worker
from conformance.pytest_plugin.outside import take_over
from conformance.pytest_plugin.session import SESSION, ConformanceSession
from conformance.registry.ops import SPECS, lineage
from conformance.run.shards import in_shard
from conformance.suite.vectors import NOT_SECTIONS

NOT_COLLECTED = pytest.StashKey[str]()
"""A sentence about tests or vectors that are not collected, for the header."""


def vector_folders(spec: str) -> list[str]:
    """The folders to collect if no path is given."""
    return [str(vectors_dir(name)) for name in (lineage(spec) if spec in SPECS else [spec])]


def install(config: pytest.Config) -> None:
    """Sets up the session, and collects the kit's vectors if no path was given.

    Raises:
        pytest.UsageError: an option can't be used.
    """
    try:
        _use_release(config)
        take_over(config)
        session = ConformanceSession(config)
    except UserError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[SESSION] = session
    config.addinivalue_line(
        "markers", "conformance_properties: what must hold for inputs that hypothesis draws"
    )
    config.pluginmanager.register(session, "harbor-conformance-session")
    config.pluginmanager.register(sys.modules[__name__], "harbor-conformance-hooks")
    if is_worker(config):
        config.pluginmanager.register(WorkerHooks(), "harbor-conformance-worker")
    vectors = vector_folders(session.spec)
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        if not any(".json" in path or path.startswith(tuple(vectors)) for path in config.args):
            config.stash[NOT_COLLECTED] = _not_collected("the kit's vectors", config.args, vectors)
        return
    config.args = vectors
    if own := _own_tests(config):
        config.stash[NOT_COLLECTED] = _not_collected("this project's own tests", own, vectors)


def _not_collected(kind: str, own: Sequence[str], vectors: Sequence[str]) -> str:
    return f"{kind} are not collected; name the paths to run both: {shlex.join([*own, *vectors])}"


def _own_tests(config: pytest.Config) -> list[str]:
    """The paths of the project's own tests."""
    if testpaths := list(map(str, config.getini("testpaths"))):
        return testpaths
    folder = config.invocation_params.dir
    if folders := [name for name in ("tests", "test") if (folder / name).is_dir()]:
        return folders
    return ["."] if [*folder.glob("test_*.py"), *folder.glob("*_test.py")] else []


def _use_release(config: pytest.Config) -> None:
    """Makes the release of ``--conformance-harbor`` the runner; xdist workers get it as ``--runner``."""
    option = config.option
    if option.conformance_harbor is None:
        return
    if option.conformance_runner is not None:
        raise pytest.UsageError("--runner and --conformance-harbor name two runners: give only one of them")
    option.conformance_runner = of_release(option.conformance_harbor)
    option.conformance_harbor = None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Starts the runner, so that a failing start is reported once and before anything else."""
    if not session.config.option.collectonly:
        session.config.stash[SESSION].start()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Describes what is under test, and what is not collected."""
    header = config.stash[SESSION].header()
    not_collected = config.stash.get(NOT_COLLECTED, None)
    return [*header, not_collected] if not_collected else header


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> VectorFile | PropertyFile | None:
    """Collects the kit's vector files and list of properties, and JSON files named on the command line."""
    spec = parent.config.stash[SESSION].spec
    if file_path == properties_file(spec):
        return PropertyFile.from_parent(parent, path=file_path)
    if file_path.suffix != ".json" or file_path.name in NOT_SECTIONS:
        return None
    if any(file_path.parent == vectors_dir(name) for name in lineage(spec)) or parent.session.isinitpath(
        file_path
    ):
        return VectorFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects, at the end, the items of other shards."""
    state = config.stash[SESSION]
    state.report.select(
        [item.name for item in items if isinstance(item, VectorItem)],
        [item.name for item in items if isinstance(item, PropertyItem)],
    )
    unselected = [
        item
        for item in items
        if isinstance(item, VectorItem | PropertyItem) and not in_shard(item.name, state.options.shard)
    ]
    if unselected:
        deselected = set(map(id, unselected))
        config.hook.pytest_deselected(items=unselected)
        items[:] = [item for item in items if id(item) not in deselected]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Passes the session the vectors that will run, in their final order."""
    vectors = [item.vector for item in session.items if isinstance(item, VectorItem)]
    session.config.stash[SESSION].register_selected(vectors)


class WorkerHooks:
    """The hooks that only xdist workers need, since each call of a hook costs time."""

    @staticmethod
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
        """Announces the next items; a worker learns them only here."""
        if isinstance(item, VectorItem) and isinstance(nextitem, VectorItem):
            item.config.stash[SESSION].announce([item.vector, nextitem.vector])
        return (yield)

    @staticmethod
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attaches the recorded answers to the report, for the controller."""
        report = yield
        if call.when == "call" and (lines := item.config.stash[SESSION].new_lines()):
            report.__dict__["conformance"] = json.dumps(lines)
        return report


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """Judges the run as a whole once all outcomes are known, and sets the exit status."""
    try:
        yield
    finally:
        with interrupts.ending():
            session.exitstatus = session.config.stash[SESSION].finish(int(session.exitstatus))


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """Writes the summary by class."""
    terminalreporter.config.stash[SESSION].summarise(terminalreporter)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Makes sure that no runner is left running."""
    config.stash[SESSION].kill()
