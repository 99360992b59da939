"""Audits one job directory."""

import gc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.check.findings import Finding, Findings
from conformance.check.generations import FIRST_STEPS, LATEST_JOB, LIVE, RECORD_GENERATIONS
from conformance.check.job.config import CONFIG, read_config
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.embedded import embedded, held_to_each_other
from conformance.check.job.expected import Expected, Row
from conformance.check.job.explain import Working, explain
from conformance.check.job.job_file import Inside, JobFile, read_job_file
from conformance.check.job.judging import Judge
from conformance.check.job.listing import Listing
from conformance.check.job.metric_names import MetricNames
from conformance.check.job.outcome_lines import LogReader
from conformance.check.job.stand_ins import trial_row
from conformance.check.reading.files import Folder, Refused, TooManyEntriesError, reason
from conformance.check.reading.json_files import Members, show
from conformance.check.reading.limits import Limits, OverLimitError, Spent
from conformance.check.trials.plan import Configurations
from conformance.check.trials.reader import TrialReader
from conformance.check.trials.rows import TrialRow
from conformance.check.trials.scan import Scan
from conformance.judging.comparison import Level

if TYPE_CHECKING:
    from conformance.check.against_dataset import AgainstDataset
    from conformance.check.manifest import Manifest

__all__ = ["Audit", "CouldNotTryError", "audit"]

_RARELY = (100_000, 50, 1000)


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
    working: Working | None = None
    """How its numbers come about, where that is wanted and the job has finished."""


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
    results_only: bool = False,
    rows: bool = False,
    keep_working: bool = False,
) -> Audit:
    """Audits the job in a directory; nothing outside it is read but the `logs` that the user names.

    `tick` is called for each trial. With `dataset` the job is held to that manifest as well.
    At most so many `helpers`, processes of their own, read trials of a large job. With `results_only`
    reward files are left aside; with `rows` the trials are kept one by one, with `keep_working` how
    the numbers come about.

    Raises:
        CouldNotTryError: there is no such directory, neither result.json nor trials in it, it is too
            large, or it brings about an error that is not foreseen.
    """
    limits = limits or Limits()
    made = _Auditor(Audit(path, Findings(level)), Spent(limits), tick)
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
        made.run(folder, logs, _Terms(helpers, results_only, rows, keep_working))
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


@dataclass(frozen=True, slots=True)
class _Terms:
    """How it is audited."""

    helpers: int
    results_only: bool
    rows: bool
    keep_working: bool


@dataclass(slots=True)
class _Auditor:
    audit: Audit
    spent: Spent
    tick: Callable[[], None]
    dataset: "AgainstDataset | None" = None
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

    def run(self, folder: Folder, logs: Sequence[str], terms: _Terms) -> None:
        limits = self.spent.limits
        self.spent.file = JOB_FILE
        content = self._file(folder, JOB_FILE, limits.job_bytes)
        nothing = content is None and not self.findings.total()
        file = None if content is None else read_job_file(content, limits, self.findings)
        if file is not None:
            self._about(file)
        listing = Listing(file.evals if file is not None else None, limits.trials)
        configurations = Configurations()
        self.spent.file = CONFIG
        names = MetricNames(None if nothing else read_config(folder, limits, self.findings), limits.metrics)
        reader = self._reader(listing, configurations, terms)
        helpers = terms.helpers if self.dataset is None else 0
        scan = Scan(self.audit.path, folder, self.findings, self.spent, reader, self.tick, helpers)
        self.scan = scan
        try:
            scan.run()
        except OSError as error:
            raise CouldNotTryError(reason(error)) from None
        self.step = f"holding {JOB_FILE} to the trials"
        scan.settle_names(listing)
        if nothing:
            self._without_file(scan)
        rows = list(scan.rows.values())
        if file is not None and file.finished:
            rows = self._embedded(file, rows, scan.unread)
        self.audit.trials = max(scan.trials, len(rows))
        self.audit.unverified = self.audit.trials if reader.alone or not scan.trials else 0
        self.audit.errored = sum(row.trial.exception is not None for row in rows)
        self._records(reader.generations, file)
        if terms.rows:
            generation = file.generation if file is not None and file.evals is not None else LATEST_JOB
            self.audit.rows = [trial_row(row, generation) for row in rows]
        expected = None
        if file is not None:
            judge = Judge(folder, limits, self.findings, listing, names, configurations, explain)
            expected = judge.judge(file, rows, scan.unread, list(reader.generations))
            self.audit.working = judge.working if terms.keep_working else None
        if content is not None and (logs or scan.logs):
            self.step = "looking for outcome lines"
            if file is not None and file.place:
                self.findings.note("outcome lines are not checked: the job's result is wrapped")
            else:
                self._outcome_lines(folder, scan.logs, logs, content, expected)
        if self.dataset is not None:
            self.dataset.finish()
            self.audit.datasets = self.dataset.datasets

    def _about(self, file: JobFile) -> None:
        """What the file says, right or wrong."""
        if isinstance(file.stats, Members):  # else it is no job's, or not one of harbor's
            self.audit.state = "finished" if file.finished else "unfinished"
            self.audit.generations[f"job file: {file.generation.name}"] = 1
        self.audit.planned = file.count("n_total_trials")
        self.audit.stated = file.stated()
        file.note_form(self.findings)

    def _records(self, generations: Counter[str], file: JobFile | None) -> None:
        """Names those of the records; the job's file tells two apart that have the same members."""
        before_totals = file is not None and "cost_usd" not in file.generation.stats
        for one in RECORD_GENERATIONS:
            alike = (one.record, one.agent_result) == (FIRST_STEPS.record, FIRST_STEPS.agent_result)
            if generations[one.name]:
                told = f"records: {FIRST_STEPS.name if alike and before_totals else one.name}"
                self.audit.generations[told] = self.audit.generations.get(told, 0) + generations[one.name]

    def _without_file(self, scan: Scan) -> None:
        """A folder of trials that nothing sums up.

        Raises:
            CouldNotTryError: there are no trials either.
        """
        if not scan.rows:
            self.scan = None
            self.audit.findings = Findings(self.findings.level)  # these folders are no trials
            raise CouldNotTryError(f"there is no {JOB_FILE}")
        self.findings.note(
            f"there is no {JOB_FILE}: the trials are read, and there is nothing to hold to them"
        )

    def _embedded(self, file: JobFile, rows: list[Row], unread: set[str]) -> list[Row]:
        """The job's trials: those of its directories, or else of its file's list, if it has one."""
        findings = Inside(self.findings, file.place) if file.place else self.findings
        listed, wrong = embedded(file.result, self.spent.limits)
        for row in listed:
            self.spent.rewarded(len((row.trial.verifier_result and row.trial.verifier_result.rewards) or ()))
        if listed and (rows or unread):
            wrong += held_to_each_other(listed, rows)
        for finding in wrong:
            findings.add(finding)
        if not listed or rows or unread:
            return rows
        findings.note(f"there are no trial directories: {JOB_FILE} is held to the records in its {LIVE}")
        return listed

    def _reader(self, listing: Listing, configurations: Configurations, terms: _Terms) -> TrialReader:
        return TrialReader(
            self.spent,
            self.findings,
            listing,
            configurations,
            dataset=self.dataset,
            results_only=terms.results_only,
        )

    def _outcome_lines(
        self,
        folder: Folder,
        found: list[str],
        named: Sequence[str],
        content: bytes,
        expected: Expected | None,
    ) -> None:
        """Judges every outcome line."""
        reader = LogReader(content, expected, self.findings, self.spent)
        reader.judge_logs(folder, found)
        for path in named:
            try:
                reader.judge_named(path)
            except OSError as error:
                raise CouldNotTryError(f"{path}: {reason(error)}") from None
            except Refused as refused:
                raise CouldNotTryError(f"{path}: {refused}") from None

    # Reading

    def _file(self, folder: Folder, name: str, limit: int) -> bytes | None:
        try:
            return folder.read(name, limit)
        except Refused as refused:
            self.findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
            return None
