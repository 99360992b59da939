"""Scores compositions of changes against a part of an op's evidence: how well they fit the runner.

A right answer that the composition breaks counts as much as three failures that it explains.
"""

import math
from collections.abc import Collection, Iterable, Sequence

from conformance.deviations import touches
from conformance.diagnosis.candidates import Candidate, Composition, with_added, without
from conformance.diagnosis.case import Case
from conformance.diagnosis.departures import Marks
from conformance.diagnosis.sampling import SAMPLE, diverse, fitted_to, spread
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["AGAINST_PASS", "GENERATED", "Fit"]

AGAINST_PASS = 3.0
"""The penalty for a right answer that the composition breaks, in failures."""
_AGAINST_OTHER = 0.3
"""The penalty for a failure that the composition gets wrong in another way."""
_FITTED = ((200, 160), (600, 80), (1000, 40), (1 << 30, 16))
"""The most failures, and the most right answers, of the first sample: (mean length of inputs below, most)."""
_SHARE = 0.7
"""The least share of a change's cost that counts."""
_UNTOUCHED, _VALUE, GENERATED = 0.5, 0.1, 2.5
"""The work for an input that a change does not touch, for each value at its place, and for a candidate."""
_FAMILIAR = 0.5
"""The factor on the cost of a habit that was found in another op."""

_NEEDED = 2
"""The failures that only a known mistake must explain for it to stay while others are unexplained."""


class Fit:
    """The chosen changes of an op, and the sample of the evidence that they are fitted to."""

    def __init__(self, case: Case, first: Iterable[Candidate], familiar: Collection[str]) -> None:
        """Starts with some changes; ``familiar`` are habits found in other ops."""
        self.case = case
        self.chosen: Composition = tuple(first)
        self._familiar = familiar
        self._differing: dict[tuple[Composition, Composition], list[Mistake | None]] = {}
        """The mistakes that differ between a composition and the chosen one."""
        self._fitted, self._fitted_right = fitted_to(case)
        most = next(most for limit, most in _FITTED if case.size < limit)
        self._wrong: list[int] = []
        self._right: list[int] = []
        self._add_evidence(spread(case, self._fitted, most), spread(case, self._fitted_right, most))

    def score(self, composition: Composition, least: float = -math.inf, first: Sequence[int] = ()) -> float:
        """The score of a composition, in failures; if it is below ``least``, only an upper bound.

        ``first`` are failures to try first, so that the bound is found soon.
        """
        total = len(self._wrong) - self._share * sum(map(self._cost, composition))
        for index in dict.fromkeys((*first, *self._wrong)):
            answer_marks = self._estimate(composition, index)
            likeness = self.case.likeness(index, answer_marks) if answer_marks else 0.0
            total -= 1 - likeness if likeness > 0 or not answer_marks else 1 + _AGAINST_OTHER
            if total < least:
                return total
        for index in self._right:
            if self._estimate(composition, index):
                total -= AGAINST_PASS
                if total < least:
                    return total
        return total

    def _cost(self, candidate: Candidate) -> float:
        """The cost of a candidate: less if its habit was found in another op."""
        return candidate.cost * (_FAMILIAR if candidate.habit in self._familiar else 1)

    def _unexplained(self) -> list[int]:
        return [i for i in self._wrong if self._estimate(self.chosen, i) != self.case.wrong[i]]

    def _count_exact(self, composition: Composition) -> int:
        """The number of failures for which a composition gives the runner's exact answer."""
        return sum(self.case.predicted(composition, i) == self.case.wrong[i] for i in self._wrong)

    def _is_worth_keeping(self, candidate: Candidate) -> bool:
        """Whether to keep a known mistake although failures are unexplained.

        It must break nothing, and give some failures by itself, or several that no other chosen change gives.
        """
        fewer, single = without(self.chosen, candidate), (candidate,)
        if self._count_exact(single) and not any(self._estimate(single, index) for index in self._right):
            return True
        breaks = any(self._estimate(self.chosen, i) and not self._estimate(fewer, i) for i in self._right)
        return self._count_exact(self.chosen) - self._count_exact(fewer) >= _NEEDED and not breaks

    def fit_to_all(self) -> bool:
        """Fits to all evidence from now on; returns whether the chosen changes get some of it wrong."""
        case = self.case
        self._fitted = [index for index in case.wrong if index not in case.foreign]
        self._fitted_right = list(case.passes)
        return self._add_contradictions()

    def _add_contradictions(self) -> bool:
        """Adds evidence that the chosen changes predict wrongly; returns whether there is any."""
        case, chosen = self.case, self.chosen
        looked = {*self._wrong, *self._right}
        missed = [i for i in self._fitted if i not in looked and case.predicted(chosen, i) != case.wrong[i]]
        broken = [i for i in self._fitted_right if i not in looked and case.predicted(chosen, i)]
        if missed or broken:
            self._add_evidence(diverse(case, missed), spread(case, broken, SAMPLE))
        return bool(missed or broken)

    def _add_evidence(self, wrong: Iterable[int], right: Iterable[int]) -> None:
        """Adds evidence to the sample."""
        self._wrong = sorted({*self._wrong, *wrong})
        self._right = sorted({*self._right, *right})
        self._share = max(_SHARE, len(self._wrong) / max(1, len(self._fitted)))
        """The share of the failures that are in the sample; the cost of changes is scaled by it."""

    def _leaves_more_than(self, share: float) -> bool:
        """Whether more than a share of the failures is unexplained."""
        return len(self._unexplained()) > share * len(self._wrong)

    def _marks_with(self, candidate: Candidate, index: int) -> Marks | None:
        """The marks of the chosen changes with one more, not cached; None if it has no effect."""
        case, chosen = self.case, self.chosen
        case.work += _UNTOUCHED
        if candidate.mistake is not None and (not chosen or index not in case.wrong):
            known = case.marks_alone(candidate.mistake, index)
            if known is not None:
                return known or None
        view = case.view(chosen, index)
        if candidate.deviation is not None:
            if candidate.stage == 0 and isinstance(view.input, Refused):
                return None
            case.work += _VALUE * len(view.values(candidate.deviation.side, candidate.deviation.place))
            if not touches(candidate.deviation, view):
                return None
        result = case.changed_answer(next(with_added(chosen, candidate)), index, keep=False)
        return None if result is view.expected else case.marks(index, result)

    def _estimate(self, composition: Composition, index: int) -> Marks:
        """The marks of a composition, assuming that mistakes have no effect that they don't have alone.

        The chosen composition is asked. If another one differs from it only in mistakes that alone have no
        effect on an answer, its answer is assumed to be the same.
        """
        case, chosen = self.case, self.chosen
        if composition is chosen:
            return case.predicted(chosen, index)
        key = composition, chosen
        if key not in self._differing:
            self._differing[key] = [change.made for change in {*composition} ^ {*chosen}]
        for mistake in self._differing[key]:
            if mistake is None or case.may_show(mistake, index):
                return case.predicted(composition, index)
        return case.predicted(chosen, index)
