"""The to-do list: a few lines that together account for every failure.

Known mistakes come first, for their names say most; then deviations learned from the answers, as long as each
accounts for failures that nothing before it does; what is left is put together by rule. Where a learned
deviation that nothing speaks against takes in all that a mistake shows, and much more, it is the better name.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from conformance.diagnosis.account import Diagnosis, Example, Explanation, Kind, Line, told
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.features import features, name_of
from conformance.diagnosis.learning import Learned
from conformance.diagnosis.observation import observations
from conformance.diagnosis.predictions import Predictions
from conformance.diagnosis.search import Named
from conformance.mistakes.catalogue import Mistake
from conformance.suite import clauses
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import compact, printable, shortened

__all__ = ["to_do"]

_MOST = 10
"""The most lines."""
_MOST_LEARNED = 6
"""The most lines of learned deviations."""
_BETTER = 1.15
"""How much more a learned deviation must take in than the mistake that it stands for."""
_LIKELY = 0.7
"""What a deviation is worth that something speaks against, beside one without."""
_CONDITIONED = 0.9
"""What a deviation is worth that shows only where some words hold."""
_ENOUGH = 3
"""Failures from which on a learned deviation can be certain."""
_ACCOUNTED = 0.5
"""Of a failure's departures, the share that lines must account for before it stays out of the clusters."""
_VAGUE = 0.6
"""What a deviation is worth that does not say which answer comes."""
_SHORT = 90
"""The longest text of an example."""
_STATEMENT = 200
"""The longest part of a clause that is quoted."""
_SHARED = 0.9
"""Of a cluster's failures, how many share what is said of it."""
_RARE = 0.3
"""Of the op's other evidence, how much may share it too."""
_UNUSABLE = "the runner's reply can't be used: "
"""What is left out of a reason, for the line says it."""
_REASON = 160
"""The longest reason why there was no answer."""
_REASONS = 3
"""The most such reasons."""
_CLAUSES = 4
"""The most clauses named in a line of several."""

Covers = Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Item:
    """A line in the making."""

    kind: Kind
    covers: Covers
    groups: tuple[tuple[Mistake, ...], ...] = ()
    learned: Learned | None = None
    says: str = ""
    """What a learned deviation does, with the words for where."""
    against: int = 0
    certain: bool = False


def to_do(predictions: Predictions, named: Named, learned: Sequence[Learned]) -> Diagnosis:
    """Chooses the lines and words them."""
    return _List(predictions, named, learned).diagnosis()


class _List:
    def __init__(self, predictions: Predictions, named: Named, learned: Sequence[Learned]) -> None:
        self._predictions = predictions
        self._evidence = predictions.evidence
        self._wrong = predictions.wrong
        self._named = named
        self._learned = learned
        self._statements = {
            key: text
            for spec in {item.op.spec for item in predictions.evidence}
            for key, text in clauses.statements(spec).items()
        }

    def diagnosis(self) -> Diagnosis:
        """The list, and what it is made of."""
        named = self._mistakes()
        learned = self._deviations(named)
        silent = [
            index for index, item in enumerate(self._evidence) if not item.passed and item.actual is None
        ]
        left = self._left([*named, *learned])
        most = _MOST - len(learned) - bool(left) - bool(silent)
        lines = [self._line(item) for item in (*_joined(named, most), *learned)]
        lines.sort(key=lambda line: (-len(line.keys), -line.alone, line.says))
        lines += self._clusters(left, _MOST - len(lines) - bool(silent))
        if silent:
            lines.append(self._silent(silent))
        explanations = [
            Explanation(item.groups[0], self._keys(item.covers), item.certain)
            for item in sorted(named, key=lambda item: -len(item.covers))
        ]
        return Diagnosis(
            tuple(lines),
            tuple(explanations),
            self._keys(left),
            self._keys(silent),
            len(self._wrong) + len(silent),
        )

    def _keys(self, indexes: Collection[int]) -> tuple[str, ...]:
        return tuple(self._evidence[index].key for index in sorted(indexes))

    # What accounts for what

    def _mistakes(self) -> list[_Item]:
        found = []
        for name, support in self._named.support.items():
            known = self._predictions.mistakes
            group = (known[name], *(known[other] for other in self._named.alternatives[name]))
            covers = {index: self._shown(name, index) for index in support.shown}
            against = len(support.against) + len(support.third)
            item = _Item(Kind.MISTAKE, covers, (group,), None, "", against, support.certain)
            if item.certain or not any(self._better(one, covers) for one in self._learned):
                found.append(item)
        return sorted(found, key=lambda item: (-len(item.covers), item.groups[0][0].name))

    def _shown(self, name: str, index: int) -> frozenset[str]:
        """The places of a failure that a mistake accounts for."""
        wrong, said = self._wrong[index], self._predictions.alone[name][index]
        op = self._evidence[index].op.name
        fit = self._named.fits.get(op)
        if fit is not None and index in fit.explained:
            touching = [other for other in self._named.made[op] if index in self._predictions.alone[other]]
            if len(touching) == 1:
                return frozenset(wrong)
            return frozenset(path for path in said if path in wrong) or frozenset(wrong)
        return frozenset(path for path, mark in said.items() if wrong.get(path) == mark)

    def _better(self, one: Learned, covers: Covers) -> bool:
        return (
            not one.against
            and one.foretells
            and len(one.covers) >= _BETTER * len(covers)
            and all(paths <= one.covers.get(index, frozenset()) for index, paths in covers.items())
        )

    def _deviations(self, named: Sequence[_Item]) -> list[_Item]:
        """The learned deviations that account for what the mistakes do not, most first."""
        covered: dict[int, set[str]] = defaultdict(set)
        for item in named:
            for index, paths in item.covers.items():
                covered[index] |= paths
        for op, fit in self._named.fits.items():
            for index in fit.explained if op in self._named.made else ():
                if all(name in {item.groups[0][0].name for item in named} for name in self._named.made[op]):
                    covered[index] |= self._wrong[index].keys()
        self._explained = covered
        chosen: list[_Item] = []
        while len(chosen) < _MOST_LEARNED:
            best = max(self._learned, key=self._gain, default=None)
            if best is None or self._gain(best) < 1:
                break
            covers = {
                index: paths & frozenset(self._wrong[index])
                for index, paths in best.covers.items()
                if paths - covered[index]
            }
            certain = not best.against and best.foretells and not best.where and len(covers) >= _ENOUGH
            chosen.append(_Item(Kind.LEARNED, covers, (), best, _words(best), len(best.against), certain))
            for index, paths in best.covers.items():
                covered[index] |= paths
        return _twins_joined(chosen)

    def _gain(self, one: Learned) -> float:
        total = sum(
            len((paths & self._wrong[index].keys()) - self._explained[index]) / len(self._wrong[index])
            for index, paths in one.covers.items()
        )
        return (
            total
            * (_LIKELY if one.against else 1)
            * (1 if one.foretells else _VAGUE)
            * (_CONDITIONED if one.where else 1)
        )

    def _left(self, items: Sequence[_Item]) -> list[int]:
        """The failures that the lines account for too little of."""
        told = {index for item in items for index in item.covers}
        return [
            index
            for index, wrong in self._wrong.items()
            if index not in told or len(wrong.keys() & self._explained[index]) < _ACCOUNTED * len(wrong)
        ]

    # Lines

    def _line(self, item: _Item) -> Line:
        keys = self._keys(item.covers)
        alone = [index for index, paths in item.covers.items() if paths >= self._wrong[index].keys()]
        if item.learned is not None:
            says, do = f"the runner {item.says}", item.learned.mend
        else:
            said = [
                told(group, self._clause(group[0], item.covers), self._statements) for group in item.groups
            ]
            says = "; and ".join(says for says, _ in said)
            do = said[0][1] if len(said) == 1 else "see each with harbor-conformance mistakes NAME"
        ops = tuple(dict.fromkeys(self._evidence[index].op.name for index in sorted(item.covers)))
        example = self._example(alone or list(item.covers))
        return Line(
            item.kind, says, do, keys, len(alone), item.against, item.certain, ops, example, item.groups
        )

    def _clause(self, mistake: Mistake, indexes: Collection[int]) -> str:
        """The clause to quote: the mistake's own, if it speaks of the op with most of these failures.

        A mistake is catalogued with one clause, and shows wherever other ops use what it changes.
        """
        ops = Counter(self._evidence[index].op.name for index in indexes)
        most = ops.most_common(1)[0][0]
        there = (*self._predictions.failures[most], *self._predictions.passes[most])
        if any(self._evidence[index].clause == mistake.clause for index in there):
            return mistake.clause
        mine = [index for index in indexes if self._evidence[index].op.name == most]
        found = Counter(self._evidence[index].clause for index in mine).most_common(1)[0][0]
        return found or mistake.clause

    def _example(self, indexes: Collection[int]) -> Example:
        smallest = min(indexes, key=lambda index: (_size(self._evidence[index]), self._evidence[index].key))
        item = self._evidence[smallest]
        return Example(
            item.key, compact(item.input, _SHORT), _answer(item.expected), _answer(item.actual, "no answer")
        )

    def _clusters(self, left: Sequence[int], most: int) -> list[Line]:
        """The failures left, by rule: as many lines as there is room for, the last one of all the others."""
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index in left:
            item = self._evidence[index]
            groups[item.op.name, item.clause].append(index)
        ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        if len(ranked) > most:
            most = max(most, 1)
            others = [index for _, indexes in ranked[most - 1 :] for index in indexes]
            kept = [self._cluster(indexes) for _, indexes in ranked[: most - 1]]
            return [*kept, self._cluster(others)]
        return [self._cluster(indexes) for _, indexes in ranked]

    def _cluster(self, indexes: Sequence[int]) -> Line:
        rules = Counter(self._evidence[index].clause for index in indexes)
        shared = self._shared(indexes)
        says = (
            "no known mistake and no learned deviation accounts for them"
            if len(indexes) > 1
            else "nothing known accounts for it"
        )
        if shared:
            says += f"; they share: {shared}"
        seen = observations([self._evidence[index] for index in indexes])
        if seen:
            says += f" ({', '.join(seen)})"
        ids = [rule for rule, _ in rules.most_common() if rule]
        if len(ids) == 1 and ids[0] in self._statements:
            do = f"{self._statements[ids[0]].rstrip('.')} ({ids[0]})"
        elif ids:
            more = len(ids) - _CLAUSES
            do = f"read {', '.join(ids[:_CLAUSES])}" + (f" and {more} more clauses" if more > 0 else "")
        else:
            do = "compare the answers with what is due"
        ops = tuple(dict.fromkeys(self._evidence[index].op.name for index in sorted(indexes)))
        return Line(
            Kind.CLUSTER, says, do, self._keys(indexes), len(indexes), 0, False, ops, self._example(indexes)
        )

    def _shared(self, indexes: Sequence[int]) -> str:
        """What is said of nearly all of some failures, and of few others of their ops."""
        if len(indexes) < 2:
            return ""
        mine = set(indexes)
        said = Counter(one for index in indexes for one in _said(self._evidence[index]))
        ops = {self._evidence[index].op.name for index in indexes}
        others = [
            index
            for op in ops
            for index in (*self._predictions.passes[op], *self._predictions.failures[op])
            if index not in mine
        ]
        other = Counter(one for index in others for one in _said(self._evidence[index]))
        telling = [
            (other[one] / max(1, len(others)), one)
            for one, count in said.items()
            if count >= _SHARED * len(indexes) and other[one] <= _RARE * len(others)
        ]
        return ", ".join(one for _, one in sorted(telling)[:2])

    def _silent(self, indexes: Sequence[int]) -> Line:
        ops = tuple(dict.fromkeys(self._evidence[index].op.name for index in indexes))
        return Line(
            Kind.SILENT,
            _why([self._evidence[index].why for index in indexes]),
            "make it reply; until then nobody can say whether the answer is right",
            self._keys(indexes),
            len(indexes),
            0,
            False,
            ops,
            self._example(indexes),
        )


def _why(sentences: Sequence[str]) -> str:
    """Why there were no answers: the commonest reasons, without what each quotes of the runner."""
    reasons = Counter(
        shortened(one.partition(": '")[0].removeprefix(_UNUSABLE), _REASON) for one in sentences if one
    )
    said = "no answer that could be compared"
    if not reasons:
        return f"{said}: the runner crashed, was silent, or sent what is no reply"
    if len(reasons) == 1 and reasons.total() == len(sentences):
        return f"{said}: {next(iter(reasons))}"
    shown = ", ".join(f"{count} x {reason}" for reason, count in reasons.most_common(_REASONS))
    return f"{said}: {shown}" + (", and others" if len(reasons) > _REASONS else "")


def _joined(items: Sequence[_Item], most: int) -> list[_Item]:
    """As many as there is room for; those of fewest failures share the last line."""
    if len(items) <= most:
        return list(items)
    kept, others = list(items[: most - 1]), items[most - 1 :]
    covers: dict[int, frozenset[str]] = {}
    for item in others:
        for index, paths in item.covers.items():
            covers[index] = covers.get(index, frozenset()) | paths
    groups = tuple(group for item in others for group in item.groups)
    against = sum(item.against for item in others)
    return [
        *kept,
        _Item(Kind.MISTAKE, covers, groups, None, "", against, all(item.certain for item in others)),
    ]


def _words(one: Learned) -> str:
    return f"{one.says} where {one.where}" if one.where else one.says


def _twins_joined(items: Sequence[_Item]) -> list[_Item]:
    """Deviations of the same answers, said in one line: they are one to whoever mends them."""
    found: list[_Item] = []
    for item in items:
        assert item.learned is not None
        for place_, other in enumerate(found):
            assert other.learned is not None
            if other.covers.keys() == item.covers.keys() and other.learned.where == item.learned.where:
                covers = {index: paths | item.covers[index] for index, paths in other.covers.items()}
                says = f"{other.learned.says} and {_words(item.learned)}"
                certain = other.certain and item.certain
                against = max(other.against, item.against)
                found[place_] = _Item(Kind.LEARNED, covers, (), other.learned, says, against, certain)
                break
        else:
            found.append(item)
    return found


def _said(item: Evidence) -> frozenset[str]:
    try:
        return features(item)
    except RecursionError:
        return frozenset()


def _size(item: Evidence) -> int:
    return len(compact(item.input, 1 << 16))


def _answer(answer: Ok | Refused | None, none: str = "") -> str:
    if answer is None:
        return none
    if isinstance(answer, Refused):
        return f"the error {name_of(answer)}"
    return printable(compact(answer.value, _SHORT))
