"""What speaks for a mistake and against it, and how much of either decides whether it is named.

The open-world benchmark of the self-assessment measures what these thresholds do.
"""

from dataclasses import dataclass

__all__ = ["Support"]

_FEW_AGAINST = 0.05
"""Of what shows a mistake, how much may speak against it: a runner is no copy of the catalogue."""
_FEW_WHOLE = 0.1
"""Of what shows it, how much must be explained in whole: a part may be a part of anything."""
_FEW_NEAR = 0.25
"""Of what shows it, how much unexplained may be near: more, and it is a part of some larger deviation."""
_FEW_NEAR_CLEAN = 0.5
"""The same where many are explained in whole, and no answer says otherwise."""
_FEW_NEAR_INSTEAD = 0.1
"""The same where another stood in front of it that was not credible."""
_ENOUGH_BESIDE_GAPS = 20
"""What must show it before it may be missing here and there, beside more that stays unexplained."""
_FEW_THIRD = 0.1
"""The same of failures that are wrong in another way, and of the near ones beside these."""
_ENOUGH_BESIDE_THIRD = 15
"""What must show a mistake before any of these are forgiven."""
_ENOUGH_IN_ONE_OP = 8
"""What must show it before it is said to be made in one op, and not in others."""


@dataclass(frozen=True, slots=True)
class Support:
    """What the evidence says of one mistake of a set; numbers are indexes of evidence."""

    ops: tuple[str, ...]
    """Where it is made."""
    shown: frozenset[int]
    """Failures in which it has a part, as the runner gives them."""
    whole: frozenset[int]
    """Those of them that are explained in whole."""
    against: frozenset[int]
    """Where it would show, and the runner is right, in those ops and in others."""
    at_home: bool
    """Whether it is made in the op that it belongs to, as far as that op was asked."""
    elsewhere: frozenset[int]
    """Those of them that are of ops where it is not made."""
    third: frozenset[int]
    """Failures at which it would show, and the runner is wrong in another way."""
    near: frozenset[int]
    """Failures that stay unexplained, in the same place of an answer and of the same clause as ``shown``."""
    beside: frozenset[int]
    """All failures of its ops that stay unexplained."""
    foretold: int
    """How often it would show, made alone."""
    by_itself: bool
    """Whether the runner does all that it would do alone, no other mistake being needed for the rest."""

    @property
    def credible(self) -> bool:
        """Whether the runner makes this mistake, and not another that only answers alike here and there."""
        shown, third, near = len(self.shown), len(self.third), len(self.near)
        here = len(self.against) - len(self.elsewhere)
        if here > _FEW_AGAINST * shown or len(self.whole) < max(1.0, _FEW_WHOLE * shown):
            return False
        if self.elsewhere and (shown < _ENOUGH_IN_ONE_OP or not self.at_home):
            return False
        if shown < min(self.foretold, _ENOUGH_BESIDE_GAPS) and len(self.beside) > shown:
            return False
        if third:
            few = _FEW_THIRD * shown
            return shown >= _ENOUGH_BESIDE_THIRD and third <= few and near <= few
        return near <= (_FEW_NEAR_CLEAN if self.clean else _FEW_NEAR) * shown

    @property
    def clean(self) -> bool:
        """Whether many failures are explained in whole, and no answer says otherwise."""
        return self.by_itself and len(self.whole) >= _ENOUGH_BESIDE_THIRD

    @property
    def alone_enough(self) -> bool:
        """Whether it may stand for one that was not credible, and showed in the same failures."""
        return self.credible and len(self.near) <= _FEW_NEAR_INSTEAD * len(self.shown)

    @property
    def certain(self) -> bool:
        """Whether all answers are what a runner gives that makes this mistake."""
        return self.by_itself and not (self.against or self.third or self.beside)
