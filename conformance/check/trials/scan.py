"""Goes through a job's directory: its trials, its logs, and what should not be there."""

import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from conformance.check.findings import Finding, Findings
from conformance.check.job.config import CONFIG
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Row
from conformance.check.job.listing import Listing
from conformance.check.job.outcome_lines import is_log
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import Spent
from conformance.check.trials.helpers import BATCH, Helpers
from conformance.check.trials.reader import Plain, TrialReader

__all__ = ["Scan"]


@dataclass(slots=True)
class Scan:
    """What is found in a job's directory."""

    path: str
    folder: Folder
    findings: Findings
    spent: Spent
    reader: TrialReader
    tick: Callable[[], None]
    """Called for each trial."""
    helpers: int = 0
    """The most processes that help."""
    rows: dict[str, Row] = field(default_factory=dict)
    """By the name that the trial's record gives it."""
    misnamed: list[Row] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """Directories whose trials could not be read."""
    logs: list[str] = field(default_factory=list)

    @property
    def trials(self) -> int:
        """Trials with a record."""
        return len(self.rows) + len(self.misnamed)

    def run(self) -> None:
        """Reads every entry.

        Raises:
            OSError: the directory can't be listed.
            TooManyEntriesError: it has more entries than the limit.
            OverLimitError: the job holds more than is read.
        """
        reader = self.reader
        with Helpers(self.path, self.folder, self.spent.limits, self.helpers, reader.results_only) as helpers:
            names: list[str] = []
            for name, mode in self.folder.entries(self.spent.limits.entries):
                if mode != stat.S_IFDIR:
                    self._other(name, mode)
                    continue
                self.spent.entered()
                names.append(name)
                if len(names) == BATCH:
                    self._trials(helpers.turn(names))
                    names = []
            self._trials([(name, None) for name in names])
            for done in helpers.rest():
                self._trials(done)
        reader.settle()
        self.spent.file = ""

    def _other(self, name: str, mode: int) -> None:
        """Something that is no directory."""
        if mode == stat.S_IFREG:
            if is_log(name):
                self.logs.append(name)
        elif name not in (JOB_FILE, CONFIG):  # these are reported where they are read
            try:
                self.folder.open(name, 0)
            except Refused as refused:
                due = "a file or a trial's directory"
                self.findings.add(Finding(refused.kind, name, "", refused.what, due, None))

    def _trials(self, names: Iterable[tuple[str, Plain | None]]) -> None:
        """Trials, with what helpers have read of them."""
        for name, known in names:
            if known is None:
                self._trial(name)
            else:
                self.tick()
                self.rows[name] = self.reader.known(name, known)

    def _trial(self, name: str) -> None:
        try:
            entered = self.folder.enter(name)
        except Refused as refused:
            self.findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
            self.unread.add(name)
            return
        if entered is None:
            return
        try:
            row = self.reader.read(entered, name)
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

    def settle_names(self, listing: Listing) -> None:
        """Records under another directory's name: a second copy of a trial, or a name that was changed."""
        clause = "003-3.3-trial-record"
        misnamed, self.misnamed = self.misnamed, []
        for row in sorted(misnamed, key=lambda row: row.folder):
            name, file = row.trial.trial_name, f"{row.folder}/{JOB_FILE}"
            own = row.folder not in self.rows and listing.of(row.folder) is not None
            if name in self.rows and not own:
                what = (
                    f"the trial {show(name)}",
                    f"one directory for a trial; {show(self.rows[name].folder)} has it",
                )
                self.findings.add(Finding("duplicate-trial", file, "/trial_name", *what, clause))
                self.misnamed.append(row)
                continue
            due = f"{show(row.folder)}, the directory's name"
            self.findings.add(Finding("trial-name", file, "/trial_name", show(name), due, clause))
            if own and (listing.of(name) is None or name in self.rows):
                row.trial = replace(row.trial, trial_name=row.folder)
            self.rows[row.trial.trial_name] = row
