"""What explains a whole run: each operation's explanation, held to the other operations."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from conformance.diagnosis.account import Diagnosis, Explanation
from conformance.diagnosis.candidates import Candidates, established
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.observation import observations
from conformance.diagnosis.predictions import Names, Predictions
from conformance.diagnosis.search import Found, search
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes

__all__ = ["diagnose"]

_FEW = 2
"""Failures that may be a coincidence, if another op speaks against the mistake."""


def diagnose(
    evidence: Sequence[Evidence],
    level: Level,
    progress: Callable[[str], None] = lambda _: None,
    mistakes: Mapping[str, Mistake] | None = None,
) -> Diagnosis:
    """Finds the known mistakes that explain the failures among the evidence, judged at ``level``.

    ``progress`` hears sentences about what is going on; ``mistakes`` stands in for the catalogue.
    """
    specs = {item.op.spec for item in evidence}
    everything = all_mistakes() if mistakes is None else mistakes
    known = {name: one for name, one in everything.items() if one.spec in specs}
    predictions = Predictions(evidence, level, known)
    found: dict[str, Found] = {}
    for op in sorted(predictions.failures, key=predictions.reach):  # simple ops settle most of the others
        progress(f"looking for the known mistakes behind wrong answers to {op}")
        found[op] = Candidates(predictions, op).found(found.values())
    for op, one in found.items():
        if one.unexplained and one.matching:
            certain = established(each for each in found.values() if each is not one)
            found[op] = search(predictions, op, one.matching, one.touching, certain)
    shares: dict[tuple[str, ...], set[int]] = defaultdict(set)
    settled = _borne_out(predictions, _settled(predictions, found))
    for choice in settled.values():
        for group in choice.groups:
            shares[tuple(sorted(group))] |= _share(predictions, choice, group[0])
    left = sorted(set().union(*(choice.unexplained(predictions) for choice in settled.values())))
    return Diagnosis(
        explanations=tuple(
            Explanation(tuple(known[name] for name in group), _keys(evidence, indexes))
            for group, indexes in sorted(shares.items(), key=lambda item: (-len(item[1]), item[0]))
        ),
        unexplained=_keys(evidence, left),
        unanswered=tuple(item.key for item in evidence if not item.passed and item.actual is None),
        observations=observations([evidence[index] for index in left]),
    )


def _keys(evidence: Sequence[Evidence], indexes: Collection[int]) -> tuple[str, ...]:
    return tuple(evidence[index].key for index in sorted(indexes))


@dataclass(frozen=True, slots=True)
class _Choice:
    """The set that explains an op."""

    op: str
    names: Names
    groups: tuple[tuple[str, ...], ...]
    """Each mistake of the set with those that could stand in its place."""

    def without(self, name: str) -> "_Choice":
        """The rest of the set."""
        rest = tuple(other for other in self.names if other != name)
        return _Choice(self.op, rest, tuple(group for group in self.groups if group[0] != name))

    def explained(self, predictions: Predictions) -> frozenset[int]:
        """The failures that the set explains."""
        return predictions.tally(self.names, self.op).explained

    def unexplained(self, predictions: Predictions) -> frozenset[int]:
        """The failures that it does not explain."""
        return frozenset(predictions.failures[self.op]) - self.explained(predictions)


def _settled(predictions: Predictions, found: Mapping[str, Found]) -> dict[str, _Choice]:
    """Settles each op's options with a view to the others.

    Those are preferred that other ops need too, then those that no other op speaks against.
    """
    wanted: Counter[str] = Counter()
    for one in found.values():
        for name in {name for names in one.options for name in names}:
            wanted[name] += len(one.explained)
    held = {op: one.options[0] if one.options else () for op, one in found.items()}
    settled: dict[str, _Choice] = {}
    for op, one in found.items():
        options = list(one.options)
        if len(options) > 1:
            options = _best(options, lambda names: -sum(wanted[name] for name in names))
        if len(options) > 1:
            options = _best(options, partial(_against, predictions, held, op))
        names = held[op] = options[0] if options else ()
        sets = {frozenset(each) for each in options}
        others = dict.fromkeys(name for each in options for name in each if name not in names)
        groups = [
            (name, *(other for other in others if (frozenset(names) - {name}) | {other} in sets))
            for name in names
        ]
        settled[op] = _Choice(op, names, tuple(groups))
    return settled


def _best(options: list[Names], cost: Callable[[Names], int]) -> list[Names]:
    least = min(map(cost, options))
    return [names for names in options if cost(names) == least]


def _against(predictions: Predictions, held: Mapping[str, Names], op: str, names: Names) -> int:
    """In how many ops besides ``op`` one of the mistakes, added to those held there, would have shown."""
    return sum(
        not predictions.tally((*held.get(other, ()), name), other).clean
        for name in names
        for other in predictions.ops
        if other != op and name not in held.get(other, ())
    )


def _borne_out(predictions: Predictions, settled: dict[str, _Choice]) -> dict[str, _Choice]:
    """The choices without the mistakes that other ops show to be something similar, or a coincidence."""
    settled = dict(settled)
    while True:
        held = {op: choice.names for op, choice in settled.items()}
        names = dict.fromkeys(name for choice in settled.values() for name in choice.names)
        doubtful = next((name for name in names if _doubtful(predictions, settled, held, name)), None)
        if doubtful is None:
            return settled
        for op, choice in list(settled.items()):
            if doubtful in choice.names:
                rest = choice.without(doubtful)
                clean = predictions.tally(rest.names, op).clean
                settled[op] = rest if clean else _Choice(op, (), ())


def _doubtful(
    predictions: Predictions, settled: Mapping[str, _Choice], held: Mapping[str, Names], name: str
) -> bool:
    """Whether the rest of the run speaks against a mistake that explains some ops."""
    for op, choice in settled.items():
        unexplained = choice.unexplained(predictions)
        if name not in choice.names and unexplained:
            tally = predictions.tally((*choice.names, name), op)
            part, third = tally.explained & unexplained, tally.third & unexplained
            if part and (len(third) >= len(part) or 2 * len(third) > len(unexplained - part)):
                return True  # it does a part of what the runner does there, and the rest otherwise
    ops = [op for op, names in held.items() if name in names]
    shares = [_share(predictions, settled[op], name) for op in ops]
    if sum(map(len, shares)) > _FEW:
        return False
    return any(_against(predictions, held, op, (name,)) for op in ops[:1])


def _share(predictions: Predictions, choice: _Choice, name: str) -> set[int]:
    """The explained failures in which a mistake of the set has a part."""
    rest = choice.without(name).names
    without = predictions.tally(rest, choice.op).explained
    alone = predictions.tally((name,), choice.op).explained
    explained = choice.explained(predictions)
    return set(explained - without | explained & alone)
