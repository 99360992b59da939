"""What one pytest run against a runner knows: the options, the talk, the outcomes so far."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance import interrupts
from conformance.judging.known_failures import KnownFailuresError
from conformance.judging.verdict import Verdict
from conformance.oracle.environments import OracleError
from conformance.properties import property_ids
from conformance.pytest_plugin.diagnosis import Answers, progress_on
from conformance.pytest_plugin.options import AGAIN_SEED, FUZZ_SEED, is_controller, is_worker, run_options
from conformance.pytest_plugin.outside import exit_status as ended_by_signal
from conformance.report import summary
from conformance.report.document import as_json
from conformance.report.failure_text import failure_text
from conformance.report.records import AgainRecord, PropertyRecord, Record
from conformance.report.shards import in_shard
from conformance.report.writing import write_report
from conformance.run.asking_again import again_command, again_text, asking_again
from conformance.run.closing import close_run, not_started
from conformance.run.commands import CommandError
from conformance.run.databases import database_of
from conformance.run.engine import open_run
from conformance.run.repeating import Repeats
from conformance.runner.conversation import RunnerStartError, SettingsError
from conformance.suite import clauses
from conformance.suite.vectors import (
    NOT_SECTIONS,
    Vector,
    VectorFileError,
    load_checked,
    load_files,
    refuse_folder,
    unique,
)
from conformance.wire.messages import Hello
from conformance.wire.text import harmless

if TYPE_CHECKING:
    from conformance.properties.running import Judged, Properties

__all__ = ["SESSION", "ConformanceSession"]

_WORKER_PROBLEMS = "conformance_problems"
_MOST_AGAIN = 3
"""The most accounts of what is unsupported in other words; what else failed is told by its item."""
_HELLO = "conformance_hello"
_PARTS, _NOTES = "conformance_parts", "conformance_notes"


class ConformanceSession:
    """The state behind the plugin's hooks; registered as a plugin itself to hear of reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options = run_options(config)
        self.spec = self.options.spec
        self._by_file: dict[Path, list[Vector]] = {
            path: [one for one in vectors if self.options.package or not one.op.package_only]
            for path, vectors in load_files(self.spec).items()
        }
        kit = set(self._by_file)
        for arg in config.args:  # a user's own files count as part of the set
            path = Path(os.path.abspath(config.invocation_params.dir / arg.partition("::")[0]))
            refuse_folder(path, self.spec)
            if path.suffix == ".json" and path.name not in NOT_SECTIONS and path.is_file():
                self.load(path)
        files = tuple(path for path in self._by_file if path not in kit)
        self.options = replace(self.options, vector_files=files)
        every = unique(vector for vectors in self._by_file.values() for vector in vectors)
        self._dispatcher, self.report = open_run(self.options, every)
        self.newer = frozenset(vector.id for vector in self.report.newer)
        """The vectors that do not count in this run."""
        # until it is known what is selected
        self.report.chosen = sum(in_shard(one.id, self.options.shard) for one in self.report.every)
        self._again = asking_again(self.options, self.report)
        self._repeats = Repeats(self._dispatcher, self.report.every)
        self._ids = {vector.id for vector in self.report.every} | set(property_ids(self.spec))
        self._again_texts: dict[str, str] = {}
        self._failed = 0
        self._notes: dict[str, None] = {}
        self._answers = Answers()
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
            sentence = not_started(self.report, error)
            if is_worker(self.config):  # to leave here would only bring another worker
                self._dispatcher.give_up(str(error))
                return
            self._write_report()
            pytest.exit(harmless(sentence), returncode=2)
        except KeyboardInterrupt:  # pytest ends without a word to us where it has not begun
            self.report.interrupted = "interrupted before the runner had answered hello"
            self.report.problems.append(self.report.interrupted)
            with interrupts.ending():
                self._write_report()
            pytest.exit(self.report.interrupted, returncode=interrupts.exit_code())
        self.report.start_up_seconds, self._began = self._dispatcher.start_up_seconds, time.monotonic()
        if is_controller(self.config):
            self._dispatcher.kill()

    def header(self) -> list[str]:
        """What is under test, for the head of the run."""
        options, lines = self.options, summary.header(self.report)
        if options.fuzz:
            seed = f"--conformance-fuzz-seed {options.fuzz_seed}"
            lines.append(f"fuzz: {options.fuzz} inputs a property, {seed} repeats them")
        kept = ", ".join(database_of(place).shown for place in options.counterexample_databases)
        if kept:
            lines.append(f"counterexamples of other machines: {kept}")
        return [harmless(line) for line in lines]

    def load(self, path: Path) -> list[Vector]:
        """The vectors of a file, read once.

        Raises:
            VectorFileError: the file can't be used.
        """
        if path not in self._by_file:
            self._by_file[path] = load_checked(path)
        return self._by_file[path]

    def found(self, vectors: list[str], properties: list[str]) -> None:
        """Hears the ids of what is selected in all parts of the run."""
        if self.report.for_merging is not None and self.options.shard is not None:
            self.report.for_merging.found(vectors, properties, self.options.shard[1])

    def selected(self, vectors: Iterable[Vector]) -> None:
        """Hears which vectors will run, in order; without xdist they are asked ahead."""
        self._began, vectors = time.monotonic(), list(vectors)
        self.report.chosen = len(vectors)
        if self._dispatcher.hello is not None and not is_worker(self.config):
            self._dispatcher.prefetch(self._interleaved(vectors))

    def announce(self, vectors: Iterable[Vector]) -> None:
        """Hears which vectors will run next in this worker."""
        if self._dispatcher.hello is not None:
            self._dispatcher.prefetch(self._interleaved(vectors))

    def _interleaved(self, vectors: Iterable[Vector]) -> list[Vector]:
        return self._again.interleaved(vectors) if self._again else list(vectors)

    def verdict(self, vector: Vector) -> Verdict:
        """The verdict on one vector."""
        return self._dispatcher.verdict(vector)

    def again(self, vector: Vector) -> Verdict | None:
        """The verdict on a vector in other words; None where it is not asked again.

        Where that is unsupported the end of the run decides: the runner may say so of other vectors too.
        """
        asked = self._again.chosen.get(vector.id) if self._again else None
        return None if asked is None else self._dispatcher.verdict(asked)

    @cached_property
    def properties(self) -> "Properties":
        """What tries the properties; hypothesis is imported here at last."""
        from conformance.properties.running import Properties

        return Properties(self._dispatcher)

    def _own_notes(self) -> list[str]:
        """What this process could not reach, where it has tried properties."""
        return self.properties.notes if "properties" in self.__dict__ else []

    def property_text(self, judged: "Judged") -> str:
        """The account of a property that failed."""
        clause = self._clause_statements.get(judged.verdict.vector.clause, "")
        return self.properties.text(judged, clause, self.failure_text)

    @cached_property
    def _clause_statements(self) -> dict[str, str]:
        return clauses.statements(self.spec)

    def failure_text(self, verdict: Verdict) -> str:
        """The account of a verdict."""
        repeat = self._repeats.of(verdict)
        return failure_text(
            verdict,
            command=self.options.command,
            repeat=again_command(self.options, verdict, self.report) or repeat.command,
            before=repeat.before or again_text(verdict),
            clauses=self._clause_statements,
            stderr=verdict.stderr or self._dispatcher.stderr_tail(),
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects outcomes, a worker's too."""
        self._failed += report.failed
        self.report.environments.received(getattr(report, "conformance_each", {}))
        record: dict[str, Any] | None = getattr(report, "conformance", None)
        vector_id = report.nodeid.partition("::")[2]
        tried: dict[str, Any] | None = getattr(report, "conformance_property", None)
        if record is not None:
            self.report.add(Record(**record))
            self._answers.add(vector_id, getattr(report, "conformance_answer", None), report)
            again: dict[str, Any] | None = getattr(report, "conformance_again", None)
            if again is not None:
                self.report.add_again(AgainRecord(**again))
                self._again_texts[vector_id] = getattr(report, "conformance_again_text", "")
        elif tried is not None:
            self.report.add_property(PropertyRecord(**tried))
        elif report.failed and vector_id in self._ids:
            self._problem(f"{vector_id} failed in pytest, apart from any answer of the runner")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker what to draw from, and that what is asked again is chosen so too."""
        node.workerinput[FUZZ_SEED] = self.options.fuzz_seed
        node.workerinput[AGAIN_SEED] = self.options.again_seed

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Hears what a worker has collected: a controller collects nothing itself."""
        vectors = {vector.id for vector in self.report.every}
        self.report.chosen = sum(one.partition("::")[2] in vectors for one in ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Hears a worker's problems."""
        output = getattr(node, "workeroutput", {})
        if output.get(_PARTS) and self.report.for_merging is not None:
            self.report.for_merging.vectors, self.report.for_merging.properties = output[_PARTS]
        for problem in output.get(_WORKER_PROBLEMS, ()):
            self._problem(problem)
        self._notes.update(dict.fromkeys(output.get(_NOTES, ())))
        if output.get(_HELLO) and self.report.hello is not None:
            hello = Hello.unpacked(output[_HELLO])
            if hello != self.report.hello:
                clause = hello.unlike(self.report.hello)
                self._problem(f"the runner says another hello when it is started again: {clause}")

    def _problem(self, sentence: str) -> None:
        self.report.problems += [sentence] if sentence not in self.report.problems else []

    def _end_worker(self, *, interrupted: bool) -> None:
        """Ends the talk, and sends the controller what no test's report has."""
        if interrupted:
            self.kill()
        part, output = self.report.for_merging, self.config.workeroutput  # type: ignore[attr-defined]
        output[_WORKER_PROBLEMS] = self.report.problems + self._dispatcher.finish()
        output[_NOTES] = self._own_notes()
        output[_PARTS] = part and [part.vectors, part.properties]
        output[_HELLO] = self.report.hello and self.report.hello.packed()

    def finish(self, exit_status: int) -> int:
        """Ends the talk, judges the run as a whole, writes the report; returns the exit status."""
        report, option = self.report, self.config.option
        if option.collectonly:
            return exit_status
        if is_worker(self.config):
            self._end_worker(interrupted=exit_status == pytest.ExitCode.INTERRUPTED)
            return exit_status
        report.duration_seconds = time.monotonic() - self._began
        if exit_status == pytest.ExitCode.INTERRUPTED and 0 < (option.maxfail or 0) <= self._failed:
            exit_status = pytest.ExitCode.TESTS_FAILED  # xdist ends a run with -x as if a user had
        if exit_status == pytest.ExitCode.NO_TESTS_COLLECTED and report.parts_have_any:
            exit_status = pytest.ExitCode.OK
        interrupted = exit_status == pytest.ExitCode.INTERRUPTED
        judged = exit_status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if not report.is_part:
            report.settle_again()
        report.settle_environment()
        due = {vector.id: vector.due_in(report.environments.chosen) for vector in report.every}
        evidence = self._answers.evidence(due, report.records)
        report.not_diagnosed = len(self._answers.left_out)
        if report.for_merging is not None:
            report.for_merging.answers = self._answers.texts
        close_run(
            self._dispatcher,
            report,
            evidence,
            interrupted=f"interrupted after {len(report.records):,} vectors" if interrupted else None,
            whole=not (exit_status == pytest.ExitCode.TESTS_FAILED and option.maxfail),
            judged=judged or exit_status == pytest.ExitCode.NO_TESTS_COLLECTED,
            progress=progress_on(terminal),
        )
        if report.diagnosis is not None:
            self._answers.complete(report.diagnosis)
        exit_status = exit_status or (report.exit_code() if judged else 0)
        return ended_by_signal(exit_status) if self._write_report() else 2

    def _write_report(self) -> bool:
        unwritten = write_report(self.options.report, as_json(self.report))
        self.report.problems += [unwritten] if unwritten else []
        return unwritten is None

    def summarise(self, terminal: "pytest.TerminalReporter") -> None:
        """Writes the account by class."""
        report = self.report
        if not (report.records or report.properties or report.problems):
            return
        wrong = filter(None, (self._again_texts.get(one.id) for one in report.again_wrong))
        for text in list(wrong)[:_MOST_AGAIN]:
            terminal.section("asked again in other words")
            terminal.write_line(harmless(text))
        terminal.section("harbor conformance")
        for note in dict.fromkeys((*self._own_notes(), *self._notes)):
            terminal.write_line(harmless(f"note: {note}"))
        for line in summary.lines(self.report, terminal._screen_width if terminal.isatty else 120):
            terminal.write_line(harmless(line))

    def kill(self) -> None:
        """Ends the runner at once."""
        self._dispatcher.kill()


SESSION: pytest.StashKey[ConformanceSession] = pytest.StashKey()
