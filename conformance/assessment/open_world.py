"""Measures the diagnosis on runners that it has not seen before.

A generated runner makes one to eight mistakes of the catalogue, and up to four more that are removed from
the catalogue before the diagnosis, so that some of its mistakes are unknown. Each name that the diagnosis
reports is counted as

* made: the runner makes that mistake;
* held: it does not, but removed mistakes give the same answers wherever that mistake shows, so that the
  reported sentence is true of the runner and no vector shows the difference;
* wrong: everything else.
"""

import functools
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.assessment.benchmarks import Figure
from conformance.assessment.detection import in_processes
from conformance.assessment.recorded import Diagnosed
from conformance.diagnosis.departures import Marks, departures, marks
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, agree, evidence_of_outcome, expected_answer
from conformance.diagnosis.known_answers import known_answers, question_digest
from conformance.diagnosis.scratch import Scratch
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome
from conformance.mistakes import all_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok, Refused

__all__ = ["AIMS", "OpenWorld", "Run", "measure", "measured_run"]

_MOST_KNOWN, _MOST_UNKNOWN = 8, 4

AIMS = {
    "certain names that hold": 100,
    "certain and likely names that hold": 98,
    "names that hold, resembled ones included": 98,
    "known mistakes found": 90,
    "failures covered": 100,
}
"""The kit's targets, in percent."""


@dataclass(frozen=True, slots=True)
class Run:
    """One generated runner and its diagnosis."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    names: Mapping[str, tuple[str, str]]
    """The reported names: made, held or wrong, and reported as certain, likely or resembled."""
    visible: int
    """The number of known mistakes that affect the runner's answers."""
    named: int
    """The number of these that were named."""
    diagnosed: Diagnosed


@dataclass(slots=True)
class OpenWorld:
    """All runs together."""

    seed: int
    runs: list[Run] = field(default_factory=list)

    def names(self, *trusted: str) -> Counter[str]:
        """The number of names with this trust that were made, held and wrong."""
        reported = (name for run in self.runs for name in run.names.values())
        return Counter(kind for kind, trust in reported if trust in trusted)

    def shares(self) -> dict[str, float]:
        """The measured shares, by the names in ``AIMS``."""
        counts = []
        for trusted in (["certain"], ["certain", "likely"], ["certain", "likely", "resembled"]):
            names = self.names(*trusted)
            counts.append((names["made"] + names["held"], names.total()))
        counts.append((sum(run.named for run in self.runs), sum(run.visible for run in self.runs)))
        diagnosed = [run.diagnosed for run in self.runs]
        counts.append((sum(item.covered for item in diagnosed), sum(item.failures for item in diagnosed)))
        pairs = zip(AIMS, counts, strict=True)
        return {name: part / whole if whole else 1.0 for name, (part, whole) in pairs}

    def as_figures(self) -> list[Figure]:
        """The figures next to their targets."""
        shares, count = self.shares(), len(self.runs)
        times = [run.diagnosed.seconds for run in self.runs]
        return [
            *(
                Figure(f"{name} ({count} runners)", round(shares[name] * 100, 2), "%", aim, at_most=False)
                for name, aim in AIMS.items()
            ),
            Figure("lines, the most", max(run.diagnosed.lines for run in self.runs), "lines", 10),
            Figure("a diagnosis, median", round(statistics.median(times), 2), "s", 3),
            Figure("a diagnosis, the longest", round(max(times), 2), "s", 10),
        ]


def measure(
    runs: int, seed: int, jobs: int | None = None, tick: Callable[[], None] = lambda: None
) -> OpenWorld:
    """Generates runners and diagnoses each; the result depends only on the seed."""
    return OpenWorld(seed, in_processes(functools.partial(measured_run, seed), range(runs), jobs or 0, tick))


def measured_run(seed: int, number: int) -> Run:
    """One runner, determined by the seed."""
    world = _World()
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - nothing secret here
    wrong: dict[int, Ok | Refused] = {}
    while not wrong:
        known, unknown = world.draw_mistakes(chance)
        wrong = world.answers((*known, *unknown))
    left = {name: mistake for name, mistake in all_mistakes(DEFAULT_SPEC).items() if name not in unknown}
    made_all = (*known, *unknown)
    evidence, ask = world.evidence(wrong), functools.partial(world.ask, made_all)
    began = time.process_time()
    diagnosis = diagnose(evidence, Level.BYTES, mistakes=left, ask=ask)
    seconds = time.process_time() - began
    names: dict[str, tuple[str, str]] = {}
    named: set[str] = set()
    for explanation in diagnosis.explanations:
        group = [mistake.name for mistake in explanation.mistakes]
        named.update(group)
        made = bool(set(group) & set(known))
        held = made or any(
            world.holds(name, wrong, known) or world.has_no_effect(name, made_all, wrong) for name in group
        )
        trust = "certain" if explanation.certain else "resembled" if explanation.resembles else "likely"
        names[group[0]] = ("made" if made else "held" if held else "wrong", trust)
    visible = {name for name in known if world.affects_answers(name, made_all, wrong)}
    counts = Diagnosed.from_diagnosis(diagnosis, seconds)
    return Run(known, unknown, names, len(visible), len(visible & named), counts)


@functools.cache
class _World:
    """The vectors, and a reference that makes mistakes; one per process."""

    def __init__(self) -> None:
        self._vectors = load_spec(DEFAULT_SPEC)
        self._expected = [expected_answer(vector) for vector in self._vectors]
        self._scratch = Scratch()
        self._known = all_mistakes(DEFAULT_SPEC)
        self._names = sorted(self._known)
        memo = known_answers(DEFAULT_SPEC)
        pairs = zip(self._vectors, self._expected, strict=True)
        questions = [
            question_digest(vector.op.name, vector.input, right, vector.unordered) for vector, right in pairs
        ]
        if memo.unknown or not memo.rows.keys() >= set(questions):
            raise RuntimeError("the memo of the diagnosis is stale: run harbor-conformance kit precompute")
        self._shows: dict[str, dict[int, Marks]] = {name: {} for name in self._names}
        for number, row in enumerate(map(memo.rows.__getitem__, questions)):
            for places, names in row:
                for name in names:
                    self._shows[name][number] = {path: mark for path, (_, mark) in places.items()}

    def draw_mistakes(self, chance: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Known and unknown mistakes that can be combined; one may hide another."""
        while True:
            known, unknown = chance.randint(1, _MOST_KNOWN), chance.randint(0, _MOST_UNKNOWN)
            names = chance.sample(self._names, known + unknown)
            try:
                self._scratch.make(*(self._known[name] for name in names))
            except Exception:  # noqa: S112 - one removes what another changes
                continue
            return tuple(names[:known]), tuple(names[known:])

    def answers(self, names: Sequence[str]) -> dict[int, Ok | Refused]:
        """The wrong answers of a runner, by the vector's number."""
        numbers = {number for name in names for number in self._shows[name]}
        pairs = self._answers_of(names, sorted(numbers))
        return {
            number: answer
            for number, answer in pairs
            if not self._agree(number, self._expected[number], answer)
        }

    def _answers_of(self, names: Iterable[str], numbers: Iterable[int]) -> Iterator[tuple[int, Ok | Refused]]:
        """The answers of a runner to some vectors, by their numbers."""
        self._scratch.make(*(self._known[name] for name in names))
        for number in numbers:
            vector = self._vectors[number]
            yield number, self._scratch.answer(vector.op.name, vector.input)

    def ask(self, names: Sequence[str], op: str, inputs: Sequence[Any]) -> list[Ok | Refused | None]:
        """The answers of a runner to new inputs."""
        self._scratch.make(*(self._known[name] for name in names))
        return [self._scratch.answer(op, input_) for input_ in inputs]

    def _agree(self, number: int, first: Ok | Refused, second: Ok | Refused) -> bool:
        vector = self._vectors[number]
        return agree(vector.op, first, second, Level.BYTES, vector.unordered)

    def evidence(self, wrong: Mapping[int, Ok | Refused]) -> list[Evidence]:
        """The runner's answers as evidence, without those that no reply may have, such as long ints."""
        items = []
        for number, vector in enumerate(self._vectors):
            answer = wrong.get(number)
            sendable = answer is not None and agree(vector.op, answer, answer, Level.BYTES)
            outcome = Outcome.MISMATCH if number in wrong else Outcome.PASSED
            items.append(evidence_of_outcome(vector, outcome, answer if sendable else None))
        return [item for item in items if item is not None]

    def affects_answers(self, name: str, names: Sequence[str], wrong: Mapping[int, Ok | Refused]) -> bool:
        """Whether some vector's answer would differ without the mistake."""
        remaining = [mistake for mistake in names if mistake != name]
        return not self._answers_as(wrong, self._answers_of(remaining, self._shows[name]))

    def _answers_as(
        self, wrong: Mapping[int, Ok | Refused], answers: Iterable[tuple[int, Ok | Refused]]
    ) -> bool:
        """Whether the runner gives these answers to the vectors with these numbers."""
        return all(
            self._agree(number, wrong.get(number, self._expected[number]), answer)
            for number, answer in answers
        )

    def holds(self, name: str, wrong: Mapping[int, Ok | Refused], known: Iterable[str]) -> bool:
        """Whether the runner gives the mistake's answers wherever no known mistake interferes."""
        masked = {number for mistake in known for number in self._shows[mistake]}
        for number, outcome in self._shows[name].items():
            if number in masked:
                continue
            if number not in wrong:
                return False
            vector = self._vectors[number]
            actual = marks(
                departures(vector.op, self._expected[number], wrong[number], Level.BYTES, vector.unordered)
            )
            if any(actual.get(path) != mark for path, mark in outcome.items()):
                return False
        return True

    def has_no_effect(self, name: str, names: Sequence[str], wrong: Mapping[int, Ok | Refused]) -> bool:
        """Whether the runner's answers would stay the same if it made the mistake as well."""
        try:
            return self._answers_as(wrong, self._answers_of((*names, name), sorted(self._shows[name])))
        except Exception:  # one removes what another changes
            return False
