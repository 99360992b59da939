"""Checks an EvSys metric: a class that reduces the rewards of all samples of all tasks to one float."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    """Whose trouble it is if the metric fails: ordinary, tuples, empty, odd, ints or overflow."""
    between: tuple[Rewards, ...]
    """What the instance computes before it is asked again."""


def _given(name: str, about: str, rewards: Rewards, group: str = "ordinary", *between: Rewards) -> _Given:
    return _Given(Case(name, about), rewards, group, between)


_TABLE: Rewards = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
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
        _given("empty-task", "one task without samples", [[]], "empty"),
        _given("empty-tasks", "a task without samples among others", [[], [0.0, 1.0, 0.0], []], "empty"),
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
_RAISED = {"empty": "no-samples", "odd": "odd-rewards", "overflow": "overflow", "tuples": "tuples"}


class EvsysChecker(ClassChecker):
    """One class, under contract evsys."""

    contract = "evsys"
    part = "evsys_part.py"
    rules = RULES

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
        return {"rewards": made.rewards, "form": form, "between": made.between}

    def given(self, case: str) -> str:
        """The rewards."""
        made = _GIVEN[case]
        form = tuple if made.group == "tuples" else list
        return f"task_rewards = {shortened(repr(form(form(samples) for samples in made.rewards)), _SHOWN)}"

    def of_the_import(self, said: Json) -> Iterator[Problem]:
        """A key that is taken keeps a class from being loaded."""
        for key in said["noted"]["refused"]:
            yield "key-taken", f"Another class is registered under {key!r} already, which is a ValueError."

    def of_the_class(self, described: Json) -> Iterator[Problem]:
        """Its name, its key and its constructor."""
        name, keys = described["name"], described["keys"]
        if not name or not name.strip():
            yield "name", f"The class's name is {described['name_is']}, where a string is due."
        for key in keys:
            if name is not None and key != name:
                yield "key-is-name", f"It is registered as {key!r} and calls itself {name!r}."
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
                "built-in-key",
                f"{key!r} is the name of a built-in: registering another class under it is a ValueError.",
            )

    def unaskable(self, described: Json) -> bool:
        """A class that can't be made or has no compute has shown that already."""
        return bool("raised" in described["made"] or not described["compute"] or described["asynchronous"])

    def of_the_answer(self, case: str, answer: Json) -> Iterator[Problem]:
        """The value, its type, and whether it comes again."""
        group = _GIVEN[case].group
        first = answer["first"]
        if answer["changed"]:
            yield "changes-input", "The rewards are others afterwards: the next metric computes with them."
        if "raised" in first:
            yield _RAISED.get(group, "raises"), f"compute raised {raised_text(first['raised'])}"
        else:
            value = first["value"]
            if value["float"] is None:
                rule = "ints" if group == "ints" else "not-a-float"
                yield (
                    rule,
                    f"It returned {shortened(value['text'], 80)}, {_article(value['type'])} and no float.",
                )
            elif group != "odd" and not math.isfinite(float.fromhex(value["float"])):
                rule = "overflow" if group == "overflow" else "not-finite"
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


def _same(one: Json, other: Json) -> bool:
    if "value" in one and "value" in other:
        kinds = ("float",) if one["value"]["float"] is not None else ("type", "text")
        return all(one["value"][kind] == other["value"][kind] for kind in kinds)
    return bool(one.get("raised", {}).get("type") == other.get("raised", {}).get("type"))


def _text(outcome: Json) -> str:
    return shortened(outcome["value"]["text"], 80) if "value" in outcome else str(outcome["raised"]["type"])


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"
