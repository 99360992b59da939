"""What a gate comes to: its reports written, its account in the log, its step told."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from conformance import interrupts
from conformance.gate.folder import Folder, page_name
from conformance.gate.numbers import Numbers, counted, exit_code, verdict_word
from conformance.gate.step import MOST_SUMMARY, Step
from conformance.publishing.comparing import difference
from conformance.publishing.formats import rendered
from conformance.publishing.formats.annotations import annotation_lines
from conformance.publishing.kinds import page_of
from conformance.publishing.model import Page
from conformance.publishing.reading import Document, PublishingError, document_of, read
from conformance.report.lost_offers import LOST_OFFER
from conformance.formats.markdown_text import escaped
from conformance.report.output import write_commands
from conformance.wire.text import printable

__all__ = ["Gate"]

_SUMMARY_PART = MOST_SUMMARY // 4
"""The most bytes of one page in a summary: a run, what was fuzzed and a difference leave room for others."""


class Gate:
    """Takes what was found in the order in which it is found; each part is written as soon as it is there."""

    def __init__(self, folder: Folder, step: Step) -> None:
        self._folder = folder
        self._step = step
        self._pages: list[Page] = []
        """In the order in which they are shown."""
        self._remarks: list[str] = []
        self._numbers: Numbers | None = None
        self._demanded = frozenset[str]()
        self._lost: list[str] = []
        """Operations that the runner offers less of than required, a sentence each."""
        self._run_code = 2
        self._fuzz_code: int | None = None
        self._findings: int | None = None

    @property
    def exit_code(self) -> int:
        """0 nothing new, 1 something new, 2 could not be tried or could not be written."""
        if interrupts.taken() is not None:
            return interrupts.exit_code()
        code = exit_code(self._run_code, self._fuzz_code)
        return 2 if self._folder.unwritten and code <= 2 else code

    def ran(self, document: Mapping[str, Any]) -> None:
        """Takes the report of a run, or of several parts of one put together."""
        self._numbers = Numbers.of(document)
        self._demanded = frozenset(document.get("selection", {}).get("classes", []))
        self._run_code = document["exit_code"]
        self._lost = [problem for problem in document["problems"] if problem.startswith(LOST_OFFER)]
        self._pages.append(self._folder.run(document))

    def fuzzed(self, document: Mapping[str, Any]) -> None:
        """Takes the report of what was fuzzed after it."""
        self._fuzz_code = self._judged(document)
        self._findings = len(document["causes"])
        self._pages.append(self._folder.fuzz(document))

    def fuzzed_elsewhere(self, documents: Sequence[Document]) -> None:
        """Takes what was fuzzed in the shards of a run; what was found is shown, and decides as anywhere."""
        if not documents:
            return
        codes = [self._judged(document.content) for document in documents]
        self._fuzz_code = 1 if 1 in codes else max(codes)
        self._findings = sum(len(document.content["causes"]) for document in documents)
        self._pages += [page_of(document) for document, code in zip(documents, codes, strict=True) if code]

    def _judged(self, document: Mapping[str, Any]) -> int:
        """What a report of fuzz comes to here: unsupported fails where it is demanded, as among vectors."""
        unclaimed: list[str] = document.get("unclaimed", [])
        if unclaimed:
            classes = ", ".join(unclaimed)
            self.remark(f"unsupported at some random inputs, which breaks the claim of the class {classes}")
        if document["exit_code"] != 1 or document["causes"] or self._demanded.intersection(unclaimed):
            return int(document["exit_code"])
        return 2 if document["problems"] else 0

    def remark(self, sentence: str) -> None:
        """Takes a sentence for the log and the summary."""
        if sentence not in self._remarks:
            self._remarks.append(sentence)

    def compare(self, path: Path) -> None:
        """Shows what changed since an earlier report. There may be none yet, so that decides nothing."""
        try:
            earlier = read(path)
            page = difference(earlier, document_of(self._folder.texts["report.json"].encode(), "report.json"))
        except (KeyError, PublishingError) as error:
            why = error if isinstance(error, PublishingError) else "this run has no report"
            self.remark(f"not compared with an earlier run: {why}")
            return
        self._folder.difference(page)
        self._pages.append(page)

    def tell(self, failures: int) -> None:
        """Prints the account, with annotations where they are shown, and tells the step."""
        for page in self._pages:
            click.echo(rendered(page, "text", failures=failures))
        summary = [f"**gate: {self._account()}**\n"]
        remarks = [*self._remarks, *self._folder.unwritten]
        if remarks:
            summary.append("".join(f"- {escaped(remark)}\n" for remark in remarks))
        summary += [rendered(page, "markdown", limit=_SUMMARY_PART) for page in self._pages]
        self._remarks += self._step.tell(self._outputs(), summary)
        notes = [note for page in self._pages for note in page.notes]
        write_commands(annotation_lines(notes, self._step.environment))
        for line in self._closing():
            click.echo(line)

    def _closing(self) -> Iterator[str]:
        yield from self._lost
        yield from map(printable, self._remarks)
        for sentence in self._folder.unwritten:
            yield f"problem: {printable(sentence)}"
        yield f"reports: {printable(str(self._folder.path))}"
        yield f"gate: {self._account()}"

    def _account(self) -> str:
        """The verdict, and what it rests on: numbers alone, no text of anybody's."""
        word, code = verdict_word(self.exit_code), self.exit_code
        if self._numbers is None:
            return f"{word} (exit code {code})"
        numbers = self._numbers
        parts = [
            counted(numbers.new_failures, "new failure"),
            counted(numbers.unexpected_passes, "unexpected pass"),
            counted(numbers.stale_entries, "stale entry"),
            counted(numbers.known_failures, "known failure"),
            f"{numbers.passed:,} of {numbers.vectors:,} vectors passed",
        ]
        if numbers.offers_lost:
            parts.insert(0, counted(numbers.offers_lost, "offer") + " lost")
        others = {"unsupported": numbers.unsupported, "not run": numbers.not_run}
        others["not selected"] = numbers.filtered
        parts += [f"{number:,} {name}" for name, number in others.items() if number]
        if self._findings is not None:
            parts.append(f"{counted(self._findings, 'finding')} by fuzzing")
        return f"{word}: {', '.join(parts)} (exit code {code})"

    def _outputs(self) -> dict[str, str]:
        path, texts = self._folder.path.absolute(), self._folder.texts
        outputs = {"verdict": verdict_word(self.exit_code), "exit-code": str(self.exit_code)}
        if self._numbers is not None:
            outputs |= self._numbers.outputs()
        if self._findings is not None:
            outputs["fuzz-findings"] = str(self._findings)
        outputs["reports"] = str(path)
        for output, name in (("report", "report.json"), ("page", "report.html"), ("summary", "report.md")):
            if name in texts:
                outputs[output] = str(path / name)
        if "report.html" in texts:
            outputs["page-name"] = page_name(self._pages[0], texts["report.html"])
        return outputs
