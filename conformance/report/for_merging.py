"""What the merge of a run's parts must know of one of them, beside what its report tells people.

What a part can't judge is left to the merge: the environment that explains the run, stale entries of the list
of known failures, ops that are unsupported in other words alone. What that needs stands in the member
``for_merging``, which the reports of whole runs don't have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.diagnosis.evidence import answer_text
from conformance.judging.verdict import Verdict
from conformance.report.answers import parsed
from conformance.report.environments import Held, sent
from conformance.report.records import RIGHT, Record
from conformance.report.shards import sizes
from conformance.wire.messages import Ok, Refused

__all__ = ["ForMerging", "restored"]


def restored(actual: Any) -> Ok | Refused | None:
    """The answer that a report gives as ``actual``; None where it is only the beginning of one."""
    if isinstance(actual, dict) and "ok" in actual:
        return Ok(actual["ok"])
    if isinstance(actual, dict) and "error" in actual:
        return Refused(**actual["error"])
    return None


@dataclass(slots=True)
class ForMerging:
    """What the merge of a run's parts needs to know of one of them, beside what its report tells."""

    vectors: list[int] = field(default_factory=list)
    """How many vectors of the whole run are selected in each part; empty where that is not known."""
    properties: list[int] = field(default_factory=list)
    oneshot: bool = False
    timeout: float | None = None
    fuzz: int | None = None
    fuzz_seed: int | None = None
    answers: dict[str, str] = field(default_factory=dict)
    """Answers as text, by their vectors' ids: what may be wrong in one environment, or is given cut."""

    def found(self, vectors: Sequence[str], properties: Sequence[str], of: int) -> None:
        """Takes the ids of what is selected in all parts together, ``of`` so many."""
        self.vectors, self.properties = sizes(vectors, of), sizes(properties, of)

    @property
    def any_found(self) -> bool:
        """Whether the parts together have anything, though one may have nothing."""
        return sum(self.vectors) + sum(self.properties) > 0

    def note(self, verdict: Verdict) -> None:
        """Takes the answer of a verdict, where another environment may have it wrong, or it is wrong."""
        if verdict.kept and (verdict.outcome not in RIGHT or verdict.each):
            text = answer_text(verdict.answer)
            if text is not None:
                self.answers[verdict.vector.id] = text

    def as_json(
        self,
        records: Mapping[str, Record],
        held: Mapping[str, Mapping[str, Held]],
        not_diagnosed: int,
    ) -> dict[str, Any]:
        """As the schema ``run-report`` has it; of ``not_diagnosed`` answers there was no room for all."""
        told = {}
        for key, text in sorted(self.answers.items()):
            record = records.get(key)
            if record is None or answer_text(restored(parsed(record.actual))) != text:
                told[key] = text
        return {
            "vectors": self.vectors,
            "properties": self.properties,
            "oneshot": self.oneshot,
            "timeout": self.timeout,
            "fuzz": self.fuzz,
            "fuzz_seed": self.fuzz_seed,
            "answers": told,
            "left_out": {key: one.left_out for key, one in sorted(records.items()) if one.left_out},
            "environments": {
                key: {"kind": kind, "each": each} for key, (kind, each) in sorted(sent(held).items())
            },
            "not_diagnosed": not_diagnosed,
        }
