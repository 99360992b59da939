"""Runs a diagnosis: from the evidence of a run to its to-do list."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from conformance.diagnosis.account import Diagnosis
from conformance.diagnosis.case import Case
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.experiments import Ask, Experiments
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.known import likeliest_mistakes
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.search import Search
from conformance.diagnosis.todo import MOST_LINES, to_do
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes

__all__ = ["diagnose", "find_causes"]

_WORK = 450_000.0
"""The work budget for the searches of all ops (``Case.work``): about three seconds."""
_WITHIN = 120_000.0
"""An additional budget for changes within the reference."""
_LEAST = 30_000.0
"""The least budget of one op, whatever the others used."""
_EARLY = 1.5
"""The multiple of an equal share that an op may use; later ops need less, as habits are known by then."""


def diagnose(
    evidence: Sequence[Evidence],
    level: Level,
    progress: Callable[[str], None] = lambda _: None,
    mistakes: Mapping[str, Mistake] | None = None,
    ask: Ask | None = None,
    most: int = MOST_LINES,
) -> Diagnosis:
    """Finds the causes of the failures among the evidence, judged at ``level``.

    Args:
        evidence: the answers, right and wrong.
        level: the level at which they were judged.
        progress: called with a sentence about each step.
        mistakes: replaces the catalogue of known mistakes.
        ask: sends new inputs to the runner; without it no finding is certain.
        most: the most lines of the list.
    """
    findings = find_causes(evidence, level, progress, mistakes)
    if ask is not None and findings.all:
        progress("testing the findings on new inputs")
        Experiments(findings, ask).run()
    return to_do(findings, [item for item in evidence if not item.passed and item.actual is None], most)


def find_causes(
    evidence: Sequence[Evidence],
    level: Level,
    progress: Callable[[str], None] = lambda _: None,
    mistakes: Mapping[str, Mistake] | None = None,
) -> Findings:
    """Finds the changes of each op and checks them against all evidence, without asking new inputs."""
    specs = {item.op.spec for item in evidence}
    known = (
        {name: mistake for spec in sorted(specs) for name, mistake in all_mistakes(spec).items()}
        if mistakes is None
        else {name: mistake for name, mistake in mistakes.items() if mistake.spec in specs}
    )
    by_op: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        by_op[item.op.name].append(item)
    cases = [Case(items, level) for items in by_op.values()]
    failing = [case for case in cases if case.wrong and not case.is_constant and case.op.name in _ops(case)]
    failing.sort(key=lambda case: case.size)  # the findings of a small op may show in a large one
    progress("looking for changes that explain the failures")
    first = likeliest_mistakes(failing, known)
    findings = Findings(cases, known)
    familiar: set[str] = set()
    remaining = _WORK + _WITHIN
    for number, case in enumerate(failing):
        share = max(_LEAST, min(remaining, _EARLY * remaining / (len(failing) - number)))
        work = share * _WORK / (_WORK + _WITHIN)
        search = Search(case, known, first[case.op.name], (work, share - work), familiar)
        findings.add(search)
        remaining -= min(case.work, share)
        familiar |= {change.habit for change in search.chosen}
    findings.unify_across_ops()
    findings.judge()
    return findings


def _ops(case: Case) -> frozenset[str]:
    return scratch(case.op.spec).ops
