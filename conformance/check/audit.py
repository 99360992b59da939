"""Audits one job directory."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.check.findings import Finding, Findings
from conformance.check.job.config import CONFIG, read_config
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Expected
from conformance.check.job.explain import Job, explain
from conformance.check.job.header import read_header
from conformance.check.job.listing import Listing
from conformance.check.job.metric_names import MetricNames
from conformance.check.job.mistakes import with_mistakes
from conformance.check.job.outcome_lines import LogReader
from conformance.check.job.text import text_finding
from conformance.check.reading.files import Folder, Refused, TooManyEntriesError, reason
from conformance.check.reading.json_files import Members, NotJsonError, Number, parse, show
from conformance.check.reading.limits import Limits, OverLimitError, Spent, TooLargeError
from conformance.check.trials.plan import Configurations, planned
from conformance.check.trials.reader import TrialReader
from conformance.check.trials.rows import TrialRow
from conformance.check.trials.scan import Scan
from conformance.judging.comparison import Level

if TYPE_CHECKING:
    from conformance.check.against_dataset import AgainstDataset
    from conformance.dataset.manifest import Manifest

__all__ = ["Audit", "CouldNotTryError", "audit"]

LOCK = "lock.json"

_RARELY = (100_000, 50, 1000)
_TEXT = "003-3.3-text"


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
    rows: list[TrialRow] = field(default_factory=list)
    """The trials one by one, where they are wanted."""
    unverified: int = 0
    """Trials that are judged by their records alone, because there are no reward files or none are wanted."""
    generations: dict[str, int] = field(default_factory=dict)
    """The generations of its files, by name, with the number of files."""
    planned: int | None = None
    """The trials that `result.json` says were planned."""
    stated: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The metrics that `result.json` states, by evals key."""
    datasets: list[str] = field(default_factory=list)
    """The kit's datasets that its trials belong to, where it is held to their manifest."""


class CouldNotTryError(Exception):
    """A job directory that can't be audited, or not to the end; the message says why."""

    def __init__(self, sentence: str, audit: Audit | None = None) -> None:
        super().__init__(sentence)
        self.audit = audit
        """What was found until then."""


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
        CouldNotTryError: there is no such directory, no result.json in it, it is too large, or it
            brings about an error that is not foreseen.
    """
    limits = limits or Limits()
    made = _Auditor(Audit(path, Findings(level)), Spent(limits), tick, helpers=helpers)
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
    except CouldNotTryError as error:
        error.audit = made.partial()
        raise
    except TooManyEntriesError:
        sentence = f"more than {limits.entries} entries (--max-entries raises the limit)"
        raise CouldNotTryError(sentence, made.partial()) from None
    except OverLimitError as error:
        raise CouldNotTryError(str(error), made.partial()) from None
    except Exception as error:  # one job's trouble, whatever it is, must not cost another's results
        sentence = f"{type(error).__name__} while {made.doing}: this job could not be judged"
        raise CouldNotTryError(sentence, made.partial()) from error
    finally:
        gc.set_threshold(*thresholds)
        folder.leave()
    return made.audit


@dataclass(slots=True)
class _Auditor:
    audit: Audit
    spent: Spent
    tick: Callable[[], None]
    dataset: "AgainstDataset | None" = None
    helpers: int = 0
    scan: Scan | None = None
    step: str = ""

    @property
    def findings(self) -> Findings:
        return self.audit.findings

    @property
    def doing(self) -> str:
        """What it is at."""
        return f"reading {show(self.spent.file)}" if self.spent.file else self.step

    def partial(self) -> Audit | None:
        """What was found until now, None if nothing was looked at."""
        if self.scan is not None:
            self.audit.trials = self.scan.trials
        return self.audit if self.audit.trials or self.findings.total() else None

    def run(self, folder: Folder, logs: Sequence[str]) -> None:
        limits = self.spent.limits
        self.spent.file = JOB_FILE
        content = self._file(folder, JOB_FILE, limits.job_bytes)
        if content is None and not self.findings.total():
            raise CouldNotTryError(f"there is no {JOB_FILE}")
        result = self._result(content)
        stats = result.get("stats") if result is not None else None
        evals = stats.get("evals") if isinstance(stats, Members) else None
        listing = Listing(evals, limits.trials)
        configurations = Configurations()
        self.spent.file = CONFIG
        names = MetricNames(read_config(folder, limits, self.findings), limits.metrics)
        reader = TrialReader(self.spent, self.findings, listing, configurations, dataset=self.dataset)
        helpers = self.helpers if self.dataset is None else 0
        scan = Scan(self.audit.path, folder, self.findings, self.spent, reader, self.tick, helpers)
        self.scan = scan
        try:
            scan.run()
        except OSError as error:
            raise CouldNotTryError(reason(error)) from None
        self.audit.trials = scan.trials
        self.step = f"holding {JOB_FILE} to the trials"
        scan.settle_names(listing)
        self.audit.errored = sum(row.trial.exception is not None for row in scan.rows.values())
        expected = None
        if result is not None and not isinstance(evals, Members):
            place, found = ("/stats/evals", evals) if isinstance(stats, Members) else ("/stats", stats)
            self.findings.add(Finding("schema", JOB_FILE, place, show(found), "an object", _TEXT))
        if result is not None and isinstance(stats, Members) and isinstance(evals, Members):
            expected = self._judge(
                *(folder, scan, result, stats, evals, listing, names, configurations, content or b"")
            )
        line = None
        if content is not None and (logs or scan.logs):
            self.step = "looking for outcome lines"
            line = self._outcome_line(folder, scan.logs, logs, content, expected)
        if self.dataset is not None:
            self.dataset.finish(result if self.audit.state == "finished" else None, line)
            self.audit.datasets = self.dataset.datasets

    def _outcome_line(
        self,
        folder: Folder,
        found: list[str],
        named: Sequence[str],
        content: bytes,
        expected: Expected | None,
    ) -> str | None:
        """Judges every outcome line; the last of them."""
        reader = LogReader(content, expected, self.findings, self.spent)
        last = reader.judge_logs(folder, found)
        for path in named:
            try:
                last = reader.judge_named(path) or last
            except OSError as error:
                raise CouldNotTryError(f"{path}: {reason(error)}") from None
            except Refused as refused:
                raise CouldNotTryError(f"{path}: {refused}") from None
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
            value = parse(content, self.spent.limits.file_memory // 3)  # the trials come beside it
        except TooLargeError as error:
            self.findings.add(Finding("too-large", JOB_FILE, "", error.what, error.due, None))
            return None
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

    # Judging

    def _judge(
        self,
        folder: Folder,
        scan: Scan,
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
        listing.check()
        rows = list(scan.rows.values())
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
        account = explain(job, rows, scan.unread)
        if account.findings or account.notes or header.n_total_trials != len(rows):
            lock = self._lock(folder, configurations)
            if lock is not None:
                account = explain(replace(job, plan=lock), rows, scan.unread)
        for finding in with_mistakes(account.findings, account.expected, evals):
            self.findings.add(finding)
        for note in account.notes:
            self.findings.note(note)
        expected = account.expected
        if expected is None:
            return None
        if in_form and not account.findings and self.findings.level is Level.BYTES:
            try:
                due = expected.text()
            except TooLargeError as error:
                self.findings.note(f"the layout of {JOB_FILE} is not checked: {error}")
            else:
                for marked in text_finding(JOB_FILE, due, content):
                    self.findings.add(marked)
        if expected.taken:
            self.findings.note("metrics that a script computed are not checked")
        return expected

    def _lock(self, folder: Folder, configurations: Configurations) -> list[int] | None:
        limits = self.spent.limits
        try:
            content = folder.read(LOCK, limits.job_bytes)
            return None if content is None else planned(content, configurations, limits.file_memory // 2)
        except Refused as refused:  # what is no file was reported by the scan
            if refused.kind == "too-large":
                self.findings.note(f"{LOCK} is not looked at: {refused.what}, {refused.due}")
        except TooLargeError as error:
            self.findings.note(f"{LOCK} is not looked at: {error}")
        return None
