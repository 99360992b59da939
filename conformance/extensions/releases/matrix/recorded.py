"""Reports that somebody recorded, as subjects: read within bounds, checked, never trusted."""

import stat
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.extensions.releases.matrix.rows import Row, row_of
from conformance.extensions.releases.matrix.subjects import Subject
from conformance.outcomes import claims
from conformance.outcomes.reading import ReportError, read
from conformance.suite.vectors import load_spec

__all__ = ["recorded_row"]


def recorded_row(subject: Subject) -> Row:
    """The row of a recorded report.

    Raises:
        ReportError: it can't be read, is no run report, or contradicts itself.
        OSError: there is no such file.
    """
    path = Path(subject.target)
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
        raise ReportError("it is no regular file")
    report = read(path)
    if report.kind != "run":
        raise ReportError(f"{path} is the report of another command than run")
    document = report.content
    asked = {key for key, _, _ in claims.outcomes(document)}
    ours = {vector.id for vector in load_spec(document["spec"])}
    other = document["kit_version"] != __version__
    row = row_of(subject, document, tuple(_notes(document, asked, ours, other)))
    if claims.complete(document) and not other and row.result is not None and asked != ours:
        raise ReportError(
            f"{path} is a report of every vector of {row.spec}, and {len(asked ^ ours)} are not in it or not "
            "in the kit"
        )
    return row


def _notes(document: Any, asked: set[str], ours: set[str], other: bool) -> list[str]:
    made = document["started_at"][:10]
    notes = [f"recorded on {made}"]
    if other:
        notes = [
            f"recorded on {made} by kit {document['kit_version']}, not {__version__}: {len(asked & ours)} of "
            f"its {len(asked)} vectors are among today's {len(ours)}"
        ]
    if document["level"] != "bytes":
        notes.append(f"compared at level {document['level']}")
    if not claims.complete(document):
        notes.append("not every vector was selected")
    return notes
