"""Reports that somebody recorded, as subjects: read within bounds, checked, never trusted."""

import stat
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.matrix.rows import Row, row_of
from conformance.matrix.subjects import Subject
from conformance.report.consistency import ContradictionError
from conformance.report.kept import parsed_report
from conformance.suite.schemas import first_fault
from conformance.suite.vectors import load_set_of
from conformance.wire.text import printable, shortened

__all__ = ["RecordedError", "recorded_row"]

_LONGEST = 256 << 20


class RecordedError(Exception):
    """A report that can't be taken; the message is one sentence."""


def recorded_row(subject: Subject) -> Row:
    """The row of a recorded report.

    Raises:
        RecordedError: it can't be read, is no run report, or says what its own results do not.
    """
    document = _read(Path(subject.target))
    version = document.get("kit_version") if isinstance(document, dict) else None
    other = version != __version__
    by = f", of kit {shortened(version, 30)}" if isinstance(version, str) and other else ""
    try:
        fault = first_fault("run-report", document)
        if fault is not None:
            raise RecordedError(f"the file is no run report that this kit can read{by}: {printable(fault)}")
        row = row_of(subject, document, tuple(_notes(document, other)))
    except RecursionError:
        raise RecordedError("the file is nested too deeply") from None
    except ContradictionError as error:
        raise RecordedError(f"the report{by} contradicts itself: {error}") from None
    if document["complete"] and not other and row.result is not None:
        told = {one["id"] for one in document["results"]}
        missing = {vector.id for vector in load_set_of(row.spec, told)} ^ told
        if missing:
            raise RecordedError(
                f"the report says that it has every vector of {row.spec}, and {len(missing)} are not so"
            )
    return row


def _notes(document: dict[str, Any], other: bool) -> list[str]:
    made = document["started_at"][:10]
    notes = [f"recorded on {made}"]
    if other:
        ids = {
            vector.id for vector in load_set_of(document["spec"], (one["id"] for one in document["results"]))
        }
        known = sum(one["id"] in ids for one in document["results"])
        notes = [
            f"recorded on {made} by kit {document['kit_version']}, not {__version__}: {known} of its "
            f"{len(document['results'])} vectors are among today's {len(ids)}"
        ]
    if document["level"] != "bytes":
        notes.append(f"compared at level {document['level']}")
    if not document["complete"]:
        notes.append("not every vector was selected")
    return notes


def _read(path: Path) -> Any:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise RecordedError("it is no regular file")
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
    except OSError as error:
        raise RecordedError(f"the file can't be read: {error.strerror}") from None
    if len(content) > _LONGEST:
        raise RecordedError(f"the file is longer than a report may be, {_LONGEST >> 20} MiB")
    try:
        return parsed_report(content)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else "not JSON"
        raise RecordedError(f"the file is {what}") from None
