"""The state of a pytest run: its options, its session with the runner, the outcomes so far."""

import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance import interrupts
from conformance.console.account import account, header
from conformance.diagnosis.account import Diagnosis
from conformance.interrupts import exit_status as ended_by_signal
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.claims import exit_code
from conformance.outcomes.document import as_json
from conformance.outcomes.failure_text import failure_text, with_likely
from conformance.outcomes.running import close_run, open_run
from conformance.outcomes.transcript import write_result
from conformance.properties import property_ids
from conformance.pytest_plugin.options import AGAIN_SEED, FUZZ_SEED, is_controller, is_worker, run_options
from conformance.pytest_plugin.outside import progress_on
from conformance.run.options import base_id
from conformance.run.repeating import repeat_of
from conformance.run.shards import in_shard
from conformance.run.transcript import Replay, heard
from conformance.runner.conversation import RunnerStartError
from conformance.suite import clauses
from conformance.suite.choosing import refuse_folder
from conformance.suite.vectors import NOT_SECTIONS, Vector, load_checked, load_files, unique
from conformance.wire.messages import Hello
from conformance.wire.text import harmless

if TYPE_CHECKING:
    from conformance.properties.running import Judged, Properties

__all__ = ["SESSION", "ConformanceSession"]

_MOST_REPHRASED = 3
"""The most texts about unsupported rephrased vectors; other failures are reported by their item."""
_WORKER_OUTPUT = "conformance"
"""The name under which a worker sends data that belongs to no item's report."""


class ConformanceSession:
    """The state behind the plugin's hooks; registered as a plugin itself to receive reports.

    Raises:
        UserError: an option can't be used.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        options = run_options(config)
        self.spec = options.spec
        package = options.package
        self._by_file: dict[Path, list[Vector]] = {
            path: [vector for vector in vectors if package or not vector.op.package_only]
            for path, vectors in load_files(self.spec).items()
        }
        kit = set(self._by_file)
        for arg in config.args:  # the user's own vector files are part of the set
            path = Path(os.path.abspath(config.invocation_params.dir / arg.partition("::")[0]))
            refuse_folder(path, self.spec)
            if path.suffix == ".json" and path.name not in NOT_SECTIONS and path.is_file():
                self.load(path)
        files = tuple(path for path in self._by_file if path not in kit)
        all_vectors = unique(vector for vectors in self._by_file.values() for vector in vectors)
        self.report = open_run(replace(options, vector_files=files), all_vectors)
        self.session = self.report.session
        self.session.take = self._take
        self.session.dispatcher.hear = lambda reply, verdict: self.lines.append(heard(reply, verdict))
        self.options = self.session.options
        self.newer = frozenset(vector.id for vector in self.report.newer)  # these are not collected
        self.report.chosen = sum(in_shard(vector.id, self.options.shard) for vector in self.report.every)
        self.lines: list[dict[str, Any]] = []  # new answers, as lines of a transcript
        self._vectors = {vector.id: vector for vector in self.report.every}
        self._properties = set(property_ids(self.spec))
        self._failed: dict[str, pytest.TestReport] = {}
        self._unsupported: list[Verdict] = []  # rephrased, although its op is fully supported
        self.document: dict[str, Any] | None = None
        self._unwritten: str | None = None

    def start(self) -> None:
        """Starts the runner; a controller only exchanges hello, since its workers ask the vectors."""
        session = self.session
        try:
            session.start([] if is_controller(self.config) else self.report.every)
        except RunnerStartError as error:
            if is_worker(self.config):  # exiting here would only start another worker
                session.dispatcher.stop(str(error))
                return
            self._write_report()
            pytest.exit(harmless(session.problems[-1]), returncode=2)
        except KeyboardInterrupt:  # pytest does not call us at the end if it has not started
            session.interrupted = "interrupted before the runner had answered hello"
            session.problems.append(session.interrupted)
            with interrupts.ending():
                self._write_report()
            pytest.exit(session.interrupted, returncode=interrupts.exit_code())
        if is_controller(self.config):
            session.dispatcher.kill()

    def header(self) -> list[str]:
        """The lines of pytest's header that say what is under test."""
        options, lines = self.options, header(as_json(self.report, hashed=False))
        if options.fuzz:
            seed = f"--conformance-fuzz-seed {options.fuzz_seed}"
            lines.append(f"fuzz: {options.fuzz} inputs a property, {seed} repeats them")
        return [harmless(line) for line in lines]

    def load(self, path: Path) -> list[Vector]:
        """The vectors of a file, cached.

        Raises:
            VectorFileError: the file can't be used.
        """
        if path not in self._by_file:
            self._by_file[path] = load_checked(path)
        return self._by_file[path]

    def register_selected(self, vectors: Sequence[Vector]) -> None:
        """Registers the vectors that will run, in order; without xdist they are asked ahead."""
        self.report.chosen = len(vectors)
        self.session.began = time.monotonic()
        if not is_worker(self.config):
            self.announce(vectors)

    def announce(self, vectors: Iterable[Vector]) -> None:
        """Announces the vectors that will run next in this process."""
        if self.session.hello is not None:
            self.session.announce(vectors)

    @cached_property
    def properties(self) -> "Properties":
        """Tries properties. Its first use imports hypothesis."""
        from conformance.properties.running import Properties

        return Properties(self.session.dispatcher)

    def property_text(self, judged: "Judged") -> str:
        """The text for a failed property."""
        clause = self._clause_statements.get(judged.verdict.vector.clause, "")
        return self.properties.text(judged, clause, self.failure_text)

    @cached_property
    def _clause_statements(self) -> dict[str, str]:
        return clauses.statements(self.spec)

    def failure_text(self, verdict: Verdict) -> str:
        """The text for a verdict."""
        repeat = repeat_of(self.session, verdict)
        return failure_text(
            verdict,
            command=self.options.command,
            repeat=repeat.command,
            before=repeat.before,
            clauses=self._clause_statements,
            stderr=verdict.stderr or self.session.dispatcher.stderr_tail(),
        )

    @cached_property
    def _replay(self) -> Replay:
        """Judges recorded answers, from any process."""
        dispatcher = self.session.dispatcher
        replay = Replay(self.options, dispatcher.settings, dispatcher.known, self.session.hello)
        self.report.keeping = replay.keeping
        return replay

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Receives recorded answers, also from workers."""
        if is_worker(self.config):
            return
        sent: str | None = getattr(report, "conformance", None)
        lines = self.new_lines() if sent is None else json.loads(sent)
        if report.failed:
            key = report.nodeid.partition("::")[2]
            self._failed[key] = report
            if not lines and (key in self._vectors or key in self._properties):
                self._add_problem(f"{key} failed in pytest, independently of the runner's answers")
        for line in lines:
            if "property" in line:
                self.report.add_property(line["property"])
                continue
            if self.options.shard is not None:
                self.report.lines[line["id"]] = line
            self.session.record(self._replay.judged(self._vector(line["id"]), line))

    def new_lines(self) -> list[dict[str, Any]]:
        """The answers recorded since the last call."""
        lines, self.lines = self.lines, []
        return lines

    def _vector(self, key: str) -> Vector:
        """The vector with this id, or its rephrased version."""
        rephrasing = None if key in self._vectors else self.session.rephrasing
        vector = self._vectors[base_id(key)]
        return vector if rephrasing is None else rephrasing.rephrased(vector) or vector

    def _take(self, verdict: Verdict) -> None:
        self.report.take(verdict)
        rephrased = verdict.vector.id not in self._vectors
        if rephrased and verdict.demanded and verdict.outcome is Outcome.UNSUPPORTED:
            self._unsupported.append(verdict)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Sends a worker the seeds."""
        node.workerinput[FUZZ_SEED] = self.options.fuzz_seed
        node.workerinput[AGAIN_SEED] = self.options.again_seed

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Counts the vectors that a worker collected: a controller collects nothing itself."""
        self.report.chosen = sum(test_id.partition("::")[2] in self._vectors for test_id in ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Receives a worker's problems, and compares its runner's hello with the controller's."""
        output = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT)
        if output is None:
            return
        problems, selected, hello = json.loads(output)
        self.report.selected = selected
        for problem in problems:
            self._add_problem(problem)
        if hello and self.session.hello is not None and Hello.unpacked(hello) != self.session.hello:
            clause = Hello.unpacked(hello).unlike(self.session.hello)
            self._add_problem(f"the runner's hello changed when it was restarted: {clause}")

    def _add_problem(self, sentence: str) -> None:
        if sentence not in self.session.problems:
            self.session.problems.append(sentence)

    def _end_worker(self, *, interrupted: bool) -> None:
        """Ends the conversation, and sends the controller the data that belongs to no test's report."""
        if interrupted:
            self.kill()
        session = self.session
        problems = session.problems + session.dispatcher.finish()
        hello = session.hello and session.hello.packed()
        output = json.dumps([problems, self.report.selected, hello])
        self.config.workeroutput[_WORKER_OUTPUT] = output  # type: ignore[attr-defined]

    def finish(self, exit_status: int) -> int:
        """Ends the conversation, judges the run as a whole, writes the report; returns the exit status."""
        report, option = self.report, self.config.option
        if option.collectonly:
            return exit_status
        if is_worker(self.config):
            self._end_worker(interrupted=exit_status == pytest.ExitCode.INTERRUPTED)
            return exit_status
        if exit_status == pytest.ExitCode.INTERRUPTED and 0 < (option.maxfail or 0) <= len(self._failed):
            exit_status = pytest.ExitCode.TESTS_FAILED  # xdist ends a run with -x like an interruption
        if exit_status == pytest.ExitCode.NO_TESTS_COLLECTED and any(map(sum, report.selected.values())):
            exit_status = pytest.ExitCode.OK  # other shards may have tests
        interrupted = exit_status == pytest.ExitCode.INTERRUPTED
        judged = exit_status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self.document = close_run(
            report,
            interrupted=f"interrupted after {self.session.judged_count:,} vectors" if interrupted else None,
            whole=not (exit_status == pytest.ExitCode.TESTS_FAILED and option.maxfail),
            judged=judged or exit_status == pytest.ExitCode.NO_TESTS_COLLECTED,
            hashed=self.options.report is not None,
            progress=progress_on(self.config.pluginmanager.get_plugin("terminalreporter")),
        )
        if report.diagnosis is not None:
            self._add_causes(report.diagnosis)
        exit_status = exit_status or (exit_code(self.document) if judged else 0)
        return ended_by_signal(exit_status) if self._write_report() else 2

    def _add_causes(self, diagnosis: Diagnosis) -> None:
        """Adds the diagnosed mistakes to the texts of the failures."""
        for key, report in self._failed.items():
            if (likely := diagnosis.likely(key)) and isinstance(report.longrepr, str):
                report.longrepr = harmless(with_likely(report.longrepr, likely))

    def _write_report(self) -> bool:
        """Writes the report if requested; returns whether that worked."""
        self._unwritten = write_result(self.report, self.document or as_json(self.report))
        return self._unwritten is None

    def summarise(self, terminal: "pytest.TerminalReporter") -> None:
        """Writes the summary by class."""
        report, document = self.report, self.document
        if document is None or not (report.verdicts or report.properties or report.problems):
            return
        for verdict in self._unsupported[:_MOST_REPHRASED]:
            terminal.section("rephrased")
            terminal.write_line(harmless(self.failure_text(verdict)))
        terminal.section("harbor conformance")
        width = terminal._screen_width if terminal.isatty else 120
        for line in account(document, report.diagnosis, width):
            terminal.write_line(harmless(line))
        if self._unwritten is not None:
            terminal.write_line(harmless(f"problem: {self._unwritten}"))

    def kill(self) -> None:
        """Kills the runner."""
        self.session.dispatcher.kill()


SESSION: pytest.StashKey[ConformanceSession] = pytest.StashKey()
