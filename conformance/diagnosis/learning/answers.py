"""Whole answers: the same one given wherever something holds, or the input given back."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from conformance.diagnosis.evidence import agree
from conformance.diagnosis.features import ERROR_DUE, files, name_of, parsed
from conformance.diagnosis.learning.held import FEW_AGAINST, FEW_THIRD, LEAST, Learned, Tally, as_learned
from conformance.diagnosis.learning.seen import Seen
from conformance.diagnosis.learning.values import quoted, same
from conformance.judging.comparison import Level
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import spell, strings_kept_at

__all__ = ["as_parsed", "whole_answers"]


def whole_answers(seen: Seen) -> Iterator[Learned]:
    """One answer given wherever something holds: an error, or a value in the place of an error."""
    for op, failures in seen.predictions.failures.items():
        if op in seen.predictions.mute:
            first = seen.evidence[failures[0]].actual
            assert first is not None
            yield Learned(
                f"answers {quoted(first)} to everything",
                "answer what is asked",
                (op,),
                {index: frozenset(seen.predictions.wrong[index]) for index in failures},
                frozenset(),
            )
            continue
        by_answer: dict[str, list[int]] = defaultdict(list)
        for index in failures:
            one = seen.predictions.departures[index][0]
            if one.nature is None:
                by_answer[one.mark].append(index)
        for shown in by_answer.values():
            if len(shown) >= LEAST:
                yield from _one_answer(seen, op, shown)
        accepted = [
            index
            for index in failures
            if isinstance(seen.evidence[index].expected, Refused)
            and isinstance(seen.evidence[index].actual, Ok)
        ]
        if len(accepted) >= LEAST:
            yield from _accepts(seen, op, accepted)


def _one_answer(seen: Seen, op: str, shown: Sequence[int]) -> Iterator[Learned]:
    answer = seen.evidence[shown[0]].actual
    assert answer is not None
    how = seen.evidence[shown[0]].op
    right = [
        index
        for index in seen.predictions.passes[op]
        if not agree(how, seen.evidence[index].expected, answer, Level.VALUE)
    ]
    mine = set(shown)
    other = [index for index in seen.predictions.failures[op] if index not in mine]
    found = seen.conditions.where(shown, right, other)
    if not found:
        return
    everywhere = [index for index in right if isinstance(seen.evidence[index].expected, Refused)]
    errors = all(isinstance(seen.evidence[index].expected, Refused) for index in shown)
    if errors and not everywhere:
        found = [(ERROR_DUE, mine, set())]
    refused = isinstance(answer, Refused)
    what = (
        f"answers with the error {name_of(answer)}"
        if isinstance(answer, Refused)
        else f"answers {quoted(answer)}"
    )
    where = " or ".join(words for words, _, _ in found)
    if refused:
        mend = "answer what is due: the value where there is one, else the error by its name"
    else:
        mend = "refuse with the error that is due instead of answering a value"
    yield _learned(what, mend, op, found, where)


def _accepts(seen: Seen, op: str, shown: Sequence[int]) -> Iterator[Learned]:
    right = [
        index for index in seen.predictions.passes[op] if isinstance(seen.evidence[index].expected, Refused)
    ]
    mine = set(shown)
    other = [
        index
        for index in seen.predictions.failures[op]
        if index not in mine and isinstance(seen.evidence[index].expected, Refused)
    ]
    found = seen.conditions.where(shown, right, other)
    if len(right) <= FEW_AGAINST * len(shown) and len(other) <= FEW_THIRD * len(shown):
        found = [(ERROR_DUE, mine, set(right))]
    if found:
        where = " or ".join(
            words if words.endswith("is due") else f"{words} and {ERROR_DUE}" for words, _, _ in found
        )
        mend = "refuse it with the error that is due"
        yield replace(_learned("answers a value", mend, op, found, where), foretells=False)


def _learned(
    says: str, mend: str, op: str, found: Sequence[tuple[str, set[int], set[int]]], where: str
) -> Learned:
    covers = {index: frozenset({""}) for _, taken, _ in found for index in taken}
    against = frozenset(index for _, _, wrongly in found for index in wrongly)
    return Learned(says, mend, (op,), covers, against, where=where)


def as_parsed(seen: Seen) -> Iterator[Learned]:
    """A file of the input comes back as Python's json reads it."""
    for op, failures in seen.predictions.failures.items():
        if op in seen.predictions.mute:
            continue
        wanted: Counter[tuple[str, str]] = Counter()
        for index in failures:
            actual = seen.evidence[index].actual
            if isinstance(actual, Ok):
                for name, value in _read(seen.evidence[index].input):
                    wanted.update((name, key) for key, came in actual.value.items() if _alike(value, came))
        for (name, key), count in wanted.most_common(2):
            if count < LEAST:
                continue
            tally = Tally(ops={op})
            for index in (*failures, *seen.predictions.passes[op]):
                item = seen.evidence[index]
                said = dict(_read(item.input))
                if name not in said:
                    continue
                foretold = Ok(strings_kept_at({key: said[name]}, item.op.ok_numbers))
                answer = item.actual if index in seen.predictions.wrong else item.expected
                assert answer is not None
                if agree(item.op, foretold, answer, seen.predictions.level, item.unordered):
                    if index in seen.predictions.wrong:
                        tally.covers[index] |= set(seen.predictions.wrong[index])
                elif index in seen.predictions.wrong:
                    tally.third.add(index)
                else:
                    tally.against.add(index)
            if tally.holds:
                yield as_learned(
                    f"gives {name} as it is parsed: no value in it is checked or converted",
                    "check and convert every value, as the clauses on values say",
                    tally,
                )


def _read(given: Any) -> Iterator[tuple[str, Any]]:
    for name, content in files(given):
        try:
            yield name, _spelled(parsed(content))
        except (ValueError, RecursionError):
            continue


def _spelled(value: Any) -> Any:
    """As a message has it: numbers that are not finite are spelled."""
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return spell(value) if isinstance(value, float) and not math.isfinite(value) else value


def _alike(value: Any, came: Any) -> bool:
    try:
        return same(value, came)
    except RecursionError:
        return False
