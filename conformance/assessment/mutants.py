"""The mutants of the reference: run here, or taken from the report of a run on this very tree."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.assessment.measurements import AssessmentError, ExcusedMutant, MutatedModule
from conformance.mutants.excuses import load_excuses, stale
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.fingerprint import fingerprint
from conformance.mutants.results import Results
from conformance.mutants.selection import all_mutants
from conformance.mutants.workers import attempt, tried
from conformance.paths import DEFAULT_SPEC
from conformance.variant import module_names

__all__ = ["MutantsReport", "read_report", "run_mutants"]

_PARTS = {"reference": "the reference", "vectors": "the vectors", "mutator": "the mutator or its excuses"}


@dataclass(frozen=True, slots=True)
class MutantsReport:
    """What became of the mutants."""

    modules: tuple[MutatedModule, ...]
    excused: tuple[ExcusedMutant, ...]
    survivors: tuple[ExcusedMutant, ...]
    stale_excuses: tuple[str, ...]


def run_mutants(
    jobs: int, begin: Callable[[int], contextlib.AbstractContextManager[Callable[[], None]]]
) -> MutantsReport:
    """Runs them all.

    Args:
        jobs: how many processes; 0 for one on each processor.
        begin: hears how many there are, and gives what is called for each.

    Raises:
        MutantsError: they can't be tried.
    """
    measured = fingerprint(DEFAULT_SPEC)
    excuses = load_excuses()
    every = all_mutants(module_names())
    verdicts: dict[str, Verdict] = {}
    with (
        begin(len(every)) as tick,
        contextlib.closing(tried([attempt(*one) for one in every], jobs)) as found,
    ):
        for place, verdict in found:
            verdicts[every[place][0].id] = verdict
            tick()
    mutants = [mutant for mutant, _ in every]
    problems = stale(excuses, mutants, module_names(), verdicts)
    return _report(Results(mutants, verdicts, excuses, problems).as_json(whole=True, measured=measured))


def read_report(path: Path, spec: str) -> MutantsReport:
    """The report that ``harbor-conformance mutants --json`` wrote.

    Raises:
        AssessmentError: it can't be read, is no such report, is not of all mutants, or is of another tree.
    """
    again = f"run harbor-conformance mutants --json {path} again"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except ValueError:
        raise AssessmentError(f"{path} is no report of mutants: {again}") from None
    measured = document.get("measured") if isinstance(document, dict) else None
    if not isinstance(measured, dict):
        raise AssessmentError(f"{path} is no report of mutants: {again}")
    if document.get("spec") != spec or document.get("whole") is not True:
        raise AssessmentError(f"{path} is not of all mutants of {spec}: {again}")
    for part, digest in fingerprint(spec).items():
        if measured.get(part) != digest:
            raise AssessmentError(
                f"{path} is of another tree, {_PARTS[part]} differ from this one's: {again}"
            )
    try:
        return _report(document)
    except (KeyError, TypeError, AttributeError):
        raise AssessmentError(f"{path} is no report of mutants: {again}") from None


def _report(document: dict[str, Any]) -> MutantsReport:
    modules = [
        MutatedModule(
            name,
            counts[Fate.KILLED.value] + counts[Fate.TIMED_OUT.value],
            counts[Fate.AT_IMPORT.value],
            counts[Fate.EXCUSED.value],
            counts[Fate.SURVIVED.value],
        )
        for name, counts in document["modules"].items()
    ]

    def of(fate: Fate) -> tuple[ExcusedMutant, ...]:
        return tuple(
            ExcusedMutant(one["id"], one["before"], one["after"], one.get("reason", ""))
            for one in document["mutants"]
            if one["fate"] == fate.value
        )

    return MutantsReport(
        tuple(modules), of(Fate.EXCUSED), of(Fate.SURVIVED), tuple(document["stale_excuses"])
    )
