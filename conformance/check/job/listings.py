"""Holds the lists of trial names in reward_stats and exception_stats to the trials."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from conformance.check.findings import Finding
from conformance.check.job.listing import number_of
from conformance.check.reading.json_files import Members, pointer, show
from conformance.judging.comparison import Level
from reference_impl.json_text import JsonObject

__all__ = ["listing_findings"]

_CLAUSES = {"reward_stats": "003-3.3-reward-stats", "exception_stats": "003-3.3-exception-stats"}
_MOST_NAMED = 3

Lists = list[tuple[str, list[str]]]
"""Trial names by the spelling of a reward, or by type of exception, in order; a spelling may come again."""


def listing_findings(file: str, place: str, kind: str, due: JsonObject, found: Any) -> Iterator[Finding]:
    """What is wrong with a group's reward_stats or exception_stats; one finding for each reward key."""
    clause = _CLAUSES[kind]
    if kind == "exception_stats":
        yield from _lists(file, place, clause, _due(due), found)
        return
    if not isinstance(found, Members):
        yield Finding("schema", file, place, show(found), "an object", clause)
        return
    keys, due_keys = [key for key, _ in found], [key for key, _ in due.members]
    members, due_members = found.last(), dict(due.members)
    missing = [key for key in due_keys if key not in members]
    extra = [key for key in members if key not in due_members]
    renamed = {missing[0]: extra[0]} if len(missing) == len(extra) == 1 else {}
    if renamed:
        what = (f"the key {show(extra[0])}", f"the key {show(missing[0])}")
        yield Finding("listing", file, place + pointer(extra[0]), *what, clause)
    else:
        for key in missing:
            yield Finding("listing", file, place + pointer(key), "nothing", "the key's rewards", clause)
        for key in extra:
            yield Finding("listing", file, place + pointer(key), show(members[key]), "no such key", clause)
        for key in found.repeats():
            yield Finding("duplicate-key", file, place + pointer(key), "the key twice", "once", clause)
    if sorted(keys) == sorted(due_keys) != [] and keys != due_keys:
        what = (show(keys), show(due_keys))
        likely = "keys come in the order in which the trials bring them"
        yield Finding("order", file, place, *what, "003-3.3-first-seen-order", likely, Level.BYTES)
    for key, lists in due.members:
        name = renamed.get(key, key)
        if name in members:
            assert isinstance(lists, JsonObject)
            yield from _lists(file, place + pointer(name), clause, _due(lists), members[name])


def _due(tree: JsonObject) -> Lists:
    return [(key, [str(name) for name in names]) for key, names in tree.members if isinstance(names, list)]


def _found(value: Any) -> Lists | None:
    """The lists of a file, None if they are none."""
    if not isinstance(value, Members):
        return None
    for _, names in value:
        if not isinstance(names, list) or not all(map(str.__instancecheck__, names)):
            return None
    return list(value)


def _lists(file: str, place: str, clause: str, due: Lists, value: Any) -> Iterator[Finding]:
    """At most one finding, at the narrowest place that holds all that is wrong."""
    if not isinstance(value, Members):
        yield Finding("schema", file, place, show(value), "an object", clause)
        return
    for key, names in value:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            where = place + pointer(key)
            yield Finding("schema", file, where, show(names), "an array of trial names", clause)
            return
    found: Lists = list(value)
    if found == due:
        return
    yield (
        _respelled(file, place, clause, due, found)
        or _as_other_numbers(file, place, due, found)
        or _moved(file, place, clause, due, found)
    )


def _respelled(file: str, place: str, clause: str, due: Lists, found: Lists) -> Finding | None:
    """The finding if the names are right and one key over them is not."""
    if [names for _, names in due] != [names for _, names in found]:
        return None
    wrong = [(left, right) for (left, _), (right, _) in zip(due, found, strict=True) if left != right]
    if len(wrong) > 1:
        return None
    ((spelling, other),) = wrong
    breaks, likely = Level.VALUE, None
    try:
        numbers = [(float(left), float(right)) for left, right in wrong]
    except (ValueError, OverflowError):
        numbers = []
    if numbers and all(left == right or left != left != right for left, right in numbers):
        kinds = [[any(mark in text for mark in ".enai") for text in pair] for pair in wrong]
        breaks = Level.EXACT if any(left != right for left, right in kinds) else Level.BYTES
        likely = "keys are spelled as Python's repr spells them"
        clause = "003-3.3-key-text"
    what = (f"the key {show(other)}", f"the key {show(spelling)}")
    return Finding("listing", file, place + pointer(other), *what, clause, likely, breaks)


def _as_other_numbers(file: str, place: str, due: Lists, found: Lists) -> Finding | None:
    """The finding if every name is under its number, and the numbers are spelled otherwise, as 0 for 0.0."""
    if _by_number(due) != _by_number(found) or _places(due) == _places(found):
        return None
    likely = "keys are spelled as Python's repr spells them"
    what = (_keys(found), _keys(due))
    return Finding("listing", file, place, *what, "003-3.3-key-text", likely, Level.EXACT)


def _by_number(lists: Lists) -> dict[int | float | str, Counter[str]]:
    """Names by what a key spells, a NaN and what is no number by its spelling."""
    found: dict[int | float | str, Counter[str]] = {}
    for key, names in lists:
        number = number_of(key)
        place = key if number is None or number != number else number
        found.setdefault(place, Counter()).update(names)
    return found


def _moved(file: str, place: str, clause: str, due: Lists, found: Lists) -> Finding:
    """The finding if names are missing, too many, in the wrong list or in another order."""
    where, where_due = _places(found), _places(due)
    names = [name for name in dict.fromkeys([*where, *where_due]) if where.get(name) != where_due.get(name)]
    if names:
        lists = {
            key for name in names for key in (where[name] - where_due[name]) + (where_due[name] - where[name])
        }
        at = place + pointer(*lists) if len(lists) == 1 else place
        shown = names[:_MOST_NAMED]
        rest = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        return Finding(
            *("listing", file, at, "; ".join(_under(name, where[name]) for name in shown) + rest),
            *("; ".join(_under(name, where_due[name]) for name in shown) + rest, clause),
        )
    if Counter(key for key, _ in due) != Counter(key for key, _ in found):
        likely = "each NaN has a key of its own, unless several come from bare NaNs in reward.json files"
        return Finding("listing", file, place, _keys(found), _keys(due), "003-3.3-reward-stats-nan", likely)
    likely = "names come in trial order, and keys in the order in which trials bring them"
    for (key, left), (other, right) in zip(due, found, strict=False):
        if key == other and left != right and Counter(left) == Counter(right):
            index = next(i for i, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1])
            at = place + pointer(key, index)
            return Finding(
                "order", file, at, show(right[index]), show(left[index]), clause, likely, Level.BYTES
            )
    clause = "003-3.3-first-seen-order"
    return Finding("order", file, place, _keys(found), _keys(due), clause, likely, Level.BYTES)


def _keys(lists: Lists) -> str:
    return show([key for key, _ in lists])


def _places(lists: Lists) -> defaultdict[str, Counter[str]]:
    """How often each name stands under each key."""
    places: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, names in lists:
        for name in names:
            places[name][key] += 1
    return places


def _under(name: str, keys: Counter[str]) -> str:
    where = ", ".join(
        f"{show(key)}" + (f" ({count} times)" if count > 1 else "") for key, count in keys.items()
    )
    return f"{show(name)} under {where}" if where else f"{show(name)} under nothing"
