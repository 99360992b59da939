"""Trying the properties of a run: which inputs, how many, and what becomes of a failure."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.judging.verdict import Verdict
from conformance.properties.account import property_text, repeat_property
from conformance.properties.disagreeing import Disagreements, disagreements
from conformance.properties.judging import not_offered, verdict_on
from conformance.properties.registry import checks
from conformance.properties.trying import MOST_SILENCES, Trial, seed_of, try_property
from conformance.report.run_report import PropertyRecord
from conformance.run.dispatcher import Dispatcher
from conformance.suite.properties import Property

__all__ = ["Fuzz", "Judged", "Properties"]

ONESHOT_EXAMPLES = 10
"""How many inputs are tried where each costs a start of the runner."""


@dataclass(frozen=True, slots=True)
class Fuzz:
    """What the user asked for beyond the default inputs."""

    examples: int
    seed: int


@dataclass(slots=True)
class Judged:
    """A property that was tried, or could not be."""

    verdict: Verdict
    record: PropertyRecord
    trial: Trial | None = None
    found: Disagreements | None = None


@dataclass(slots=True)
class Properties:
    """Tries properties with the runner of one run."""

    dispatcher: Dispatcher
    command: str
    """The runner as the user gave it."""
    folder: Path
    """Where counterexamples are written."""
    fuzz: Fuzz | None = None
    _hung: bool = False
    """Whether a property has ended in a time-out: then no further one waits for another."""

    def run(self, one: Property) -> Judged:
        """Tries one property; without ``fuzz`` the inputs are always the same."""
        known, demanded = self.dispatcher.known, frozenset(self.dispatcher.demanded_classes)
        seed = self.fuzz.seed if self.fuzz else 0
        if self.dispatcher.hello is not None:
            verdict = not_offered(one, self.dispatcher.hello.ops, known, demanded)
            if verdict is not None:
                return Judged(verdict, PropertyRecord.of(verdict, 0, seed, None))
        check = checks()[one.slug]
        examples = self.fuzz.examples if self.fuzz else ONESHOT_EXAMPLES if self.dispatcher.oneshot else None
        level = self.dispatcher.level
        trial = try_property(
            check,
            self.dispatcher.ask,
            seed=seed_of(one.id, seed),
            level=level,
            examples=examples,
            silences=1 if self._hung else MOST_SILENCES,
        )
        verdict = verdict_on(one, trial, level, known, demanded)
        self._hung = self._hung or (trial.failure is not None and trial.failure.outcome == "timeout")
        found = None
        if trial.failure is not None:
            note = f"Found by the property {one.slug}"
            if self.fuzz is not None:
                note += f", --fuzz {self.fuzz.examples} --fuzz-seed {seed}"
            spec = self.dispatcher.settings.spec
            found = disagreements(one, trial, spec=spec, level=level, folder=self.folder, note=note)
        record = PropertyRecord.of(verdict, trial.examples, seed, found.path if found else None)
        return Judged(verdict, record, trial, found)

    def text(self, judged: Judged, clause: str, request_text: Callable[[Verdict], str]) -> str:
        """The account of a property that failed; ``request_text`` tells of one request as of a vector."""
        verdict = judged.verdict
        if judged.trial is None or judged.trial.failure is None or judged.found is None:
            return f"{verdict.outcome}: {verdict.vector.id}\nwhy:      {verdict.sentence}"
        repeat = repeat_property(
            verdict.vector.id,
            self.command,
            self.dispatcher.level,
            self.dispatcher.settings.spec,
            self.dispatcher.options,
            (self.fuzz.examples, self.fuzz.seed) if self.fuzz else None,
        )
        return property_text(
            verdict,
            judged.trial.failure,
            judged.found,
            tried=judged.trial.examples,
            clause=clause,
            repeat=repeat,
            request_text=request_text,
        )
