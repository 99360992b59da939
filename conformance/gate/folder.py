"""The gate's folder: every report in every format, each file written whole or not at all."""

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
"""The format to the file, the quick ones first: a CI system that cancels a job does not wait for long."""
_FUZZ = {"markdown": "fuzz.md", "junit": "junit-fuzz.xml", "html": "fuzz.html"}
_DIFFERENCE = {"markdown": "difference.md", "html": "difference.html"}
COUNTEREXAMPLES = "counterexamples.json"
TRANSCRIPT = "transcript.jsonl.gz"
"""What a shard heard, for the merge of all."""
_OTHERS = ("report.json", "fuzz.json", TRANSCRIPT)
_DIGITS = 16


def page_name(page: Page, html: str) -> str:
    """The name under which a page is published: its content's hash, so that a link to it holds."""
    return f"{page.kind}-{hashlib.sha256(html.encode()).hexdigest()[:_DIGITS]}.html"


class Folder:
    """Where the reports are written; what a previous gate left there is gone."""

    def __init__(self, path: Path) -> None:
        """Makes the folder.

        Raises:
            ReportError: it can't be made, or what is there can't be removed.
        """
        self.path = path
        self.unwritten: list[str] = []
        """What could not be written, a sentence each."""
        self.texts: dict[str, str] = {}
        """What was written, by file."""
        counterexamples = path / COUNTEREXAMPLES
        try:
            path.mkdir(parents=True, exist_ok=True)
            for name in (*_OTHERS, *_RUN.values(), *_FUZZ.values(), *_DIFFERENCE.values()):
                (path / name).unlink(missing_ok=True)
            if counterexamples.exists() and is_counterexample_file(counterexamples):
                counterexamples.unlink()
        except OSError as error:
            raise ReportError(f"{path} can't be used for reports: {error.strerror}") from None

    def run(self, document: Mapping[str, Any]) -> Page:
        """Writes the reports of a run."""
        return self._report(document, "report.json", _RUN)

    def fuzz(self, document: Mapping[str, Any]) -> Page:
        """Writes the reports of what was fuzzed after it."""
        return self._report(document, "fuzz.json", _FUZZ)

    def difference(self, page: Page) -> None:
        """Writes what changed since an earlier report."""
        self._pages(page, _DIFFERENCE)

    def transcript(self, content: bytes) -> None:
        """Writes what a shard heard."""
        sentence = unwritten(self.path / TRANSCRIPT, content)
        self.unwritten += [] if sentence is None else [sentence]

    def _report(self, document: Mapping[str, Any], name: str, files: Mapping[str, str]) -> Page:
        text = dumps(document)
        self._write(name, text)
        page = page_of(document_of(text.encode(), name))
        self._pages(page, files)
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
