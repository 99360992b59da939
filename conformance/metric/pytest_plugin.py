"""The pytest plugin's hooks for a single metric, loaded only with it: every case is an Item."""

import json
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import interrupts
from conformance.metric.findings import CannotTryError, Case, Result
from conformance.metric.pytest_findings import Findings, attach
from conformance.metric.report import finding_text
from conformance.metric.targets import Checking, make_checker
from conformance.paths import vectors_dir
from conformance.suite import clauses
from conformance.wire.text import harmless, printable

__all__ = ["MetricFailure", "MetricFile", "MetricItem", "install"]

CHECKING = pytest.StashKey[Checking]()
FINDINGS = pytest.StashKey[Findings]()


class MetricFailure(Exception):  # noqa: N818 - a failure of the metric, not an error of ours
    """A case with findings; the message is the whole account."""


def install(config: pytest.Config, take_over: Callable[[pytest.Config], None]) -> None:
    """Reads the options, and collects the metric's cases where no path was given.

    Raises:
        pytest.UsageError: an option can't be used.
    """
    option = config.option
    if option.conformance_runner is not None or (
        option.conformance_metric and option.conformance_metric_script
    ):
        raise pytest.UsageError(
            "--runner, --conformance-metric and --conformance-metric-script: one of them at a time"
        )
    if option.conformance_metric_script and option.conformance_contract not in (None, "harbor-metric"):
        raise pytest.UsageError(
            "--conformance-metric-script is for contract harbor-metric; use --conformance-metric for "
            f"{option.conformance_contract}"
        )
    try:
        arguments = dict(_argument(text) for text in option.conformance_metric_arg)
        checker = make_checker(
            option.conformance_metric_script or option.conformance_metric,
            option.conformance_contract or ("harbor-metric" if option.conformance_metric_script else None),
            python=option.conformance_metric_python,
            seconds=option.conformance_metric_timeout,
            keys=option.conformance_metric_key,
            arguments=arguments,
            keep=option.conformance_metric_keep,
        )
    except CannotTryError as error:
        raise pytest.UsageError(str(error)) from None
    take_over(config)
    config.stash[CHECKING] = Checking(checker)
    config.pluginmanager.register(sys.modules[__name__], "harbor-conformance-metric")
    if not hasattr(config, "workerinput"):
        config.stash[FINDINGS] = findings = Findings(config.stash[CHECKING], option.conformance_report)
        config.pluginmanager.register(findings, "harbor-conformance-findings")
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(_anchor(checker.contract))]


def _argument(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        raise pytest.UsageError(f"--conformance-metric-arg {text!r} is not NAME=JSON") from None


def _anchor(contract: str) -> Path:
    """A file of the kit's that stands for the metric in the collection."""
    return vectors_dir(contract) / "clauses.json"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Makes sure that the metric can be tried, so that a failure to is told once and before anything else."""
    config = session.config
    if not config.option.collectonly and not hasattr(config, "workerinput"):
        try:
            config.stash[CHECKING].start()
        except CannotTryError as error:
            config.stash[FINDINGS].write()
            pytest.exit(str(error), returncode=2)
        except KeyboardInterrupt:  # pytest ends without a word to us where it has not begun
            with interrupts.ending():
                config.stash[FINDINGS].write(interrupted=True)
            pytest.exit("interrupted before the first case", returncode=interrupts.exit_code())


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says what is under test."""
    checking = config.stash[CHECKING]
    checker = checking.checker
    where = f", {checking.environment}" if checking.environment else ""
    first = (
        f"metric: {printable(checker.target)}, contract {checker.contract}, {len(checker.cases)} cases{where}"
    )
    return [first, *(harmless(f"note: {printable(note)}") for note in checker.notes)]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "MetricFile | None":
    """Collects the metric's cases in place of the file that stands for it."""
    checker = parent.config.stash[CHECKING].checker
    if file_path != _anchor(checker.contract):
        return None
    name = checker.target
    return MetricFile.from_parent(parent, path=file_path, name=name, nodeid=name)


class MetricFile(pytest.File):
    """The metric."""

    def collect(self) -> Iterator["MetricItem"]:
        """One item per case."""
        for case in self.config.stash[CHECKING].checker.cases:
            yield MetricItem.from_parent(self, name=case.name, case=case)


class MetricItem(pytest.Item):
    """The metric in one case."""

    def __init__(self, *, case: Case, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.case = case
        self.result: Result | None = None

    def runtest(self) -> None:
        """Puts the metric into the case; advice is no failure."""
        checking = self.config.stash[CHECKING]
        try:
            self.result = result = checking.check(self.case)
        except CannotTryError as error:
            raise MetricFailure(str(error)) from None
        if result.not_run is not None:
            pytest.skip(result.not_run)
        if failing := result.failing():
            statements = clauses.statements(checking.checker.contract)
            repeat = checking.checker.repeat(self.case.name)
            raise MetricFailure("\n\n".join(finding_text(finding, repeat, statements) for finding in failing))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The account alone: the kit's own frames help nobody."""
        if isinstance(excinfo.value, MetricFailure):
            return harmless(str(excinfo.value))
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """What the case is called."""
        return self.path, None, f"{self.case.name}: {self.case.about}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts the result on the report."""
    report = yield
    if call.when == "call" and isinstance(item, MetricItem):
        checking = item.config.stash[CHECKING]
        attach(report, item.result, checking.problem, checking.checker)
    return report
