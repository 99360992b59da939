"""Measures the diagnosis on runners that it has not seen before.

Runners are made up: one to eight mistakes of the catalogue, and up to four more that are removed from the
catalogue before the diagnosis sees the answers, so that half of such a runner's mistakes are unknown. Each
name that the diagnosis reports is counted as

* made: the runner makes that mistake;
* held: it does not, but one or more removed mistakes answer the same wherever it shows, so that the reported
  sentence is true of the runner and no vector shows the difference;
* wrong: everything else.
"""

import functools
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.assessment.benchmarks import Figure
from conformance.assessment.detection import Workers
from conformance.diagnosis.account import Kind
from conformance.diagnosis.deviation import Marks, deviations, marks
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, agree, expected_answer
from conformance.diagnosis.foretold import foretold, question
from conformance.diagnosis.scratch import Scratch
from conformance.judging.comparison import Level
from conformance.mistakes import all_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused

__all__ = ["AIMS", "OpenWorld", "Run", "measure", "measured_run"]

_MOST_KNOWN, _MOST_UNKNOWN = 8, 4

AIMS = {
    "certain names that hold": 100,
    "names that hold": 98,
    "known mistakes found": 90,
    "failures covered": 100,
}
"""The kit's targets, in percent."""


@dataclass(frozen=True, slots=True)
class Run:
    """One made-up runner and its diagnosis."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    names: Mapping[str, tuple[str, bool]]
    """The reported names: made, held or wrong, and whether reported as certain."""
    visible: int
    """Known mistakes that affect the runner's answers."""
    found: int
    """Of these, those that were named."""
    failures: int
    covered: int
    explained: int
    """Failures in lines of known mistakes or generated deviations."""
    lines: int
    seconds: float


@dataclass(slots=True)
class OpenWorld:
    """All runs together."""

    seed: int
    runs: list[Run] = field(default_factory=list)

    def names(self, *, certain: bool | None = None) -> Counter[str]:
        """The number of names that were made, held and wrong."""
        return Counter(
            what
            for run in self.runs
            for what, sure in run.names.values()
            if certain is None or sure is certain
        )

    def figures(self) -> dict[str, float]:
        """Shares by the names in ``AIMS``, and others."""
        every, sure = self.names(), self.names(certain=True)
        failures = sum(run.failures for run in self.runs)
        return {
            "certain names that hold": _share(sure["made"] + sure["held"], sure.total()),
            "certain names that are made": _share(sure["made"], sure.total()),
            "names that hold": _share(every["made"] + every["held"], every.total()),
            "names that are made": _share(every["made"], every.total()),
            "known mistakes found": _share(
                sum(run.found for run in self.runs), sum(run.visible for run in self.runs)
            ),
            "failures covered": _share(sum(run.covered for run in self.runs), failures),
            "failures named": _share(sum(run.explained for run in self.runs), failures),
        }

    def as_json(self) -> dict[str, Any]:
        """The figures for the assessment, without times, which depend on the machine."""
        return {
            "seed": self.seed,
            "runs": len(self.runs),
            "figures": {name: round(value, 4) for name, value in self.figures().items()},
            "names": dict(sorted(self.names().items())),
            "certain": dict(sorted(self.names(certain=True).items())),
            "lines": {
                "median": statistics.median(run.lines for run in self.runs),
                "most": max(run.lines for run in self.runs),
            },
        }

    def as_figures(self) -> list[Figure]:
        """The figures next to their targets."""
        shares = self.figures()
        median, most = self.seconds()
        count = len(self.runs)
        return [
            *(
                Figure(
                    f"{what} ({count} runners)",
                    round(shares[what] * 100, 2),
                    "%",
                    aim,
                    at_most=False,
                )
                for what, aim in AIMS.items()
            ),
            Figure("lines, the most", max(run.lines for run in self.runs), "lines", 10),
            Figure("a diagnosis, median", round(median, 2), "s", 3),
            Figure("a diagnosis, the longest", round(most, 2), "s", 10),
        ]

    def seconds(self) -> tuple[float, float]:
        """The median and the longest time of a diagnosis."""
        times = [run.seconds for run in self.runs]
        return statistics.median(times), max(times)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def measure(
    runs: int, seed: int, jobs: int | None = None, tick: Callable[[], None] = lambda: None
) -> OpenWorld:
    """Makes up runners and diagnoses each; the result depends only on the seed."""
    with Workers(jobs or 0) as workers:
        return OpenWorld(seed, workers.each(functools.partial(measured_run, seed), range(runs), tick))


def measured_run(seed: int, number: int) -> Run:
    """One runner, determined by the seed."""
    world = _world()
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - nothing secret here
    while True:
        known, unknown = world.drawn(chance)
        wrong = world.answers((*known, *unknown))
        if wrong:
            break
    left = {name: one for name, one in all_mistakes(DEFAULT_SPEC).items() if name not in unknown}
    evidence = world.evidence(wrong)
    began = time.process_time()
    diagnosis = diagnose(evidence, Level.BYTES, mistakes=left, ask=world.asking((*known, *unknown)))
    seconds = time.process_time() - began
    names: dict[str, tuple[str, bool]] = {}
    found: set[str] = set()
    for each in diagnosis.explanations:
        group = [one.name for one in each.mistakes]
        found.update(group)
        made = bool(set(group) & set(known))
        held = made or any(world.holds(name, wrong, known) for name in group)
        names[group[0]] = ("made" if made else "held" if held else "wrong", each.certain)
    visible = world.visible(known, (*known, *unknown), wrong)
    lines = diagnosis.lines
    explained = {key for line in lines if line.kind in (Kind.MISTAKE, Kind.DEVIATION) for key in line.keys}
    return Run(
        known,
        unknown,
        names,
        len(visible),
        len(visible & found),
        diagnosis.total,
        len({key for line in lines for key in line.keys}),
        len(explained - set(diagnosis.unexplained)),
        len(lines),
        seconds,
    )


class _World:
    """The vectors, and a reference that makes mistakes."""

    def __init__(self) -> None:
        self._vectors = load_spec(DEFAULT_SPEC)
        self._expected = [expected_answer(vector) for vector in self._vectors]
        self._scratch = Scratch()
        self._known = all_mistakes(DEFAULT_SPEC)
        self._names = sorted(self._known)
        memo = foretold(DEFAULT_SPEC)
        if memo.unknown or not all(
            _question(*one) in memo.rows for one in zip(self._vectors, self._expected, strict=True)
        ):
            raise RuntimeError("the memo of the diagnosis is stale: run harbor-conformance kit foretell")
        self._shows: dict[str, dict[int, Marks]] = {name: {} for name in self._names}
        for number, (vector, expected) in enumerate(zip(self._vectors, self._expected, strict=True)):
            for places, names in memo.rows[_question(vector, expected)]:
                for name in names:
                    self._shows[name][number] = {path: mark for path, (_, mark) in places.items()}

    def drawn(self, chance: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Known and unknown mistakes that can be combined; one may hide another."""
        while True:
            known, unknown = chance.randint(1, _MOST_KNOWN), chance.randint(0, _MOST_UNKNOWN)
            names = chance.sample(self._names, known + unknown)
            try:
                self._scratch.make(*(self._known[name] for name in names))
            except Exception:  # noqa: S112 - one takes away what another changes
                continue
            return tuple(names[:known]), tuple(names[known:])

    def answers(self, names: Sequence[str]) -> dict[int, Ok | Refused]:
        """The wrong answers of a runner, by the vector's number."""
        self._scratch.make(*(self._known[name] for name in names))
        found = {}
        for number in sorted({number for name in names for number in self._shows[name]}):
            vector = self._vectors[number]
            answer = self._scratch.answer(vector.op.name, vector.input)
            if not self._agree(number, answer):
                found[number] = answer
        return found

    def asking(self, names: Sequence[str]) -> Callable[[str, Sequence[Any]], list[Ok | Refused | None]]:
        """Returns the function that asks the runner new inputs."""

        def ask(op: str, inputs: Sequence[Any]) -> list[Ok | Refused | None]:
            self._scratch.make(*(self._known[name] for name in names))
            return [self._scratch.answer(op, given) for given in inputs]

        return ask

    def _agree(self, number: int, answer: Ok | Refused) -> bool:
        vector = self._vectors[number]
        return agree(vector.op, self._expected[number], answer, Level.BYTES, vector.unordered)

    def evidence(self, wrong: Mapping[int, Ok | Refused]) -> list[Evidence]:
        """The evidence that the runner leaves."""
        return [
            Evidence(
                vector.id,
                vector.op,
                vector.input,
                self._expected[number],
                self._sendable(vector, wrong.get(number)),
                vector.unordered,
                number not in wrong,
                vector.clause,
                vector.rule,
            )
            for number, vector in enumerate(self._vectors)
        ]

    @staticmethod
    def _sendable(vector: Vector, answer: Ok | Refused | None) -> Ok | Refused | None:
        """The value; None if no reply may hold it, such as an int of more than 4300 digits."""
        return answer if answer is None or agree(vector.op, answer, answer, Level.BYTES) else None

    def visible(
        self, known: Iterable[str], names: Sequence[str], wrong: Mapping[int, Ok | Refused]
    ) -> frozenset[str]:
        """The mistakes without which some vector's answer would differ."""
        return frozenset(name for name in known if self._matters(name, names, wrong))

    def _matters(self, name: str, names: Sequence[str], wrong: Mapping[int, Ok | Refused]) -> bool:
        rest = [other for other in names if other != name]
        self._scratch.make(*(self._known[other] for other in rest))
        for number in self._shows[name]:
            vector = self._vectors[number]
            answer = self._scratch.answer(vector.op.name, vector.input)
            was = wrong.get(number, self._expected[number])
            if not agree(vector.op, was, answer, Level.BYTES, vector.unordered):
                return True
        return False

    def holds(self, name: str, wrong: Mapping[int, Ok | Refused], known: Iterable[str]) -> bool:
        """Whether the runner answers as the mistake wherever no known mistake interferes."""
        others = {number for other in known for number in self._shows[other]}
        for number, said in self._shows[name].items():
            if number in others:
                continue
            if number not in wrong:
                return False
            vector = self._vectors[number]
            found = marks(
                deviations(vector.op, self._expected[number], wrong[number], Level.BYTES, vector.unordered)
            )
            if any(found.get(path) != mark for path, mark in said.items()):
                return False
        return True


@functools.cache
def _world() -> _World:
    return _World()


def _question(vector: Vector, expected: Ok | Refused) -> str:
    return question(vector.op.name, vector.input, expected, vector.unordered)
