"""What `result.json` says of the job itself: its identity, its times, and what no trial tells."""

import functools
import re
from typing import Any

from conformance.check.findings import Finding, Findings
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Header
from conformance.check.reading.json_files import Members, Number, pointer, show
from conformance.suite.schemas import schema

__all__ = ["read_header"]

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@functools.cache
def _moment() -> re.Pattern[str]:
    """The times that there are, as harbor prints them."""
    return re.compile(schema("definitions")["$defs"]["moment"]["pattern"], re.ASCII)


def read_header(result: Members, stats: Members, findings: Findings) -> Header:
    """What the file says of the job itself, held to its form."""

    def text(name: str, form: re.Pattern[str], due: str, nullable: bool) -> str | None:
        value = result.get(name)
        if isinstance(value, str) and form.fullmatch(value):
            return value
        if result.has(name) and not (value is None and nullable):
            findings.add(
                Finding("schema", JOB_FILE, pointer(name), show(value), due, "003-3.3-identity-and-times")
            )
        return value if isinstance(value, str) else None

    time, moment = "a time that there is, as harbor prints it", _moment()
    before = findings.total()
    header = Header(
        text("id", _ID, "a UUID in lower case", nullable=False) or "",
        text("started_at", moment, time, nullable=False) or "",
        text("updated_at", moment, time, nullable=True),
        text("finished_at", moment, time, nullable=True),
        _count(result.get("n_total_trials")) or 0,  # held to the trials
        _count(stats.get("n_retries")) or 0,
    )
    in_form = findings.total() == before and result.has("updated_at")
    if in_form and header.finished_at is not None and header.updated_at != header.finished_at:
        due = f"{show(header.finished_at)}, when it finished"
        findings.add(
            Finding("time", JOB_FILE, "/updated_at", show(header.updated_at), due, "003-3.3-finish-time")
        )
    if stats.has("n_retries") and _count(retries := stats.get("n_retries")) is None:
        place, clause = "/stats/n_retries", "003-3.3-retries"
        findings.add(Finding("schema", JOB_FILE, place, show(retries), "a count", clause))
    return header


def _count(value: Any) -> int | None:
    """The value, if it is a count."""
    if isinstance(value, Number) and isinstance(value.value, int) and value.value >= 0:
        return value.value
    return None
