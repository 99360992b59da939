"""Reading a report: bounded, checked against its schema, never trusted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from conformance.report.kept import parsed_report
from conformance.suite.schemas import first_fault
from conformance.wire.text import printable, shortened

__all__ = ["KINDS", "Document", "PublishingError", "document_of", "read", "read_from"]

_LONGEST = 256 << 20

KINDS = {
    "run-report": "run",
    "check-report": "check",
    "metric-report": "metric",
    "matrix-report": "matrix",
    "fuzz-report": "fuzz",
}
"""Schema by name, to the kind of report that it describes."""


class PublishingError(Exception):
    """A report that can't be used, or a page that can't be written; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Document:
    """A report that agrees with its schema. Whether its numbers agree with each other is looked at later."""

    kind: str
    name: str
    """What messages call it: the file."""
    content: Mapping[str, Any]


def read(path: Path) -> Document:
    """Reads a report and tells its kind by its schema.

    Raises:
        PublishingError: it can't be read, or is no report that this kit knows.
    """
    try:
        with path.open("rb") as file:
            return read_from(file, str(path))
    except OSError as error:
        raise PublishingError(f"{path} can't be read: {error.strerror}") from None


def read_from(file: IO[bytes], name: str) -> Document:
    """The same of an open file, which messages call ``name``.

    Raises:
        OSError: it can't be read.
        PublishingError: it is no report that this kit knows.
    """
    content = file.read(_LONGEST + 1)
    if len(content) > _LONGEST:
        raise PublishingError(f"{name} is longer than a report may be, {_LONGEST >> 20} MiB")
    return document_of(content, name)


def document_of(content: bytes, name: str) -> Document:
    """The report in these bytes.

    Raises:
        PublishingError: they are none that this kit knows.
    """
    parsed = _guarded(lambda: parsed_report(content), name)
    told = parsed.get("schema") if isinstance(parsed, dict) else None
    schema = told.split(":")[2] if isinstance(told, str) and told.count(":") == 3 else ""
    if schema not in KINDS:
        known = ", ".join(KINDS)
        raise PublishingError(f"{name} is no report: its `schema` names none of {known}")
    fault = _guarded(lambda: first_fault(schema, parsed), name)
    if fault is not None:
        by = parsed.get("kit_version")
        of = f", of kit {shortened(by, 30)}" if isinstance(by, str) else ""
        raise PublishingError(f"{name} is no {schema} that this kit can read{of}: {printable(fault)}")
    return Document(KINDS[schema], name, parsed)


def _guarded(work: Callable[[], Any], name: str) -> Any:
    try:
        return work()
    except (ValueError, RecursionError):
        raise PublishingError(f"{name} is not JSON that can be read") from None
