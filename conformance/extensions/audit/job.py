"""Audits one job: reads its files, computes the expected result, and compares."""

import gc
import stat
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.extensions.audit import job_file, reading
from conformance.extensions.audit.expected import MetricNames
from conformance.extensions.audit.findings import Findings
from conformance.extensions.audit.formats import CLAUSE, JOB_FILE, JOB_FORMS, VERSION, job_form_of
from conformance.extensions.audit.judging import Judge, View
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.reading import Members, Spent, StopError, show
from conformance.extensions.audit.report import JobAudit, Options
from conformance.extensions.audit.rows import Row, cross_trial_findings, errors_of, trial_row
from conformance.extensions.audit.trials import TrialReader
from conformance.extensions.audit.under import scores_under
from conformance.judging.levels import Level
from conformance.wire.untrusted_files import Folder, Refused, TooManyEntriesError, reason, refusal

_RARE_COLLECTIONS = (100_000, 50, 1000)


def audit(source: Folder, options: Options, tick: Callable[[], None] = lambda: None) -> JobAudit:
    """Audit the job in an open directory; only the logs that the user names are outside of it.

    `tick` is called for each trial. The result has a `problem`, and the findings so far, if there is neither
    a result.json nor a trial, if the job is too large, or after an unexpected error.
    """
    auditor = _Auditor(source, options, tick, JobAudit(findings=Findings(options.level), state="unknown"))
    thresholds = gc.get_threshold()
    gc.set_threshold(*_RARE_COLLECTIONS)  # the data have no cycles, and collecting takes time
    try:
        with reading.bounded_memory(options.limits.memory):
            auditor.run()
    except Exception as error:  # an error in one job must not affect the results of others
        return auditor.stop_with(error)
    finally:
        gc.set_threshold(*thresholds)
    return auditor.audit


@dataclass(slots=True)
class _Auditor:
    source: Folder
    options: Options
    tick: Callable[[], None]
    audit: JobAudit
    spent: Spent = field(init=False)
    rows: dict[str, Row] = field(default_factory=dict)
    """By the trial name in the record."""
    found_any: bool = False
    """Whether anything was found that may belong to a job."""

    def __post_init__(self) -> None:
        self.spent = Spent(self.options.limits)

    def stop_with(self, error: Exception) -> JobAudit:
        """Return the audit so far, empty if nothing was read, with the reason for stopping as its problem."""
        result = self.audit if self.found_any else JobAudit()
        result.trials = max(result.trials, len(self.rows))
        result.findings.flush()
        compares = f"comparing {JOB_FILE} with the trials"
        doing = f"reading {show(self.spent.file)}" if self.spent.file else compares
        result.problem = f"{type(error).__name__} while {doing}: this job could not be audited"
        if isinstance(error, TooManyEntriesError):
            result.problem = reading.too_many_entries(self.options.limits)
        elif isinstance(error, StopError):
            result.problem = str(error)
        elif isinstance(error, MemoryError):
            result.problem = "the audit needs more memory than it may use; --limits 2 doubles the limits"
        return result

    def run(self) -> None:
        limits, audit, findings = self.options.limits, self.audit, self.audit.findings
        self.spent.file = JOB_FILE
        file = job_file.read_job_file(self.source, limits, findings)
        self.found_any = file is not None or bool(findings.pending)
        config = job_file.read_config(self.source, limits, findings) if self.found_any else None
        nothing, dataset = not self.found_any, None
        if file is not None:
            file = self._read_stated(file, config)
        audit.diff_of = job_file.diff_sources(config)
        if audit.diff_of:
            findings.note(job_file.DIFF_NOTE)
        if self.options.manifest is not None:
            from conformance.extensions.audit.against_dataset import AgainstDataset  # slow to load

            dataset = AgainstDataset(self.options.manifest, findings)
        listing = Listing(file.evals if file is not None else None, limits.trials)
        keep_files = any(rules.reading is not None for rules in self.options.under)
        reader = TrialReader(self.spent, listing, findings, keep_files, dataset)
        self._scan(reader)
        self.spent.file = ""
        if nothing and not self.rows:
            self.found_any = False  # its folders are not trials
            raise StopError(f"there is no {JOB_FILE}")
        if nothing:
            description = "the trials are checked, but there is nothing to compare them with"
            findings.note(f"there is no {JOB_FILE}: {description}")
        rows = list(self.rows.values())
        audit.trials = len(rows)
        findings.pending += cross_trial_findings(rows, listing, None if file is None else file.end_time())
        audit.unverified = len(rows) if reader.without_files or not rows else 0
        for forms, count in reader.forms.items():
            audit.generations[f"records: {' or '.join(form.name for form in forms)}"] = count
        form = job_form_of(reader.forms) if file is None else file.form
        audit.errored = sum(bool(errors_of(row, form)) for row in rows)
        if self.options.rows:
            audit.rows = [trial_row(row, form) for row in rows]
        if file is not None:
            self._outcome_lines(file, self._judge(file, rows, reader, config))
        if dataset is not None:
            dataset.finish()
            audit.datasets = dataset.datasets
        findings.flush()

    # Reading

    def _read_stated(self, file: job_file.JobFile, config: Any) -> job_file.JobFile:
        """Record what the job's own file states, right or wrong."""
        audit = self.audit
        if file.prefix:
            audit.findings.note(f"{JOB_FILE} wraps the job's result in {show(file.prefix)[1:-1]}")
        audit.planned = reading.count_of(file.result.get("n_total_trials"))
        audit.stated = file.stated()
        audit.id = str(reading.plain(file.result.get("id")))
        audit.findings.pending += file.unknown_members()
        if isinstance(file.result.get("stats"), Members):  # else it is not a harbor job's
            audit.state = "finished" if file.finished else "unfinished"
            if isinstance(config, dict) and VERSION in config and file.form is JOB_FORMS[-2]:
                file = replace(file, form=JOB_FORMS[-1])  # only the version distinguishes the two releases
            audit.generations[f"job file: {file.form.name}"] = 1
        return file

    def _scan(self, reader: TrialReader) -> None:
        """Read every entry of the job's directory.

        Raises:
            TooManyEntriesError: it has more entries than the limit.
            StopError: the job exceeds another limit.
        """
        misnamed: list[Row] = []
        try:
            for name, mode in self.source.entries(self.options.limits.entries):
                if mode == stat.S_IFDIR:
                    self.spent.add("trials", 1)
                    row = self._trial(reader, name)
                    if row is not None and row.trial.trial_name == name:
                        self.rows[name] = row
                    elif row is not None:
                        misnamed.append(row)
                elif mode != stat.S_IFREG and name not in (JOB_FILE, job_file.CONFIG):
                    refused = refusal(mode, "a file or a trial's directory")
                    self.audit.findings.add_refusal(refused, name)
        except OSError as error:
            raise StopError(reason(error)) from None
        reader.finish()
        self._resolve_misnamed(misnamed, reader.listing)

    def _trial(self, reader: TrialReader, name: str) -> Row | None:
        try:
            folder = self.source.enter(name)
        except Refused as refused:
            self.audit.findings.add_refusal(refused, name)
            reader.unread.add(name)
            return None
        if folder is None:
            return None
        try:
            row = reader.read(folder, name)
        finally:
            folder.leave()
        self.found_any |= row is not None
        if row is not None or name in reader.unread:
            self.tick()
        return row

    def _resolve_misnamed(self, misnamed: list[Row], listing: Listing) -> None:
        """Handle records that name another directory: a trial was copied or renamed."""
        add = self.audit.findings.add
        for row in sorted(misnamed, key=lambda row: row.folder):
            name, where = row.trial.trial_name, (f"{row.folder}/{JOB_FILE}", "/trial_name")
            own = row.folder not in self.rows and row.folder in listing
            if name in self.rows and not own:
                wanted = f"one directory for a trial; {show(self.rows[name].folder)} has it"
                add("duplicate-trial", *where, f"the trial {show(name)}", wanted, CLAUSE)
                continue
            self.audit.findings.add(
                "trial-name", *where, show(name), f"{show(row.folder)}, the directory's name", CLAUSE
            )
            if own and (name not in listing or name in self.rows):
                row.trial = replace(row.trial, trial_name=row.folder)
            row.id = None  # a copy is reported already
            self.rows[row.trial.trial_name] = row

    # Judging

    def _judge(self, file: job_file.JobFile, rows: list[Row], reader: TrialReader, config: Any) -> list[View]:
        """Compare the file with the trials; return the views of it."""
        stats, evals, options = file.result.get("stats"), file.evals, self.options
        if not isinstance(evals, Members):
            path, stated = ("/stats/evals", evals) if isinstance(stats, Members) else ("/stats", stats)
            self.audit.findings.add(
                "schema", JOB_FILE, file.prefix + path, show(stated), "an object", "003-3.3-text"
            )
            return []
        header, findings = file.header(config)
        planned = None
        if header["n_total_trials"] != len(rows):
            planned = job_file.read_plan(self.source, options.limits, self.audit.findings)
        newest = [forms[-1] for forms in reader.forms]
        late = [form.name for form in newest if "verifier_environment_mode" not in form.lacks]
        metrics = MetricNames(config, late)
        judge = Judge(file, header, reader.listing, metrics, reader.unread, planned, self.audit.findings)
        findings += judge.finished(rows) if file.finished else judge.unfinished(rows)
        if any(item.breaks is Level.VALUE and item.kind in ("metric", "pass-at-k") for item in findings):
            from conformance.extensions.audit.explain import (
                explain_wrong_numbers,  # rarely needed, and slow to load
            )

            findings = list(explain_wrong_numbers(findings, judge.views[0]))
        wanted = judge.views[0].known_text if file.finished else None
        if not findings and wanted is not None and file.has_exact_members() and options.level is Level.BYTES:
            findings += job_file.text_finding(wanted, file.content)
        for finding in findings:
            if file.prefix and finding.file == JOB_FILE:
                finding = replace(finding, path=file.prefix + finding.path)
            self.audit.findings.pending.append(finding)
        if options.keep_computation and file.finished:
            self.audit.working = file, judge.views
        recorded = judge.views[-1].rows
        self.audit.under = [scores_under(rules, recorded, header, file, metrics) for rules in options.under]
        return judge.views

    def _outcome_lines(self, file: job_file.JobFile, views: list[View]) -> None:
        """Check the outcome line in each log that the user names."""
        wanted = views[0].known_text if views and file.finished else None
        for path in self.options.logs if not file.prefix else ():
            try:
                finding = job_file.check_log(path, file.content, wanted, self.options.limits.log_bytes)
            except (OSError, Refused) as error:
                why = reason(error) if isinstance(error, OSError) else str(error)
                raise StopError(f"{path}: {why}") from None
            self.audit.findings.pending += [] if finding is None else [finding]
