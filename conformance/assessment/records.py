"""Reports of long comparisons with the oracles, kept beside this module: the last one of each spec.

They take too long to be repeated for the page, so they are the one thing on it that is not measured when it
is written. Each is kept as its program wrote it, with the hash of the reference at the time: the page says
so when the reference has changed since. A new one is taken with::

    harbor-conformance fuzz --runner oracle --spec SPEC --runner-timeout 60 --time 600 --json FILE
    harbor-conformance kit assess --record FILE
"""

import json
from pathlib import Path
from typing import Any

from conformance.assessment.measurements import AssessmentError, Record
from conformance.mutants.fingerprint import reference_hash
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.schemas import first_fault
from conformance.wire.writing import dumps, write_if_changed

__all__ = ["RECORDS", "load_record", "take_record"]

RECORDS = Path(__file__).with_name("records")
"""The kit's own."""

_ORACLE = "oracle"
"""The runner that is a spec's oracle in its pinned environment."""
_ENDS = {"interrupted": "it was interrupted", "runner": "the other side stopped"}


def take_record(path: Path, folder: Path = RECORDS) -> Path:
    """Keeps a report of ``fuzz --runner oracle --json``; an older one of its spec makes way.

    A report with disagreements is kept like any other: the page shows them.

    Raises:
        AssessmentError: it can't be read, is no such report, or not of the oracle.
    """
    report = _read(path)
    spec = _checked(report, path)
    target = folder / f"{spec}.json"
    folder.mkdir(exist_ok=True)
    write_if_changed(target, dumps({"reference": reference_hash(spec), "report": report}))
    return target


def load_record(spec: str, folder: Path = RECORDS) -> Record | None:
    """The one that is kept of a spec.

    Raises:
        AssessmentError: it is malformed, or not of the spec's oracle.
    """
    path = folder / f"{spec}.json"
    if not path.exists():
        return None
    document = _read(path)
    if not isinstance(document, dict) or document.keys() != {"reference", "report"}:
        raise AssessmentError(f"{path} is no record: take one with harbor-conformance kit assess --record")
    if _checked(document["report"], path) != spec:
        raise AssessmentError(f"{path} is of {document['report']['spec']}, not of {spec}")
    return _record(document["report"], document["reference"] == reference_hash(spec))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise AssessmentError(f"{path} is not JSON") from None


def _checked(report: Any, path: Path) -> str:
    """The spec whose oracle the report is of."""
    fault = first_fault("fuzz-report", report)
    if fault is not None:
        raise AssessmentError(f"{path} is no report of fuzz: {fault}")
    spec: str = report["spec"]
    if not report["compared"]:
        raise AssessmentError(f"{path} compares nothing with {spec}")
    runner, recipe = report["runner"], SPEC_TABLE[spec].oracle.recipe
    meant = recipe is None or (
        runner["version"] == recipe.version and runner["name"].startswith(recipe.package)
    )
    if runner["command"] != _ORACLE or not meant:
        who = f"{runner['name']} {runner['version']} ({runner['command']})"
        whom = f"{recipe.package} {recipe.version}" if recipe else spec
        raise AssessmentError(f"{path} is of {who}, not of {whom} started with --runner {_ORACLE}")
    return spec


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
