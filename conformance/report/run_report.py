"""The account of a run: counts, what each class reached and may claim, and the JSON report."""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import __version__, interrupts
from conformance.diagnosis import Diagnosis
from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome
from conformance.registry.ops import classes_of
from conformance.report.accounts import ClassAccount, told
from conformance.report.answers import asked_text, beginning_of, expected_text, parsed
from conformance.report.environments import Environments
from conformance.report.offer import Offer, offer_of
from conformance.report.records import AGAIN, RIGHT, AgainRecord, Part, PropertyRecord, Record
from conformance.report.selection import Selection, known_failures_json, vector_set_json
from conformance.runner.allowance import KEPT, KEPT_EACH, Keeping, weight_of
from conformance.suite import clauses
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello

__all__ = ["ClassAccount", "PropertyRecord", "Record", "RepeatCommands", "Report", "exit_code_meaning"]

SCHEMA = "urn:harbor-conformance:run-report:1"


_NOT_TRIED = frozenset({Outcome.UNSUPPORTED, Outcome.NOT_RUN})


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
    selection: Selection = field(default_factory=Selection)
    """What was asked for."""
    newer: list[Vector] = field(default_factory=list)
    """The kit's vectors that a chosen version of the set does not have; they don't count."""
    known: KnownFailures | None = None
    """The list that the run is held to, and the file that it was read from."""
    known_path: Path | None = None
    repeats: RepeatCommands | None = None
    """The commands that repeat a failure; None where nobody could."""
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
        vectors = [vector.id for vector in self.every]
        return [*vectors, *(vector_id + AGAIN for vector_id in vectors), *property_ids(self.spec)]

    def outcomes(self) -> dict[str, str]:
        """Outcome by id, for the known-failures check."""
        return {record.id: record.outcome for record in self._judged()}

    def _listed(self) -> list[Record | PropertyRecord | AgainRecord]:
        """What entries of the list of known failures may name."""
        return [*self._judged(), *self.again.values()]

    def _statements(self) -> dict[str, str]:
        """The statements of the clauses that results and properties trace."""
        vectors = {vector.id: vector.clause for vector in self.every}
        traced = {vectors[key] for key in self.records} | {one.clause for one in self.properties.values()}
        return {key: said for key, said in clauses.statements(self.spec).items() if key in traced}

    def _repeat(self, record: Record | PropertyRecord, vector: Vector | None = None) -> str | None:
        """The command that repeats what went wrong."""
        if (
            self.repeats is None
            or Outcome(record.outcome) in RIGHT
            or not (record.failed or record.expected_by)
        ):
            return None
        return self.repeats.prop(record.id) if vector is None else self.repeats.vector(vector)

    def _judged(self) -> list[Record | PropertyRecord]:
        return [*self.records.values(), *self.properties.values()]

    def totals(self) -> Counter[str]:
        """How often each outcome occurred."""
        return Counter(record.outcome for record in self.records.values())

    @property
    def complete(self) -> bool:
        """Whether every vector of the spec was selected and judged."""
        return all(vector.id in self.records for vector in self.every)

    def exit_code(self) -> int:
        """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried.

        128 and the signal where the run was interrupted.
        """
        if self.interrupted is not None:
            return interrupts.exit_code()
        if self.could_not_try:
            return 2
        if self.problems or self.again_wrong or any(record.failed for record in self._judged()):
            return 1
        return 0 if any(record.outcome == Outcome.PASSED.value for record in self._judged()) else 2

    def classes(self) -> list[ClassAccount]:
        """Every class of the spec, in the protocol's order."""
        by_class: dict[str, list[Vector]] = {name: [] for name in classes_of(self.spec)}
        for vector in self.every:
            by_class[vector.conformance_class].append(vector)
        return [self._account(name, vectors) for name, vectors in by_class.items() if vectors]

    @property
    def offer(self) -> Offer | None:
        """What the runner offers of what was selected; None where it never said hello."""
        if self.hello is None:
            return None
        reached = {account.name: account.reached for account in self.classes() if account.totals}
        return offer_of(self.spec, self.hello, self.every, list(self.records.values()), reached)

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
        if not self.complete:
            reason: str | None = "not every vector was selected"
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
        else:
            reason = None
        return ClassAccount(
            name, totals, reached, reached if reason is None else None, reason, tried, len(ran)
        )

    def _expected(self, record: Record, vector: Vector) -> Any:
        if Outcome(record.outcome) in RIGHT | _NOT_TRIED:
            return None
        return parsed(expected_text(vector.due_in(self.environments.chosen)))

    def as_json(self) -> dict[str, Any]:
        """The report as the schema ``run-report`` has it."""
        vectors = {vector.id: vector for vector in self.every}
        totals = self.totals()
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "spec": self.spec,
            "level": str(self.level),
            "vectors": vector_set_json(self.every, self.newer),
            "selection": self.selection.as_json(len(self.every) - len(self.records)),
            "known_failures": known_failures_json(
                self.known, self.known_path, [one.expected_by for one in self._listed()]
            ),
            "runner": {
                "command": self.command,
                "name": self.hello.runner if self.hello else None,
                "version": self.hello.version if self.hello else None,
                "numbers": ("string" if self.hello.numbers_as_strings else "json") if self.hello else None,
                "ops": sorted(self.hello.ops) if self.hello else [],
            },
            "offer": None if (offer := self.offer) is None else offer.as_json(),
            "started_at": self.started_at,
            "start_up_seconds": round(self.start_up_seconds, 3),
            "duration_seconds": round(self.duration_seconds, 3),
            "complete": self.complete,
            "exit_code": self.exit_code(),
            "environment": self.environments.as_json(),
            "problems": self.problems,
            "cut": self.cut,
            "parts": [part._asdict() for part in self.parts],
            "totals": {outcome.value: totals[outcome.value] for outcome in Outcome},
            "classes": {
                account.name: {
                    "claimed": account.claimed,
                    "reached": account.reached,
                    "totals": dict(sorted(account.totals.items())),
                    "vectors": account.vectors,
                    "reason": account.reason,
                }
                for account in self.classes()
            },
            "clauses": self._statements(),
            "asked_again": None
            if self.again_seed is None
            else {
                "seed": self.again_seed,
                "asked": len(self.again),
                "wrong": len(self.again_wrong),
                "results": [
                    one.as_json()
                    | {
                        "demanded": one.demanded,
                        "repeat": self.repeats.again(vectors[one.id], self.again_seed)
                        if self.repeats is not None and one.failed
                        else None,
                    }
                    for one in sorted(self.again.values(), key=lambda one: one.id)
                ],
            },
            "diagnosis": None if self.diagnosis is None else self.diagnosis.as_json(),
            "properties": [
                {
                    "id": one.id,
                    "op": one.op,
                    "class": one.conformance_class,
                    "clause": one.clause,
                    "outcome": one.outcome,
                    "examples": one.examples,
                    "seed": one.seed,
                    "seconds": one.seconds,
                    "detail": one.detail,
                    "expected_by": one.expected_by,
                    "real_outcome": one.real_outcome,
                    "demanded": one.demanded,
                    "repeat": self._repeat(one),
                    "asked": parsed(one.asked),
                    "expected": parsed(one.expected),
                    "actual": parsed(one.actual),
                    "counterexamples": one.counterexamples,
                }
                for one in sorted(self.properties.values(), key=lambda one: one.id)
            ],
            "results": [
                self._result(record, vectors[record.id])
                for record in sorted(self.records.values(), key=lambda record: record.id)
            ],
        }

    def _result(self, record: Record, vector: Vector) -> dict[str, Any]:
        wrong = Outcome(record.outcome) not in RIGHT | _NOT_TRIED
        return {
            "id": record.id,
            "op": vector.op.name,
            "class": vector.conformance_class,
            "clause": vector.clause,
            "rule": vector.rule,
            "since": vector.since,
            "outcome": record.outcome,
            "level": record.level,
            "seconds": record.seconds,
            "detail": record.detail,
            "expected_by": record.expected_by,
            "real_outcome": record.real_outcome,
            "demanded": record.demanded,
            "repeat": self._repeat(record, vector),
            "catches": (vector.catches or None) if wrong else None,
            "asked": parsed(asked_text(vector)) if wrong else None,
            "expected": self._expected(record, vector),
            "actual": parsed(record.actual),
        }
