"""The known mistakes behind the failures of a pytest run, found at its end and put into their accounts."""

import time
from collections.abc import Callable, Mapping

import pytest

from conformance.diagnosis import Diagnosis, Evidence
from conformance.diagnosis.evidence import answer_from_text
from conformance.report.evidence import evidence_of
from conformance.report.failure_text import with_likely
from conformance.report.records import Record
from conformance.runner.allowance import Keeping, weight_of
from conformance.suite.vectors import Vector
from conformance.wire.text import harmless

__all__ = ["Answers", "progress_on"]

_SLOW = 2.0
"""Seconds after which the terminal hears of what is going on."""


class Answers:
    """What the runner answered where it failed, as the reports of items tell it, a worker's too."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._failed: dict[str, pytest.TestReport] = {}
        self._keeping = Keeping()
        self.left_out: set[str] = set()
        """The vectors whose wrong answers there was no room to keep."""

    def add(self, vector_id: str, answer: str | None, report: pytest.TestReport) -> None:
        """Takes the answer that came with a report; pytest tells the report at the end of the session."""
        if answer is None or self._keeping.keeps(weight_of(answer.encode())):
            self._texts[vector_id] = answer
        else:
            self.left_out.add(vector_id)
        if report.failed:
            self._failed[vector_id] = report

    @property
    def texts(self) -> dict[str, str]:
        """The answers as text, by their vectors' ids."""
        return {key: text for key, text in self._texts.items() if text is not None}

    def evidence(self, vectors: Mapping[str, Vector], records: Mapping[str, Record]) -> list[Evidence]:
        """The answers, right and wrong, that known mistakes are compared with."""
        return evidence_of(
            records.values(), vectors, lambda one: answer_from_text(self._texts.get(one.id)), self.left_out
        )

    def complete(self, diagnosis: Diagnosis) -> None:
        """Puts the mistakes found into the accounts of the failures."""
        for key, report in self._failed.items():
            likely = diagnosis.likely(key)
            if likely is not None and isinstance(report.longrepr, str):
                report.longrepr = harmless(with_likely(report.longrepr, likely))


def progress_on(terminal: "pytest.TerminalReporter | None") -> Callable[[str], None]:
    """Tells a terminal, in one line written over, of what takes more than two seconds."""
    began = time.monotonic()

    def tell(sentence: str) -> None:
        if terminal is not None and terminal.isatty and time.monotonic() - began > _SLOW:
            terminal.rewrite(sentence, erase=True)

    return tell
