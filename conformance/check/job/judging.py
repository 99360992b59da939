"""Holds the job's file to its trials, whichever they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from conformance.check.findings import Finding, Findings
from conformance.check.generations import RECORD_GENERATIONS
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Expected, Row
from conformance.check.job.explain import RESUMED, Account, Job, Working
from conformance.check.job.header import read_header
from conformance.check.job.job_file import Inside, JobFile
from conformance.check.job.listing import Listing
from conformance.check.job.live import contradictions
from conformance.check.job.metric_names import MetricNames
from conformance.check.job.text import text_finding
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import Members, show
from conformance.check.reading.limits import Limits, TooLargeError
from conformance.check.trials.plan import Configurations, planned
from conformance.judging.comparison import Level
from reference_impl.evals_key import ADHOC

__all__ = ["Judge"]

LOCK = "lock.json"
_TEXT = "003-3.3-text"
_WITH_MODE = [one for one in RECORD_GENERATIONS if "verifier_environment_mode" in one.record]
_WITH_MODELS = [one for one in RECORD_GENERATIONS if "model_usage" in one.agent_result]


@dataclass(slots=True)
class Judge:
    """What the judgement of a job needs beside its file and its trials."""

    folder: Folder
    limits: Limits
    findings: Findings
    listing: Listing
    names: MetricNames
    configurations: Configurations
    explain: Callable[[Job, list[Row], set[str]], Account]
    working: Working | None = None
    """How the numbers came about, once the file is judged."""

    def judge(
        self, file: JobFile, rows: list[Row], unread: set[str], records: Sequence[str]
    ) -> Expected | None:
        """Holds the file to its trials; the expected file, if it is known.

        `unread` are directories whose trials could not be read, `records` the generations of those that were.
        """
        findings = Inside(self.findings, file.place) if file.place else self.findings
        stats, evals = file.stats, file.evals
        if not isinstance(stats, Members) or not isinstance(evals, Members):
            place, found = ("/stats/evals", evals) if isinstance(stats, Members) else ("/stats", stats)
            findings.add(Finding("schema", JOB_FILE, place, show(found), "an object", _TEXT))
            return None
        before = findings.total()
        header = read_header(file.result, stats, findings)
        in_form = findings.total() == before and file.in_form()
        if not file.finished:
            findings.note(
                f"the job has not finished: the statistics in {JOB_FILE} depend on timing and are not checked"
            )
            for finding in contradictions(stats, evals, file.generation):
                findings.add(finding)
            return None
        self.listing.check()
        self._learn(rows, records)
        completed = file.count("stats", file.generation.counters[0])
        completed = file.count("stats", "n_trials") if completed is None else completed
        job = Job(
            header,
            file.result,
            evals,
            len(rows) if completed is None else completed,
            self.names,
            self.listing,
            None,
            self.names.one_at_a_time,
            file.generation,
        )
        account = self.explain(job, rows, unread)
        if account.findings or account.notes or header.n_total_trials != len(rows):
            lock = self._lock()
            if lock is not None:
                job = replace(job, plan=lock)
                account = self.explain(job, rows, unread)
            else:
                account.notes = tuple(note for note in account.notes if note != RESUMED)
        self.working = Working(job, account, rows, file.place)
        found = account.findings
        if any(one.breaks is Level.VALUE for one in found):
            from conformance.check.job.mistakes import with_mistakes  # rarely needed, and slow to load

            found = with_mistakes(found, account.expected, evals)
        for finding in found:
            findings.add(_of_others(finding) if len(account.findings) == 1 else finding)
        for note in account.notes:
            findings.note(note)
        expected = account.expected
        if expected is None:
            return None
        if in_form and not account.findings and findings.level is Level.BYTES:
            self._text(expected, file.content)
        if expected.taken:
            findings.note("metrics that a script computed are not checked")
        return expected

    def _learn(self, rows: Sequence[Row], records: Sequence[str]) -> None:
        """What the records tell of the release that wrote the file, where its rules changed since 0.6.2."""
        late = {one.name for one in _WITH_MODE}
        if late.intersection(records):
            certain = bool({one.name for one in _WITH_MODELS}.intersection(records))
            self.names.unmatched({row.trial.source or ADHOC for row in rows}, certain)

    def _text(self, expected: Expected, content: bytes) -> None:
        try:
            due = expected.text()
        except TooLargeError as error:
            self.findings.note(f"the layout of {JOB_FILE} is not checked: {error}")
        else:
            for marked in text_finding(JOB_FILE, due, content):
                self.findings.add(marked)

    def _lock(self) -> list[int] | None:
        """The plan, as the job's lock has it; None if it does not say."""
        try:
            content = self.folder.read(LOCK, self.limits.job_bytes)
            room = self.limits.file_memory // 2
            return None if content is None else planned(content, self.configurations, room)
        except Refused as refused:  # what is no file was reported by the scan
            if refused.kind == "too-large":
                self.findings.note(f"{LOCK} is not looked at: {refused.what}, {refused.due}")
        except TooLargeError as error:
            self.findings.note(f"{LOCK} is not looked at: {error}")
        return None


def _of_others(finding: Finding) -> Finding:
    """The finding, if it is a metric's and the only one, with what that alone tells."""
    if finding.kind != "metric" or finding.likely is not None or finding.breaks is not Level.VALUE:
        return finding
    likely = "counters and lists agree with these trials: the number is of other ones, or somebody's own"
    return replace(finding, likely=likely)
