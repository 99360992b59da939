"""One change found in one op: what speaks for it and against it, and whether it is credible."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.diagnosis.candidates import Candidate
from conformance.diagnosis.case import Case
from conformance.diagnosis.evidence import TriedInput
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["LEAST_SHOWN", "Finding", "are_certain"]

_FEW_AGAINST = 0.05
"""Of what shows a change, how much may contradict it: a runner is no copy of anything known."""
_FOR_ONE_AGAINST, _MOST_AGAINST, _NEARLY_EXACT = 6, 12, 0.7
"""What a change must give exactly for one right answer to contradict it, where another habit may hide it; how
many may, and the share that it must then give exactly of what it covers."""
_NEARLY_ALL, _MANY, _SOME_AGAINST = 0.8, 6, 0.25
"""The share of an op's failures that a mistake must give for more to contradict it, how many, and how much
may."""
_FEW_EXACT = 0.25
"""The share of what it covers that a change must give exactly if no new input shows it."""
_FEW_LACKING = 0.15
"""The same where it only accounts for missing members."""
_FEW_OTHER = 0.5
"""Of what shows it, how many failures may be wrong in another way."""
LEAST_SHOWN = 2
"""What must show a generated deviation: one failure is explained by many of them."""
_FEW_OF_ALL = 0.01
"""The share of an op's failures that must show a change: of many failures some few agree by chance."""
_FEW_ELSEWHERE = 0.15
"""Of what shows a mistake in the ops that make it, how much it may break in others."""
_MOST_OF_THEM = 0.5
"""The share of an op's failures that show a mistake which is made in that op alone."""
_FEW_RELATED = 0.1
"""Of what a certain change explains, how many failures of the same rules nothing may explain."""
_FEW_UNLIKE = 0.05
"""Of the answers that a known mistake changes, how many the runner may give otherwise without an explanation;
with more of them, it does something near the mistake."""
_TRIED_ENOUGH = 3
"""New inputs that must have shown a change for it to be certain."""


@dataclass(slots=True)
class Finding:
    """One change found in one op."""

    case: Case
    candidate: Candidate
    covers: dict[int, frozenset[str]]
    """By failure, the places of it that the change accounts for."""
    against: frozenset[int] = frozenset()
    """Right answers that it would break."""
    still_wrong: frozenset[int] = frozenset()
    """Failures that it changes into another wrong answer."""
    elsewhere: int = 0
    """Right answers of other ops in which it would show."""
    unlike: int = 0
    """Answers, in any op, that should show a known mistake, do not, and are not explained without it."""
    known_changes: int = 0
    """Answers, in any op, that a known mistake is known to change (``known_answers``)."""
    shown_everywhere: int = 0
    """Failures in which it would show, of all ops that make it."""
    alternatives: tuple[Mistake, ...] = ()
    """Known mistakes that answer all evidence as it does."""
    exact: int = 0
    """Failures that it covers and that are as the composition has them."""
    related: int = 0
    """Failures of the same rules that nothing explains: another cause may explain them as well."""
    only_lacks: bool = False
    """Whether all that it accounts for are missing members, which answers to other questions lack as well."""
    experiments: list[TriedInput] = field(default_factory=list)
    """What was asked to try it."""

    @property
    def shown(self) -> int:
        """The new inputs whose answers show it as it foretells."""
        return sum(one.shows and one.as_predicted for one in self.experiments)

    @property
    def refuted(self) -> int:
        """The new inputs whose answers should show it, and do not."""
        return sum(one.refutes for one in self.experiments)

    @property
    def is_unseen(self) -> bool:
        """Whether many new inputs should show it and none does, and it gives few failures exactly."""
        showing = sum(one.shows for one in self.experiments)
        return showing >= _MANY and not self.shown and self.exact < _FEW_EXACT * len(self.covers)

    @property
    def sound(self) -> bool:
        """Whether nothing refutes it, and it was seen both ways where it hangs on a condition."""
        hidden = any(not one.shows for one in self.experiments)
        refuted = not all(one.as_predicted for one in self.experiments)
        speaks_against = refuted or self.against or self.still_wrong or self.elsewhere or self.unlike
        return not speaks_against and (hidden or not self.candidate.is_conditional)

    @property
    def credible(self) -> bool:
        """Whether the runner does this, and not another thing that only answers alike here and there."""
        shown = len(self.covers)
        if shown < _FEW_OF_ALL * len(self.case.wrong):
            return False
        few = (_SOME_AGAINST if self.gives_nearly_all else _FEW_AGAINST) * shown
        if self.exact >= _NEARLY_EXACT * shown and not self.candidate.is_conditional:
            few = max(few, min(self.exact // _FOR_ONE_AGAINST, _MOST_AGAINST))
        if len(self.against) > few or len(self.still_wrong) > _FEW_OTHER * shown:
            return False
        if self.only_lacks and self.exact < _FEW_LACKING * shown:
            return False
        if self.candidate.is_inner and 2 * self.exact < shown:
            return False
        if self.candidate.mistake is None:
            least = 1 if self.candidate.is_of_an_error else LEAST_SHOWN
            return shown >= least and self._seen_both_ways()
        if shown >= _MOST_OF_THEM * len(self.case.wrong):  # an op's own code, whatever the others do
            return True
        return self.elsewhere <= _FEW_ELSEWHERE * max(shown, self.shown_everywhere)

    @property
    def resembles(self) -> bool:
        """Whether a known mistake is only near what the runner does."""
        return self.unlike > _FEW_UNLIKE * self.known_changes

    @property
    def gives_nearly_all(self) -> bool:
        """Whether a known mistake alone gives nearly all failures: at most it is made under a condition."""
        is_known = self.candidate.mistake is not None
        return is_known and self.exact >= max(_MANY, _NEARLY_ALL * len(self.case.wrong))

    def _seen_both_ways(self) -> bool:
        """Whether what hangs on a condition was not seen where that does not hold."""
        one = self.candidate.deviation
        if one is None or one.kind != "refused":
            return True
        made = self.case.changed_input if self.candidate.stage == 0 else self.case.changed_answer
        refused = {index: made((self.candidate,), index) for index in range(len(self.case.requests))}
        given = [index for index, value in refused.items() if not isinstance(value, Refused)]
        types = {value.type for value in refused.values() if isinstance(value, Refused)}
        actual = [self.case.evidence[index].actual for index in given]
        free = sum(not (isinstance(each, Refused) and each.type in types) for each in actual)
        return free > 0


def are_certain(findings: Iterable[Finding]) -> bool:
    """Whether enough new inputs show each change, in all ops together, and nothing refutes it in any."""
    shown, covered, related = Counter[str](), Counter[str](), Counter[str]()
    sound = True
    for one in findings:
        name = one.candidate.name
        shown[name] += one.shown
        covered[name] += len(one.covers)
        related[name] += one.related
        sound = sound and one.sound
    return sound and all(
        count >= _TRIED_ENOUGH and related[name] <= _FEW_RELATED * covered[name]
        for name, count in shown.items()
    )
