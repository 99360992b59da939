"""The account of a run: counts, what each class reached and may claim, and the JSON report."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance import interrupts
from conformance.diagnosis import Diagnosis, Evidence
from conformance.diagnosis.evidence import of_verdict
from conformance.judging.comparison import Level
from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome, Verdict
from conformance.registry.ops import classes_of
from conformance.rephrasing.choosing import RephrasedVector
from conformance.report.accounts import ClassAccount, told
from conformance.report.offer import Offer, offer_of
from conformance.report.records import AGAIN, AgainRecord, Part, PropertyRecord, Record
from conformance.report.selection import Missing
from conformance.run.environments import Environments
from conformance.run.options import RunOptions
from conformance.run.session import Session
from conformance.run.shards import sizes
from conformance.run.transcript import heard
from conformance.runner.allowance import KEPT, KEPT_EACH, Keeping
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello, Reply

__all__ = ["Report", "exit_code_meaning"]


def exit_code_meaning(code: int) -> str:
    """What an exit code says, for people."""
    meanings = {0: "no unexpected failure", 1: "does not conform", 2: "could not be tried"}
    return meanings.get(code, "interrupted")


@dataclass(slots=True)
class Report:
    """Collects what became of vectors and properties in any order; everything else is derived from it."""

    session: Session
    """The talk with the runner, or what is left of it."""
    newer: list[Vector] = field(default_factory=list)
    """The kit's vectors that a chosen version of the set does not have; they don't count."""
    required: tuple[Offered, ...] = ()
    """What the runner must offer: what the list records, or what a harbor has."""
    records: dict[str, Record] = field(default_factory=dict)
    properties: dict[str, PropertyRecord] = field(default_factory=dict)
    again: dict[str, AgainRecord] = field(default_factory=dict)
    """What became of vectors that were asked again in other words, by the vectors' ids."""
    diagnosis: Diagnosis | None = None
    """Which known mistakes explain the wrong answers; None where there was none, or no time to look."""
    chosen: int | None = None
    """How many vectors were selected, asked or not; None where all that there is a record of were."""
    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was heard, by the ids of vectors, where the run is a shard."""
    selected: dict[str, list[int]] = field(default_factory=lambda: {"vectors": [], "properties": []})
    """How many vectors and properties of the whole run are in each shard; empty where that is not known."""
    missing: Missing | None = None
    """The parts that were not there when the others were merged."""
    keeping: Keeping = field(init=False)
    """What there was room for among the wrong answers."""
    _evidence: dict[str, Evidence] = field(default_factory=dict)
    """The answers, right and wrong, that known mistakes are compared with."""

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
    def hello(self) -> Hello | None:
        """What the runner says of itself; None where it could not be tried."""
        return self.session.hello

    @property
    def problems(self) -> list[str]:
        """What went wrong apart from any one vector, a sentence each; any problem fails the run."""
        return self.session.problems

    @property
    def environments(self) -> Environments:
        """Which environment explains the answers."""
        return self.session.environments

    @property
    def not_diagnosed(self) -> int:
        """Wrong answers that the diagnosis was not given, as there was no room to keep them."""
        return self.keeping.left_out

    def select(self, vectors: Iterable[str], properties: Iterable[str] = ()) -> None:
        """Hears the ids of what is selected, in all shards of a run together."""
        shard = self.options.shard
        if shard is None:
            return
        self.selected = {"vectors": sizes(vectors, shard[1]), "properties": sizes(properties, shard[1])}

    def hear(self, reply: Reply, verdict: Verdict) -> None:
        """Takes what was heard, for the transcript of a shard."""
        self.lines[verdict.vector.id] = heard(reply, verdict)

    def take(self, verdict: Verdict) -> None:
        """Takes the verdict on a vector, also asked again; a later one on the same replaces it."""
        vector = verdict.vector
        if isinstance(vector, RephrasedVector):
            self.again[vector.base_id] = AgainRecord.of(verdict, vector.base_id, vector.changes)
            return
        self.records[vector.id] = Record.of(verdict)
        found = of_verdict(verdict) if verdict.kept else None
        if found is not None:
            self._evidence[vector.id] = found

    @property
    def evidence(self) -> list[Evidence]:
        """The answers, right and wrong, that known mistakes are compared with, in the order of the set."""
        return [self._evidence[vector.id] for vector in self.every if vector.id in self._evidence]

    @property
    def cut(self) -> list[str]:
        """What was left out for want of room, a sentence each."""
        if not self.not_diagnosed:
            return []
        count = (
            "1 wrong answer was" if self.not_diagnosed == 1 else f"{self.not_diagnosed} wrong answers were"
        )
        return [
            f"{count} too long to be kept (one may take {KEPT_EACH >> 20} MiB of memory, all together "
            f"{KEPT >> 20}): the report has the beginnings, and the diagnosis did not look at them"
        ]

    def add_property(self, record: PropertyRecord) -> None:
        """Takes a property's outcome."""
        self.properties[record.id] = record
        if record.environments is not None:
            self.environments.add(record.id, record.environments)

    def settle_properties(self) -> None:
        """Lets a property fail that holds in another environment than the one that explains the run."""
        for key, record in self.properties.items():
            if record.environments is not None and not self.environments.explains(key):
                detail = self.environments.mixing(key) if key in self.environments.against else record.detail
                failed = replace(record, outcome=Outcome.MISMATCH.value, detail=detail)
                self.properties[key] = failed

    @property
    def parts(self) -> list[Part]:
        """The ops of whose answers only a part was compared, as no op that hello names makes the rest due."""
        ops = {vector.id: vector.op for vector in self.every}
        lacking = [one for one in self.records.values() if one.left_out]
        found = Counter((ops[one.id].name, str(one.left_out)) for one in lacking)
        return [Part(op, member, count) for (op, member), count in sorted(found.items())]

    @property
    def again_wrong(self) -> list[AgainRecord]:
        """What was answered rightly as published, and wrongly in other words."""
        return [record for record in self.again.values() if record.failed]

    def ids(self) -> list[str]:
        """Every id that a known-failures list may name: the vectors', also asked again, the properties'."""
        vectors = [vector.id for vector in (*self.every, *self.newer)]
        return [*vectors, *(vector_id + AGAIN for vector_id in vectors), *property_ids(self.options.spec)]

    def outcomes(self) -> dict[str, str]:
        """Outcome by id, for the known-failures check."""
        return {record.id: record.outcome for record in self.judged()}

    def judged(self) -> list[Record | PropertyRecord]:
        """What became of vectors and properties."""
        return [*self.records.values(), *self.properties.values()]

    def totals(self) -> Counter[str]:
        """How often each outcome occurred."""
        return Counter(record.outcome for record in self.records.values())

    @property
    def filtered(self) -> int:
        """How many vectors of the set were not selected."""
        return len(self.every) - max(self.chosen or 0, len(self.records))

    @property
    def not_reached(self) -> int:
        """How many vectors were selected, and the run ended before them; those of missing parts are not."""
        missing = 0 if self.missing is None else self.missing.vectors
        return max(0, (self.chosen or 0) - len(self.records) - missing)

    @property
    def is_part(self) -> bool:
        """Whether it is one of the parts of a run: what only a whole run can show is not judged then."""
        return self.options.shard is not None

    @property
    def complete(self) -> bool:
        """Whether every vector of the spec was selected and judged, in this one run."""
        return self._in_part is None

    @property
    def _in_part(self) -> str | None:
        """Why the run shows less than the whole."""
        if self.options.shard is not None:
            return f"this is part {self.options.shard[0]} of {self.options.shard[1]}: merge them all"
        if self.missing is not None:
            return "parts of the run are missing"
        if any(vector.id not in self.records for vector in self.every):
            return "not every vector was selected" if self.filtered else "not every vector was reached"
        if self.newer:
            return (
                f"vectors {self.options.vectors_version} were asked for, and the kit has "
                f"{len(self.newer)} newer one{'' if len(self.newer) == 1 else 's'}"
            )
        return None

    def exit_code(self) -> int:
        """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried.

        128 and the signal where the run was interrupted. A part of a run needs no pass.
        """
        if self.session.interrupted is not None:
            return interrupts.exit_code()
        if self.session.could_not_try:
            return 2
        if self.problems or self.again_wrong or any(record.failed for record in self.judged()):
            return 1
        return 0 if self.is_part or any(one.outcome == Outcome.PASSED.value for one in self.judged()) else 2

    def classes(self) -> list[ClassAccount]:
        """Every class of the spec, in the protocol's order."""
        return [self._account(name, vectors) for name, vectors in self.by_class().items()]

    def by_class(self) -> dict[str, list[Vector]]:
        """The vectors of the set by class, in the protocol's order."""
        found: dict[str, list[Vector]] = {name: [] for name in classes_of(self.options.spec)}
        for vector in self.every:
            found[vector.conformance_class].append(vector)
        return {name: vectors for name, vectors in found.items() if vectors}

    @property
    def offer(self) -> Offer | None:
        """What the runner offers of what was selected; None where it never said hello."""
        if self.hello is None:
            return None
        reached = {account.name: account.reached for account in self.classes() if account.totals}
        ran = [self.records[vector.id] for vector in self.every if vector.id in self.records]
        return offer_of(self.options.spec, self.hello, self.every, ran, reached)

    def _account(self, name: str, vectors: Iterable[Vector]) -> ClassAccount:
        ran = [self.records.get(vector.id) for vector in vectors]
        records = [record for record in ran if record is not None]
        totals = Counter(record.outcome for record in records)
        answered = [Level[record.level.upper()] for record in records if record.level]
        silent = any(record.level is None for record in records)
        lowest = min(answered, default=Level.NONE)
        reached = None if silent or lowest is Level.NONE else str(lowest)
        others = {outcome: count for outcome, count in totals.items() if outcome != "passed"}
        tried = Counter(one.outcome for one in self.properties.values() if one.conformance_class == name)
        broken = sum(count for outcome, count in tried.items() if outcome not in ("passed", "unsupported"))
        halves = tried["unsupported"] if not others else 0  # of an op that hello does not name: others say so
        again = [one for one in self.again.values() if one.conformance_class == name]
        differing = sum(one.outcome not in ("passed", "not-run") for one in again)
        reason = self._in_part
        if reason is not None:
            pass
        elif set(totals) == {Outcome.UNSUPPORTED.value}:
            reason = "all vectors were unsupported"
        elif others:
            reason = told(others)
        elif broken:
            reason = f"{broken} propert{'ies' if broken > 1 else 'y'} did not hold"
        elif self.session.interrupted is not None:
            reason = "the run was interrupted"
        elif halves:
            reason = f"{halves} propert{'ies' if halves > 1 else 'y'} found inputs that are unsupported"
        elif differing:
            reason = (
                f"{differing} of {len(again)} vectors asked again in other words were not answered as due"
            )
        elif self.problems:
            reason = "the run had problems"
        return ClassAccount(
            name, totals, reached, reached if reason is None else None, reason, tried, len(ran)
        )
