"""The mutants of the reference: run here, or taken from the report of a run on this very tree."""

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.assessment.measurements import AssessmentError, ExcusedMutant, MutatedModule, MutatedOp
from conformance.mistakes.modules import module_names
from conformance.mutants.excuses import load_excuses
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.fingerprint import fingerprint
from conformance.mutants.results import Results
from conformance.mutants.selection import all_mutants, asked_of, shared_modules
from conformance.mutants.unreachable import load_unreachable
from conformance.mutants.workers import attempt, tried
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS

__all__ = ["MutantsReport", "read_report", "reports_by_spec", "run_mutants"]

_PARTS = {"reference": "the reference", "vectors": "the vectors", "mutator": "the mutator or its excuses"}


@dataclass(frozen=True, slots=True)
class MutantsReport:
    """What became of the mutants."""

    modules: tuple[MutatedModule, ...]
    excused: tuple[ExcusedMutant, ...]
    survivors: tuple[ExcusedMutant, ...]
    stale_excuses: tuple[str, ...]
    ops: tuple[MutatedOp, ...]
    survivors_in: tuple[tuple[str, ExcusedMutant], ...]
    """Those that survive the vectors of an op, with the op."""


def run_mutants(
    spec: str, jobs: int, begin: Callable[[int], contextlib.AbstractContextManager[Callable[[], None]]]
) -> MutantsReport:
    """Runs them all.

    Args:
        spec: whose vectors and reference.
        jobs: how many processes; 0 for one on each processor.
        begin: hears how many there are, and gives what is called for each.

    Raises:
        MutantsError: they can't be tried.
    """
    measured = fingerprint(spec)
    asked = asked_of(all_mutants((*module_names(spec), *shared_modules(spec))), spec)
    verdicts: dict[int, Verdict] = {}
    with (
        begin(len(asked)) as tick,
        contextlib.closing(tried([attempt(*one) for one in asked], jobs, spec=spec)) as found,
    ):
        for place, verdict in found:
            verdicts[place] = verdict
            tick()
    results = Results.of(
        asked,
        verdicts,
        load_excuses(),
        load_unreachable(),
        spec=spec,
        modules=module_names(spec),
        whole=True,
    )
    return _report(results.as_json(whole=True, measured=measured))


def reports_by_spec(paths: Sequence[Path]) -> dict[str, Path]:
    """Which report is of which spec's mutants.

    Raises:
        AssessmentError: one can't be read or is no such report, or two are of one spec.
    """
    found: dict[str, Path] = {}
    for path in paths:
        spec = _document(path).get("spec")
        if spec not in SPECS:
            raise AssessmentError(f"{path} is no report of mutants: {_again(path)}")
        if spec in found:
            raise AssessmentError(f"{found[spec]} and {path} are both of {spec}: name one of them")
        found[spec] = path
    return found


def _again(path: Path, spec: str = DEFAULT_SPEC) -> str:
    option = "" if spec == DEFAULT_SPEC else f" --spec {spec}"
    return f"run harbor-conformance kit mutants{option} --json {path} again"


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("measured"), dict):
        raise AssessmentError(f"{path} is no report of mutants: {_again(path)}")
    return document


def read_report(path: Path, spec: str) -> MutantsReport:
    """The report that ``harbor-conformance kit mutants --json`` wrote.

    Raises:
        AssessmentError: it can't be read, is no such report, is not of all mutants, or is of another tree.
    """
    again = _again(path, spec)
    document = _document(path)
    measured = document["measured"]
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

    ops = [
        MutatedOp(
            name,
            counts[Fate.KILLED.value] + counts[Fate.TIMED_OUT.value],
            counts[Fate.AT_IMPORT.value],
            counts[Fate.EXCUSED.value],
            counts[Fate.UNREACHABLE.value],
            counts[Fate.SURVIVED.value],
        )
        for name, counts in document["ops"].items()
    ]
    survivors_in = [
        (one["op"], ExcusedMutant(one["id"], one["before"], one["after"], ""))
        for one in document["survivors_in"]
    ]
    return MutantsReport(
        tuple(modules),
        of(Fate.EXCUSED),
        of(Fate.SURVIVED),
        tuple(document["stale_excuses"]),
        tuple(ops),
        tuple(survivors_in),
    )
