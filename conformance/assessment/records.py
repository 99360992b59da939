"""Reports of long comparisons with the real harbor, kept beside this module: one of each kind.

They take too long to be repeated for the page, so they are the one thing on it that is not measured when it
is written. Each is kept as its program wrote it, with the hash of the reference at the time.
"""

import json
from pathlib import Path
from typing import Any

from conformance.assessment.measurements import AssessmentError, Record
from conformance.mutants.fingerprint import reference_hash
from conformance.suite.schemas import first_fault
from conformance.wire.writing import dumps, write_if_changed

__all__ = ["RECORDS", "load_records", "take_record"]

RECORDS = Path(__file__).with_name("records")
"""The kit's own."""

_ORACLE = "oracle"
"""The runner that is the real harbor in its pinned environment; its record has this name too."""
_ENDS = {"interrupted": "it was interrupted", "runner": "the other side stopped"}


def take_record(path: Path, spec: str, folder: Path = RECORDS) -> Path:
    """Keeps a report of ``harbor-conformance fuzz --runner oracle --json``; an older one makes way.

    A report with disagreements is kept like any other: the page tells of them.

    Raises:
        AssessmentError: it can't be read, is no such report, or not of the oracle.
    """
    report = _read(path)
    _checked(report, spec, path)
    target = folder / f"{_ORACLE}.json"
    folder.mkdir(exist_ok=True)
    write_if_changed(target, dumps({"reference": reference_hash(), "report": report}))
    return target


def load_records(spec: str, folder: Path = RECORDS) -> tuple[Record, ...]:
    """All that are kept, by name.

    Raises:
        AssessmentError: one is malformed, or not of the oracle.
    """
    records = []
    for path in sorted(folder.glob("*.json")):
        document = _read(path)
        if not isinstance(document, dict) or document.keys() != {"reference", "report"}:
            raise AssessmentError(f"{path} is no record: take one with harbor-conformance assess --record")
        _checked(document["report"], spec, path)
        records.append(_record(document["report"], document["reference"] == reference_hash()))
    return tuple(records)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise AssessmentError(f"{path} is not JSON") from None


def _checked(report: Any, spec: str, path: Path) -> None:
    fault = first_fault("fuzz-report", report)
    if fault is not None:
        raise AssessmentError(f"{path} is no report of fuzz: {fault}")
    name, _, version = spec.rpartition("-")
    runner = report["runner"]
    if (runner["command"], runner["name"], runner["version"]) != (_ORACLE, name, version):
        who = f"{runner['name']} {runner['version']} ({runner['command']})"
        raise AssessmentError(f"{path} is of {who}, not of {name} {version} started with --runner {_ORACLE}")
    if report["spec"] != spec or not report["compared"]:
        raise AssessmentError(f"{path} compares nothing with {spec}")


def _record(report: dict[str, Any], same_reference: bool) -> Record:
    def counted(what: str) -> dict[str, int]:
        return {op: counts[what] for op, counts in sorted(report["ops"].items())}

    ended = _ENDS.get(report["ended"])
    return Record(
        f"{report['runner']['name']} {report['runner']['version']}",
        report["started_at"][:10],
        report["kit_version"],
        report["level"],
        report["seed"],
        report["duration_seconds"],
        counted("agreed"),
        counted("disagreed"),
        counted("unsupported"),
        tuple(report["not_asked"]),
        " and ".join([ended, *report["problems"]]) if ended else None,
        tuple(_cause(cause) for cause in report["causes"]),
        same_reference,
    )


def _cause(cause: dict[str, Any]) -> str:
    likely = f", likely: {cause['likely']}" if cause["likely"] else ""
    return f"{cause['count']:,} times {cause['op']}: {cause['kind']}{likely}"
