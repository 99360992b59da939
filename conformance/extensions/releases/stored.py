"""Reads a stored document: once, with limits, checked against its schema."""

import json
from pathlib import Path
from typing import Any

from conformance.outcomes.reading import ReportError, read_bytes
from conformance.suite.schemas import first_fault
from conformance.wire.text import printable

__all__ = ["load_document"]


def load_document(path: Path, schema: str) -> dict[str, Any]:
    """A stored document that matches a schema of the kit.

    Raises:
        ReportError: it can't be read, or is something else.
    """
    try:
        with path.open("rb") as file:
            document: dict[str, Any] = json.loads(read_bytes(file, str(path)).decode("utf-8"))
        fault = first_fault(schema, document)
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ReportError(f"{path} is not JSON") from None
    if fault is not None:
        raise ReportError(f"{path} does not match the schema {schema}: {printable(fault)}")
    return document
