"""Symptoms: what failures that no change explains have in common.

Some symptoms describe what the runner does: a float instead of an int, another order of operations, an
exception that escapes. The others only describe what is wrong.
"""

from functools import cache
from typing import NamedTuple

from conformance.diagnosis.case import Case, member_fault
from conformance.diagnosis.departures import Departure
from conformance.diagnosis.observation import is_last_bits
from conformance.judging.comparison import Level, Nature
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Refused
from conformance.wire.text import printable

__all__ = ["ACCEPTS", "BITS", "ESCAPES", "Symptom", "symptom"]

ESCAPES = "escapes"
"""The group of failures where an exception escapes."""
ACCEPTS = " accepts"
"""The suffix of groups where a value replaces an error."""
BITS = " bits"
"""The suffix of groups where only the last bits differ."""
_NAMED = 3
_LAST_BITS = 1 << 13
"""Units in the last place that another formula may differ by: logarithms lose a dozen bits."""
_MIXED = "ints instead of floats, or the reverse, or the wrong sign of zero"
_KINDS = {
    (int, float): "a float instead of an int",
    (float, int): "an int instead of a float",
    (float, float): "the wrong sign of zero",
    (int, int): "an int rounded to a double",
}
"""What is wrong, by the types of the expected and the actual number."""


class Symptom(NamedTuple):
    """A common feature of some failures."""

    group: str
    says: str
    do: str
    """Empty if the rules are the best advice."""
    is_cause: bool = False
    """Whether it describes what the runner does, not only what is wrong."""


def symptom(case: Case, index: int) -> Symptom:
    """The symptom of one failure."""
    item, departures = case.evidence[index], case.departures[index]
    op = case.op.name
    if case.is_constant:
        assert item.actual is not None
        says = f"{op} gives the same answer to every input"
        return Symptom(f"{op} mute", says, "implement it", is_cause=True)
    if isinstance(item.actual, Refused):
        error = printable(item.actual.type)[:60]
        if item.actual.type not in case.errors | _errors(case.op.spec, op):
            return Symptom(
                ESCAPES,
                f"an exception escapes: {error}, which no rule of {op} mentions",
                "catch it, and reply with the expected value or error",
                is_cause=True,
            )
        return Symptom(f"{op} {error}", f"{op} wrongly fails with {error}", "")
    if isinstance(item.expected, Refused):
        return Symptom(op + ACCEPTS, f"{op} returns a value where an error is expected", "")
    if all(departure.breaks is Level.EXACT for departure in departures):
        kinds = {(type(departure.expected), type(departure.actual)) for departure in departures}
        fault = _KINDS.get(kinds.pop(), _MIXED) if len(kinds) == 1 else _MIXED
        return Symptom(f"{op} exact {fault}", f"{op} returns {fault}", "", is_cause=fault is not _MIXED)
    if all(is_last_bits(departure, _LAST_BITS) for departure in departures):
        do = "compute in the order that the rule gives, one operation at a time"
        says = f"{op} uses other arithmetic operations, or another order: only the last bits differ"
        return Symptom(op + BITS, says, do, is_cause=True)
    if all(departure.breaks is Level.BYTES for departure in departures):
        return _spelling(op, departures)
    if case.usual_faults & {member_fault(departure) for departure in departures}:
        pairs = (("lack", Nature.MISSING), ("have unexpected members:", Nature.EXTRA))
        parts = [f"{verb} {names}" for verb, nature in pairs if (names := _listed(case, nature))]
        says = f"the answers of {op} {', and '.join(parts)}"
        do = "write exactly the expected members"
        return Symptom(f"{op} members", says, do, is_cause=True)
    return Symptom(f"{op} unknown", f"no known cause explains these answers to {op}", "")


@cache
def _errors(spec: str, op: str) -> frozenset[str]:
    """The error types that any vector of the op expects; the run may have asked only some vectors."""
    expected = [vector.expected or {} for vector in load_spec(spec) if vector.op.name == op]
    return frozenset(answer["error"]["type"] for answer in expected if "error" in answer)


def _spelling(op: str, departures: tuple[Departure, ...]) -> Symptom:
    if all(departure.nature is Nature.ORDER or _is_order_in_text(departure) for departure in departures):
        return Symptom(
            f"{op} order", f"the answers of {op} differ only in the order of keys", "", is_cause=True
        )
    says = f"the output of {op} differs only in its layout; the values are right"
    do = "write JSON as harbor does: indentation, separators, escapes and the end of the file"
    return Symptom(f"{op} layout", says, do, is_cause=True)


def _is_order_in_text(departure: Departure) -> bool:
    """Whether two texts, which may be JSON, have the same characters in another order."""
    texts = departure.expected, departure.actual
    return all(isinstance(text, str) for text in texts) and sorted(texts[0]) == sorted(texts[1])


def _listed(case: Case, nature: Nature) -> str:
    names = sorted(name for fault, name in case.usual_faults if fault is nature)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{printable(name)}`" for name in names[:_NAMED]) + more
