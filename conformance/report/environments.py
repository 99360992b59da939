"""Which environment explains a run, where vectors have another right answer in each (PROTOCOL.md).

What they came to is held back in every environment, until the end of the run chooses one.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from conformance.judging.environments import agreeing_in, explaining, of_spec, stands_for
from conformance.judging.verdict import Outcome
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import MAIN
from conformance.report.records import AgainRecord, PropertyRecord, Record

__all__ = ["KINDS", "Environments", "Held", "property_in_each", "sent"]

Held: TypeAlias = Record | AgainRecord | PropertyRecord


KINDS: dict[str, type[Held]] = {kind.__name__: kind for kind in (Record, AgainRecord, PropertyRecord)}
"""What may depend on the environment, by its name."""


@dataclass(slots=True)
class Environments:
    """The environments of one run."""

    spec: str
    chosen: str = MAIN
    """The one that explains most, once it is settled."""
    against: dict[str, str] = field(default_factory=dict)
    """What is right in another environment alone, by key, with that environment."""
    _held: dict[str, dict[str, Held]] = field(default_factory=dict)
    """What became of answers in each environment: by id of a vector, a property, a vector asked again."""

    def hold(self, key: str, each: Mapping[str, Held]) -> None:
        """Takes what became of an answer in each environment."""
        self._held[key] = dict(each)

    def received(self, sent: Mapping[str, tuple[str, Mapping[str, dict[str, Any]]]]) -> None:
        """Takes what ``sent`` made of such answers."""
        for key, (kind, each) in sent.items():
            self._held[key] = {name: KINDS[kind](**record) for name, record in each.items()}

    def settle(
        self, records: dict[str, Record], again: dict[str, AgainRecord], properties: dict[str, PropertyRecord]
    ) -> None:
        """Chooses the environment, and puts what became of each answer in it among the outcomes."""
        told = {key: self._agreeing(key) for key in self._held}
        self.chosen = explaining(self.spec, told.values())
        self.against = {
            key: min(agreeing) for key, agreeing in told.items() if agreeing and self.chosen not in agreeing
        }
        for key, each in self._held.items():
            record = each[self.chosen]
            if key in self.against:
                record = replace(record, detail=self.mixing(key))
            if isinstance(record, Record):
                records[record.id] = record
            elif isinstance(record, AgainRecord):
                again[record.id] = record
            else:
                properties[record.id] = record

    def _agreeing(self, key: str) -> frozenset[str]:
        return agreeing_in({name: one.outcome for name, one in self._held[key].items()})

    @property
    def telling(self) -> list[str]:
        """What is right in the chosen environment, and not in every other."""
        return [key for key in sorted(self._held) if self.chosen in self._agreeing(key)]

    def beside(self, key: str) -> str | None:
        """For what speaks against the chosen environment, a vector that speaks for it."""
        telling = [other for other in self.telling if isinstance(self._held[other][MAIN], Record)]
        return telling[0] if key in self.against and telling else None

    def mixing(self, key: str) -> str:
        """Of what speaks against the chosen environment, the sentence that says so."""
        other = stands_for(self.spec, self.against[key])
        count = len(self.telling)
        times = f"{count} time{'' if count == 1 else 's'}, as in {self.telling[0]}" if count else "elsewhere"
        return (
            f"here it answers as {other}, and as {stands_for(self.spec, self.chosen)} {times}: "
            "it mixes environments, and no single one explains the run"
        )

    @property
    def held(self) -> Mapping[str, Mapping[str, Held]]:
        """What is held back, by key."""
        return self._held

    def lines(self) -> list[str]:
        """Which environment explains the run, for people; nothing where it is the main one."""
        said = []
        if self.chosen != MAIN:
            variant, count = of_spec(self.spec)[self.chosen], len(self.telling)
            tells = f"{count} answer{' tells' if count == 1 else 's tell'}"
            said = [f"answers as {variant.stands_for} does ({self.chosen}, {tells}): {variant.differs}"]
        if self.against:
            key, other = next(iter(sorted(self.against.items())))
            count = len(self.against)
            said.append(
                f"it mixes environments: {count} answer{' is' if count == 1 else 's are'} right as "
                f"{stands_for(self.spec, other)} alone, such as {key}"
            )
        return said

    def as_json(self) -> dict[str, Any] | None:
        """As the schema ``run-report`` has it; None where nothing told environments apart."""
        if not self._held:
            return None
        main = SPEC_TABLE[self.spec].oracle.provenance
        return {
            "name": self.chosen or main,
            "stands_for": stands_for(self.spec, self.chosen),
            "told_by": self.telling,
            "against": {key: other or main for key, other in sorted(self.against.items())},
        }


def sent(held: Mapping[str, Mapping[str, Held]]) -> dict[str, tuple[str, dict[str, dict[str, Any]]]]:
    """What is held back, by key, as it crosses a process boundary."""
    return {
        key: (type(each[MAIN]).__name__, {name: asdict(record) for name, record in each.items()})
        for key, each in held.items()
        if each
    }


def property_in_each(record: PropertyRecord, spec: str) -> dict[str, Held]:
    """A property's outcome in each environment, of the record that says in which ones it holds."""
    assert record.environments is not None
    return {
        name: record if name in record.environments else replace(record, outcome=Outcome.MISMATCH.value)
        for name in (MAIN, *of_spec(spec))
    }
