"""What the lines of the to-do list say: what is wrong, what to do about it, and an example."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from conformance.diagnosis.account import Example, Kind, Line, told
from conformance.diagnosis.choosing import Item
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.features import features, name_of
from conformance.diagnosis.observation import observations
from conformance.diagnosis.predictions import Predictions
from conformance.mistakes.catalogue import Mistake
from conformance.suite import clauses
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import compact, printable, shortened

__all__ = ["Wording"]

_SHORT = 90
"""The longest text of an example."""
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


class Wording:
    """Words lines, from the evidence and the clauses of its specs."""

    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self._evidence = predictions.evidence
        self._wrong = predictions.wrong
        self._statements = {
            key: text
            for spec in {item.op.spec for item in predictions.evidence}
            for key, text in clauses.statements(spec).items()
        }

    def keys(self, indexes: Collection[int]) -> tuple[str, ...]:
        """The keys of evidence, in its order."""
        return tuple(self._evidence[index].key for index in sorted(indexes))

    def line(self, item: Item) -> Line:
        """The line of known mistakes, or of a learned deviation."""
        keys = self.keys(item.covers)
        alone = [index for index, paths in item.covers.items() if paths >= self._wrong[index].keys()]
        if item.learned is not None:
            says, do = f"the runner {item.says}", item.learned.mend
        else:
            said = [
                told(group, self._clause(group[0], item.covers), self._statements) for group in item.groups
            ]
            says = "; and ".join(says for says, _ in said)
            do = said[0][1] if len(said) == 1 else "see each with harbor-conformance explain NAME"
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

    def clusters(self, left: Sequence[int], most: int) -> list[Line]:
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
            Kind.CLUSTER, says, do, self.keys(indexes), len(indexes), 0, False, ops, self._example(indexes)
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

    def silent(self, indexes: Sequence[int]) -> Line:
        """The line of vectors without an answer that can be compared."""
        ops = tuple(dict.fromkeys(self._evidence[index].op.name for index in indexes))
        return Line(
            Kind.SILENT,
            _why([self._evidence[index].why for index in indexes]),
            "make it reply; until then nobody can say whether the answer is right",
            self.keys(indexes),
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
