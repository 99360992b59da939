"""Audits one job directory."""

import gc
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.check.config import CONFIG, read_config
from conformance.check.differences import JOB_FILE
from conformance.check.expected import Expected, Row
from conformance.check.explain import Job, explain
from conformance.check.files import Folder, Limits, Refused, TooManyEntriesError, reason
from conformance.check.findings import Finding, Findings
from conformance.check.header import read_header
from conformance.check.helpers import BATCH, Helpers
from conformance.check.json_files import Members, NotJsonError, Number, parse, show
from conformance.check.listing import Listing
from conformance.check.metric_names import MetricNames
from conformance.check.mistakes import with_mistakes
from conformance.check.outcome_lines import is_log, judge_logs, judge_named_log
from conformance.check.plan import Configurations, planned
from conformance.check.text import text_finding
from conformance.check.trials import Plain, TrialReader
from conformance.judging.comparison import Level

if TYPE_CHECKING:
    from conformance.check.against_dataset import AgainstDataset
    from conformance.dataset.manifest import Manifest

__all__ = ["Audit", "CouldNotTryError", "audit"]

LOCK = "lock.json"

_RARELY = (100_000, 50, 1000)
_TEXT = "003-3.3-text"


class CouldNotTryError(Exception):
    """A job directory that can't be audited at all; the message says why."""


@dataclass(slots=True)
class Audit:
    """What an audit of one job directory found."""

    path: str
    findings: Findings
    state: str = "unknown"
    """`finished`, `unfinished`, or `unknown` where `result.json` does not tell."""
    trials: int = 0
    """Trials with a record."""
    errored: int = 0
    """Of these, those that ended in an exception."""
    datasets: list[str] = field(default_factory=list)
    """The kit's datasets that its trials belong to, where it is held to their manifest."""


def audit(
    path: str,
    level: Level,
    limits: Limits | None = None,
    logs: Sequence[str] = (),
    tick: Callable[[], None] = lambda: None,
    dataset: "Manifest | None" = None,
    helpers: int = 0,
) -> Audit:
    """Audits the job in a directory; nothing outside it is read but the `logs` that the user names.

    `tick` is called for each trial. With `dataset` the job is held to that manifest as well.
    At most so many `helpers`, processes of their own, read trials of a large job.

    Raises:
        CouldNotTryError: there is no such directory, no result.json in it, or it is too large.
    """
    made = _Auditor(Audit(path, Findings(level)), limits or Limits(), tick, helpers=helpers)
    if dataset is not None:
        from conformance.check.against_dataset import AgainstDataset  # rarely needed, and slow to load

        made.dataset = AgainstDataset(dataset, made.findings)
    try:
        folder = Folder.top(path)
    except OSError as error:
        raise CouldNotTryError(reason(error)) from None
    except ValueError as error:  # a path that no file can have
        raise CouldNotTryError(str(error)) from None
    thresholds = gc.get_threshold()
    gc.set_threshold(*_RARELY)  # what is kept has no cycles, and searching it for some takes time
    try:
        made.run(folder, logs)
    except TooManyEntriesError:
        limit = (limits or Limits()).entries
        raise CouldNotTryError(f"more than {limit} entries (--max-entries raises the limit)") from None
    finally:
        gc.set_threshold(*thresholds)
        folder.leave()
    return made.audit


@dataclass(slots=True)
class _Auditor:
    audit: Audit
    limits: Limits
    tick: Callable[[], None]
    rows: dict[str, Row] = field(default_factory=dict)
    """By the name that the trial's record gives it."""
    misnamed: list[Row] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)
    dataset: "AgainstDataset | None" = None
    helpers: int = 0

    @property
    def findings(self) -> Findings:
        return self.audit.findings

    def run(self, folder: Folder, logs: Sequence[str]) -> None:
        content = self._file(folder, JOB_FILE, self.limits.job_bytes)
        if content is None and not self.findings.total():
            raise CouldNotTryError(f"there is no {JOB_FILE}")
        result = self._result(content)
        stats = result.get("stats") if result is not None else None
        evals = stats.get("evals") if isinstance(stats, Members) else None
        listing = Listing(evals)
        configurations = Configurations()
        names = MetricNames(read_config(folder, self.limits.record_bytes, self.findings))
        reader = TrialReader(self.limits, self.findings, listing, configurations, dataset=self.dataset)
        self._scan(folder, reader)
        self.audit.trials = len(self.rows) + len(self.misnamed)
        self._settle_names(listing)
        self.audit.errored = sum(row.trial.exception is not None for row in self.rows.values())
        expected = None
        if result is not None and isinstance(stats, Members) and isinstance(evals, Members):
            expected = self._judge(
                folder, result, stats, evals, listing, names, configurations, content or b""
            )
        line = None
        if content is not None and (logs or self.logs):
            contents = [content] + ([expected.text().encode()] if expected is not None else [])
            line = self._outcome_line(folder, logs, contents)
        if self.dataset is not None:
            self.dataset.finish(result if self.audit.state == "finished" else None, line)
            self.audit.datasets = self.dataset.datasets

    def _outcome_line(self, folder: Folder, logs: Sequence[str], contents: list[bytes]) -> str | None:
        """Judges every outcome line; the last of them."""
        last = judge_logs(folder, self.logs, contents, self.findings, self.limits)
        for path in logs:
            try:
                last = judge_named_log(path, contents, self.findings) or last
            except OSError as error:
                raise CouldNotTryError(f"{path}: {reason(error)}") from None
        return last

    # Reading

    def _file(self, folder: Folder, name: str, limit: int) -> bytes | None:
        try:
            return folder.read(name, limit)
        except Refused as refused:
            self.findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
            return None

    def _result(self, content: bytes | None) -> Members | None:
        """The job's result, None if it can't be judged."""
        if content is None:
            return None
        try:
            value = parse(content)
        except NotJsonError as error:
            self.findings.add(
                Finding("not-json", JOB_FILE, "", str(error), "the job's result in JSON", _TEXT)
            )
            return None
        if not isinstance(value, Members):
            self.findings.add(Finding("schema", JOB_FILE, "", show(value), "an object", _TEXT))
            return None
        self.audit.state = "unfinished" if value.get("finished_at") is None else "finished"
        return value

    def _scan(self, folder: Folder, reader: TrialReader) -> None:
        try:
            self._entries(folder, reader)
        except OSError as error:
            raise CouldNotTryError(reason(error)) from None

    def _entries(self, folder: Folder, reader: TrialReader) -> None:
        most = self.helpers if self.dataset is None else 0
        with Helpers(self.audit.path, folder, self.limits, most) as helpers:
            names: list[str] = []
            for name, mode in folder.entries(self.limits.entries):
                if mode != stat.S_IFDIR:
                    self._other(folder, name, mode)
                    continue
                names.append(name)
                if len(names) == BATCH:
                    self._trials(folder, reader, helpers.turn(names))
                    names = []
            self._trials(folder, reader, [(name, None) for name in names])
            for done in helpers.rest():
                self._trials(folder, reader, done)

    def _other(self, folder: Folder, name: str, mode: int) -> None:
        """Something that is no directory."""
        if mode == stat.S_IFREG:
            if is_log(name):
                self.logs.append(name)
        elif name not in (JOB_FILE, CONFIG):  # these are reported where they are read
            try:
                folder.open(name, 0)
            except Refused as refused:
                due = "a file or a trial's directory"
                self.findings.add(Finding(refused.kind, name, "", refused.what, due, None))

    def _trials(self, folder: Folder, reader: TrialReader, names: Iterable[tuple[str, Plain | None]]) -> None:
        """Trials, with what helpers have read of them."""
        for name, known in names:
            if known is None:
                self._trial(folder, reader, name)
            else:
                self.tick()
                self.rows[name] = reader.known(name, known)

    def _trial(self, folder: Folder, reader: TrialReader, name: str) -> None:
        try:
            entered = folder.enter(name)
        except Refused as refused:
            self.findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
            self.unread.add(name)
            return
        if entered is None:
            return
        try:
            row = reader.read(entered, name)
        finally:
            entered.leave()
        if row is None:
            return
        self.tick()
        if isinstance(row, bool):
            self.unread.add(name)
        elif row.trial.trial_name != name:
            self.misnamed.append(row)
        else:
            self.rows[name] = row

    # Judging

    def _settle_names(self, listing: Listing) -> None:
        """Records under another directory's name: a second copy of a trial, or a name that was changed."""
        clause = "003-3.3-trial-record"
        for row in sorted(self.misnamed, key=lambda row: row.folder):
            name, file = row.trial.trial_name, f"{row.folder}/{JOB_FILE}"
            own = row.folder not in self.rows and listing.of(row.folder) is not None
            if name in self.rows and not own:
                what = (
                    f"the trial {show(name)}",
                    f"one directory for a trial; {show(self.rows[name].folder)} has it",
                )
                self.findings.add(Finding("duplicate-trial", file, "/trial_name", *what, clause))
                continue
            due = f"{show(row.folder)}, the directory's name"
            self.findings.add(Finding("trial-name", file, "/trial_name", show(name), due, clause))
            if own and (listing.of(name) is None or name in self.rows):
                row.trial = replace(row.trial, trial_name=row.folder)
            self.rows[row.trial.trial_name] = row

    def _judge(
        self,
        folder: Folder,
        result: Members,
        stats: Members,
        evals: Members,
        listing: Listing,
        names: MetricNames,
        configurations: Configurations,
        content: bytes,
    ) -> Expected | None:
        """Holds result.json to the trials; the expected file, if it is known."""
        before = self.findings.total()
        header = read_header(result, stats, self.findings)
        in_form = self.findings.total() == before
        if self.audit.state == "unfinished":
            self.findings.note(
                f"the job has not finished: the statistics in {JOB_FILE} depend on timing and are not checked"
            )
            return None
        rows = list(self.rows.values())
        completed = stats.get("n_completed_trials")
        job = Job(
            header,
            result,
            evals,
            completed.value
            if isinstance(completed, Number) and isinstance(completed.value, int)
            else len(rows),
            names,
            listing,
            None,
            names.one_at_a_time,
        )
        account = explain(job, rows, self.unread)
        if account.findings or account.notes or header.n_total_trials != len(rows):
            lock = self._lock(folder, configurations)
            if lock is not None:
                account = explain(replace(job, plan=lock), rows, self.unread)
        for finding in with_mistakes(account.findings, account.expected, evals):
            self.findings.add(finding)
        for note in account.notes:
            self.findings.note(note)
        expected = account.expected
        if expected is None:
            return None
        if in_form and not account.findings and self.findings.level is Level.BYTES:
            for marked in text_finding(JOB_FILE, expected.text(), content):
                self.findings.add(marked)
        if expected.taken:
            self.findings.note("metrics that a script computed are not checked")
        return expected

    def _lock(self, folder: Folder, configurations: Configurations) -> list[int] | None:
        try:
            content = folder.read(LOCK, self.limits.job_bytes)
        except Refused:  # reported by the scan, or too large
            return None
        return None if content is None else planned(content, configurations)
