"""Computes a gate's result: writes reports as they are finished, then the log, summary and outputs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from conformance import interrupts
from conformance.console.output import write_commands
from conformance.formats import render
from conformance.formats.annotations import annotation_lines
from conformance.formats.markdown_text import escaped
from conformance.gate.folder import Folder, page_name
from conformance.gate.step import MOST_SUMMARY, Step
from conformance.judging.verdict import Outcome
from conformance.outcomes import claims
from conformance.outcomes.reading import Document, ReportError, document_of, read
from conformance.outcomes.words import counted
from conformance.pages.difference import difference
from conformance.pages.kinds import page_of
from conformance.pages.model import Page
from conformance.wire.text import printable

__all__ = ["LOG_LINES", "Result", "numbers"]

LOG_LINES = 60
"""The most lines that a gate prints."""
_OTHERS = 12
"""The most lines of a page that is not the run's."""
_REMARKS = 10
_SUMMARY_PART = MOST_SUMMARY // 4
"""The most bytes of one page in a summary, so that several pages fit."""
_VERDICTS = {0: "passed", 1: "failed", 2: "not-tried"}
_ELSEWHERE = frozenset({Outcome.UNEXPECTED_PASS.value, Outcome.NOT_RUN.value})


class Result:
    """Collects the reports in order, and writes each as soon as it is available."""

    def __init__(self, folder: Folder, step: Step) -> None:
        self._folder = folder
        self._step = step
        self._pages: list[Page] = []
        """The pages, in the order in which they are shown."""
        self._remarks: list[str] = []
        self._numbers: dict[str, int] = {}
        self._level = ""
        self._demanded = frozenset[str]()
        self._run_code = 2
        self._fuzz_code: int | None = None
        self._findings: int | None = None

    @property
    def exit_code(self) -> int:
        """0 if nothing is new, 1 if something is, 2 if the run could not start or a report can't be written.

        A failure outweighs a part that could not start, but fuzzing means nothing if the run could not start.
        """
        if interrupts.taken() is not None:
            return interrupts.exit_code()
        codes = [self._run_code] if self._fuzz_code is None else [self._run_code, self._fuzz_code]
        code = max((code for code in codes if code > 2), default=1 if 1 in codes else max(codes))
        code = 2 if self._run_code == 2 else code
        return 2 if self._folder.unwritten and code <= 2 else code

    def add_run(self, document: Mapping[str, Any], transcript: bytes | None = None) -> None:
        """Adds the report of a run, with its transcript if it is a shard."""
        self._numbers = numbers(document)
        self._level = document["level"]
        self._demanded = frozenset(document["selection"]["classes"])
        self._run_code = claims.exit_code(document)
        if transcript is not None:
            self._folder.write_transcript(transcript)
        self._pages.append(self._folder.write_reports(document, "report.json"))

    def add_fuzzing(self, document: Mapping[str, Any]) -> None:
        """Adds the report of the fuzzing."""
        self._fuzz_code = self._judged(document)
        self._findings = len(document["causes"])
        self._pages.append(self._folder.write_reports(document, "fuzz.json"))

    def add_shard_fuzzing(self, documents: Sequence[Document]) -> None:
        """Add the fuzz reports of a run's shards."""
        if not documents:
            return
        codes = [self._judged(document.content) for document in documents]
        self._fuzz_code = 1 if 1 in codes else max(codes)
        self._findings = sum(len(document.content["causes"]) for document in documents)
        self._pages += [page_of(document) for document, code in zip(documents, codes, strict=True) if code]

    def _judged(self, document: Mapping[str, Any]) -> int:
        """Return a fuzz report's exit code; unsupported inputs of a required class fail, as for vectors."""
        unclaimed: list[str] = document.get("unclaimed", [])
        if unclaimed:
            classes = ", ".join(unclaimed)
            self.add_remark(
                f"unsupported at some random inputs, which breaks the claim of the class {classes}"
            )
        if document["exit_code"] != 1 or document["causes"] or self._demanded.intersection(unclaimed):
            return int(document["exit_code"])
        return 2 if document["problems"] else 0

    def add_remark(self, sentence: str) -> None:
        """Adds a sentence to the log and the summary."""
        if sentence not in self._remarks:
            self._remarks.append(sentence)

    def _compare(self, path: Path) -> None:
        """Add the difference from an earlier report, which does not affect the result."""
        try:
            earlier = page_of(read(path))
            now = document_of(self._folder.texts["report.json"].encode(), "report.json")
            page = difference(earlier, page_of(now))
        except (KeyError, ReportError) as error:
            why = error if isinstance(error, ReportError) else "this run has no report"
            self.add_remark(f"not compared with an earlier run: {why}")
            return
        self._folder.write_difference(page)
        self._pages.append(page)

    def publish(self, failures: int, earlier: Path | None = None) -> None:
        """Prints the log and annotations, and writes the step's outputs and summary.

        ``failures`` is the most examples in the log; ``earlier`` is a report to compare with.
        """
        if earlier is not None:
            self._compare(earlier)
        for line in self._log(failures):
            click.echo(line)
        remarks = [*self._remarks, *self._folder.unwritten]
        summary = [f"**gate: {self._verdict_sentence()}**\n"]
        if remarks:
            summary.append("".join(f"- {escaped(remark)}\n" for remark in remarks))
        summary += [render(page, "markdown", limit=_SUMMARY_PART) for page in self._pages]
        if self.exit_code:
            notes = next((page for page in self._pages if page.exit_code), self._pages[0])
            write_commands(annotation_lines(notes, self._step.environment))
        remarks += self._step.write(self._outputs(), summary)
        for remark in remarks[:_REMARKS]:
            click.echo(printable(remark))
        click.echo(f"gate: {self._verdict_sentence()}")

    def _log(self, failures: int) -> Iterator[str]:
        """Yield the run's page, and then short versions of the others."""
        first, *other_pages = self._pages
        room = LOG_LINES - _REMARKS - 1 - _OTHERS * len(other_pages[:2])
        yield from render(first, "log", limit=room, failures=failures).splitlines()
        for page in other_pages[:2]:
            yield from render(page, "log", limit=_OTHERS, failures=failures).splitlines()

    def _verdict_sentence(self) -> str:
        """Return the verdict and its numbers, without any untrusted text."""
        code, counts = self.exit_code, self._numbers
        word = _VERDICTS.get(code, "interrupted")
        if not counts:
            return f"{word} (exit code {code})"
        parts = [
            counted(counts["new-failures"], "new failure"),
            counted(counts["unexpected-passes"], "unexpected pass"),
            counted(counts["stale-entries"], "stale entry"),
            counted(counts["known-failures"], "known failure"),
            f"{counts['passed']:,} of {counts['vectors']:,} vectors passed at level {self._level}",
        ]
        if counts["offers-lost"]:
            parts.insert(0, counted(counts["offers-lost"], "offer") + " lost")
        labels = {"flaky": "flaky", "unsupported": "unsupported", "not-run": "not run"}
        labels |= {"not-counted": "new, not counted", "filtered": "not selected"}
        parts += [f"{counts[name]:,} {words}" for name, words in labels.items() if counts[name]]
        if self._findings is not None:
            parts.append(f"{counted(self._findings, 'finding')} by fuzzing")
        return f"{word}: {', '.join(parts)} (exit code {code})"

    def _outputs(self) -> dict[str, str]:
        path, texts = self._folder.path.absolute(), self._folder.texts
        outputs = {"verdict": _VERDICTS.get(self.exit_code, "interrupted"), "exit-code": str(self.exit_code)}
        outputs |= {name: str(count) for name, count in self._numbers.items()}
        if self._findings is not None:
            outputs["fuzz-findings"] = str(self._findings)
        outputs["reports"] = str(path)
        for output, name in (("report", "report.json"), ("page", "report.html"), ("summary", "report.md")):
            if name in texts:
                outputs[output] = str(path / name)
        if "report.html" in texts:
            outputs["page-name"] = page_name(self._pages[0], texts["report.html"])
        return outputs


def numbers(document: Mapping[str, Any]) -> dict[str, int]:
    """Return a run's numbers, by the names of a step's outputs.

    Failed properties and rephrased vectors count as failures.
    """
    totals, known = claims.totals(document), document["known_failures"]
    results = [*document["results"], *document["properties"], *claims.rephrased_results(document)]
    outcomes = [row["outcome"] for row in results]
    return {
        "vectors": document["vectors"]["total"],
        "passed": totals[Outcome.PASSED.value],
        "new-failures": sum(claims.fails(row) and row["outcome"] not in _ELSEWHERE for row in results),
        "flaky": outcomes.count(Outcome.FLAKY.value),
        "known-failures": outcomes.count(Outcome.EXPECTED_FAILURE.value),
        "unexpected-passes": outcomes.count(Outcome.UNEXPECTED_PASS.value),
        "stale-entries": 0 if known is None else len(known["problems"]),
        "offers-lost": len(claims.lost_offers(document)),
        "unsupported": totals[Outcome.UNSUPPORTED.value],
        "not-counted": outcomes.count(Outcome.NOT_COUNTED.value),
        "not-run": totals[Outcome.NOT_RUN.value],
        "filtered": claims.filtered(document),
    }
