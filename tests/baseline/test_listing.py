"""New lists: they hide nothing, and what runners say cannot break a line."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.baseline.listing import by_patterns, reason_text, whole_list
from conformance.baseline.today import Today, complaints
from conformance.judging.known_failures import KnownFailures
from conformance.report.selection import listed_since
from conformance.suite.properties import property_ids
from conformance.suite.vectors import load_spec

DAY = "2026-11-23"
SPEC = "harbor-0.13.1"
OUTCOMES = ("mismatch", "wrong-error", "crash")
VECTORS = [vector.id for vector in load_spec(SPEC)]
EVERY = (*VECTORS, *(f"{one}/asked-again" for one in VECTORS), *property_ids(SPEC))


def failing_of(seed, share):
    """Some of the kit's own vectors and properties fail, by words of their ids and by chance."""
    source = random.Random(seed)
    words = source.sample(sorted({word for one in VECTORS for word in one.split("/")[-1].split("-")}), 12)
    outcomes = {}
    for one in (*VECTORS, *property_ids(SPEC)):
        hit = [word for word in words if word in one] if "/aggregation/" in one or "/reward/" in one else []
        failed = (hit and source.random() < 0.9) or source.random() < share
        outcomes[one] = OUTCOMES[len(hit) % 3] if failed else source.choice(["passed"] * 9 + ["unsupported"])
    for one in source.sample(VECTORS, 40):
        if outcomes[one] == "passed":
            outcomes[f"{one}/asked-again"] = source.choice(["passed", "mismatch"])
    failing = frozenset(one for one, outcome in outcomes.items() if outcome in OUTCOMES)
    causes = {one: f"cause {one.count('-') % 3}" for one in failing if source.random() < 0.7}
    return Today(ids=EVERY, outcomes=outcomes, failing=failing, causes=causes, again_seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_patterns_hide_nothing_and_the_run_passes(seed) -> None:
    today = failing_of(seed, 0.01)
    text, found = whole_list(today, DAY, patterns=True)
    known = KnownFailures.parse(text, "list")
    assert complaints(known, today) == []
    assert found.failures == len(today.failing) > len(found.lines)
    assert found.patterns == sum(entry.is_pattern for entry in known.entries)
    for one in EVERY:
        fails = today.outcomes.get(one, today.outcomes.get(one.removesuffix("/asked-again")))
        for outcome in OUTCOMES:
            if known.expecting(one, outcome) is not None:
                assert fails == outcome, one
    assert all(listed_since(entry.reason) == DAY for entry in known.entries)
    assert whole_list(today, DAY, patterns=True) == (text, found)


def test_one_failure_less_is_a_complaint() -> None:
    today = failing_of(1, 0.01)
    text, _ = whole_list(today, DAY, patterns=True)
    known = KnownFailures.parse(text, "list")
    named = next(entry for entry in known.entries if not entry.is_pattern)
    mended = Today(
        ids=today.ids,
        outcomes={**today.outcomes, named.pattern: "passed"},
        failing=today.failing - {named.pattern},
    )
    assert complaints(known, mended) == [
        f"{named.pattern} is passed, but line {named.line} expects {named.outcome}"
    ]
    passing = next(one for one, outcome in today.outcomes.items() if outcome == "passed")
    worse = Today(
        ids=today.ids, outcomes={**today.outcomes, passing: "mismatch"}, failing=today.failing | {passing}
    )
    assert complaints(known, worse) == [f"{passing} is mismatch, and nothing expects that"]


def test_no_pattern_matches_what_the_run_did_not_have() -> None:
    ids = ("s/a/x-1", "s/a/x-2")
    today = Today(ids=ids, outcomes=dict.fromkeys(ids, "crash"), failing=frozenset(ids))
    assert [line.split()[0] for line in by_patterns(today, ids, DAY).lines] == ["s/a/x-*"]
    newer = Today(
        ids=ids, outcomes=today.outcomes, failing=today.failing, reserved=frozenset({"s/a/x-3", "s/b/x-1"})
    )
    assert [line.split()[0] for line in by_patterns(newer, ids, DAY).lines] == list(ids)


def test_a_pattern_tells_the_likely_mistake() -> None:
    ids = ("s/a/x-1", "s/a/x-2", "s/a/x-3", "s/a/y")
    causes = {"s/a/x-1": "sums are naive", "s/a/x-2": "sums are naive"}
    outcomes = {**dict.fromkeys(ids, "mismatch"), "s/a/y": "passed"}
    today = Today(ids=ids, outcomes=outcomes, failing=frozenset(ids[:3]), causes=causes)
    assert by_patterns(today, ids[:3], DAY).lines == (
        f"s/a/x-* mismatch  # since {DAY}: 2 of 3 failures: sums are naive",
    )


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_a_reason_stays_in_its_line_whatever_a_runner_says(text) -> None:
    reason = reason_text(text)
    assert len(reason) <= 160
    assert reason.isprintable()
    assert "#" not in reason
    line = f"s/a/x mismatch  # since {DAY}: {reason}"
    (entry,) = KnownFailures.parse(line, "list").entries
    assert (entry.pattern, entry.outcome, listed_since(entry.reason)) == ("s/a/x", "mismatch", DAY)
