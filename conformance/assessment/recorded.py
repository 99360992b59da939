"""Measures the diagnosis on recorded answers of real implementations.

A record is a compressed file of JSON lines: first the runner's hello, then pairs of a request (op and input,
as text with sorted keys) and its reply. An input without a record counts as unsupported.
"""

import gzip
import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.assessment.benchmarks import Figure
from conformance.diagnosis.account import Diagnosis, Kind
from conformance.diagnosis.diagnose import find_causes
from conformance.diagnosis.evidence import Evidence, evidence_of_verdict
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.sampling import halves
from conformance.diagnosis.todo import MOST_LINES, to_do
from conformance.judging.comparison import Level
from conformance.judging.verdict import judge
from conformance.paths import DEFAULT_SPEC, checkout_root
from conformance.suite.vectors import load_spec
from conformance.wire.messages import BadReplyError, Failed, Ok, Refused, Reply, Unsupported, parse_reply
from conformance.wire.numbers import meant_at

__all__ = [
    "Diagnosed",
    "Recorded",
    "measure_recorded",
    "recorded_evidence",
    "recorded_figures",
    "recorded_files",
]

_ID = re.compile(r'("id"\s*:\s*)\d+')


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """The counts of a diagnosis."""

    failures: int
    covered: int
    """The number of failures that some line covers."""
    named: int
    """The number of failures that known mistakes or generated deviations explain."""
    lines: int
    seconds: float = field(compare=False)

    @classmethod
    def from_diagnosis(cls, diagnosis: Diagnosis, seconds: float) -> "Diagnosed":
        """The counts of a diagnosis that took some seconds."""
        covered = {key for line in diagnosis.lines for key in line.keys}
        kinds = (Kind.MISTAKE, Kind.DEVIATION)
        named = {key for line in diagnosis.lines if line.kind in kinds for key in line.keys}
        explained = len(named - set(diagnosis.unexplained))
        return cls(diagnosis.total, len(covered), explained, len(diagnosis.lines), seconds)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The diagnosis of one implementation."""

    name: str
    diagnosed: Diagnosed
    predicted: tuple[int, int]
    """The failures that the findings predict exactly, in the fitted half and in the other."""
    halves: tuple[int, int]
    """The number of failures in each half."""

    def line(self) -> str:
        """One line for people."""
        counts = self.diagnosed
        share = counts.named / counts.failures if counts.failures else 1.0
        return (
            f"{self.name}: {counts.failures} failures, {counts.covered} covered in {counts.lines} lines, "
            f"{counts.named} named ({share:.0%}), predicted {self.predicted[0]} of {self.halves[0]} of the "
            f"fitted half and {self.predicted[1]} of {self.halves[1]} of the other, {counts.seconds:.2f} s"
        )


def recorded_figures(measured: Sequence[Recorded]) -> list[Figure]:
    """The totals and the worst figures, next to their targets."""
    if not measured:
        return []
    diagnoses = [recorded.diagnosed for recorded in measured]
    named = _percent((counts.named, counts.failures) for counts in diagnoses)
    shares = {"failures named (recorded answers)": (named, 90)}
    for side, half in enumerate(("fitted", "held-out")):
        share = _percent((recorded.predicted[side], recorded.halves[side]) for recorded in measured)
        shares[f"failures predicted exactly ({half} half of recorded answers)"] = (share, 88)
    least = min(_percent([(counts.covered, counts.failures)]) for counts in diagnoses)
    shares["failures covered (recorded answers, the least)"] = (least, 100)
    longest = round(max(counts.seconds for counts in diagnoses), 2)
    return [
        *(Figure(label, share, "%", aim, at_most=False) for label, (share, aim) in shares.items()),
        Figure("lines (recorded answers, the most)", max(counts.lines for counts in diagnoses), "lines", 10),
        Figure("a diagnosis (recorded answers, the longest)", longest, "s", 3),
    ]


def _percent(counts: Iterable[tuple[int, int]]) -> float:
    """The sum of the parts as a percentage of the sum of the wholes."""
    parts, wholes = map(sum, zip(*counts, strict=True))
    return round(100 * parts / wholes, 1)


def recorded_files() -> list[Path]:
    """The record files of the checkout."""
    root = checkout_root()
    return sorted((root / "tests" / "diagnosis" / "answers").glob("*.jsonl.gz")) if root else []


def measure_recorded() -> Iterator[Recorded]:
    """Diagnoses each recorded implementation."""
    for path in recorded_files():
        evidence = recorded_evidence(path)
        began = time.process_time()
        findings = find_causes(evidence, Level.BYTES)
        diagnosis = to_do(
            findings, [item for item in evidence if not item.passed and item.actual is None], MOST_LINES
        )
        counted = Diagnosed.from_diagnosis(diagnosis, time.process_time() - began)
        yield Recorded(path.name.removesuffix(".jsonl.gz"), counted, *_predicted(findings))


def _predicted(findings: Findings) -> tuple[tuple[int, int], tuple[int, int]]:
    """The number of failures in each half that the findings predict exactly, and the totals."""
    right, totals = [0, 0], [0, 0]
    for case in findings.cases:
        composition = findings.compositions.get(case.op.name, ())
        for side, half in enumerate(halves(case)):
            failures = [index for index in half if index in case.wrong]
            totals[side] += len(failures)
            right[side] += sum(case.predicted(composition, index) == case.wrong[index] for index in failures)
    return (right[0], right[1]), (totals[0], totals[1])


def recorded_evidence(path: Path) -> list[Evidence]:
    """The evidence from an implementation's answers to the vectors of harbor 0.13.1."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        hello = json.loads(next(file))
        kept = dict(json.loads(line) for line in file)
    spelled = hello.get("numbers") == "string"
    evidence = []
    for vector in load_spec(DEFAULT_SPEC):
        if vector.op.name not in hello["ops"]:
            continue
        request = json.loads(b"{" + vector.request(numbers_as_strings=spelled).tail)
        recorded = kept.get(json.dumps([request["op"], request["input"]], sort_keys=True))
        if recorded is None:
            continue
        answer: Ok | Refused | Unsupported | Failed
        try:
            answer = parse_reply(_ID.sub(r"\g<1>1", recorded, count=1).encode("utf-8", "surrogatepass"), 1)
        except BadReplyError as error:
            answer = Failed("protocol-error", str(error))
        if isinstance(answer, Ok):
            value = meant_at(answer.value, vector.op.ok_numbers, numbers_as_strings=spelled)
            answer = replace(answer, value=value)
        item = evidence_of_verdict(judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES))
        if item is not None:
            evidence.append(item)
    return evidence
