"""Values, orders of keys, and keys, changed in one way wherever they stand; and constants in their place."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.diagnosis.effects import KEYS, ORDERS, UNCHANGED, VALUES, Effect
from conformance.diagnosis.learning.held import LEAST, Learned, Tally, as_learned
from conformance.diagnosis.learning.seen import Node, Seen
from conformance.diagnosis.learning.values import QUOTED, as_text, nearly, same
from conformance.judging.comparison import Nature
from conformance.judging.content import show
from conformance.wire.pointers import parent_and_key, pointer
from conformance.wire.text import shortened

__all__ = ["changed_keys", "changed_orders", "changed_values", "constants", "last_bits", "renamed_keys"]

_TRIED = 12
"""Departures on which a change is tried before it is held to all evidence."""
_NAMES = 3
"""The most names of keys that are tried."""
_RENAMED = 8
"""How often a key must come under another name: two keys of one object may have the same value."""
_OF_EXTRAS = 0.5
"""The share of all that comes under that name and is not due: else the name is just one key more."""


def changed_values(seen: Seen) -> Iterator[Learned]:
    """Values that come in another way than they are due."""
    yield from _changed(seen, VALUES, _values)


def changed_orders(seen: Seen) -> Iterator[Learned]:
    """Keys that come in another order."""
    yield from _changed(seen, ORDERS, _orders)


def changed_keys(seen: Seen) -> Iterator[Learned]:
    """Keys that come spelled otherwise."""
    yield from _changed(seen, KEYS, _keys)


def renamed_keys(seen: Seen) -> Iterator[Learned]:
    """A key that comes under another name, with the value that is due; failures tell the names.

    Only where nothing else of the object could have come under that name, or the key under another, does a
    failure tell a name: in an object of zeros each new name might be any key's.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for found in seen.predictions.departures.values():
        gone = [(*parent_and_key(one.path), one.expected) for one in found if one.nature is Nature.MISSING]
        new = [(*parent_and_key(one.path), one.actual) for one in found if one.nature is Nature.EXTRA]
        for parent, key, due in gone:
            names = [name for above, name, came in new if above == parent and same(came, due)]
            rivals = [above for above, _, other in gone if above == parent and same(other, due)]
            if len(names) == len(rivals) == 1:
                pairs[key, names[0]] += 1
    extras = Counter(
        parent_and_key(one.path)[1]
        for every in seen.predictions.departures.values()
        for one in every
        if one.nature is Nature.EXTRA
    )
    for (key, name), count in pairs.most_common(_NAMES):
        if count >= _RENAMED and count >= extras[name] * _OF_EXTRAS:
            held = partial(_keys, values_too=True)
            says = f"gives {shortened(show(key), QUOTED)} under the name {shortened(show(name), QUOTED)}"
            yield from _changed(seen, [Effect(says, "keep the name of the key", _called(key, name))], held)


def _called(key: str, name: str) -> Callable[[str], Any]:
    return lambda other: name if other == key else UNCHANGED


def _changed(
    seen: Seen, effects: Iterable[Effect], held: Callable[[Seen, Effect, str, list[Node]], Tally]
) -> Iterator[Learned]:
    for effect in effects:
        whole = Tally()
        for op, places in seen.nodes.items():
            if op in seen.predictions.mute:
                continue
            there = Tally(ops={op})
            for every in places.values():
                tally = held(seen, effect, op, every)
                if tally.holds:
                    there.add(tally)
                elif tally.covers:
                    yield from _conditional(seen, effect, op, tally)
            if there.covers:
                whole.add(there)
        if whole.holds:
            yield as_learned(effect.says, effect.mend, whole)


def _conditional(seen: Seen, effect: Effect, op: str, tally: Tally) -> Iterator[Learned]:
    if len(tally.covers) < LEAST:
        return
    found = seen.conditions.where(tally.covers, tally.against, tally.third - tally.covers.keys())
    taken = {index for _, some, _ in found for index in some}
    if len(taken) >= LEAST:
        where = " or ".join(words for words, _, _ in found)
        against = frozenset(index for _, _, wrongly in found for index in wrongly)
        covers = {index: frozenset(tally.covers[index]) for index in taken}
        yield Learned(effect.says, effect.mend, (op,), covers, against, where=where)


def _values(seen: Seen, effect: Effect, op: str, every: list[Node]) -> Tally:
    return _held(seen, effect.change, op, every)


def _held(seen: Seen, change: Callable[[Any], Any], op: str, every: Sequence[Node]) -> Tally:
    tally = Tally(ops={op})
    wrong = [
        one
        for one in every
        if one.deviation is not None and one.deviation.nature in (Nature.VALUE, Nature.LENGTH)
    ]
    some = wrong[:: max(1, len(wrong) // _TRIED)]
    if not any(same(change(one.due), one.came) for one in some):
        return tally
    for one in every:
        foretold = change(one.due)
        if foretold is UNCHANGED or same(foretold, one.due):
            continue
        if one.came is UNCHANGED:
            tally.against.add(one.index)
        elif one.deviation is not None and one.deviation.nature is Nature.MISSING:
            continue  # what is not there says nothing of what it would have been
        elif same(foretold, one.came):
            tally.covers[one.index].add(one.path)
            tally.covers[one.index] |= {
                path for path in seen.predictions.wrong[one.index] if path.startswith(f"{one.path}/")
            }
        else:
            tally.third.add(one.index)
    return tally


def _orders(seen: Seen, effect: Effect, op: str, every: list[Node]) -> Tally:
    tally = Tally(ops={op})
    wrong = [one for one in every if one.deviation is not None and one.deviation.nature is Nature.ORDER]
    if not any(effect.change(one.deviation.expected) == one.came for one in wrong if one.deviation):
        return tally
    for one in every:
        if not isinstance(one.due, dict):
            continue
        keys = list(one.due)
        foretold = effect.change(keys)
        if foretold == keys:
            continue
        if one.came is UNCHANGED:
            if one.path not in seen.evidence[one.index].unordered:
                tally.against.add(one.index)
        elif foretold == one.came:
            tally.covers[one.index].add(one.path)
        elif one.deviation is not None and one.deviation.nature is Nature.ORDER:
            tally.third.add(one.index)
    return tally


def _keys(seen: Seen, effect: Effect, op: str, every: list[Node], *, values_too: bool = False) -> Tally:
    """Keys that are data, spelled otherwise: one is missing, another has come in its place.

    With ``values_too`` another value under the new name speaks against it.
    """
    tally = Tally(ops={op})
    if not every or not any(
        one.deviation is not None and one.deviation.nature is Nature.MISSING for one in every
    ):
        return tally
    for one in every:
        parent, key = parent_and_key(one.path)
        foretold = effect.change(key)
        if foretold is UNCHANGED or foretold == key:
            continue
        if one.deviation is None:
            tally.against.add(one.index)
        elif one.deviation.nature is Nature.MISSING:
            new = parent + pointer(foretold)
            came = [other.actual for other in seen.predictions.departures[one.index] if other.path == new]
            if not came:
                tally.third.add(one.index)
            elif values_too and not same(came[0], one.due):
                tally.against.add(one.index)
            else:
                tally.covers[one.index] |= {one.path, new}
    return tally


def constants(seen: Seen) -> Iterator[Learned]:
    """Always the same in some place, or always the same for one thing that is due."""
    for op, places in seen.nodes.items():
        if op in seen.predictions.mute:
            continue
        for where, every in places.items():
            came = Counter(
                as_text(one.came)
                for one in every
                if one.deviation is not None and one.deviation.nature in (Nature.VALUE, Nature.LENGTH)
            )
            for text, count in came.most_common(3):
                if count < LEAST:
                    continue
                value = next(
                    one.came for one in every if one.deviation is not None and as_text(one.came) == text
                )
                dues = Counter(
                    as_text(one.due)
                    for one in every
                    if one.deviation is not None and as_text(one.came) == text
                )
                tally = _held(seen, _always(value), op, every)
                name = where.rpartition("/")[2] or where
                what = f"gives {shortened(show(value), QUOTED)}"
                at = "" if name == "*" else f" for {name}"
                mend = "give what is due there"
                if tally.holds and len(dues) > 1:
                    yield as_learned(f"always {what}{at}", mend, tally)
                    continue
                for due, times in dues.most_common(2):
                    if times >= LEAST:
                        only = _held(seen, _always(value, due), op, every)
                        instead = f"{what}{at} where {shortened(due, QUOTED)} is due"
                        if only.holds:
                            yield as_learned(instead, mend, only)
                        else:
                            yield from _conditional(
                                seen, Effect(instead, mend, _always(value, due)), op, only
                            )
                if len(dues) > 1:
                    yield from _conditional(seen, Effect(f"{what}{at}", mend, _always(value)), op, tally)


def last_bits(seen: Seen) -> Iterator[Learned]:
    """Floats that are nearly right: it can be said what they are, not which will come."""
    tally = Tally()
    for op, failures in seen.predictions.failures.items():
        for index in failures:
            for one in seen.predictions.departures[index]:
                if nearly(one.expected, one.actual):
                    tally.covers[index].add(one.path)
                    tally.ops.add(op)
    if tally.covers:
        made = as_learned(
            "gives floats of which only the last bits differ",
            "add up as CPython 3.12 does (a compensated sum), in the same order, and divide last",
            tally,
        )
        yield replace(made, foretells=False)


def _always(value: Any, due: str | None = None) -> Callable[[Any], Any]:
    def change(expected: Any) -> Any:
        return value if due is None or as_text(expected) == due else UNCHANGED

    return change
