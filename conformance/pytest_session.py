"""What one pytest run against a runner knows: the options, the talk, the outcomes so far."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance import clauses, summary
from conformance.commands import CommandError
from conformance.conversation import RunnerStartError, SettingsError
from conformance.dispatcher import start_failure
from conformance.engine import open_run
from conformance.failure_text import failure_text
from conformance.known_failures import KnownFailuresError
from conformance.oracle import OracleError
from conformance.report import Record
from conformance.vectors import NOT_SECTIONS, Vector, VectorFileError, load_file, section_files, unique
from conformance.verdict import Verdict

__all__ = ["SESSION", "ConformanceSession", "is_worker"]

_WORKER_PROBLEMS = "conformance_problems"


def is_worker(config: pytest.Config) -> bool:
    """Whether this is an xdist worker."""
    return hasattr(config, "workerinput")


def _is_controller(config: pytest.Config) -> bool:
    return not is_worker(config) and config.getoption("dist", "no") != "no"


class ConformanceSession:
    """The state behind the plugin's hooks; registered as a plugin itself to hear of reports."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self.config = config
        self.spec: str = option.spec
        self._by_file: dict[Path, list[Vector]] = {path: load_file(path) for path in section_files(self.spec)}
        for arg in config.args:  # a user's own files count as part of the set
            path = Path(os.path.abspath(config.invocation_params.dir / arg.partition("::")[0]))
            if path.suffix == ".json" and path.name not in NOT_SECTIONS and path.is_file():
                self.load(path)
        self._dispatcher, self.report, self._known = open_run(
            option.runner,
            unique(vector for vectors in self._by_file.values() for vector in vectors),
            spec=self.spec,
            level=option.level,
            classes=option.classes,
            timeout=option.runner_timeout,
            pipeline=option.pipeline,
            oneshot=option.oneshot,
            known_failures=option.known_failures,
        )
        self._ids = {vector.id for vector in self.report.every}
        self._statements: dict[str, str] | None = None
        self._failed = 0
        self._began = time.monotonic()

    @classmethod
    def from_options(cls, config: pytest.Config) -> "ConformanceSession":
        """Reads the options.

        Raises:
            pytest.UsageError: an option can't be used.
        """
        try:
            return cls(config)
        except (CommandError, OracleError, KnownFailuresError, SettingsError, VectorFileError) as error:
            raise pytest.UsageError(str(error)) from None

    def start(self) -> None:
        """Starts the runner; a controller only says hello, its workers do the talking."""
        try:
            self.report.hello = self._dispatcher.start()
        except RunnerStartError as error:
            sentence = start_failure(error, self.report.command)
            self.report.could_not_try = True
            self.report.problems.append(sentence)
            if is_worker(self.config):  # to leave here would only bring another worker
                self._dispatcher.give_up(str(error))
                return
            self._write_report()
            pytest.exit(sentence, returncode=2)
        self.report.start_up_seconds = self._dispatcher.start_up_seconds
        if _is_controller(self.config):
            self._dispatcher.kill()
        self._began = time.monotonic()

    def header(self) -> list[str]:
        """What is under test, for the head of the run."""
        return summary.header(self.report)

    def load(self, path: Path) -> list[Vector]:
        """The vectors of a file, read once.

        Raises:
            VectorFileError: the file can't be used.
        """
        if path not in self._by_file:
            self._by_file[path] = load_file(path)
        return self._by_file[path]

    def selected(self, vectors: Iterable[Vector]) -> None:
        """Hears which vectors will run, in order; without xdist they are asked ahead."""
        self._began = time.monotonic()
        if self._dispatcher.hello is not None and not is_worker(self.config):
            self._dispatcher.prefetch(vectors)

    def announce(self, vectors: Iterable[Vector]) -> None:
        """Hears which vectors will run next in this worker."""
        if self._dispatcher.hello is not None:
            self._dispatcher.prefetch(vectors)

    def verdict(self, vector: Vector) -> Verdict:
        """The verdict on one vector."""
        return self._dispatcher.verdict(vector)

    def failure_text(self, verdict: Verdict) -> str:
        """The account of a verdict."""
        if self._statements is None:
            self._statements = clauses.statements(self.spec)
        return failure_text(
            verdict,
            command=self.report.command,
            level=self.report.level,
            spec=self.spec,
            clauses=self._statements,
            options=self._dispatcher.options,
            stderr=verdict.stderr or self._dispatcher.stderr_tail(),
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects outcomes, a worker's too."""
        self._failed += report.failed
        record: dict[str, Any] | None = getattr(report, "conformance", None)
        vector_id = report.nodeid.partition("::")[2]
        if record is not None:
            self.report.add(Record(**record))
        elif report.failed and vector_id in self._ids:
            self._problem(f"{vector_id} failed in pytest, apart from any answer of the runner")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Hears a worker's problems."""
        for problem in getattr(node, "workeroutput", {}).get(_WORKER_PROBLEMS, ()):
            self._problem(problem)

    def _problem(self, sentence: str) -> None:
        if sentence not in self.report.problems:
            self.report.problems.append(sentence)

    def finish(self, exit_status: int) -> int:
        """Ends the talk, judges the run as a whole, writes the report; returns the exit status."""
        report, option = self.report, self.config.option
        if option.collectonly:
            return exit_status
        problems = self._dispatcher.finish()
        if is_worker(self.config):
            self.config.workeroutput[_WORKER_PROBLEMS] = report.problems + problems  # type: ignore[attr-defined]
            return exit_status
        report.problems += problems
        report.duration_seconds = time.monotonic() - self._began
        if exit_status == pytest.ExitCode.INTERRUPTED and 0 < (option.maxfail or 0) <= self._failed:
            exit_status = pytest.ExitCode.TESTS_FAILED  # xdist ends a run with -x as if a user had
        interrupted = exit_status == pytest.ExitCode.INTERRUPTED
        if interrupted:
            report.problems.append(f"interrupted after {len(report.records)} vectors")
        stopped = interrupted or (exit_status == pytest.ExitCode.TESTS_FAILED and option.maxfail)
        if self._known is not None and not stopped:
            report.problems += self._known.problems((v.id for v in report.every), report.outcomes())
        judged = exit_status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        code = report.exit_code()
        if code == 2 and (judged or exit_status == pytest.ExitCode.NO_TESTS_COLLECTED):
            report.could_not_try = True
            report.problems.append(summary.NOTHING_PASSED)
        if judged:
            exit_status = exit_status or code
        return exit_status if self._write_report() else exit_status or 1

    def _write_report(self) -> bool:
        path = self.config.option.conformance_report
        if path is not None:
            try:
                self.report.write(path)
            except OSError as error:
                self.report.problems.append(f"the report {path} can't be written: {error.strerror}")
                return False
        return True

    def summarise(self, terminal: pytest.TerminalReporter) -> None:
        """Writes the account by class."""
        if not self.report.records and not self.report.problems:
            return
        terminal.section("harbor conformance")
        for line in summary.lines(self.report, terminal._screen_width if terminal.isatty else 120):
            terminal.write_line(line)

    def kill(self) -> None:
        """Ends the runner at once."""
        self._dispatcher.kill()


SESSION: pytest.StashKey[ConformanceSession] = pytest.StashKey()
