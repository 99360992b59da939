"""What failures have in common that no change explains.

Some symptoms say what the runner does: a float for an int, another order of operations, an exception that
escapes. The others only say what is wrong.
"""

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from conformance.diagnosis.case import Case
from conformance.diagnosis.deviation import Deviation
from conformance.diagnosis.observation import is_last_bits
from conformance.judging.comparison import ABSENT, Level, Nature
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import printable

__all__ = ["ACCEPTS", "BITS", "ESCAPES", "Symptom", "symptom"]

ESCAPES = "escapes"
"""The group of failures that end in an exception."""
ACCEPTS = " accepts"
"""How the groups of answers end that replace an error."""
BITS = " bits"
"""How the groups end in which only the last bits differ."""
_MOST = 0.5
_NAMED = 3
_MANY = 8
"""How many failures have to agree on the members that all answers have."""
_MOST_NUMBERS = 12
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
    if case.has_own_shape(index):
        says = f"what {op} writes has a shape of its own: {_members(found)}"
        return Symptom(f"{op} shape", says, "write the members that the schema names", is_cause=True)
    if (members := _numbered(case, found)) is not None:
        says = f"the answers to {op} have {members}"
        return Symptom(f"{op} members", says, "give exactly the members that are expected", is_cause=True)
    if _usual(case) & {_member(each) for each in found}:
        pairs = (("lacks", Nature.MISSING), ("has", Nature.EXTRA))
        parts = [f"{verb} {names}" for verb, nature in pairs if (names := _listed(case, nature))]
        says = f"what {op} gives {', and '.join(parts)}"
        return Symptom(
            f"{op} usual", says, "write the members that are expected, and no others", is_cause=True
        )
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


def _numbered(case: Case, found: tuple[Deviation, ...]) -> str | None:
    """The numbered members that the answers have, such as k of pass@k, where only that is wrong.

    None if other answers have one that this answer lacks, or should have one that it has too many: then it
    depends on the input, and the numbers say nothing.
    """
    if not all(_is_numbered(each) for each in found):
        return None
    case.numbers = case.numbers or _numbers(case)
    if case.numbers is None:
        return None
    given, expected = case.numbers
    if not all((_number(each) in given) is (each.nature is Nature.EXTRA) for each in found):
        return None
    if any(each.nature is Nature.EXTRA and _number(each) in expected for each in found):
        return None
    if not given:
        return "no members at all"
    shown = ", ".join(map(str, sorted(given)[:_MOST_NUMBERS]))
    return f"members for {shown}{', …' if len(given) > _MOST_NUMBERS else ' only'}"


def _numbers(case: Case) -> tuple[frozenset[int], frozenset[int]] | None:
    """Numbers that are members of answers, and of expected ones; None if few answers differ in them alone."""
    alike = [one for one in case.departures.values() if all(map(_is_numbered, one))]
    if len(alike) < _MANY:
        return None
    parents = {each.path.rpartition("/")[0] for one in alike for each in one}
    given: set[int] = set()
    expected: set[int] = set()
    for one in case.evidence:
        actual = one.expected if one.passed else one.actual
        if isinstance(one.expected, Ok) and isinstance(actual, Ok):
            for parent in parents:
                given.update(map(int, _object_at(actual.value, parent)))
                expected.update(map(int, _object_at(one.expected.value, parent)))
    return frozenset(given), frozenset(expected)


def _number(one: Deviation) -> int:
    return int(one.path.rpartition("/")[2])


def _is_numbered(one: Deviation) -> bool:
    return one.nature in (Nature.MISSING, Nature.EXTRA) and one.path.rpartition("/")[2].isdecimal()


def _object_at(value: Any, path: str) -> list[str]:
    """The numbered members of the object at a JSON pointer."""
    for step in path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value.get(key) if isinstance(value, dict) else None
    return [key for key in value if key.isdecimal()] if isinstance(value, dict) else []


def _member(one: Deviation) -> tuple[Nature | None, str]:
    """What is wrong with a member, and its name."""
    return one.nature, one.path.rpartition("/")[2]


def _usual(case: Case) -> frozenset[tuple[Nature | None, str]]:
    """The members that most wrong answers lack, or have though none is expected."""
    if case.members is None:
        answers = [
            found for index, found in case.departures.items() if isinstance(case.evidence[index].actual, Ok)
        ]
        counts = Counter(one for found in answers for one in set(map(_member, found)))
        least = max(_MANY, _MOST * len(answers))
        case.members = frozenset(
            one
            for one, count in counts.items()
            if one[0] in (Nature.MISSING, Nature.EXTRA) and count >= least
        )
    return case.members


def _listed(case: Case, nature: Nature) -> str:
    names = sorted(name for each, name in _usual(case) if each is nature)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{printable(name)}`" for name in names[:_NAMED]) + more


def _members(found: tuple[Deviation, ...]) -> str:
    missing = [each.path for each in found if each.actual is ABSENT]
    extra = [each.path for each in found if each.expected is ABSENT]
    said = [
        f"{what} {', '.join(paths[:_NAMED])}" + (", …" if len(paths) > _NAMED else "")
        for what, paths in (("without", missing), ("with", extra))
        if paths
    ]
    return printable(" and ".join(said))
