"""No page, difference or merge of a report that contradicts itself: each kind of contradiction is named."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.pages.examples import Examples

Json = Any
Spoil = Callable[[Json], Any]


def put(*path: Any, to: Json) -> Spoil:
    def spoil(document: Json) -> None:
        at = document
        for part in path[:-1]:
            at = at[part]
        at[path[-1]] = to(at[path[-1]]) if callable(to) else to

    return spoil


def one(of: str, /, **changes: Json) -> Spoil:
    """Changes the first result of that outcome."""

    def spoil(document: Json) -> None:
        found = next(one for one in document["results"] if one["outcome"] == of)
        found.update({key: value(found) if callable(value) else value for key, value in changes.items()})

    return spoil


def without_one(document: Json, outcome: str = "mismatch") -> None:
    document["results"].remove(next(one for one in document["results"] if one["outcome"] == outcome))


def left_out_everywhere(document: Json) -> None:
    without_one(document, "unsupported")
    for counts in (document["totals"], document["classes"]["evsys"]["totals"]):
        counts["unsupported"] -= 1


def below_the_level(document: Json) -> None:
    one("passed", level="value")(document)
    document["classes"]["evsys"] |= {"reached": "value", "claimed": None, "reason": "why not"}


def diagnosed(document: Json) -> None:
    passed = next(one["id"] for one in document["results"] if one["outcome"] == "passed")
    document["diagnosis"]["todo"][0]["failures"][0] = passed


def many_more(document: Json) -> None:
    result = document["rows"][0]["result"]
    for counts in (result["totals"], result["classes"]["evsys"]["totals"]):
        counts["passed"] += 5000


AVG, JOBS = ("classes", "evsys"), ("jobs", 0)
CLAIM: Json = {"claimed": "bytes", "reached": "bytes", "reason": None}
PASSED: Json = {"outcome": "passed", "level": "bytes", "expected": None, "actual": None}
more: Callable[[Any], Any] = lambda value: value + 1  # noqa: E731
other_clause: Callable[[Json], str] = lambda one: "002-no-key" if one["clause"] != "002-no-key" else "x"  # noqa: E731
ROW, GROUP = ("rows", 1, "result"), ("submissions", 0, "groups", 0)
SPOILT: list[tuple[str, Spoil, str]] = [
    ("wrong", lambda d: d["results"].append(d["results"][0]), "two results of one vector"),
    ("wrong", put("totals", "passed", to=more), "its totals are not those of its results"),
    ("wrong", one("mismatch", **PASSED), "its totals are not"),
    ("wrong", without_one, "its totals are not"),
    ("unsupported", left_out_everywhere, " results of "),
    ("wrong", put(*AVG, "totals", to={}), "its counts of class evsys"),
    ("wrong", put("classes", to={}), "it says nothing of class evsys"),
    ("wrong", put(*AVG, to=lambda old: old | CLAIM), "class evsys"),
    ("right", put(*AVG, "reached", to="value"), "class evsys reached value"),
    ("wrong", put("exit_code", to=0), "is no run-report that this kit can read"),
    ("right", put("exit_code", to=1), "it says exit code 1, and nothing in it fails"),
    ("right", put("exit_code", to=2), "it says exit code 2, and does not say why"),
    ("right", below_the_level, "below the level that it demanded"),
    ("wrong", one("passed", id="evsys/compute/there-is-none"), "is none of the vectors that it is of"),
    ("wrong", one("passed", clause=other_clause), "is not what the vector says"),
    ("filtered", put("vectors", "total", to=3000), "its classes have not as many"),
    ("filtered", put("selection", "filtered", to=1), "don't add up to"),
    ("filtered", put("complete", to=True), "says that it is complete"),
    ("right", put("vectors", "newer", to=5), "says that it is complete"),
    ("right", put("asked_again", "asked", to=1), "it says that 1 were asked again"),
    ("right", put("asked_again", "wrong", to=7), "it says that 7 asked again were wrong"),
    ("right", put("asked_again", "results", 0, "id", to="evsys/compute/none"), "of which it has no result"),
    ("wrong", diagnosed, "which is no failure"),
    ("wrong", put("diagnosis", "failures", to=3), "its diagnosis is of 3 failures"),
    ("without", put("offer", "ops", 0, "offered", to=False), "its runner and its offer disagree"),
    ("without", put("offer", "passed", to=2), "its offer does not add up"),
    ("unsupported", put("selection", "classes", to=["evsys"]), "it demands class evsys"),
    ("stale", put("known_failures", "entries", 0, "expected", to=1), "expects 1 results"),
    ("stale", one("expected-failure", expected_by="evsys/* mismatch"), "which is not in the list of known"),
    ("right", put("duration_seconds", to=1e300), "more seconds than there are"),
    ("matrix", lambda d: d["rows"].append(d["rows"][0]), ""),
    ("matrix", put(*ROW, "failures", 0, "count", to=more), ""),
    ("matrix", put(*ROW, "totals", "unsupported", to=more), ""),
    ("matrix", put(*ROW, "classes", "evsys", "totals", to={"passed": 3, "mismatch": 1}), ""),
    ("matrix", many_more, ""),
    ("matrix", put(*ROW, "exit_code", to=0), ""),
    ("matrix", put("exit_code", to=0), ""),
    ("matrix", put("rows", 0, "subject", to="nobody"), ""),
    ("matrix", put(*ROW, "failures", 0, "vectors", to=lambda old: [*old, "evsys/compute/avg-nan-first"]), ""),
    ("fuzz: disagreements", put("ops", "aggregate", "disagreed", to=more), ""),
    ("fuzz: disagreements", put("compared", to=more), ""),
    ("fuzz: disagreements", put("causes", 0, "count", to=more), ""),
    ("fuzz: disagreements", put("causes", 0, "op", to="pass_at_k"), ""),
    ("fuzz: disagreements", put("jobs", to=[{"seed": 7, "compared": 1, "problem": None}]), ""),
    ("metric: one-finding", lambda d: d["cases"].append(d["cases"][0]), ""),
    ("metric: one-finding", put("findings", 0, "case", to="one-key-more"), ""),
    ("metric: one-finding", put("counts", "advice", to=3), ""),
    ("metric: one-finding", put("exit_code", to=lambda code: 1 - code), ""),
    ("metric: one-finding", put("problem", to="none"), ""),
    ("metric: one-finding", put("all_cases", to=0), ""),
    *(("check board", put("summary", one, to=more), "") for one in ("jobs", "trials", "unverified", "total")),
    ("check board", put("summary", "verdicts", "clean", to=more), ""),
    ("check board", put("summary", "kinds", 0, "count", to=99), ""),
    ("check board", lambda d: d["summary"]["kinds"].pop(), ""),
    ("check board", put("exit_code", to=0), ""),
    ("check board", put("exit_code", to=130), ""),
    ("check board", lambda d: d["jobs"].pop(), ""),
    ("check wrong", put(*JOBS, "verdict", to="clean"), ""),
    ("check board", put(*JOBS, "severities", "note", to=5), ""),
    ("check board", put(*JOBS, "errored", to=1000), ""),
    ("check board", lambda d: d["submissions"].pop(), ""),
    ("check board", put("submissions", 0, "jobs", "clean", to=9), ""),
    ("check board", put(*GROUP, "scores", 0, "scored", to=99), ""),
    ("check board", lambda d: d["submissions"][0]["groups"][0]["trials"]["rewards"][0]["cells"].pop(), ""),
    ("check board", put(*GROUP, "trials", "rewards", 0, "cells", 0, to="1 1 1 1"), ""),
    ("check board", put("leaderboards", 0, "entries", 0, "submission", to="z"), ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "spoil", "told"), SPOILT, ids=[f"{n}-{one[0]}" for n, one in enumerate(SPOILT)]
)
def test_no_page_of_a_contradiction(
    name: str, spoil: Spoil, told: str, cli: Any, written: Any, examples: Examples
) -> None:
    document = examples(name)
    before = copy.deepcopy(document)
    spoil(document)
    assert document != before
    for given in ((written(document),), (written(name), written(document))):
        done = cli("report", *given, "-o", "page.html")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "contradicts itself" in done.stderr or "is no run-report" in told
        assert told in done.stderr
        assert done.stderr[:-1].isprintable()
