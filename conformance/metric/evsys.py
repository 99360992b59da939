"""Checks an EvSys metric: a class that reduces the rewards of all samples of all tasks to one float."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from conformance.metric.classes import ClassChecker, Json, Problem, raised_text
from conformance.metric.evsys_rules import RULES
from conformance.metric.findings import Case
from conformance.wire.text import shortened
from reference_impl.evsys import BUILT_INS

__all__ = ["EvsysChecker"]

_BUILT_IN = Path(__file__).resolve().parent.parent / "adapters" / "evsys.py"
_SHOWN = 300
NAN, INF = float("nan"), float("inf")

Rewards = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class _Given:
    case: Case
    rewards: Rewards
    group: str
    """Whose trouble it is if the metric fails: ordinary, tuples, empty, sampleless, odd, ints or overflow."""
    between: tuple[Rewards, ...]
    """What the instance computes before it is asked again."""
    do: str = "compute"
    """compute, repeat or vary."""


def _given(
    name: str, about: str, rewards: Rewards, group: str = "ordinary", *between: Rewards, do: str = "compute"
) -> _Given:
    return _Given(Case(name, about), rewards, group, between, do)


_TABLE: Rewards = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
_GROWN: Rewards = [*_TABLE[:3], [1.0, 0.0, 0.0]]
_GIVEN = {
    made.case.name: made
    for made in (
        _given("four-tasks", "four tasks of three samples", _TABLE),
        _given("one-task", "one task of one sample", [[0.5]]),
        _given(
            "other-counts", "tasks of one, two and four samples", [[1.0], [0.0, 0.25], [0.0, 0.0, 0.0, 1.0]]
        ),
        _given("tuples", "tuples in place of lists", _TABLE, "tuples"),
        _given("no-tasks", "no tasks", [], "empty"),
        _given("empty-task", "one task without samples", [[]], "sampleless"),
        _given("empty-tasks", "a task without samples among others", [[], [0.0, 1.0, 0.0], []], "sampleless"),
        _given("tenths", "ten samples of 0.1, and thirds", [[0.1] * 10, [1 / 3, 1 / 3, 1 / 3]]),
        _given(
            "compensated", "a sum in which a plain one loses a sample", [[1e16, 1.0, -1e16], [0.1, 0.2, 0.3]]
        ),
        _given(
            "around-the-threshold",
            "rewards just below and above 1.0",
            [[0.9999999999999999, 1.0], [1.0000000000000002]],
        ),
        _given("negative", "negative rewards and rewards above 1", [[-1.0, 2.0], [-0.5], [3.5, -0.0]]),
        _given(
            "many-tasks",
            "2000 tasks of five samples",
            [[(task * 7 + at) % 11 / 10 for at in range(5)] for task in range(2000)],
        ),
        _given(
            "after-others", "asked again after other rewards", _TABLE, "ordinary", [[0.0]], [[1.0, 1.0]], []
        ),
        _given(
            "growing",
            "asked again while samples and tasks come in",
            _GROWN,
            "ordinary",
            *([*_GROWN[:at], _GROWN[at][:count]] for at in range(4) for count in (1, 2, 3)),
        ),
        _given("repeated", "asked 20 times", [[0.25, 0.75], [1.0]], do="repeat"),
        _given("varied", "rewards varied one by one, of 4 tasks and of 150", _TABLE, do="vary"),
        _given("ints", "rewards that are ints", [[1, 0, 1], [0]], "ints"),
        _given(
            "near-overflow",
            "rewards whose sum is beyond the doubles",
            [[1.7e308, 1.7e308], [1.0]],
            "overflow",
        ),
        _given("nan", "a reward that is NaN", [[NAN, 1.0, 0.0], [1.0]], "odd"),
        _given("infinite", "infinite rewards", [[INF, 1.0], [-INF, 0.0]], "odd"),
    )
}
_RAISED = {
    "empty": "no-samples",
    "sampleless": "empty-tasks",
    "odd": "odd-rewards",
    "overflow": "overflow",
    "tuples": "tuples",
}


class EvsysChecker(ClassChecker):
    """One class, under contract evsys."""

    contract = "evsys"
    part = "evsys_part.py"
    rules = RULES
    state_rule = "repeats"
    follows: ClassVar[Mapping[str, Collection[str]]] = {"cannot-be-made": ("takes-parameters",)}

    def more_cases(self) -> Sequence[Case]:
        """The situations."""
        return [made.case for made in _GIVEN.values()]

    def settings(self) -> Json:
        """Where the built-in metrics are derived."""
        return {"built_in": str(_BUILT_IN)}

    def request(self, case: str) -> Json:
        """The rewards, and what comes between."""
        made = _GIVEN[case]
        form = "tuple" if made.group == "tuples" else "list"
        return {"rewards": made.rewards, "form": form, "between": made.between, "do": made.do}

    def given(self, case: str) -> str:
        """The rewards."""
        made = _GIVEN[case]
        form = tuple if made.group == "tuples" else list
        return f"task_rewards = {shortened(repr(form(form(samples) for samples in made.rewards)), _SHOWN)}"

    def of_the_import(self, said: Json) -> Iterator[Problem]:
        """A key that is taken keeps a class from being loaded."""
        for key in said["noted"]["refused"]:
            yield "key-taken", f"Another class is registered under {key!r} already, which is a ValueError."
        for name in said["noted"]["nameless"]:
            yield "no-key", f"{name} is registered without a key and has no name, which is a ValueError."

    def of_the_class(self, described: Json) -> Iterator[Problem]:
        """Its name, its key and its constructor."""
        name, keys = described["name"], described["keys"]
        if not name or not name.strip():
            after = f"; the decorator makes it {keys[-1]!r}" if keys else ""
            yield "name", f"The class's name is {described['name_is']}, where a string is due{after}."
        for key in keys:
            if name is not None and key != name:
                yield "key-is-name", f"It calls itself {name!r}; registered as {key!r} it has that name."
        if not keys:
            yield "not-registered", "No decorator registers it: a benchmark can't name it."
        if "raised" in described["made"]:
            yield (
                "cannot-be-made",
                f"Making it without arguments raised {raised_text(described['made']['raised'])}",
            )
        if described["needs"] or described["takes"]:
            parameters = ", ".join([*described["needs"], *described["takes"]])
            yield (
                "takes-parameters",
                f"Its constructor takes {parameters}: nothing ever gives a metric parameters.",
            )
        elif described["config"]:
            yield "takes-parameters", "It has a Config: metrics have none."
        if not described["compute"] or described["asynchronous"]:
            what = "is a coroutine function" if described["compute"] else "is missing"
            yield "no-compute", f"Its method compute {what}."
        for key in {*keys, name} & BUILT_INS.keys():
            yield (
                "key-taken" if key in keys else "built-in-key",
                f"{key!r} is the name of a built-in: registering another class under it is a ValueError.",
            )

    def unaskable(self, described: Json) -> bool:
        """A class that can't be made or has no compute has shown that already."""
        return bool("raised" in described["made"] or not described["compute"] or described["asynchronous"])

    def of_the_answer(self, case: str, answer: Json) -> Iterator[Problem]:
        """The value, its type, and whether it comes again."""
        group = _GIVEN[case].group
        if "varied" in answer:
            yield from _of_varied(answer["varied"])
            return
        first = answer["first"]
        if answer["changed"]:
            yield "changes-input", "The rewards are others afterwards: the next metric computes with them."
        if "raised" in first:
            rule = _RAISED.get(group, "raises")
            rule = "unreachable" if first["raised"]["unreachable"] else rule
            yield rule, f"compute raised {raised_text(first['raised'])}"
        else:
            value = first["value"]
            said = f"It returned {shortened(value['text'], 80)}, {_article(value['type'])}"
            if value["converted"] is None:
                rule = "not-a-float" if group in ("tuples", "ints") else _RAISED.get(group, "not-a-float")
                yield rule, f"{said} that float() refuses: it is left out."
            elif value["float"] is None:
                yield "ints" if group == "ints" else "converted", f"{said} and no float: it is converted."
            if group != "odd" and not math.isfinite(float.fromhex(value["converted"] or "0")):
                rule = {"overflow": "overflow", "sampleless": "empty-tasks"}.get(group, "not-finite")
                yield rule, f"compute returned {value['text']} for finite rewards."
        for other, when in (
            (answer["again"], "asked again it gives"),
            (answer["new"], "another instance gives"),
        ):
            if other is not None and not _same(first, other):
                yield "repeats", f"It gives {_text(first)}; {when} {_text(other)} for the same rewards."
        if "built_in" in answer and not _same(first, answer["built_in"]):
            name = answer["claims"]
            yield (
                "differs-from-built-in",
                f"It gives {_text(first)}, the built-in {name} gives {_text(answer['built_in'])}.",
            )

    def comparable(self, case: str) -> bool:
        """Every case that gives a number has to give it again."""
        return _GIVEN[case].do != "vary"

    def same(self, one: Json, other: Json) -> bool:
        """Whether two numbers are the same."""
        return _same(one, other)

    def outcome_text(self, outcome: Json) -> str:
        """A number in a word."""
        return _text(outcome)

    def of_all(self) -> Iterator[Problem]:
        """Whether it ever gives another number."""
        firsts = {
            name: answer["first"]
            for name, answer in self._answers.items()
            if isinstance(answer, dict) and "first" in answer and any(_GIVEN[name].rewards)
        }
        varied = self._answers.get("varied")
        values = {_text(first) for first in firsts.values() if "value" in first}
        if isinstance(varied, dict) and "varied" in varied:
            values.update(varied["varied"]["values"])
            if len(values) == 1:
                yield "constant", f"It gives {values.pop()} whatever the rewards."


def _of_varied(varied: Json) -> Iterator[Problem]:
    if varied["ignored"]:
        yield (
            "drops-tasks",
            f"Changing {varied['ignored'][-1]} never changes its number; changing the first does.",
        )
    if varied["clips"]:
        yield "clips", f"It takes {' and '.join(varied['clips'])}."


def _same(one: Json, other: Json) -> bool:
    if "value" in one and "value" in other:
        kinds = ("converted",) if one["value"]["converted"] is not None else ("type", "text")
        return all(one["value"][kind] == other["value"][kind] for kind in kinds)
    return bool(one.get("raised", {}).get("type") == other.get("raised", {}).get("type"))


def _text(outcome: Json) -> str:
    return shortened(outcome["value"]["text"], 80) if "value" in outcome else str(outcome["raised"]["type"])


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"
