"""The job's config.json, as far as it can be read."""

from typing import Any

from conformance.check.findings import Finding, Findings
from conformance.check.job.differences import JOB_FILE
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import NotJsonError, parse, plain, repeated
from conformance.check.reading.limits import Limits, TooLargeError

__all__ = ["CONFIG", "read_config"]

CONFIG = "config.json"


def read_config(folder: Folder, limits: Limits, findings: Findings) -> Any:
    """The configuration, None if there is none that can be read."""
    try:
        content = folder.read(CONFIG, limits.record_bytes)
    except Refused as refused:
        findings.add(Finding(refused.kind, CONFIG, "", refused.what, refused.due, None))
        content = None
    if content is None:
        findings.note(f"{CONFIG} is missing or not read: the job's metrics are read off {JOB_FILE}")
        return None
    try:
        value = parse(content, limits.file_memory // 2)  # it is kept twice for a moment
    except TooLargeError as error:
        findings.add(Finding("too-large", CONFIG, "", error.what, error.due, None))
        return None
    except NotJsonError as error:
        findings.add(Finding("not-json", CONFIG, "", str(error), "the job's configuration", None))
        return None
    for place in repeated(value):
        findings.add(Finding("duplicate-key", CONFIG, place, "the key stands twice", "once", None))
    return plain(value)
