"""Reads the misreadings of the documents (``conformance.mistakes.misreadings``) for the assessment."""

import json
from pathlib import Path

from conformance.assessment.measurements import AssessmentError, Reading
from conformance.mistakes import misreadings
from conformance.registry.ops import OPS, SPECS

__all__ = ["load_readings"]

_AT_FIRST = ("caught", "survived")
_BECAME = ("caught", "vector", "same", "equivalent", "limit")


def load_readings(folder: Path = misreadings.FOLDER) -> dict[str, tuple[Reading, ...]]:
    """Every misreading by spec, in the order of the files.

    Raises:
        AssessmentError: a file is malformed, or says a thing twice.
    """
    found: dict[str, list[Reading]] = {spec: [] for spec in SPECS}
    for path in sorted(folder.glob("*.json")):
        names: set[str] = set()
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            for one in document["misreadings"]:
                reading = Reading(
                    one["name"],
                    one.get("document", document["document"]),
                    one["at_first"],
                    one["became"],
                    one["says"],
                    one.get("reason", ""),
                    one.get("blind", True),
                )
                spec = OPS[one["op"]].spec
                _check(reading, names, path)
                found[spec].append(reading)
        except (ValueError, KeyError, TypeError) as error:
            raise AssessmentError(f"{path} is no list of misreadings: {error!r}") from None
    return {spec: tuple(readings) for spec, readings in found.items()}


def _check(reading: Reading, names: set[str], path: Path) -> None:
    if reading.name in names:
        raise AssessmentError(f"{path}: {reading.name} stands there twice")
    names.add(reading.name)
    if reading.at_first not in _AT_FIRST or reading.became not in _BECAME:
        raise AssessmentError(f"{path}: {reading.name} is {reading.at_first}, {reading.became}")
    if reading.became in ("equivalent", "limit") and not reading.reason:
        raise AssessmentError(f"{path}: {reading.name} is {reading.became} without a reason")
