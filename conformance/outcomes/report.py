"""A run's report in memory: verdicts on vectors, outcomes of properties, other problems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.diagnosis.evidence import Evidence, evidence_of_verdict
from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.selection import Missing
from conformance.run.options import REPHRASED_SUFFIX, RunOptions, base_id
from conformance.run.session import Session
from conformance.run.shards import in_shard, sizes
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
    """Collects results in any order; ``document`` makes JSON of it, and ``claims`` draws conclusions."""

    session: Session
    """The session with the runner, or a replay of it."""
    newer: list[Vector] = field(default_factory=list)
    """Vectors that are newer than the chosen version of the set; they don't count."""
    required: tuple[Offered, ...] = ()
    """The required offer: from the list, or harbor's own."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts by vector id, without right answers."""
    again: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts on rephrased vectors, by the vectors' ids."""
    properties: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    list_problems: list[str] = field(default_factory=list)
    """A sentence for each outdated entry of the list of known failures."""
    diagnosis: "Diagnosis | None" = None
    """The known mistakes that explain wrong answers; None if all were right, or there was no time."""
    chosen: int = 0
    """The number of selected vectors, asked or not."""
    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The recorded answers by vector id, if the run is a shard."""
    selected: dict[str, list[int]] = field(default_factory=lambda: {"vectors": [], "properties": []})
    """The number of vectors and properties in each shard of the whole run; empty if unknown."""
    missing: Missing | None = None
    """The shards that were missing when the others were merged."""
    keeping: Keeping = field(init=False)
    """Limits how many wrong answers are stored."""

    def __post_init__(self) -> None:
        self.session.take = self.take
        self.keeping = self.session.dispatcher.keeping

    @property
    def options(self) -> RunOptions:
        """The options of the run."""
        return self.session.options

    @property
    def every(self) -> Sequence[Vector]:
        """The whole set of the spec, selected or not."""
        return self.session.every

    @property
    def problems(self) -> list[str]:
        """A sentence for each problem not tied to a vector; any problem fails the run."""
        return self.session.problems

    def select(self, vectors: Iterable[str], properties: Iterable[str] = ()) -> None:
        """Registers the selected ids of all shards of a run."""
        if (shard := self.options.shard) is not None:
            self.selected = {"vectors": sizes(vectors, shard[1]), "properties": sizes(properties, shard[1])}

    def choose(self, vectors: Sequence[Vector]) -> list[Vector]:
        """Registers the selected vectors; returns those of the run's shard, or all."""
        self.select(vector.id for vector in vectors)
        chosen = [vector for vector in vectors if in_shard(vector.id, self.options.shard)]
        self.chosen = len(chosen)
        return chosen

    def hear(self, reply: Reply, verdict: Verdict) -> None:
        """Adds a recorded answer to the transcript of a shard."""
        self.lines[verdict.vector.id] = heard(reply, verdict)

    def take(self, verdict: Verdict) -> None:
        """Adds the verdict on a vector, published or rephrased; a later one replaces it."""
        key, answer = verdict.vector.id, verdict.answer
        if verdict.outcome in _RIGHT:
            left_out = isinstance(answer, Ok) and answer.left_out
            verdict = replace(verdict, answer=Ok({}, left_out) if left_out else None)
        elif verdict.differences:
            verdict = replace(verdict, differences=())
        (self.again if key.endswith(REPHRASED_SUFFIX) else self.verdicts)[base_id(key)] = verdict

    def add_property(self, record: Mapping[str, Any]) -> None:
        """Adds a property's outcome."""
        self.properties[record["id"]] = record
        if record["environments"] is not None:
            self.session.environments.add(record["id"], record["environments"])

    def settle_properties(self) -> None:
        """Fails the properties that do not hold in the environment that explains the run."""
        environments = self.session.environments
        for key, record in self.properties.items():
            if record["environments"] is not None and not environments.explains(key):
                detail = environments.mixing(key) if key in environments.against else record["detail"]
                self.properties[key] = {**record, "outcome": Outcome.MISMATCH.value, "detail": detail}

    def evidence(self) -> list[Evidence]:
        """The right and wrong answers for the diagnosis, in the order of the set; none if all are right."""
        if all(verdict.outcome in _RIGHT for verdict in self.verdicts.values()):
            return []
        verdicts = (self.verdicts[vector.id] for vector in self.every if vector.id in self.verdicts)
        items = (evidence_of_verdict(verdict) for verdict in verdicts if verdict.kept)
        return [item for item in items if item is not None]

    def cut(self) -> list[str]:
        """A sentence about wrong answers that were too long to be stored; empty if there were none."""
        if not (count := self.keeping.left_out):
            return []
        were = "1 wrong answer was" if count == 1 else f"{count} wrong answers were"
        return [
            f"{were} too long to be stored (one may take {KEPT_EACH >> 20} MiB of memory, all together "
            f"{KEPT >> 20}): the report has the beginnings, and the diagnosis did not look at them"
        ]

    def ids(self) -> list[str]:
        """Every id that a list of known failures may name: of vectors, rephrased vectors and properties."""
        vectors = [vector.id for vector in (*self.every, *self.newer)]
        return [*vectors, *(key + REPHRASED_SUFFIX for key in vectors), *property_ids(self.options.spec)]

    def outcomes(self) -> dict[str, tuple[str, str]]:
        """By id, what the list of known failures is compared with: the outcome and the fingerprint.

        A rephrased vector that passed is left out: another seed chooses others.
        """
        failed = {judged.vector.id: judged for judged in self.again.values() if judged.outcome not in _RIGHT}
        vectors = {key: _without_list(verdict) for key, verdict in (self.verdicts | failed).items()}
        properties = ((key, row["real_outcome"] or row["outcome"]) for key, row in self.properties.items())
        return vectors | {key: (outcome, "") for key, outcome in properties}


def _without_list(verdict: Verdict) -> tuple[str, str]:
    """The outcome of a vector, ignoring any list, and the fingerprint of its wrong answer."""
    if verdict.outcome in (Outcome.EXPECTED_FAILURE, Outcome.NOT_COUNTED):
        verdict = replace(verdict, outcome=verdict.actual or verdict.outcome)
    return ("passed" if verdict.outcome in _RIGHT else str(verdict.outcome)), verdict.fingerprint
