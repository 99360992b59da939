"""What a list may be filtered by, without a script: each value of a facet is a class of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Facet", "Value", "facets_of", "labels", "rules", "tokens_of"]

_MOST_FACETS = 6
_MOST_VALUES = 80
_FEWEST_ROWS = 4
"""A list that is shorter is seen at a glance."""
_PILLS = 5
"""A facet with more values is a menu."""
_HIDDEN = ":is(tbody>tr:not(:target,:has(:target)),.f)"


@dataclass(frozen=True, slots=True)
class Value:
    """One value, of so many rows."""

    name: str
    count: int
    token: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that rows differ by."""

    name: str
    letter: str
    values: tuple[Value, ...]

    @property
    def menu(self) -> bool:
        """Whether its values are chosen from a menu, as they are many."""
        return len(self.values) > _PILLS


def facets_of(rows: Sequence[Mapping[str, str]]) -> tuple[Facet, ...]:
    """The facets that it makes sense to filter by: rows differ in them, and their values can be listed."""
    if len(rows) < _FEWEST_ROWS:
        return ()
    counted: dict[str, dict[str, int]] = {}
    for row in rows:
        for name, value in row.items():
            values = counted.setdefault(name, {})
            values[value] = values.get(value, 0) + 1
    found: list[Facet] = []
    for name, values in counted.items():
        if 1 < len(values) <= _MOST_VALUES and len(found) < _MOST_FACETS:
            letter = "abcdef"[len(found)]
            each = (Value(value, count, f"{letter}{at}") for at, (value, count) in enumerate(values.items()))
            found.append(Facet(name, letter, tuple(each)))
    return tuple(found)


def tokens_of(facets: Sequence[Facet], row: Mapping[str, str]) -> str:
    """The classes of a row."""
    found = []
    for facet in facets:
        value = row.get(facet.name)
        found += [each.token for each in facet.values if each.name == value]
    return " ".join(found)


def rules(most: Mapping[str, int]) -> str:
    """The style rules that hide the rows which don't have the chosen value; of each letter, so many.

    The row that the address points at stays, whatever is chosen; of failures, ``style.css`` sees to that.
    """
    lines = [
        f".list:has([value={letter}{at}]:checked) {_HIDDEN}:not(.{letter}{at})"
        for letter in sorted(most)
        for at in range(most[letter])
    ]
    return ",\n".join(lines) + "{display:none}\n" if lines else ""


def labels(heads: Sequence[Sequence[str]]) -> str:
    """The style rules that write a column's name before its cells where rows stand as cards."""
    lines = [
        f".h{at} td:nth-child({column + 1})::before{{content:{_string(name[:60] + ' ')}}}"
        for at, head in enumerate(heads)
        for column, name in enumerate(head)
        if column and name
    ]
    return "@media (max-width:40rem){\n" + "\n".join(lines) + "}\n" if lines else ""


def _string(text: str) -> str:
    """The text as a style sheet writes it, of letters and digits alone: nothing ends it, or the style."""
    return '"' + "".join(char if char.isascii() and char.isalnum() else _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    return f"\\{ord(char):06x}" if char.isprintable() else f"U+{ord(char):04X}".replace("+", "\\00002b")
