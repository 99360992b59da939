"""No page of a report that contradicts itself: each kind of contradiction is named."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.publishing.kinds.run import page
from conformance.publishing.reading import PublishingError
from tests.publishing.sizes import CURRENT, JOB

Json = Any


def _put(*path: Any, value: Json) -> Callable[[Json], None]:
    def put(document: Json) -> None:
        at = document
        for part in path[:-1]:
            at = at[part]
        at[path[-1]] = value

    return put


def _one(document: Json, outcome: str) -> Json:
    return next(one for one in document["results"] if one["outcome"] == outcome)


def _twice(document: Json) -> None:
    document["results"].append(document["results"][0])


def _a_failure_told_as_a_pass(document: Json) -> None:
    _one(document, "mismatch").update(outcome="passed", level="bytes", expected=None, actual=None)


def _a_failure_left_out(document: Json) -> None:
    document["results"].remove(_one(document, "mismatch"))


def _left_out_everywhere(document: Json) -> None:
    one = _one(document, "unsupported")
    document["results"].remove(one)
    document["totals"]["unsupported"] -= 1
    document["classes"][one["class"]]["totals"]["unsupported"] -= 1


def _claimed(document: Json) -> None:
    document["classes"]["aggregation"].update(claimed="bytes", reached="bytes", reason=None)


def _below_the_level(document: Json) -> None:
    _one(document, "passed")["level"] = "value"
    document["classes"]["aggregation"]["reached"] = None


def _other_id(document: Json) -> None:
    _one(document, "passed")["id"] = "harbor-0.13.1/aggregation/there-is-none"


def _other_clause(document: Json) -> None:
    one, other = _one(document, "passed"), _one(document, "unsupported")
    one["clause"] = other["clause"]


def _other_sizes(document: Json) -> None:
    document["classes"]["job"]["vectors"] += 1
    document["classes"]["scores"]["vectors"] -= 1


def _diagnosed_pass(document: Json) -> None:
    document["diagnosis"]["todo"][0]["failures"][0] = _one(document, "passed")["id"]


def _offered(document: Json) -> None:
    document["offer"]["ops"][0]["offered"] = not document["offer"]["ops"][0]["offered"]


def _demanded_and_let_be(document: Json) -> None:
    document["selection"]["classes"] = ["job"]


def _again_not_asked(document: Json) -> None:
    document["asked_again"]["results"][0]["id"] = "harbor-0.13.1/aggregation/there-is-none"


def _of_another_entry(document: Json) -> None:
    _one(document, "expected-failure")["expected_by"] = "harbor-0.13.1/* mismatch"


KINDS: dict[str, tuple[str, Callable[[Json], None], str]] = {
    "twice": ("first", _twice, "two results of one vector"),
    "totals": ("first", _put("totals", "passed", value=CURRENT), "its totals are not those of its results"),
    "told as passed": ("first", _a_failure_told_as_a_pass, "its totals are not"),
    "left out": ("first", _a_failure_left_out, "its totals are not"),
    "left out everywhere": ("first", _left_out_everywhere, f"{CURRENT - 1} results of {CURRENT} vectors"),
    "class": ("first", _put("classes", "job", "totals", value={}), "its counts of class job"),
    "class gone": ("first", lambda one: one["classes"].pop("job"), "it says nothing of class job"),
    "claimed": ("first", _claimed, "it claims class aggregation, which its results do not show"),
    "reached": ("first", _put("classes", "job", "reached", value="value"), "class job reached value"),
    "sizes": ("first", _other_sizes, "more results of class scores than vectors"),
    "sizes of a part": (
        "filtered",
        _other_sizes,
        f"{JOB + 1} vectors of class job, and there are {JOB}",
    ),
    "code 0": ("first", _put("exit_code", value=0), "it says exit code 0, and has results that fail"),
    "code 1": ("right", _put("exit_code", value=1), "it says exit code 1, and nothing in it fails"),
    "code 2": ("right", _put("exit_code", value=2), "it says exit code 2, and does not say why"),
    "level": ("first", _below_the_level, "below the level that it demanded"),
    "id": ("first", _other_id, "is none of the vectors that it is of"),
    "clause": ("first", _other_clause, "is not what the vector says"),
    "total": ("filtered", _put("vectors", "total", value=3000), "its classes have not as many"),
    "filtered": ("filtered", _put("selection", "filtered", value=1), f"don't add up to {CURRENT} vectors"),
    "complete": ("filtered", _put("complete", value=True), "says that it is complete"),
    "newer": ("right", _put("vectors", "newer", value=5), "says that it is complete"),
    "again": ("right", _put("asked_again", "asked", value=1), "it says that 1 were asked again"),
    "again wrong": ("right", _put("asked_again", "wrong", value=7), "it says that 7 asked again were wrong"),
    "again not asked": ("right", _again_not_asked, "of which it has no result"),
    "diagnosed": ("first", _diagnosed_pass, "which is no failure"),
    "counted": ("first", _put("diagnosis", "failures", value=3), "its diagnosis is of 3 failures"),
    "offer": ("first", _offered, "its runner and its offer disagree"),
    "offered": ("first", _put("offer", "passed", value=2), "its offer does not add up"),
    "demanded": ("first", _demanded_and_let_be, "it demands class job"),
    "entry": ("stale", _put("known_failures", "entries", 0, "expected", value=1), "expects 1 results"),
    "entry gone": ("stale", _of_another_entry, "which is not in the list of known failures"),
    "time": ("right", _put("duration_seconds", value=1e300), "more seconds than there are"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_of_a_contradiction(kind: str, reports: Any) -> None:
    name, spoil, told = KINDS[kind]
    document = reports(name)
    spoil(document)
    with pytest.raises(PublishingError, match=r"^the report contradicts itself: ") as raised:
        page(document)
    assert told in str(raised.value)
    assert str(raised.value).endswith("; no page is made of it")
    assert str(raised.value).isprintable()
