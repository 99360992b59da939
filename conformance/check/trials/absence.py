"""Reward files that are not there: a trial's mistake, or a job that is kept without them.

Mirrors of results often leave reward files out. Where no trial of a job has any, the records are judged
by themselves. Where some have, each that is missing is a finding. Which it is shows only once all trials
are read, so what would be said in either case is held back until then. Of an ordinary trial nothing is
held but its row, from which the finding can be made.
"""

from dataclasses import dataclass, field, replace

from conformance.check.findings import Finding, Findings
from conformance.check.job.expected import Row
from conformance.check.job.listing import Listing
from conformance.check.trials.reward_files import NO_FILE, lacks_file
from reference_impl import VerifierResult

__all__ = ["Absence", "Otherwise"]

_MOST_HELD = 10_000

Otherwise = tuple[VerifierResult | None, str | None]
"""The verifier result and the exception that a trial has if it ought to have reward files."""


@dataclass(slots=True)
class Absence:
    """What depends on whether the job has reward files at all."""

    results_only: bool = False
    """Whether reward files are left aside even where they are there."""
    present: bool = False
    """Whether there are any."""
    ordinary: list[Row] = field(default_factory=list)
    """Trials with rewards and no file."""
    others: list[tuple[Row, Otherwise]] = field(default_factory=list)
    """Trials of which the job would say something else."""
    if_present: list[Finding] = field(default_factory=list)
    if_absent: list[Finding] = field(default_factory=list)
    dropped: int = 0
    lacking: int = 0
    """Trials that ought to have had reward files, and have none."""

    def hold(self, if_present: list[Finding], if_absent: list[Finding]) -> None:
        """Keeps what is said of a trial in either case."""
        self.lacking += 1
        for held, found in ((self.if_present, if_present), (self.if_absent, if_absent)):
            room = max(_MOST_HELD - len(held), 0)
            held += found[:room]
            self.dropped += len(found[room:])

    def hold_row(self, row: Row) -> None:
        """Keeps a trial with rewards and no file."""
        self.lacking += 1
        self.ordinary.append(row)

    def settle(self, findings: Findings, listing: Listing) -> bool:
        """Says what holds, once all trials are read; whether they were judged by their records alone."""
        alone = self.results_only or (self.lacking > 0 and not self.present)
        for finding in self.if_absent if alone else self.if_present:
            findings.add(finding)
        if not alone:
            for row in self.ordinary:
                rewards = None if row.trial.verifier_result is None else row.trial.verifier_result.rewards
                found = lacks_file(rewards)
                if listing.supports_file(row.trial.trial_name, found):
                    findings.add(found.blames_record(row.folder))
                    _change(row, (None, row.trial.exception or NO_FILE.error))
                else:
                    findings.add(found.blames_file(row.folder))
            for row, otherwise in self.others:
                _change(row, otherwise)
        if self.dropped:
            findings.note(f"{self.dropped} findings more on missing reward files are not told")
        self.ordinary, self.others, self.if_present, self.if_absent = [], [], [], []
        return alone


def _change(row: Row, otherwise: Otherwise) -> None:
    row.trial = replace(row.trial, verifier_result=otherwise[0], exception=otherwise[1])
