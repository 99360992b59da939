"""The pytest plugin for a single metric, loaded only if needed: each case is an item."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance import interrupts
from conformance.extensions.metrics.checker import CannotTryError, Case, Checker
from conformance.extensions.metrics.command import arguments_of, make_checker
from conformance.extensions.metrics.report import finding_text, summary
from conformance.paths import vectors_dir
from conformance.wire.text import harmless, printable
from conformance.wire.writing import write_report

__all__ = ["MetricFile", "MetricItem", "MetricPlugin", "install"]

_NAMES = ("python", "keep", "trials", "like", "values")
"""Options that are passed to `make_checker` unchanged."""


def install(config: pytest.Config, take_over: Callable[[pytest.Config], None]) -> None:
    """Read the options, and collect the metric's cases if no path was given.

    Raises:
        pytest.UsageError: an option can't be used.
    """
    option = config.option
    script, contract = option.conformance_metric_script, option.conformance_contract
    if option.conformance_runner is not None or (option.conformance_metric and script):
        options = "--runner, --conformance-metric and --conformance-metric-script"
        raise pytest.UsageError(f"{options} can't be combined")
    if script and contract not in (None, "harbor-metric"):
        only = "--conformance-metric-script is for contract harbor-metric"
        raise pytest.UsageError(f"{only}; use --conformance-metric for {contract}")
    named = {name: getattr(option, f"conformance_metric_{name}") for name in _NAMES}
    try:
        checker = make_checker(
            script or option.conformance_metric,
            contract or ("harbor-metric" if script else None),
            seconds=option.conformance_metric_timeout,
            keys=option.conformance_metric_key,
            arguments=arguments_of(option.conformance_metric_arg),
            must_be_confined=option.conformance_metric_require_confinement,
            **named,
        )
    except CannotTryError as error:
        raise pytest.UsageError(str(error)) from None
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("a metric is checked in a single process: use -n 0")
    take_over(config)
    plugin = MetricPlugin(checker, option.conformance_report)
    config.pluginmanager.register(plugin, "harbor-conformance-metric")
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(plugin.anchor)]


class MetricPlugin:
    """The metric of a session: its items, and its results in pytest's summary and in the report."""

    def __init__(self, checker: Checker, path: Path | None) -> None:
        self.checker = checker
        self.anchor = vectors_dir(checker.contract) / "clauses.json"
        """A file of the kit in whose place the metric's cases are collected."""
        self._path = path
        self._unwritten: str | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Check that the metric can be run; if not, report it once and exit."""
        if session.config.option.collectonly:
            return
        try:
            self.checker.start()
        except CannotTryError as error:
            self.checker.problem = str(error)
            self._write()
            pytest.exit(str(error), returncode=2)
        except KeyboardInterrupt:  # pytest calls no hook at the end if the session has not started
            with interrupts.ending():
                self._write(interrupted=True)
            pytest.exit("interrupted before the first case", returncode=interrupts.exit_code())

    def pytest_report_header(self) -> list[str]:
        """Describe the metric under test."""
        checker, environment = self.checker, self.checker.environment
        subject = f"{printable(checker.target)}, contract {checker.contract}, {len(checker.cases)} cases"
        header = f"metric: {subject}{environment and f', {environment}'}"
        return [header, *(harmless(f"note: {printable(note)}") for note in checker.notes)]

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "MetricFile | None":
        """Collect the metric's cases in place of the anchor file."""
        if file_path != self.anchor:
            return None
        name = self.checker.target
        file: MetricFile = MetricFile.from_parent(parent, path=file_path, name=name, nodeid=name)
        file.checker = self.checker
        return file

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report at the end of the session."""
        with interrupts.ending():
            self._write(interrupted=session.exitstatus == pytest.ExitCode.INTERRUPTED)
            status = interrupts.exit_status(int(session.exitstatus))
            session.exitstatus = status if self._unwritten is None else 2

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Write the advice by rule, the notes and the verdict."""
        checker, by_rule = self.checker, dict[str, list[str]]()
        for finding in checker.findings:
            if finding.rule.level == "advice":
                rule = f"{finding.rule.name}: {finding.rule.statement}"
                by_rule.setdefault(rule, []).append(f"    {finding.case}: {printable(finding.sentence)}")
        lines = [line for rule, cases in by_rule.items() for line in (rule, *cases)]
        lines += [f"note: {printable(note)}" for note in checker.notes]
        lines += summary(checker.report()) if checker.results else []
        terminalreporter.section("harbor conformance of a metric; advice is not a failure")
        for line in [*lines, *([self._unwritten] if self._unwritten else [])]:
            terminalreporter.line(harmless(line))

    def _write(self, *, interrupted: bool = False) -> None:
        """Write the JSON report if requested; the summary shows an error."""
        if interrupted:
            self.checker.interrupt(len(self.checker.cases))
        self._unwritten = write_report(self._path, self.checker.report())


class MetricFile(pytest.File):
    """The metric."""

    checker: Checker

    def collect(self) -> Iterator["MetricItem"]:
        """Return an item for each case."""
        return (MetricItem.from_parent(self, name=case.name, case=case) for case in self.checker.cases)


class MetricItem(pytest.Item):
    """The metric in one case."""

    parent: MetricFile

    def __init__(self, *, case: Case, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        """Run the case; advice is not a failure."""
        checker = self.parent.checker
        try:
            result = checker.check(self.case)
        except CannotTryError as error:
            checker.problem = str(error)
            raise pytest.fail.Exception(harmless(str(error)), pytrace=False) from None
        if result.not_run is not None:
            pytest.skip(result.not_run)
        if failing := [finding for finding in result.findings if finding.rule.level != "advice"]:
            texts = [finding_text(checker.reported(finding)) for finding in failing]
            pytest.fail(harmless("\n\n".join(texts)), pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the name of the case."""
        return self.path, None, f"{self.case.name}: {self.case.about}"
