"""The account of a run: counts, what each class reached and may claim, and the JSON report."""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance import interrupts
from conformance.diagnosis import Diagnosis
from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures, Offered
from conformance.judging.verdict import Outcome
from conformance.registry.ops import classes_of
from conformance.report.accounts import ClassAccount, told
from conformance.report.answers import beginning_of
from conformance.report.environments import Environments
from conformance.report.for_merging import ForMerging
from conformance.report.offer import Offer, offer_of
from conformance.report.records import AGAIN, AgainRecord, Part, PropertyRecord, Record
from conformance.report.selection import Selection
from conformance.runner.allowance import KEPT, KEPT_EACH, Keeping, weight_of
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello

__all__ = [
    "ClassAccount",
    "PropertyRecord",
    "Record",
    "RepeatCommands",
    "Report",
    "exit_code_meaning",
]


def exit_code_meaning(code: int) -> str:
    """What an exit code says, for people."""
    meanings = {0: "no unexpected failure", 1: "does not conform", 2: "could not be tried"}
    return meanings.get(code, "interrupted")


@dataclass(frozen=True, slots=True)
class RepeatCommands:
    """The command lines that repeat something alone."""

    vector: Callable[[Vector], str]
    again: Callable[[Vector, int], str]
    """For a vector asked again in other words, with the seed of that."""
    prop: Callable[[str], str]
    """For a property, by its id."""


@dataclass(slots=True)
class Report:
    """Collects records in any order; everything else is derived from them."""

    spec: str
    level: Level
    command: str
    every: list[Vector]
    """The whole set of the spec, selected or not."""
    hello: Hello | None = None
    records: dict[str, Record] = field(default_factory=dict)
    properties: dict[str, PropertyRecord] = field(default_factory=dict)
    again_seed: int | None = None
    """What decides which vectors were asked again in other words; None where none were."""
    again: dict[str, AgainRecord] = field(default_factory=dict)
    """What became of them, by the vectors' ids."""
    problems: list[str] = field(default_factory=list)
    """What went wrong apart from any one vector, a sentence each; any problem fails the run."""
    diagnosis: Diagnosis | None = None
    """Which known mistakes explain the wrong answers; None where there was none, or no time to look."""
    started_at: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )
    start_up_seconds: float = 0.0
    duration_seconds: float = 0.0
    could_not_try: bool = False
    interrupted: str | None = None
    """How far the run had come when somebody ended it: there is no verdict then."""
    not_diagnosed: int = 0
    """Wrong answers that the diagnosis was not given, as there was no room to keep them."""
    selection: Selection = field(default_factory=Selection)
    """What was asked for."""
    chosen: int | None = None
    """How many vectors were selected, asked or not; None where all that there is a record of were."""
    newer: list[Vector] = field(default_factory=list)
    """The kit's vectors that a chosen version of the set does not have; they don't count."""
    known: KnownFailures | None = None
    """The list that the run is held to, and the file that it was read from."""
    known_path: Path | None = None
    required: tuple[Offered, ...] = ()
    """What the runner must offer: what the list records, or what a harbor has."""
    repeats: RepeatCommands | None = None
    """The commands that repeat a failure; None where nobody could."""
    for_merging: ForMerging | None = None
    """Of a part of a run: what the merge of all parts must know."""
    environments: Environments = field(init=False)
    """Which environment explains the answers."""
    _keeping: Keeping = field(default_factory=Keeping)

    def __post_init__(self) -> None:
        self.environments = Environments(self.spec)

    def settle_environment(self) -> None:
        """Chooses the environment that explains most, and takes what became of each answer in it."""
        self.environments.settle(self.records, self.again, self.properties)

    def add(self, record: Record) -> None:
        """Takes a vector's outcome; a later one for the same vector replaces it."""
        if record.actual is not None and not self._keeping.keeps(weight_of(record.actual.encode())):
            record = replace(record, actual=beginning_of(record.actual))
        self.records[record.id] = record

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

    def add_again(self, record: AgainRecord) -> None:
        """Takes what became of a vector that was asked again."""
        self.again[record.id] = record

    def settle_again(self) -> None:
        """Lets what is unsupported in other words fail, where no vector of its op is, once all are judged."""
        partial = self.partial
        for key, one in self.again.items():
            if one.outcome == Outcome.UNSUPPORTED.value and one.op not in partial and not one.demanded:
                detail = f"{one.detail}, though it answers {key}"
                self.again[key] = replace(one, demanded=True, detail=detail)

    @property
    def partial(self) -> frozenset[str]:
        """The ops of which hello offers what the runner does not support throughout."""
        vectors = {vector.id: vector.op.name for vector in self.every}
        unsupported = (one for one in self.records.values() if one.outcome == Outcome.UNSUPPORTED.value)
        return frozenset(vectors[record.id] for record in unsupported)

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
        return [*vectors, *(vector_id + AGAIN for vector_id in vectors), *property_ids(self.spec)]

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
        missing = 0 if self.selection.missing is None else self.selection.missing.vectors
        return max(0, (self.chosen or 0) - len(self.records) - missing)

    @property
    def is_part(self) -> bool:
        """Whether it is one of the parts of a run: what only a whole run can show is not judged then."""
        return self.selection.shard is not None

    @property
    def parts_have_any(self) -> bool:
        """Whether this is a part of a run of which some part has something to ask."""
        return self.for_merging is not None and self.for_merging.any_found

    @property
    def complete(self) -> bool:
        """Whether every vector of the spec was selected and judged, in this one run."""
        return self._in_part is None

    @property
    def _in_part(self) -> str | None:
        """Why the run shows less than the whole."""
        if self.selection.shard is not None:
            return f"this is part {self.selection.shard[0]} of {self.selection.shard[1]}: merge them all"
        if self.selection.missing is not None:
            return "parts of the run are missing"
        if any(vector.id not in self.records for vector in self.every):
            return "not every vector was selected" if self.filtered else "not every vector was reached"
        if self.newer:
            return (
                f"vectors {self.selection.vectors_version} were asked for, and the kit has "
                f"{len(self.newer)} newer one{'' if len(self.newer) == 1 else 's'}"
            )
        return None

    def exit_code(self) -> int:
        """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried.

        128 and the signal where the run was interrupted. A part of a run needs no pass.
        """
        if self.interrupted is not None:
            return interrupts.exit_code()
        if self.could_not_try:
            return 2
        if self.problems or self.again_wrong or any(record.failed for record in self.judged()):
            return 1
        return 0 if self.is_part or any(one.outcome == Outcome.PASSED.value for one in self.judged()) else 2

    def classes(self) -> list[ClassAccount]:
        """Every class of the spec, in the protocol's order."""
        by_class: dict[str, list[Vector]] = {name: [] for name in classes_of(self.spec, package=True)}
        for vector in self.every:
            by_class[vector.conformance_class].append(vector)
        return [self._account(name, vectors) for name, vectors in by_class.items() if vectors]

    @property
    def offer(self) -> Offer | None:
        """What the runner offers of what was selected; None where it never said hello."""
        if self.hello is None:
            return None
        reached = {account.name: account.reached for account in self.classes() if account.totals}
        ran = [self.records[vector.id] for vector in self.every if vector.id in self.records]
        return offer_of(self.spec, self.hello, self.every, ran, reached)

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
        elif self.interrupted is not None:
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
