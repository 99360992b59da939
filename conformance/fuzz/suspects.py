"""The known mistakes that answer as the runner did: a quick look at one input, to tell causes apart.

Whether a mistake is named as likely is for ``conformance.diagnosis``, which holds it to all evidence.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from conformance.judging.comparison import Level, differences, reached
from conformance.mistakes.catalogue import all_mistakes, made
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS
from conformance.wire.messages import Failed, Ok, Refused

if TYPE_CHECKING:
    from conformance.fuzz.causes import Disagreement

__all__ = ["Suspects"]

_SECONDS = 1.0
"""The longest look at one disagreement: loading a mistake takes much longer than asking it."""
_SHARE = 0.05
"""The share of a run's time that goes into looks, beyond the first few."""
_MOST_VARIANTS = 128
"""Copies kept loaded, of about half a megabyte each."""


class Suspects:
    """Copies of the reference that make known mistakes, loaded when they are first asked."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._variants: OrderedDict[str, Variant] = OrderedDict()
        self.cut_short = False
        """Whether the last look had no time for all mistakes."""
        self._spent = 0.0
        self._since = time.monotonic()

    def explaining(self, one: Disagreement) -> frozenset[str]:
        """The mistakes that give the runner's answer, as far as the time for this reaches."""
        began = time.monotonic()
        self.cut_short = False
        if isinstance(one.actual, Failed) or self._spent > _SECONDS + _SHARE * (began - self._since):
            return frozenset()
        found = set()
        for name in self._likely_first(one.op):
            if self._gives(name, one):
                found.add(name)
            if time.monotonic() - began > _SECONDS:
                self.cut_short = True
                break
        self._spent += time.monotonic() - began
        return frozenset(found)

    def giving(self, names: Collection[str], one: Disagreement, *, all_of_them: bool) -> frozenset[str]:
        """Those of the mistakes that give the runner's answer to this too; all of ``names`` if one does."""
        if isinstance(one.actual, Failed):
            return frozenset()
        if all_of_them:
            return frozenset(name for name in names if self._gives(name, one))
        return frozenset(names) if any(self._gives(name, one) for name in sorted(names)) else frozenset()

    @staticmethod
    def _likely_first(op: str) -> Iterable[str]:
        """The mistakes that may show in an op, its own first."""
        spec = OPS[op].spec
        known = all_mistakes(spec)
        own = [name for name, one in known.items() if one.op == op]
        shows = OPS[op].shows
        others = [name for name, one in known.items() if one.op != op and (one.op in shows or "*" in shows)]
        return (*own, *others)

    def _gives(self, name: str, one: Disagreement) -> bool:
        answer = self._variant(name).answer(one.op, one.input)
        match answer, one.actual:
            case (Ok(mine), Ok(theirs)):
                return reached(differences(OPS[one.op], mine, theirs, one.unordered)) >= self._level
            case (Refused(mine_type, mine_code, _), Refused(their_type, their_code, _)):
                return (mine_type, mine_code) == (their_type, their_code)
        return False

    def _variant(self, name: str) -> Variant:
        if name in self._variants:
            self._variants.move_to_end(name)
            return self._variants[name]
        if len(self._variants) >= _MOST_VARIANTS:
            self._variants.popitem(last=False)
        self._variants[name] = made(all_mistakes()[name])
        return self._variants[name]
