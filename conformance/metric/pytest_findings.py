"""What a pytest run finds in a single metric, a worker's too: the account at its end and the JSON report."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from conformance import interrupts
from conformance.metric.findings import Case, Checker, Finding, Reads, Result
from conformance.metric.report import as_json, summary
from conformance.metric.targets import CONTRACTS, Checking
from conformance.suite import clauses
from conformance.wire.text import harmless, printable
from conformance.wire.writing import write_report

__all__ = ["Findings", "attach"]


def attach(report: pytest.TestReport, result: Result | None, problem: str | None, checker: Checker) -> None:
    """Lets a case's result travel with its report, also from an xdist worker, and what is noted so far."""
    report.__dict__["conformance_metric_problem"] = problem
    reads = checker.reads and dataclasses.asdict(checker.reads)
    report.__dict__["conformance_metric_notes"] = [list(checker.notes), reads]
    if result is not None:
        findings = [{**dataclasses.asdict(finding), "rule": finding.rule.name} for finding in result.findings]
        report.__dict__["conformance_metric_result"] = [
            result.case.name,
            result.case.about,
            findings,
            result.not_run,
        ]


class Findings:
    """Gathers the results of one run; a plugin of its own, as each run has its own."""

    def __init__(self, checking: Checking, path: Path | None) -> None:
        self._checking = Checking(checking.checker)
        self._started = checking
        self._path = path
        self._rules = CONTRACTS[checking.checker.contract]
        self._unwritten: str | None = None
        self._noted = list(checking.checker.notes)
        """What the header says already."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes a case's result from its report."""
        problem: str | None = getattr(report, "conformance_metric_problem", None)
        self._checking.problem = self._checking.problem or problem
        notes, reads = getattr(report, "conformance_metric_notes", ([], None))
        checker = self._checking.checker
        checker.notes += [note for note in notes if note not in checker.notes]
        if reads is not None:
            checker.reads = Reads(tuple(reads["names"]), reads["every"])
        told: list[Any] | None = getattr(report, "conformance_metric_result", None)
        if told is not None:
            name, about, findings, not_run = told
            found = [Finding(**{**one, "rule": self._rules[one["rule"]]}) for one in findings]
            self._checking.results.append(Result(Case(name, about), found, not_run))

    def write(self, *, interrupted: bool = False) -> bool:
        """Writes the JSON report, where one is asked for; the summary says so if it can't be."""
        if interrupted:
            done, every = len(self._checking.results), len(self._checking.checker.cases)
            self._checking.interrupted = f"interrupted after {done} of {every} cases"
        if self._path is None:
            return True
        self._checking.environment = self._started.environment
        self._checking.problem = self._checking.problem or self._started.problem
        statements = clauses.statements(self._checking.checker.contract)
        self._unwritten = write_report(self._path, as_json(self._checking, statements))
        return self._unwritten is None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the report once all results are in."""
        with interrupts.ending():
            interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
            session.exitstatus = interrupts.exit_status(int(session.exitstatus))
            if not self.write(interrupted=interrupted):
                session.exitstatus = 2

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """The advice by rule, then the table of rules and the verdict."""
        by_rule: dict[str, list[str]] = {}
        for result in self._checking.results:
            for finding in result.advice():
                rule = f"{finding.rule.name}: {finding.rule.statement}"
                by_rule.setdefault(rule, []).append(f"{finding.case}: {printable(finding.sentence)}")
        if by_rule:
            terminalreporter.section("advice: no failures, but somebody may be surprised")
        for rule, cases in by_rule.items():
            terminalreporter.line(rule)
            for case in cases:
                terminalreporter.line(harmless(f"    {case}"))
        if self._checking.results:
            terminalreporter.section("harbor conformance of a metric")
            for note in self._checking.checker.notes:
                if note not in self._noted:
                    terminalreporter.line(harmless(f"note: {printable(note)}"))
            for line in summary(self._checking, terminalreporter.config.get_terminal_writer().fullwidth):
                terminalreporter.line(harmless(line))
        if self._unwritten is not None:
            terminalreporter.line(self._unwritten)
