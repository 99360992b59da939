"""Members of objects: those that are never there, those that always are, and what is kept of several."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.diagnosis.learning.held import FEW_AGAINST, LEAST, Learned, Tally, as_learned
from conformance.diagnosis.learning.seen import Seen
from conformance.diagnosis.learning.values import listed
from conformance.diagnosis.places import place
from conformance.judging.comparison import Nature
from conformance.judging.content import show
from conformance.wire.pointers import parent_and_key, pointer

__all__ = ["members"]


_OF_DATA = 0.5
"""The share of objects, empty ones apart, that must have a key too many where keys are data."""


def members(seen: Seen) -> Iterator[Learned]:
    """Members that are never there, or always are, though harbor has them, or has not."""
    for op, failures in seen.predictions.failures.items():
        if op in seen.predictions.mute:
            continue
        missing: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        extra: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        paths: dict[tuple[int, str], set[str]] = defaultdict(set)
        for index in failures:
            for one in seen.predictions.departures[index]:
                if one.nature not in (Nature.MISSING, Nature.EXTRA):
                    continue
                parent, key = parent_and_key(one.path)
                where = place(op, parent)
                group = missing if one.nature is Nature.MISSING else extra
                group[where][key].add(index)
                paths[index, where + pointer(key)].add(one.path)
        tally, gone, new = Tally(ops={op}), [], []
        there = _there(seen, op, set(missing) | set(extra))
        data = {
            where
            for where, found in there.items()
            if any(place(op, where + pointer(key)).endswith("*") for due in found.values() for key in due)
        }
        for where, keys in missing.items():
            for key, shown in keys.items():
                if len(shown) < LEAST:
                    continue
                kept = {index for index, found in there[where].items() if key in found} - shown
                if len(kept & set(seen.predictions.passes[op])) > FEW_AGAINST * len(shown):
                    continue
                if where in data and kept:  # one of many names, that comes at times
                    continue
                gone.append(key)
                tally.against |= {index for index in kept if seen.evidence[index].passed}
                for index in shown:
                    tally.covers[index] |= paths[index, where + pointer(key)]
        for where, keys in extra.items():
            for key, shown in keys.items():
                objects = {index for index, due in there[where].items() if due or where not in data}
                if len(shown) < LEAST or (where in data and len(shown) < len(objects) * _OF_DATA):
                    continue
                without = {index for index in objects if seen.evidence[index].passed}
                if len(without) > FEW_AGAINST * len(shown):
                    continue
                new.append(key)
                tally.against |= without
                for index in shown:
                    tally.covers[index] |= paths[index, where + pointer(key)]
        if gone or new:
            says = " and ".join(
                [
                    *([f"leaves out {listed(gone)}"] if gone else []),
                    *([f"has {listed(new)} besides"] if new else []),
                ]
            )
            yield as_learned(says, "give exactly the members that are due", tally)
        yield from _only_kept(seen, op, missing, paths, there)
        yield from _too_few_keys(seen, op, paths, there)


def _there(seen: Seen, op: str, wanted: set[str]) -> dict[str, dict[int, set[str]]]:
    """By place and evidence, the keys that are due there."""
    found: dict[str, dict[int, set[str]]] = {where: {} for where in wanted}
    for where in wanted:
        for one in seen.nodes[op].get(where, ()):
            if isinstance(one.due, dict):
                found[where].setdefault(one.index, set()).update(one.due)
    return found


def _too_few_keys(
    seen: Seen,
    op: str,
    paths: Mapping[tuple[int, str], set[str]],
    there: Mapping[str, Mapping[int, set[str]]],
) -> Iterator[Learned]:
    """Where keys are data, one comes, whatever it is called, though several are due."""
    for where, due in there.items():
        if not all(place(op, where + pointer(key)).endswith("*") for keys in due.values() for key in keys):
            continue
        tally, named = Tally(ops={op}), Counter[str]()
        for index, keys in due.items():
            if len(keys) < LEAST:
                continue
            lost = {key for key in keys if paths.get((index, where + pointer(key)))}
            new = {
                parent_and_key(path)[1]
                for (other, path) in paths
                if other == index and parent_and_key(path)[0] == where
            } - keys
            if seen.evidence[index].passed:
                tally.against.add(index)
            elif len(keys - lost) + len(new) == 1:
                for key in (*lost, *new):
                    tally.covers[index] |= paths[index, where + pointer(key)]
                named.update(new or keys - lost)
            else:
                tally.third.add(index)
        if tally.holds:
            names = listed([key for key, _ in named.most_common()])
            says = f"gives one key ({names}) where several are due"
            made = as_learned(says, "give a value for each key that is due", tally)
            yield replace(made, foretells=False)


def _only_kept(
    seen: Seen,
    op: str,
    missing: Mapping[str, Mapping[str, set[int]]],
    paths: Mapping[tuple[int, str], set[str]],
    there: Mapping[str, Mapping[int, set[str]]],
) -> Iterator[Learned]:
    """Of keys that are data, only one is kept."""
    for where, keys in missing.items():
        if not all(place(op, where + pointer(key)).endswith("*") for key in keys):
            continue
        lost: dict[int, set[str]] = defaultdict(set)
        for key, shown in keys.items():
            for index in shown:
                lost[index].add(key)
        kept = Counter(key for index, due in there[where].items() for key in due - lost.get(index, set()))
        for key, _ in kept.most_common(1):
            tally = Tally(ops={op})
            for index, due in there[where].items():
                others = due - {key}
                if not others or key not in due:
                    continue
                if others == lost.get(index, set()) - {key}:
                    for other in others:
                        tally.covers[index] |= paths[index, where + pointer(other)]
                elif seen.evidence[index].passed:
                    tally.against.add(index)
                else:
                    tally.third.add(index)
            data = place(op, where + pointer(key)).endswith("*")
            if tally.holds and data and len(keys) > 1:
                yield as_learned(f"keeps only the key {show(key)} where there is one", "keep all keys", tally)
