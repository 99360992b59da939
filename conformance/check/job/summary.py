"""Says in one finding that the trials beside a job's file are not those that it was made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.check.findings import Finding
from conformance.check.generations import JobGeneration
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.stand_ins import shortlist
from conformance.check.reading.json_files import pointer

__all__ = ["Departures"]

_COMPLETED = "003-3.3-n-completed"
_FEW = 2
"""So many departures are told one by one."""


@dataclass(slots=True)
class Departures:
    """Where the trials depart from those that the file counts and lists."""

    gone: list[Finding] = field(default_factory=list)
    """Trials that it lists and that are not there."""
    added: list[Finding] = field(default_factory=list)
    """Trials that are there and that it does not count."""
    changed: list[Finding] = field(default_factory=list)
    """Records that say otherwise than it lists."""

    def findings(
        self, generation: JobGeneration, counted: int, there: int, as_they_are: Sequence[Finding]
    ) -> list[Finding]:
        """One finding for all of them, or for each if they are few.

        The file counts so many trials, and so many are there; `as_they_are` is what it gets wrong if
        all of these are its own.
        """
        if self.gone and not there:
            place, found = (
                pointer("stats", generation.counters[0]),
                f"{counted} trial{'s' * (counted != 1)} counted",
            )
            due = "their records; there is none of any trial, and nothing is held to them"
            return [Finding("missing-trial", JOB_FILE, place, found, due, _COMPLETED)]
        every = [*self.gone, *self.added, *self.changed]
        if len(every) <= _FEW:
            return every
        metrics = [one for one in as_they_are if one.kind == "metric"]
        told = self._told()
        if counted != there or not metrics:
            if metrics:
                told += f"; {_stated(metrics[0])}"
            place, due = pointer("stats", "evals"), f"the {there} trials, as records are there"
            kind = "missing-trial" if self.gone else "extra-trial" if self.added else "record"
            if counted != there:
                place = pointer("stats", generation.counters[0])
                kind = "extra-trial" if counted < there else "missing-trial"
                found, due = f"{counted} trials counted", f"{there} trials, as records are there"
            elif kind == "record":
                found = f"{len(self._names(self.changed))} trials listed otherwise than their records say"
            else:
                found = f"{len(self.gone or self.added)} trials that are others"
            return [Finding(kind, JOB_FILE, place, found, due, _COMPLETED, told)]
        first = metrics[0]
        due = f"{first.expected}, of the {there} trials that are there"
        return [Finding("metric", JOB_FILE, first.path, first.found, due, first.clause, told)]

    def _told(self) -> str:
        parts = []
        for findings, what in (
            (self.added, "not counted in it"),
            (self.gone, "listed in it and not there"),
            (self.changed, "with records that say otherwise"),
        ):
            if findings:
                names = self._names(findings)
                parts.append(f"{len(names)} {what} ({shortlist(names)})")
        what = "trials were added" if not self.gone and not self.changed else "records were replaced"
        if self.gone and not self.added and not self.changed:
            what = "trials were taken away"
        return f"{what} after {JOB_FILE} was written: " + ", ".join(parts)

    @staticmethod
    def _names(findings: Sequence[Finding]) -> list[str]:
        return sorted({finding.file.rpartition("/")[0] for finding in findings})


def _stated(metric: Finding) -> str:
    name = metric.path.rpartition("/")[2]
    return f"it states a {name} of {metric.found}, and these records give {metric.expected}"
