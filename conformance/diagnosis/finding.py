"""A change found in one op, the evidence for and against it, and whether it is credible."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.diagnosis.candidates import Candidate
from conformance.diagnosis.case import Case
from conformance.diagnosis.evidence import TestInput
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["LEAST_SHOWN", "Finding", "are_certain"]

_FEW_AGAINST = 0.05
"""The share of right answers, of the failures that show a change, that may contradict it."""
_FOR_ONE_AGAINST, _MOST_AGAINST, _NEARLY_EXACT = 6, 12, 0.7
"""Exact failures per right answer that may contradict a change, since another habit may hide it; the most
right answers that may; and the share of its failures that must be exact for that."""
_NEARLY_ALL, _MANY, _SOME_AGAINST = 0.8, 6, 0.25
"""If a mistake gives this share of an op's failures exactly, and this number at least, a larger share of
right answers may contradict it."""
_FEW_EXACT = 0.25
"""The share of its failures that a change must give exactly if no new input shows it."""
_FEW_LACKING = 0.15
"""The same for a change that only accounts for missing members."""
_FEW_OTHER = 0.5
"""The share of failures, of those that show a change, that may be wrong in another way."""
LEAST_SHOWN = 2
"""The failures that must show a generated deviation, as many deviations explain a single one."""
_FEW_OF_ALL = 0.01
"""The share of an op's failures that must show a change, as a few of many agree by chance."""
_FEW_ELSEWHERE = 0.15
"""Right answers that a mistake may break in other ops, as a share of the failures that show it."""
_MOST_OF_THEM = 0.5
"""The share of an op's failures that must show a mistake made in that op alone."""
_FEW_RELATED = 0.1
"""Unexplained failures of the same rules that a certain change may leave, as a share of those it explains."""
_FEW_UNLIKE = 0.05
"""The share of the answers changed by a known mistake that may be unexplained; with more of them, the runner
does something similar."""
_TRIED_ENOUGH = 3
"""The new inputs that must show a change for it to be certain."""


@dataclass(slots=True)
class Finding:
    """One change found in one op."""

    case: Case
    candidate: Candidate
    covers: dict[int, frozenset[str]]
    """The paths that the change accounts for, by failure."""
    against: frozenset[int] = frozenset()
    """The right answers that it would break."""
    still_wrong: frozenset[int] = frozenset()
    """The failures that it changes into another wrong answer."""
    elsewhere: int = 0
    """The number of right answers of other ops in which it would show."""
    unlike: int = 0
    """The number of answers, in any op, that should show a known mistake, do not, and are unexplained."""
    known_changes: int = 0
    """The number of answers, in any op, that a known mistake changes according to the memo."""
    shown_everywhere: int = 0
    """The number of failures in which it would show, in all ops that make it."""
    alternatives: tuple[Mistake, ...] = ()
    """Known mistakes with the same answers to all evidence."""
    exact: int = 0
    """The number of failures it covers that the composition gives exactly."""
    related: int = 0
    """The number of unexplained failures of the same rules: another cause may explain all of them."""
    only_lacks: bool = False
    """Whether it only accounts for missing members, which answers to other requests lack as well."""
    experiments: list[TestInput] = field(default_factory=list)
    """The new inputs that test it."""

    @property
    def shown(self) -> int:
        """The number of new inputs whose answers show it as predicted."""
        return sum(test.shows and test.as_predicted for test in self.experiments)

    @property
    def refuted(self) -> int:
        """The number of new inputs whose answers should show it, and do not."""
        return sum(test.refutes for test in self.experiments)

    @property
    def is_unseen(self) -> bool:
        """Whether many new inputs should show it, none does, and it gives few failures exactly."""
        showing = sum(test.shows for test in self.experiments)
        return showing >= _MANY and not self.shown and self.exact < _FEW_EXACT * len(self.covers)

    @property
    def is_unrefuted(self) -> bool:
        """Whether nothing refutes it and, if it has a condition, it was tested both ways."""
        hidden = any(not test.shows for test in self.experiments)
        refuted = not all(test.as_predicted for test in self.experiments)
        speaks_against = refuted or self.against or self.still_wrong or self.elsewhere or self.unlike
        return not speaks_against and (hidden or not self.candidate.is_conditional)

    @property
    def is_credible(self) -> bool:
        """Whether the runner probably does this, not something else that sometimes gives the same answers."""
        covered = len(self.covers)
        if covered < _FEW_OF_ALL * len(self.case.wrong):
            return False
        few = (_SOME_AGAINST if self.gives_nearly_all else _FEW_AGAINST) * covered
        if self.exact >= _NEARLY_EXACT * covered and not self.candidate.is_conditional:
            few = max(few, min(self.exact // _FOR_ONE_AGAINST, _MOST_AGAINST))
        if len(self.against) > few or len(self.still_wrong) > _FEW_OTHER * covered:
            return False
        if self.only_lacks and self.exact < _FEW_LACKING * covered:
            return False
        if self.candidate.is_inner and 2 * self.exact < covered:
            return False
        if self.candidate.mistake is None:
            least = 1 if self.candidate.is_of_an_error else LEAST_SHOWN
            return covered >= least and self._has_unrefused_inputs()
        if covered >= _MOST_OF_THEM * len(self.case.wrong):  # the op may have its own code
            return True
        return self.elsewhere <= _FEW_ELSEWHERE * max(covered, self.shown_everywhere)

    @property
    def resembles(self) -> bool:
        """Whether a known mistake is only similar to what the runner does."""
        return self.unlike > _FEW_UNLIKE * self.known_changes

    @property
    def gives_nearly_all(self) -> bool:
        """Whether it is a known mistake that gives nearly all failures, perhaps under a condition."""
        is_known = self.candidate.mistake is not None
        return is_known and self.exact >= max(_MANY, _NEARLY_ALL * len(self.case.wrong))

    def _has_unrefused_inputs(self) -> bool:
        """Whether, if it refuses inputs under a condition, the runner answers some that do not meet it."""
        deviation = self.candidate.deviation
        if deviation is None or deviation.kind != "refused":
            return True
        changed = self.case.changed_input if self.candidate.stage == 0 else self.case.changed_answer
        refused = {index: changed((self.candidate,), index) for index in range(len(self.case.requests))}
        accepted = [index for index, value in refused.items() if not isinstance(value, Refused)]
        types = {value.type for value in refused.values() if isinstance(value, Refused)}
        actual = [self.case.evidence[index].actual for index in accepted]
        free = sum(not (isinstance(answer, Refused) and answer.type in types) for answer in actual)
        return free > 0


def are_certain(findings: Iterable[Finding]) -> bool:
    """Whether enough new inputs of all ops show each change, and nothing refutes it in any op."""
    shown, covered, related = Counter[str](), Counter[str](), Counter[str]()
    unrefuted = True
    for finding in findings:
        name = finding.candidate.name
        shown[name] += finding.shown
        covered[name] += len(finding.covers)
        related[name] += finding.related
        unrefuted = unrefuted and finding.is_unrefuted
    return unrefuted and all(
        count >= _TRIED_ENOUGH and related[name] <= _FEW_RELATED * covered[name]
        for name, count in shown.items()
    )
