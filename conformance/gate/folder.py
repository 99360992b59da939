"""Writes the gate's reports in all formats into a folder, each file completely or not at all."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.formats import render
from conformance.outcomes.reading import ReportError, document_of
from conformance.pages.kinds import page_of
from conformance.pages.model import Page
from conformance.suite.counterexamples import is_counterexample_file
from conformance.wire.writing import dumps, unwritten

__all__ = ["COUNTEREXAMPLES", "TRANSCRIPT", "Folder", "page_name"]

_RUN = {
    "markdown": "report.md",
    "junit": "junit.xml",
    "ctrf": "ctrf.json",
    "badge-json": "badge.json",
    "badge-svg": "badge.svg",
    "html": "report.html",
}
"""The files by format; quick ones come first, since a cancelled CI job has little time."""
_FUZZ = {"markdown": "fuzz.md", "junit": "junit-fuzz.xml", "html": "fuzz.html"}
_DIFFERENCE = {"markdown": "difference.md", "html": "difference.html"}
COUNTEREXAMPLES = "counterexamples.json"
TRANSCRIPT = "transcript.jsonl.gz"
"""The transcript of a shard, for merging."""
_OTHERS = ("report.json", "fuzz.json", TRANSCRIPT)
_DIGITS = 16


def page_name(page: Page, html: str) -> str:
    """Return the name under which a page is published: a hash of its content, for permanent links."""
    return f"{page.kind}-{hashlib.sha256(html.encode()).hexdigest()[:_DIGITS]}.html"


class Folder:
    """The folder for the reports; those of a previous gate are removed."""

    def __init__(self, path: Path) -> None:
        """Create the folder, and remove the reports of a previous gate.

        Raises:
            ReportError: it can't be created, or its content can't be removed or is not the gate's.
        """
        self.path = path
        self.unwritten: list[str] = []
        """A sentence for each file that could not be written."""
        self.texts: dict[str, str] = {}
        """The written files, by name."""
        counterexamples = path / COUNTEREXAMPLES
        try:
            path.mkdir(parents=True, exist_ok=True)
            for name in (*_OTHERS, *_RUN.values(), *_FUZZ.values(), *_DIFFERENCE.values()):
                (path / name).unlink(missing_ok=True)
            foreign = counterexamples.exists() and not is_counterexample_file(counterexamples)
            if not foreign:
                counterexamples.unlink(missing_ok=True)
        except OSError as error:
            raise ReportError(f"{path} can't be used for reports: {error.strerror}") from None
        if foreign:
            raise ReportError(
                f"{counterexamples} has no counterexamples, so it is not replaced: choose another folder"
            )

    def write_difference(self, page: Page) -> None:
        """Write the difference from an earlier report."""
        self._pages(page, _DIFFERENCE)

    def write_transcript(self, content: bytes) -> None:
        """Writes a shard's transcript."""
        self.unwritten += filter(None, [unwritten(self.path / TRANSCRIPT, content)])

    def write_reports(self, document: Mapping[str, Any], name: str) -> Page:
        """Write the report of the run or of the fuzzing in every format."""
        text = dumps(document)
        self._write(name, text)
        page = page_of(document_of(text.encode(), name))
        self._pages(page, _FUZZ if name == "fuzz.json" else _RUN)
        return page

    def _pages(self, page: Page, files: Mapping[str, str]) -> None:
        for form, name in files.items():
            self._write(name, render(page, form))

    def _write(self, name: str, text: str) -> None:
        sentence = unwritten(self.path / name, text)
        if sentence is None:
            self.texts[name] = text
        else:
            self.unwritten.append(sentence)
