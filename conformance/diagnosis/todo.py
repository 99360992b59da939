"""Builds the to-do list: a few lines that together account for every failure.

Explained failures come first, with one line for each change, at however many places and ops. The others are
grouped by what they have in common, or else by rule (``wording``).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from conformance.diagnosis.account import Diagnosis, Explanation, Kind, Line
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.finding import Finding
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.symptoms import Symptom
from conformance.diagnosis.wording import Wording

__all__ = ["MOST_LINES", "to_do"]

MOST_LINES = 10
"""The most lines of a list."""
_REST = Symptom("", "no known cause explains these", "")


def to_do(findings: Findings, silent: Sequence[Evidence], most: int) -> Diagnosis:
    """The list of the findings, and of failures without a usable answer."""
    wording = Wording(findings)
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings.all:
        groups[finding.candidate.habit].append(finding)
    left = {op: indexes for op, indexes in findings.unexplained().items() if indexes}
    clusters = wording.clusters(left)
    lines = [
        *(wording.line(several) for several in groups.values()),
        *(wording.cluster(*cluster) for cluster in clusters if cluster[0].is_cause),
    ]
    lines.sort(key=lambda line: (-len(line.keys), -line.alone, line.says))
    remaining = [cluster for cluster in clusters if not cluster[0].is_cause]
    room = most - bool(silent) - bool(remaining)
    if len(lines) > room:
        lines = [*lines[: room - 1], _merge_lines(lines[room - 1 :])]
    room = most - bool(silent) - len(lines)
    if len(remaining) > room:
        merged = [failure for _, several in remaining[room - 1 :] for failure in several]
        remaining = [*remaining[: room - 1], (_REST, merged)]
    lines += [wording.cluster(*cluster) for cluster in remaining]
    if silent:
        lines.append(wording.silent(silent))
    unexplained = {key for line in lines if line.kind is Kind.CLUSTER for key in line.keys}
    return Diagnosis(
        tuple(lines),
        tuple(_explanations(findings, lines)),
        tuple(sorted(unexplained)),
        tuple(item.key for item in silent),
        sum(len(case.wrong) for case in findings.cases) + len(silent),
    )


def _merge_lines(lines: Sequence[Line]) -> Line:
    """Merges several lines into one, which is the last that fits."""
    own_keys = dict.fromkeys(key for line in lines for key in line.keys[: line.alone])
    return replace(
        lines[0],
        kind=Kind.MISTAKE if any(line.mistakes for line in lines) else Kind.DEVIATION,
        says=f"{len(lines)} more causes: " + "; ".join(line.says for line in lines),
        do="fix these one at a time",
        keys=tuple(own_keys | dict.fromkeys(key for line in lines for key in line.keys)),
        alone=len(own_keys),
        against=sum(line.against for line in lines),
        certain=all(line.certain for line in lines),
        ops=tuple(dict.fromkeys(op for line in lines for op in line.ops)),
        mistakes=tuple(group for line in lines for group in line.mistakes),
        experiments=tuple(experiment for line in lines for experiment in line.experiments),
        conditional=any(line.conditional for line in lines),
        resembles=any(line.resembles for line in lines),
    )


def _explanations(findings: Findings, lines: Sequence[Line]) -> list[Explanation]:
    """An explanation for each known mistake, those that explain most first."""
    certain = {group[0].name: line.certain for line in lines for group in line.mistakes}
    by_name: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings.all:
        if finding.candidate.mistake is not None:
            by_name[finding.candidate.name].append(finding)
    explanations = []
    for name, several in by_name.items():
        mistake = several[0].candidate.mistake
        assert mistake is not None
        keys = tuple(finding.case.evidence[index].key for finding in several for index in finding.covers)
        resembles = any(finding.resembles for finding in several)
        group = (mistake, *several[0].alternatives)
        explanations.append(Explanation(group, keys, certain.get(name, False), resembles))
    return sorted(explanations, key=lambda explanation: (-len(explanation.keys), explanation.names))
