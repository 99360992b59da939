"""Deviations with constants from a runner's answers: no space contains every text and error."""

import functools
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from conformance.deviations.changes import equal, kind_of, of_type
from conformance.deviations.deviation import INPUT, OK, Answer, Deviation, Request, place_text
from conformance.deviations.lens import ABSENT, is_deep, values_at
from conformance.deviations.numbers import is_number
from conformance.deviations.records import keep_one
from conformance.deviations.space import Space
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path

__all__ = ["is_readable", "observed_deviations"]

_LEAST = 2
"""The least number of wrong answers with a value for it to count as a constant."""
_MOST = 6
_LONGEST = 1 << 14
"""The longest answer that is searched for constants, in characters of JSON."""
_MEMBERS = 8
"""The most members that are compared to find equal records."""


def observed_deviations(space: Space, wrong: Iterable[tuple[Request, Answer]]) -> Iterator[Deviation]:
    """Yield deviations with constants from a runner's wrong answers to requests of one op.

    They replace an error, or every answer, with one of the runner's answers or errors; fail with one of its
    errors depending on a value of the input or the answer; add a member that only the runner has, computed
    from the others; keep one of several records with equal members; and, at a place of the answer, replace
    null, a missing member, or everything with one of the runner's values.
    """
    pairs = [(request, answer) for request, answer in wrong if is_readable(answer)]
    errors = Counter(answer for _, answer in pairs if isinstance(answer, Refused))
    runner_errors = [error for error, _ in _without_messages(errors).most_common(_MOST)]
    new_errors = [error for error in runner_errors if error not in space.errors]
    answers = Counter(_as_text(answer) for _, answer in pairs if isinstance(answer, Ok))
    for_errors = {_as_text(answer) for request, answer in pairs if isinstance(request.expected, Refused)}
    values = [
        json.loads(text)
        for text, count in answers.most_common(_MOST)
        if text and (count >= _LEAST or text in for_errors)
    ]
    yield from space.answer_swaps([*new_errors, *(Ok(v) for v in values)])
    for side in (INPUT, OK):
        yield from space.refusals(runner_errors, side)
    yield from _added_members(space, pairs)
    yield from _records_kept_once(space)
    for path, place in space.places[OK].all.items():
        if not path or place.kinds & {"list", "object"}:
            continue
        counts = Counter[str]()
        for request, answer in pairs:
            if isinstance(answer, Ok) and isinstance(request.expected, Ok):
                expected, actual = values_at(request.expected.value, path), values_at(answer.value, path)
                if len(expected) == len(actual):
                    counts.update(
                        json.dumps(new)
                        for old, new in zip(expected, actual, strict=True)
                        if new is not ABSENT
                        and kind_of(new) not in ("list", "object")
                        and not equal(old, new)
                    )
        yield from _added_prefixes(space, path, pairs)
        for text, count in counts.most_common(_MOST):
            if count >= _LEAST:
                yield from space.constants(path, json.loads(text))
                yield from space.constants_where(path, json.loads(text))


def _added_members(space: Space, pairs: Iterable[tuple[Request, Answer]]) -> Iterator[Deviation]:
    """Additional members, each with a number computed from the other members, or with a constant."""
    counts: dict[tuple[Path, str], Counter[str]] = defaultdict(Counter)
    objects = [path for path, place in space.places[OK].all.items() if "object" in place.kinds]
    for request, answer in pairs:
        if isinstance(answer, Ok) and isinstance(request.expected, Ok):
            for path in objects:
                expected, actual = values_at(request.expected.value, path), values_at(answer.value, path)
                for old, new in zip(expected, actual, strict=False):
                    if isinstance(old, dict) and isinstance(new, dict):
                        for key in new.keys() - old.keys():
                            counts[path, key][json.dumps(new[key])] += 1
    most = sorted(counts, key=lambda member: (-counts[member].total(), member))[:_MOST]
    for path, key in (member for member in most if counts[member].total() >= _LEAST):
        constants = [(f"always {text}", json.loads(text)) for text, _ in counts[path, key].most_common(2)]
        for words, value in (*_FROM_OTHER_MEMBERS.items(), *constants):
            make = value if callable(value) else functools.partial(_constant, value)
            change = of_type(functools.partial(_add_member, key, make), (dict,))
            where = f"in the answer's `{place_text(path)}`" if path else "in the answer"
            name = f"{key}-added-as-{words.replace(' ', '-')}"
            text = f"a member `{key}` is added ({words}) {where}"
            yield Deviation(space.op.name, OK, "key", path, name, text, 2, change)


def _added_prefixes(space: Space, path: Path, pairs: Iterable[tuple[Request, Answer]]) -> Iterator[Deviation]:
    """Prefixes that the runner adds to expected texts."""
    prefixes = Counter[str]()
    for request, answer in pairs:
        if isinstance(answer, Ok) and isinstance(request.expected, Ok):
            for old, new in zip(
                values_at(request.expected.value, path), values_at(answer.value, path), strict=False
            ):
                if isinstance(old, str) and isinstance(new, str) and new != old:
                    end = max(0, len(new) - len(old))
                    if new[:end].strip("0123456789. ") and new[end:].lower() == old.lower():
                        prefixes[new[:end]] += 1
    for front, count in prefixes.most_common(_MOST):
        if count >= _LEAST:
            change = of_type(functools.partial(_add_prefix, front), (str,))
            words = f"text that does not begin with {json.dumps(front)} gets that prefix"
            words += f" in the answer's `{place_text(path)}`"
            yield Deviation(space.op.name, OK, "leaf", path, f"after-{json.dumps(front)}", words, 3, change)


def _add_prefix(front: str, text: str) -> str:
    return text if text.startswith(front) else front + text


def _records_kept_once(space: Space) -> Iterator[Deviation]:
    """Changes that keep the first or last of the input's records with two or three equal members."""
    places = space.places[INPUT]
    for path, members in places.records():
        scalars = [rel for rel in members if not places.all[path + rel].kinds & {"list", "object"}]
        for several in itertools.chain.from_iterable(
            itertools.combinations(scalars[:_MEMBERS], count) for count in (2, 3) if path
        ):
            *first, last = (f"`{place_text(rel)}`" for rel in several)
            names = f"{', '.join(first)} and {last}"
            for which in ("first", "last"):
                words = f"of records with equal {names}, only the {which} is read"
                name = f"{which}-of-each.{'.'.join('/'.join(rel) for rel in several)}"
                change = functools.partial(keep_one, members=several, last=which == "last")
                text = f"{words} in the input's `{place_text(path[:-1])}`"
                yield Deviation(space.op.name, INPUT, "record", path[:-1], name, text, 2, change)


def _numbers(members: dict[str, Any]) -> list[float]:
    return [value for value in members.values() if is_number(value)]


_FROM_OTHER_MEMBERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "the mean of the others": lambda members: sum(_numbers(members)) / len(_numbers(members)),
    "the sum of the others": lambda members: sum(_numbers(members)),
    "the first of the others": lambda members: _numbers(members)[0],
    "the last of the others": lambda members: _numbers(members)[-1],
    "what `reward` is": lambda members: members["reward"],
    "how many others there are": len,
}


def _constant(value: Any, _: Any) -> Any:
    return value


def _add_member(key: str, make: Callable[[dict[str, Any]], Any], members: dict[str, Any]) -> Any:
    return members if key in members else {**members, key: make(members)}


def is_readable(answer: Answer) -> bool:
    """Whether an answer is small and shallow enough to be searched."""
    return _as_text(answer) is not None


def _as_text(answer: Answer) -> str | None:
    """An answer as JSON, an error as an empty text; None if it is too deep or too large."""
    try:
        text = "" if isinstance(answer, Refused) else json.dumps(answer.value)
    except (ValueError, RecursionError):
        return None
    return text if len(text) <= _LONGEST and not is_deep(text) else None


def _without_messages(errors: "Counter[Refused]") -> "Counter[Refused]":
    counts = Counter[Refused]()
    for error, count in errors.items():
        counts[Refused(error.type, error.reason_code)] += count
    return counts
