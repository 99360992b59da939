"""Compares a job's file with its trials in two views, and uses the view with fewer findings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.extensions.audit.diff import MOST, differences
from conformance.extensions.audit.expected import Expected, Header, MetricNames, expected
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.listing import Listing, in_order
from conformance.extensions.audit.reading import Members, parse, pointer
from conformance.extensions.audit.rows import Row, group_of
from conformance.extensions.audit.witness import AsListed, renamed_tasks
from conformance.judging.comparison import Level
from reference_impl import PydanticSerializationError
from reference_impl.json_text import JsonObject, json_text

_PARTIAL = "trials are missing or can't be read: their tasks and tokens are not checked"
_TIMING_DEPENDENT = re.compile(
    r"/n_total_trials|/stats/n_(running|pending|cancelled)_trials|/stats/(n_(in|out)put|n_cache)_tokens"
    r"|/stats/cost_usd|/stats/evals/[^/]*/pass_at_k.*"
)
"""Pointers to values that a running job can't know yet, or that are older than its lists."""


@dataclass(slots=True)
class View:
    """The file compared with the trials, as recorded or as listed."""

    findings: list[Finding]
    rows: list[Row]
    """The trials in the order that explains the file best."""
    expected: Expected | None = None
    """The expected file for these trials; None if harbor could not have written it."""
    wanted: Members = field(default_factory=Members)
    text: str = ""

    @property
    def whole(self) -> bool:
        """Whether everything is known about each trial."""
        return all(row.whole for row in self.rows)

    @property
    def sure_text(self) -> str | None:
        """The expected text of the file; None if not all of it is known."""
        made = self.expected
        return self.text if made is not None and not made.unchecked and self.whole else None


@dataclass(slots=True)
class Judge:
    """Compares a job's file that has statistics."""

    file: JobFile
    header: Header
    listing: Listing
    metrics: MetricNames
    unread: set[str]
    """Directories whose trials could not be read."""
    planned: int | None
    """The number of planned trials, if the lock has it."""
    notes: Findings
    views: list[View] = field(default_factory=list)
    """The chosen view, then the view of the trials as recorded."""

    def finished(self, rows: list[Row]) -> Iterator[Finding]:
        """Checks the file of a finished job; renamed tasks get the name that explains the file."""
        file, there, total = self.file, len(rows), self.header["n_total_trials"]
        counted = there if file.counted is None else file.counted
        alone = AsListed(rows, self.listing, file.form).placeholders(self.unread, counted)
        named, renamed = renamed_tasks(rows)
        best = self._view([*rows, *alone], self._total(there + len(alone)))
        if renamed:
            other = self._view([*named, *alone], self._total(there + len(alone)))
            best = min((other, best), key=lambda view: len(view.findings))
        self.views = [best, best]
        if best.findings:
            listed = AsListed([*rows, *alone], self.listing, file.form)
            listed.fill(counted, file.evals, running=False)
            departures = listed.findings(counted, there, best.findings)
            is_total = total in {there, len(listed.rows), self.planned}
            view = self._view(listed.rows, total if is_total else self._total(there))
            if _weight([*departures, *view.findings]) < _weight(best.findings):
                if total != len(listed.rows):  # the number of pending trials is reported already
                    view.findings = [one for one in view.findings if one.path != "/stats/n_pending_trials"]
                view.findings = departures + view.findings
                self.views = [view, best]
        taken = self.views[0]
        if not taken.whole:
            self.notes.note(_PARTIAL)
        if len(taken.findings) >= MOST:
            self.notes.note(f"{JOB_FILE} differs in {MOST} places; the rest of it is not compared")
        if taken.expected is not None and taken.expected.unchecked:
            self.notes.note("metrics that a script computed are not checked")
        yield from renamed
        yield from taken.findings

    def unfinished(self, rows: list[Row]) -> Iterator[Finding]:
        """Checks the file of a running or interrupted job for internal contradictions.

        A trial is counted and listed at once, as soon as its record exists. Whatever a running job can't
        know is excused: trials that are not counted yet, totals, and the number of pending trials.
        """
        self.notes.note(f"the job has not finished: what depends on timing in {JOB_FILE} is not checked")
        file, total = self.file, self.header["n_total_trials"]
        rows, renamed = renamed_tasks(rows)
        yield from renamed
        read = AsListed(rows, self.listing, file.form)
        rows = [*rows, *read.placeholders(self.unread, len(rows) + len(self.unread))]
        listed = AsListed(rows, self.listing, file.form)
        listed.fill(file.counted or 0, file.evals, running=True)
        view = self._view(listed.rows, total)
        self.views = [view, view]
        departures = listed.findings(file.counted or 0, len(rows), [])
        yield from departures
        recorded = self._view(rows, total).findings if departures else view.findings
        places = {one.path for one in recorded}  # a number from the records can only contradict the lists
        silent = sum(row.trial.trial_name not in self.listing for row in listed.rows)
        for one in view.findings:
            of_moment = _TIMING_DEPENDENT.fullmatch(one.path) or one.kind == "never-finishes"
            unlisted = silent and len(file.evals) > 1 and one.kind in ("metric", "counter")
            not_yet = one.kind == "metric" and (one.found == "[]" or one.path.endswith("/metrics"))
            excused = of_moment or unlisted or not_yet or one.path not in places
            if one.breaks is Level.VALUE and not excused:
                yield one

    def _total(self, there: int) -> int:
        return there if self.planned is None else self.planned

    def _view(self, rows: Sequence[Row], total: int) -> View:
        """The file compared with these trials."""
        file = self.file
        ordered, certain = in_order(rows, file.evals)
        header = {**self.header, "n_total_trials": total}
        try:
            made = expected(ordered, header, file.form, self.metrics, file.metrics())
            text = json_text(made.tree)
            made.tree = JsonObject([])  # from here on its text is used; both together may be large
        except PydanticSerializationError as error:
            what = ("a finished job", f"harbor can't write this result: {error}")
            return View([Finding("never-finishes", JOB_FILE, "", *what, "003-3.3-text")], ordered)
        view = View([], ordered, made, text=text)
        if made.failure is None and text.encode("utf-8", "surrogatepass") == file.content:
            view.wanted = file.result
            return view
        view.wanted = parse(text.encode("utf-8", "replace"))
        found = differences(view.wanted, file.result, made, totals=view.whole)
        if not certain:
            found = [one for one in found if one.kind != "order"]
        partial = {f"{pointer(group_of(row.trial, file.form))}/" for row in ordered if not row.whole}
        unnamed = any(row.trial.trial_name.startswith("\0") for row in ordered if not row.whole)
        for one in found:  # what depends on unknown facts about a trial proves nothing
            of_tasks = one.kind == "pass-at-k" and (unnamed or any(group in one.path for group in partial))
            of_number = unnamed and (one.kind == "metric" or one.path.endswith("/n_trials"))
            if not (of_tasks or (of_number and one.kind != "pass-at-k")):
                view.findings.append(one)
        return view


def _weight(findings: Sequence[Finding]) -> tuple[int, int]:
    """A sort key for findings: the number of wrong numbers comes first."""
    return sum(one.severity is Severity.WRONG for one in findings), len(findings)
