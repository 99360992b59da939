"""All deviations of an op: changes at its places, changes to records, and replaced answers.

Kinds: ``leaf`` (a change at a place), ``value`` (one value replaces another), ``everywhere`` (a change to
all values of a type), ``record`` (records dropped, deduplicated or sorted), ``layout``, ``error`` and
``answer`` (another answer replaces it), ``refused``, ``crossed`` (one member determines another).
"""

import copy
import functools
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from conformance.deviations import records
from conformance.deviations.changes import KINDS_OF_VALUES, TESTS, Test, changes_for, equal
from conformance.deviations.deviation import INPUT, OK, Answer, Deviation, Request, place_text
from conformance.deviations.layouts import LAYOUTS
from conformance.deviations.lens import ABSENT, Change, change_at
from conformance.deviations.places import Place, Places
from conformance.registry.op import Op
from conformance.registry.ops import op_of
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path

__all__ = ["KINDS", "Space", "space_of", "vectors_of"]

KINDS = ("leaf", "value", "everywhere", "record", "layout", "error", "answer", "refused", "crossed")
_ONLY_SIDE = {"refused": INPUT, "layout": OK, "error": OK, "answer": OK}
_USUAL_ERRORS = ("ValueError", "TypeError", "KeyError", "AttributeError", "ZeroDivisionError")
_USUAL_ANSWERS: tuple[Any, ...] = ({}, {"rewards": None}, {"rewards": {}}, {"rewards": {"reward": 0.0}})
_MANY = 20
"""The most members of a record that may determine each other: the first ones."""
_CROSSING = {"null", "given", "empty", "0", "negative", "above-0", "nan", "infinite", "true", "false"}
_CROSSING |= {"absent", "several", "one"}
"""The tests of one member that may determine another."""
_EMPTY: dict[str, tuple[str, Any]]
_EMPTY = {"number": ("0", 0), "object": ("empty", {}), "list": ("empty", []), "text": ("blank", "")}


@functools.cache
def vectors_of(spec: str) -> dict[str, list[Vector]]:
    """The vectors of a spec by op."""
    by_op: dict[str, list[Vector]] = defaultdict(list)
    for vector in load_spec(spec):
        by_op[vector.op.name].append(vector)
    return by_op


@functools.cache
def space_of(spec: str, op: str) -> "Space":
    """The space of an op, built from its schema and vectors; this takes some seconds for the largest."""
    vectors = vectors_of(spec)[op]
    return Space(op_of(spec, op), [Request(vector.op, vector.input, _expected(vector)) for vector in vectors])


def _expected(vector: Vector) -> Answer:
    assert vector.expected is not None
    return Refused(**vector.expected["error"]) if "error" in vector.expected else Ok(vector.expected["ok"])


class Space:
    """The deviations of one op. Iterating generates them lazily, the likeliest kinds first."""

    def __init__(self, op: Op, requests: Sequence[Request]) -> None:
        self.op = op
        self.requests = requests
        """The requests of the vectors, in their order."""
        answers = [request.expected.value for request in requests if isinstance(request.expected, Ok)]
        self.places = {
            INPUT: Places((request.input for request in requests), op.schema, "input"),
            OK: Places(answers, op.schema, "ok"),
        }
        errors = [request.expected for request in requests if isinstance(request.expected, Refused)]
        refused = Counter((error.type, error.reason_code) for error in errors)
        self._own_errors = [Refused(*error) for error, _ in refused.most_common()]
        known = {error.type for error in self._own_errors}
        self.errors = self._own_errors + [Refused(name, None) for name in _USUAL_ERRORS if name not in known]
        """The op's own errors, most frequent first, then others that runners return."""
        frequent = Counter(map(json.dumps, answers)).most_common(6)
        texts = dict.fromkeys([text for text, _ in frequent] + [json.dumps(item) for item in _USUAL_ANSWERS])
        self.answers = [json.loads(text) for text in texts if len(text) < 200]
        """The op's frequent answers, and those that runners return for everything."""
        self._usual_answers: list[Answer] = [*self.errors[:5], *map(Ok, self.answers)]

    def __iter__(self) -> Iterator[Deviation]:
        ids: set[str] = set()
        for deviation in itertools.chain.from_iterable(map(self.of_kind, KINDS)):
            if deviation.id not in ids:
                ids.add(deviation.id)
                yield deviation

    def of_kind(self, kind: str, side: str = "") -> Iterator[Deviation]:
        """The deviations of one kind, on one side or both; a few occur twice. An unknown kind has none."""
        if kind not in KINDS or (side and _ONLY_SIDE.get(kind, side) != side):
            return iter(())
        space = copy.copy(self)
        space.places = {name: places for name, places in self.places.items() if side in ("", name)}
        generate: Callable[[], Iterator[Deviation]] = getattr(space, f"_{kind}")
        return generate()

    def find(self, id_: str) -> Deviation | None:
        """The deviation with this id; None if there is none."""
        return next((deviation for deviation in self if deviation.id == id_), None)

    def _deviation(
        self, side: str, kind: str, path: Path, name: str, usual: int, words: str, change: Change
    ) -> Deviation:
        words = f"{words} {_in_words(side, path)}"
        if name == "is-absent" and (files := [step for step in path if step[:1] != "@"])[-2:-1] == ["files"]:
            never = path[-1] == files[-1]
            words = f"`{files[-1]}` is {'never read' if never else 'read as if it were empty'}"
        return Deviation(self.op.name, side, kind, path, name, words, max(usual, 0), change)

    def _places_by_side(self) -> Iterator[tuple[str, Path, Place]]:
        for side, places in self.places.items():
            yield from ((side, path, place) for path, place in places.all.items() if path)

    def _leaf(self) -> Iterator[Deviation]:
        for side, path, place in self._places_by_side():
            deep = path[-1] == "**"
            for kinds in ({kind} for kind in sorted(place.kinds)) if deep else (place.kinds,):
                for row in changes_for(kinds, anywhere=deep):
                    yield self._deviation(side, "leaf", path, *row)

    def _everywhere(self) -> Iterator[Deviation]:
        for side, places in self.places.items():
            occurring = set().union(*(place.kinds for place in places.all.values()))
            for kind in (name for name in KINDS_OF_VALUES if name in occurring):
                for row in changes_for({kind}, anywhere=True):
                    yield self._deviation(side, "everywhere", ("**",), *row)

    def _value(self) -> Iterator[Deviation]:
        for side, path, place in self._places_by_side():
            common = place.common(7)
            for old, new in itertools.permutations(common, 2):
                if not equal(old, new):
                    name = f"{json.dumps(old)}-as-{json.dumps(new)}"
                    words = f"{_as_json(old)} becomes {_as_json(new)}"
                    change = records.replace_value(old, new)
                    yield self._deviation(side, "value", path, name, 1, words, change)
            for value in common[:3]:
                name, words = f"always-{json.dumps(value)}", f"everything becomes {_as_json(value)}"
                yield self._deviation(side, "value", path, name, 1, words, records.replace_all(value))

    def _record(self) -> Iterator[Deviation]:
        for side, places in self.places.items():
            for path, members in places.records():
                for rel in members if path else ():
                    for test in self._tests(side, path + rel):
                        name = f"dropped-where.{'.'.join(rel)}.{test.name}"
                        words = f"a record is left out where `{place_text(rel)}` {test.words}"
                        drop = records.change_where(rel, test, lambda _: ABSENT)
                        usual = test.usual - (2 if rel[-1] == "**" else 1)
                        yield self._deviation(side, "record", path, name, usual, words, drop)
                    for row in records.list_changes(rel):
                        yield self._deviation(side, "record", path[:-1], *row)

    def _tests(self, side: str, path: Path, most: int = 5) -> Iterator[Test]:
        """Conditions that rules may have at a place: tests that a value there passes, and common values."""
        place = self.places[side].all[path]
        yield from (test for test in TESTS if test.name in place.tests)
        for value in place.common(most, least=3):
            if value is not None:
                words = f"is {_as_json(value)}"
                yield Test(f"is-{json.dumps(value)}", words, 1, functools.partial(equal, value))

    def _layout(self) -> Iterator[Deviation]:
        for path in (*self.op.ok_files, *self.op.ok_lines, *self.op.ok_json_lines):
            for row in LAYOUTS:
                yield self._deviation(OK, "layout", path, *row)

    def _error(self) -> Iterator[Deviation]:
        yield from self._error_swaps(self._usual_answers)

    def _error_swaps(self, answers: Sequence[Answer]) -> Iterator[Deviation]:
        errors: list[Answer | type[Answer]] = [Refused, *self._own_errors]
        for error, answer in itertools.product(errors if self._own_errors else (), answers):
            yield self._answer_swap(error, answer)

    def _answer(self) -> Iterator[Deviation]:
        for value in map(Ok, self.answers):
            for answer in self._usual_answers:
                yield self._answer_swap(value, answer)
            yield self._answer_swap(Ok, value)

    def answer_swaps(self, answers: Sequence[Answer]) -> Iterator[Deviation]:
        """Deviations that replace an error, or every answer, with one of these answers or errors."""
        yield from self._error_swaps(answers)
        for answer in answers:
            yield self._answer_swap(Ok, answer)

    def constants(self, path: Path, value: Any) -> Iterator[Deviation]:
        """Deviations that replace null, a missing member, or everything at an answer's place with a value."""
        for name, words, change in (
            ("null", "null", records.replace_value(None, value)),
            ("absent", "an absent member", lambda v: value if v is ABSENT else v),
            ("everything", "everything", records.replace_all(value)),
        ):
            says = f"{words} becomes {_as_json(value)}"
            yield self._deviation(OK, "value", path, f"{name}-as-{json.dumps(value)}", 1, says, change)

    def constants_where(self, path: Path, value: Any) -> Iterator[Deviation]:
        """Deviations that replace a null of the answer with a value, depending on a member next to it."""
        fill = functools.partial(change_at, path=path[-1:], change=records.replace_value(None, value))
        for near in self.places[OK].all:
            tests = self._tests(OK, near, most=4) if near[:-1] == path[:-1] and near != path else ()
            for test in (condition for condition in tests if condition.name.startswith("is-")):
                words = f"a null `{path[-1]}` becomes {_as_json(value)} where `{near[-1]}` {test.words}"
                name = f"{path[-1]}-null-as-{json.dumps(value)}-where.{near[-1]}.{test.name}"
                change = records.change_where(near[-1:], test, fill)
                yield self._deviation(OK, "crossed", path[:-1], name, 2, words, change)

    def _answer_swap(self, old: Answer | type[Answer], new: Answer) -> Deviation:
        """Replaces one answer or error, or all of them (given as their type), with another."""
        kind = "answer" if old is Ok or isinstance(old, Ok) else "error"
        which = f"every {kind}" if isinstance(old, type) else _answer_text(old)
        words = f"{which} becomes {_answer_text(new)}"
        name = f"{which}-as-{_answer_text(new)}"
        name = name.replace("the answer ", "").replace("error ", "").replace(" ", "-")

        def swapped(answer: Answer) -> Answer:
            meant = isinstance(answer, old) if isinstance(old, type) else _same_answer(answer, old)
            return new if meant and not _same_answer(answer, new) else answer

        usual = 2 if kind == "error" else 1
        return Deviation(self.op.name, OK, kind, (), name, words, usual, swapped, whole=True)

    def _refused(self) -> Iterator[Deviation]:
        yield from self.refusals(self.errors[:3])

    def refusals(self, errors: Iterable[Refused], side: str = INPUT) -> Iterator[Deviation]:
        """Deviations that fail with one of these errors, depending on a value of the input or answer."""
        for path in self.places[side].all:
            for test in self._tests(side, path) if path else ():
                for error in errors:
                    words = f"it fails with {error.type} where a value {_in_words(side, path)} {test.words}"
                    name = f"{test.name}-as-{_answer_text(error).removeprefix('error ')}"
                    refuse = records.refuse_where(test, error)
                    usual = max(test.usual - 1, 0)
                    yield Deviation(self.op.name, side, "refused", path, name, words, usual, refuse)

    def _crossed(self) -> Iterator[Deviation]:
        for side, path, tested, changed in self._member_pairs():
            kinds = sorted(self.places[side].all[path + changed].kinds & _EMPTY.keys())
            for test in self._tests(side, path + tested, most=4):
                if test.name not in _CROSSING and not test.name.startswith("is-"):
                    continue
                for act, value in (("null", None), ("absent", ABSENT), *map(_EMPTY.__getitem__, kinds)):
                    set_member = functools.partial(change_at, path=changed, change=records.replace_all(value))
                    name = f"{'.'.join(changed)}-is-{act}-where.{'.'.join(tested)}.{test.name}"
                    words = f"`{place_text(changed)}` becomes {act} where `{place_text(tested)}` {test.words}"
                    change = records.change_where(tested, test, set_member)
                    yield self._deviation(side, "crossed", path, name, test.usual - 2, words, change)

    def _member_pairs(self) -> Iterator[tuple[str, Path, Path, Path]]:
        """A side, a record's path, and two of its members that do not contain each other."""
        for side, places in self.places.items():
            for path, members in places.records():
                inside = [rel for rel in members if side == INPUT or not any(step[0] == "@" for step in rel)]
                near = [rel for rel in inside if rel.count("*") <= (0 if path else 1)][:_MANY]
                for first, second in itertools.permutations(near, 2):
                    if first != second[: len(first)] and second != first[: len(second)]:
                        yield side, path, first, second


def _in_words(side: str, path: Path) -> str:
    """A place in words."""
    text = place_text(path)
    return f"in the {'input' if side == INPUT else 'answer'}" + (f"'s `{text}`" if text else "")


def _as_json(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _answer_text(answer: Answer) -> str:
    """An answer or an error in words."""
    if isinstance(answer, Ok):
        return f"the answer {json.dumps(answer.value)}"
    return f"error {answer.type}" + (f":{answer.reason_code}" if answer.reason_code is not None else "")


def _same_answer(first: Answer, second: Answer) -> bool:
    """Whether two answers are equal; messages of errors are not compared."""
    if isinstance(first, Refused) and isinstance(second, Refused):
        return (first.type, first.reason_code) == (second.type, second.reason_code)
    return isinstance(first, Ok) and isinstance(second, Ok) and equal(first.value, second.value)
