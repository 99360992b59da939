"""`--dataset`: holds a job to what the kit's own tasks make of a conforming runner."""

from typing import Any

from conformance.check.dataset.judge import Finding as DatasetFinding
from conformance.check.dataset.judge import Judge, join_repeated
from conformance.check.dataset.manifest import Manifest
from conformance.check.findings import Finding, Findings
from conformance.check.reading.json_files import Members, Number
from conformance.check.trials.shapes import RecordShape

__all__ = ["AgainstDataset"]


class AgainstDataset:
    """Judges one job, as its trials are read."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self._judge = Judge(manifest)
        self._findings = findings

    @property
    def datasets(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return self._judge.seen

    def trial(self, folder: str, record: RecordShape) -> None:
        """Judge a trial's record."""
        for found in self._judge.trial(folder, record):
            self._findings.add(_finding("dataset-task", found))

    def finish(self, result: Any, line: str | None = None) -> None:
        """Judge the job's result, None if it can't be read, once all trials have come."""
        for found in self._judge.finish(_joined(result), line):
            self._findings.add(_finding("dataset-job", found))
        for name, count in self._judge.differing.items():
            trials = "a trial differs" if count == 1 else f"{count} trials differ"
            self._findings.note(f"the figures of {name} are not held to the manifest: {trials}")


def _finding(kind: str, found: DatasetFinding) -> Finding:
    return Finding(
        *(kind, found.file, found.pointer, found.stands, found.due, found.clause, found.likely),
        *(found.breaks, found.rule, found.task, found.vector),
    )


def _joined(value: Any) -> Any:
    """The value as Python's json would give it, but with the lists under one key joined."""
    if isinstance(value, Members):
        members = []
        for key, member in value:  # no comprehension: it would take a second frame for each level
            members.append((key, _joined(member)))
        return join_repeated(members)
    if isinstance(value, list):
        items = []
        for member in value:
            items.append(_joined(member))
        return items
    return value.value if isinstance(value, Number) else value
