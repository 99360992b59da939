"""What is wrong with what a harness-evals metric answers, and what it reads, in words."""

from collections.abc import Iterator
from typing import Any

from conformance.metric.class_process import Json
from conformance.metric.classes import Problem, raised_text
from conformance.metric.harness_cases import AMOUNTS, HarnessCase
from conformance.wire.text import shortened

__all__ = [
    "constant_because",
    "of_missing_data",
    "of_the_score",
    "reading_notes",
    "same_score",
    "score_text",
]

_MANY = 12


def of_the_score(made: HarnessCase, answer: Json, described: Json) -> Iterator[Problem]:
    """The score, and whether it comes again."""
    first = answer["first"]
    if "raised" in first:
        yield from _of_raising(made, first["raised"])
    elif "other" in first:
        yield (
            "no-score",
            f"measure returned {shortened(first['other']['text'], 80)}: evaluate raises AttributeError.",
        )
    elif "skipped" in first:
        yield "skips", "measure returned None: the case is left out."
    else:
        yield from _of_a_score(first, answer["own"], described)
    for key, what in (("again", "asked again"), ("new", "a new instance")):
        if key in answer and made.group != "odd" and not same_score(first, answer[key]):
            yield (
                "state",
                f"It gives {score_text(first)}, and {what} {score_text(answer[key])} for the same case.",
            )
    if "later" in answer and made.group != "odd" and not same_score(first, answer["later"]):
        yield "async-differs", f"measure gives {score_text(first)}, a_measure {score_text(answer['later'])}."
    if answer.get("changed"):
        yield "changes-input", "The case is another afterwards: the next metric measures that one."
    if "nan" in made.models.values() and first.get("passed"):
        yield "nan-is-perfect", f"It made {first['value']['text']} of NaN, which passes."


def _of_raising(made: HarnessCase, raised: Json) -> Iterator[Problem]:
    said = f"measure raised {raised_text(raised)}"
    if raised["escapes"]:
        yield "breaks-evaluation", f"{said}, which evaluate does not catch."
    elif made.group == "gone":
        yield "unreachable", f"Where the judge can't be reached {said}"
    elif raised["unreachable"]:
        yield "unreachable", f"{said}: the kit has no judge, service or package for it to reach."
    elif made.group == "nonsense":
        yield "judge-answers", said
    elif made.group == "odd":
        yield "odd-values", said
    elif raised["in_score"] and raised["type"] == "ValueError" and made.group in ("ordinary", "missing"):
        yield "out-of-range", said
    else:
        yield "raises", said


def _of_a_score(score: Json, own: Json, described: Json) -> Iterator[Problem]:
    if not score["in_range"]:
        yield "out-of-range", f"The score's value is {score['value']['text']}."
    if score["value"]["float"] is None:
        yield (
            "value-kind",
            f"The score's value is {score['value']['text']}, of type {score['value']['type']}.",
        )
    if score["passed"] != score["computed"]:
        numbers = f"value {score['value']['text']} and threshold {score['threshold']['text']}"
        yield "passed-by-hand", f"passed is {score['passed']} with {numbers}."
    if score["name"] != own["name"]:
        names = f"{shortened(score['name'], 80)}, the metric {shortened(own['name'], 80)}"
        yield "name", f"Its score is called {names}."
    if score["threshold"]["text"] != own["threshold"]["text"]:
        thresholds = f"{score['threshold']['text']}, the metric {own['threshold']['text']}"
        yield "threshold", f"Its score has the threshold {thresholds}."
    if score["dimension"] not in (None, described.get("dimension")):
        yield (
            "other-dimension",
            f"Its score's metadata say dimension {shortened(score['dimension'], 80)}.",
        )


def of_missing_data(
    made: HarnessCase, answer: Json, reliability: bool, without: Json | None
) -> Iterator[Problem]:
    """What it makes of fields that are not there. One that it can do without is optional, and no concern."""
    score = answer["first"]
    no_runs = reliability and made.case.name == "no-runs"
    if "missing" not in answer or "value" not in score or score["needs_passing"]:
        return
    told = answer["missing"]
    needed = told["needed"]
    if not (needed or no_runs):
        return
    vacuous = told["matters"] and not told["else"]
    what = "the runs" if no_runs else " and ".join(needed)
    gives = f"Without {what} it gives {score_text(score)}"
    if score["passed"] and vacuous:
        yield "missing-passes", f"{gives}, which passes, whatever else the case holds."
    elif score["passed"] and made.case.name == "none-word":
        if without is not None and without["first"].get("passed") is False:
            yield "none-is-text", f"{gives} for the output None, which passes."
    elif not score["passed"] and not score["reason"]:
        if vacuous and (no_runs or set(needed) & set(AMOUNTS)):
            yield "missing-reason", f"{gives} and no reason."
        elif vacuous or "expected" in needed:
            yield "no-reason", f"{gives} and no reason."


def reading_notes(explored: Json) -> Iterator[str]:
    """What it reads, in a sentence or two."""
    keys = [_key(where, key) for where, key in explored["keys"]]
    names = ["every field"] if explored["every"] else explored["reads"]
    if names or keys:
        yield f"It reads: {', '.join([*names, *keys[:_MANY]])}."
    else:
        yield "It reads: nothing of the case."
    if explored["unknown"]:
        unknown = ", ".join(_key(where, key) for where, key in explored["unknown"][:_MANY])
        if explored["changes"]:
            yield f"No case has {unknown}: what the kit put there changes the score, and no more was checked."
        else:
            yield (
                f"No case has {unknown}, and nothing that the kit put there changes the score: "
                "what the metric makes of real values was not checked."
            )


def constant_because(explored: Json) -> str:
    """Why a score may be the same everywhere."""
    if explored["unknown"]:
        unknown = ", ".join(_key(where, key) for where, key in explored["unknown"][:_MANY])
        return (
            f"in every case: it reads {unknown}, which no case has (what the kit put there changes nothing)."
        )
    if not (explored["reads"] or explored["every"]):
        return "in every case, and reads nothing of it."
    return "in every case, and with every value that the kit put into the fields that it reads."


def _key(where: str, key: str) -> str:
    return (
        f"{where}[{shortened(repr(key), 40)}]"
        if where != "json"
        else f"{shortened(repr(key), 40)} of a JSON text"
    )


def same_score(one: Json, other: Json) -> bool:
    """Whether two measurements came to the same."""
    if "value" in one and "value" in other:
        return all(one[key] == other[key] for key in ("value", "threshold", "passed", "name"))
    if "raised" in one and "raised" in other:
        return bool(one["raised"]["type"] == other["raised"]["type"])
    return one.keys() == other.keys()


def score_text(score: dict[str, Any]) -> str:
    """What a measurement came to, in a word."""
    if "value" in score:
        return shortened(score["value"]["text"], 40)
    if "raised" in score:
        return str(score["raised"]["type"])
    return "None" if "skipped" in score else shortened(score["other"]["text"], 40)
