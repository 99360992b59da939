"""What a run has found: the verdicts on vectors, what became of properties, what went wrong besides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.diagnosis.evidence import Evidence, of_verdict
from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.records import PropertyRecord
from conformance.outcomes.selection import Missing
from conformance.run.options import AGAIN, RunOptions, base_id
from conformance.run.session import Session
from conformance.run.shards import sizes
from conformance.run.transcript import heard
from conformance.runner.allowance import KEPT, KEPT_EACH, Keeping
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Reply

if TYPE_CHECKING:
    from conformance.diagnosis.account import Diagnosis

__all__ = ["Report"]

_RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})


@dataclass(slots=True)
class Report:
    """Collects it in any order; ``document`` makes JSON of it, and ``claims`` says what follows."""

    session: Session
    """The talk with the runner, or what is left of it."""
    newer: list[Vector] = field(default_factory=list)
    """The kit's vectors that a chosen version of the set does not have; they don't count."""
    required: tuple[Offered, ...] = ()
    """What the runner must offer: what the list records, or what a harbor has."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """By the ids of vectors; without the answers that are right."""
    again: dict[str, Verdict] = field(default_factory=dict)
    """On vectors that were asked again in other words, by the vectors' ids."""
    properties: dict[str, PropertyRecord] = field(default_factory=dict)
    list_problems: list[str] = field(default_factory=list)
    """What is no longer true of the list of known failures, a sentence each."""
    diagnosis: "Diagnosis | None" = None
    """Which known mistakes explain the wrong answers; None where there was none, or no time to look."""
    chosen: int = 0
    """How many vectors were selected, asked or not."""
    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was heard, by the ids of vectors, where the run is a shard."""
    selected: dict[str, list[int]] = field(default_factory=lambda: {"vectors": [], "properties": []})
    """How many vectors and properties of the whole run are in each shard; empty where that is not known."""
    missing: Missing | None = None
    """The shards that were not there when the others were merged."""
    keeping: Keeping = field(init=False)
    """What there was room for among the wrong answers."""

    def __post_init__(self) -> None:
        self.session.take = self.take
        self.keeping = self.session.dispatcher.keeping

    @property
    def options(self) -> RunOptions:
        """What was asked for."""
        return self.session.options

    @property
    def every(self) -> Sequence[Vector]:
        """The whole set of the spec, selected or not."""
        return self.session.every

    @property
    def problems(self) -> list[str]:
        """What went wrong apart from any one vector, a sentence each; any problem fails the run."""
        return self.session.problems

    def select(self, vectors: Iterable[str], properties: Iterable[str] = ()) -> None:
        """Hears the ids of what is selected, in all shards of a run together."""
        if (shard := self.options.shard) is not None:
            self.selected = {"vectors": sizes(vectors, shard[1]), "properties": sizes(properties, shard[1])}

    def hear(self, reply: Reply, verdict: Verdict) -> None:
        """Takes what was heard, for the transcript of a shard."""
        self.lines[verdict.vector.id] = heard(reply, verdict)

    def take(self, verdict: Verdict) -> None:
        """Takes the verdict on a vector, also asked again; a later one on the same replaces it."""
        key, answer = verdict.vector.id, verdict.answer
        if verdict.outcome in _RIGHT:
            left_out = isinstance(answer, Ok) and answer.left_out
            verdict = replace(verdict, answer=Ok({}, left_out) if left_out else None)
        elif verdict.differences:
            verdict = replace(verdict, differences=())
        (self.again if key.endswith(AGAIN) else self.verdicts)[base_id(key)] = verdict

    def add_property(self, record: PropertyRecord) -> None:
        """Takes a property's outcome."""
        self.properties[record.id] = record
        if record.environments is not None:
            self.session.environments.add(record.id, record.environments)

    def settle_properties(self) -> None:
        """Lets a property fail that holds in another environment than the one that explains the run."""
        environments = self.session.environments
        for key, record in self.properties.items():
            if record.environments is not None and not environments.explains(key):
                detail = environments.mixing(key) if key in environments.against else record.detail
                self.properties[key] = replace(record, outcome=Outcome.MISMATCH.value, detail=detail)

    def evidence(self) -> list[Evidence]:
        """The answers, right and wrong, that known mistakes are compared with, in the order of the set."""
        taken = (self.verdicts[vector.id] for vector in self.every if vector.id in self.verdicts)
        found = (of_verdict(verdict) for verdict in taken if verdict.kept)
        return [one for one in found if one is not None]

    def cut(self) -> list[str]:
        """What was left out for want of room, a sentence each."""
        if not (count := self.keeping.left_out):
            return []
        were = "1 wrong answer was" if count == 1 else f"{count} wrong answers were"
        return [
            f"{were} too long to be kept (one may take {KEPT_EACH >> 20} MiB of memory, all together "
            f"{KEPT >> 20}): the report has the beginnings, and the diagnosis did not look at them"
        ]

    def ids(self) -> list[str]:
        """Every id that a known-failures list may name: the vectors', also asked again, the properties'."""
        vectors = [vector.id for vector in (*self.every, *self.newer)]
        return [*vectors, *(key + AGAIN for key in vectors), *property_ids(self.options.spec)]

    def outcomes(self) -> dict[str, str]:
        """Outcome by id, for the known-failures check."""
        properties = {key: one.outcome for key, one in self.properties.items()}
        return {key: str(one.outcome) for key, one in self.verdicts.items()} | properties
