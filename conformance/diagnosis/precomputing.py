"""Updates the memo of known mistakes' answers (``known_answers``): asks only what is new."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from conformance.diagnosis.departures import departures, marks
from conformance.diagnosis.evidence import expected_answer
from conformance.diagnosis.known_answers import (
    AS_BASE,
    ASKED,
    DIGEST,
    MISTAKES,
    answers_of,
    digest_of,
    folder_of,
    question_digest,
    read,
)
from conformance.diagnosis.scratch import Scratch, scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes
from conformance.mistakes.sources import keys
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.vectors import Vector, load_spec

__all__ = ["Part", "question_of", "updated_files", "wrong_answers", "wrong_answers_of_part"]

Part = tuple[Sequence[str], Sequence[int]]
"""The names of mistakes, and the indexes of the spec's vectors that each of them is asked."""
Answer = tuple[str, str, str]
"""A wrong answer: the question, the mistake's name, and the departures as text."""
_AT_ONCE = 25


def question_of(vector: Vector) -> str:
    """The digest of a vector's question."""
    return question_digest(vector.op.name, vector.input, expected_answer(vector), vector.unordered)


def wrong_answers(copy: Scratch, vectors: Sequence[Vector], mistakes: Iterable[Mistake]) -> Iterator[Answer]:
    """Asks mistakes for their answers; yields the wrong ones."""
    called = {vector.id: copy.called(vector.op.name, vector.input) for vector in vectors}
    for mistake in mistakes:
        footprint = copy.footprint(mistake)
        for vector in vectors:
            if footprint is not None and footprint.isdisjoint(called[vector.id]):
                continue
            copy.make(mistake)
            answer = copy.answer(vector.op.name, vector.input)
            wrong = departures(vector.op, expected_answer(vector), answer, Level.BYTES, vector.unordered)
            lowest: dict[str, int] = {}
            for departure in wrong:
                lowest[departure.path] = min(departure.breaks, lowest.get(departure.path, departure.breaks))
            places = [
                f"{json.dumps(path)[1:-1]} {lowest[path]:d} {mark}" for path, mark in marks(wrong).items()
            ]
            if places:
                yield question_of(vector), mistake.name, "\t".join(places)


def wrong_answers_of_part(spec: str, part: Part) -> list[Answer]:
    """The wrong answers of some of a spec's mistakes to some of its vectors."""
    known, vectors = all_mistakes(spec), load_spec(spec)
    mistakes, chosen = [known[name] for name in part[0]], [vectors[index] for index in part[1]]
    return list(wrong_answers(scratch(spec), chosen, mistakes))


def updated_files(
    spec: str, ask: Callable[[list[Part]], Iterable[list[Answer]]], *, everything: bool = False
) -> dict[Path, str]:
    """The files of a spec's memo; ``ask`` gets the parts that are new or have changed, or everything."""
    known, vectors = keys(spec), load_spec(spec)
    memo = read(folder_of(spec))
    same = [name for name, key in known.items() if memo.mistakes.get(name) == key and not everything]
    kept = answers_of(spec, memo)
    ops = {question_of(vector): vector.op.name for vector in vectors}
    answers = {key: {name: kept[key][name] for name in same if name in kept.get(key, {})} for key in ops}
    new = [index for index, vector in enumerate(vectors) if question_of(vector) not in kept]
    changed = [name for name in known if name not in same]
    for part_answers in ask([*_parts(changed, range(len(vectors))), *_parts(same, new)]):
        for key, name, text in part_answers:
            answers[key][name] = text
    files = {
        name: "".join(f"{line}\n" for line in sorted(lines)) for name, lines in _lines(spec, ops, answers)
    }
    files[MISTAKES] = "".join(f"{name}\t{key}\n" for name, key in sorted(known.items()))
    files[DIGEST] = f"{digest_of(files)}\n"
    return {folder_of(spec) / name: text for name, text in files.items()}


def _parts(names: Sequence[str], indexes: Sequence[int]) -> list[Part]:
    return [(names[begin : begin + _AT_ONCE], indexes) for begin in range(0, len(names), _AT_ONCE) if indexes]


def _lines(
    spec: str, ops: dict[str, str], answers: dict[str, dict[str, str]]
) -> Iterator[tuple[str, list[str]]]:
    """The lines of each op's file, without answers that equal those of the spec's base."""
    base = SPEC_TABLE[spec].base
    of_base = answers_of(base) if base is not None else {}
    lines: dict[str, list[str]] = {f"{op}.txt": [] for op in ops.values()}
    for key, op in ops.items():
        own = answers[key] != of_base.get(key)
        lines[f"{op}.txt"].append(f"{key}\t{ASKED if own else AS_BASE}")
        lines[f"{op}.txt"] += [f"{key}\t{name}\t{text}" for name, text in answers[key].items() if own]
    yield from lines.items()
