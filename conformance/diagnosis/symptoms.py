"""What failures have in common that no change explains.

Some symptoms say what the runner does: a float for an int, another order of operations, an exception that
escapes. The others only say what is wrong.
"""

from functools import cache
from typing import NamedTuple

from conformance.diagnosis.case import Case, member_of
from conformance.diagnosis.deviation import Deviation
from conformance.diagnosis.observation import is_last_bits
from conformance.judging.comparison import Level, Nature
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Refused
from conformance.wire.text import printable

__all__ = ["ACCEPTS", "BITS", "ESCAPES", "Symptom", "symptom"]

ESCAPES = "escapes"
"""The group of failures that end in an exception."""
ACCEPTS = " accepts"
"""How the groups of answers end that replace an error."""
BITS = " bits"
"""How the groups end in which only the last bits differ."""
_NAMED = 3
_LAST_BITS = 1 << 13
"""Units in the last place by which another formula may differ: logarithms lose a dozen bits."""
_MIXED = "an int for a float, or the reverse, or another sign of zero"
_KINDS = {
    (int, float): "a float for an int",
    (float, int): "an int for a float",
    (float, float): "another sign of zero",
    (int, int): "an int that a double has rounded",
}
"""By the types of the expected and of the actual number, what is wrong."""


class Symptom(NamedTuple):
    """What some failures have in common."""

    group: str
    says: str
    do: str
    """Empty where the rules say it best."""
    is_cause: bool = False
    """Whether it says what the runner does, and not only what is wrong."""


def symptom(case: Case, index: int) -> Symptom:
    """The symptom of one failure."""
    one, found = case.evidence[index], case.departures[index]
    op = case.op.name
    if case.mute:
        assert one.actual is not None
        says = f"the runner gives every input of {op} the same answer"
        return Symptom(f"{op} mute", says, "implement it", is_cause=True)
    if isinstance(one.actual, Refused):
        error = printable(one.actual.type)[:60]
        if one.actual.type not in case.errors | _errors(case.op.spec, op):
            return Symptom(
                ESCAPES,
                f"an exception escapes: {error}, which no rule of {op} gives",
                "catch it, and answer with the value or the error that is expected",
                is_cause=True,
            )
        return Symptom(f"{op} {error}", f"{op} ends in the error {error}", "")
    if isinstance(one.expected, Refused):
        return Symptom(op + ACCEPTS, f"{op} answers where an error is expected", "")
    if all(each.breaks is Level.EXACT for each in found):
        kinds = {(type(each.expected), type(each.actual)) for each in found}
        what = _KINDS.get(kinds.pop(), _MIXED) if len(kinds) == 1 else _MIXED
        return Symptom(f"{op} exact {what}", f"{op} gives {what}", "", is_cause=what is not _MIXED)
    if all(is_last_bits(each, _LAST_BITS) for each in found):
        do = "compute in the order of the rule, one operation at a time"
        says = f"{op} computes with other operations, or in another order: only the last bits differ"
        return Symptom(op + BITS, says, do, is_cause=True)
    if all(each.breaks is Level.BYTES for each in found):
        return _spelling(op, found)
    if case.usual & {member_of(each) for each in found}:
        pairs = (("lacks", Nature.MISSING), ("has", Nature.EXTRA))
        parts = [f"{verb} {names}" for verb, nature in pairs if (names := _listed(case, nature))]
        says = f"what {op} gives {', and '.join(parts)}"
        do = "write the members that are expected, and no others"
        return Symptom(f"{op} members", says, do, is_cause=True)
    return Symptom(f"{op} unknown", f"nothing known accounts for these answers to {op}", "")


@cache
def _errors(spec: str, op: str) -> frozenset[str]:
    """The types of error that any vector of the op expects; the run may have asked a few."""
    expected = [one.expected or {} for one in load_spec(spec) if one.op.name == op]
    return frozenset(one["error"]["type"] for one in expected if "error" in one)


def _spelling(op: str, found: tuple[Deviation, ...]) -> Symptom:
    if all(each.nature is Nature.ORDER or _is_order_in_text(each) for each in found):
        return Symptom(f"{op} order", f"only the order of keys differs in {op}", "", is_cause=True)
    says = f"only the layout of what {op} writes differs: its values are right"
    do = "write JSON as harbor does: indent, separators, escapes and the end of the file"
    return Symptom(f"{op} layout", says, do, is_cause=True)


def _is_order_in_text(one: Deviation) -> bool:
    """Whether two texts, which may hold JSON, have the same characters in another order."""
    texts = one.expected, one.actual
    return all(isinstance(text, str) for text in texts) and sorted(texts[0]) == sorted(texts[1])


def _listed(case: Case, nature: Nature) -> str:
    names = sorted(name for each, name in case.usual if each is nature)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{printable(name)}`" for name in names[:_NAMED]) + more
