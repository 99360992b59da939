"""Lists made and brought up to date: they hide nothing, and what holds stays, to the byte."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.baseline.listing import entries, new_list, reason_text
from conformance.baseline.today import Today, reasons_to_fail
from conformance.baseline.updating import updated
from conformance.judging.known_failures import (
    FINGERPRINTED,
    LISTABLE,
    KnownFailures,
    KnownFailuresError,
    Offered,
)
from conformance.outcomes.selection import listed_since

DAY = "2026-11-23"
IDS = tuple(f"s/{section}/{slug}" for section in "ab" for slug in ("x-1", "x-2", "y-1", "y-2"))
REPHRASED_SUFFIX = tuple(f"{one}/asked-again" for one in IDS)
HEADINGS = {one: f"# rule-{one[2]}: Of section {one[2]}." for one in IDS}
UPDATES = json.loads(Path(__file__).with_name("updates.json").read_text("utf-8"))
FAILING = sorted(LISTABLE - {"unsupported"})


def today_of(outcomes, **more):
    """Outcomes, each perhaps with a fingerprint behind it."""
    words = {one: outcome.split(" #") for one, outcome in outcomes.items()}
    plain = {one: each[0] for one, each in words.items()}
    failing = frozenset(one for one, outcome in plain.items() if outcome in FAILING)
    fingerprints = {one: each[1] for one, each in words.items() if len(each) > 1}
    about = {"failing": failing, "fingerprints": fingerprints, "headings": HEADINGS}
    return Today(ids=(*IDS, *REPHRASED_SUFFIX), outcomes=plain, **about, **more)


def parsed(content):
    return KnownFailures.parse(content.decode("utf-8-sig"), "list")


@pytest.mark.parametrize(
    ("text", "outcomes", "expected", "counts"), [one[1:] for one in UPDATES], ids=[one[0] for one in UPDATES]
)
def test_an_update(text, outcomes, expected, counts) -> None:
    """The counts are what is kept, corrected, removed and added."""
    found = updated(text.encode(), "list", today_of({**dict.fromkeys(IDS, "passed"), **outcomes}), DAY)
    sentence = "{} kept, {} corrected, {} removed, {} added".format(*counts.split(", "))
    assert (found.content.decode(), found.sentence) == (text if expected is None else expected, sentence)


def test_what_would_fail_is_said() -> None:
    today = today_of({IDS[0]: "crash", IDS[1]: "mismatch #a1b2c3d4", IDS[2]: "passed"})
    text = f"{IDS[0]} crash\n{IDS[1]} mismatch #00000000\n{IDS[2]} crash\n"
    assert reasons_to_fail(KnownFailures.parse(text, "list"), today) == [
        f"{IDS[1]} is mismatch, but line 2 expects mismatch #00000000",
        f"{IDS[2]} is passed, but line 3 expects crash",
    ]
    known = KnownFailures.parse("s/gone crash\n", "list")
    (first, second, third) = reasons_to_fail(known, today)
    assert first == f"{IDS[0]} is crash, and nothing expects that"
    assert second == f"{IDS[1]} is mismatch, and nothing expects that"
    assert "matches no vector" in third


def test_offers_keep_the_order_of_the_list() -> None:
    offers = {op: Offered(op, 2, 2) for op in ("parse_reward", "aggregate", "scores")}
    text = "# offers: scores, 1 of 2 passed\n# offers: parse_reward, 2 of 2 passed\n"
    found = updated(text.encode(), "list", today_of(dict.fromkeys(IDS, "passed"), offers=offers), DAY)
    assert [one.op for one in parsed(found.content).offers] == ["scores", "parse_reward", "aggregate"]


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_a_reason_stays_in_its_line_whatever_a_runner_says(text) -> None:
    reason = reason_text(text)
    assert len(reason) <= 160
    assert reason.isprintable()
    assert "#" not in reason
    today = replace(today_of({IDS[0]: "mismatch #a1b2c3d4"}), details={IDS[0]: text})
    ((heading, (line,)),) = entries(today, [IDS[0]], DAY).items()
    assert heading == HEADINGS[IDS[0]]
    (entry,) = KnownFailures.parse(line, "list").entries
    assert (entry.pattern, entry.outcome, entry.fingerprint) == (IDS[0], "mismatch", "a1b2c3d4")
    assert listed_since(entry.reason) == DAY


_space = st.sampled_from(["", " ", "\t", "  "])
_comment = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)
_pattern = st.sampled_from(
    [*IDS, *REPHRASED_SUFFIX[:2], "s/a/*", "*", "s/*/x-1", "*-2", "s/?/y-[12]", "s/gone/1", "*gone*"]
)
_answers = st.sampled_from(["", " #a1b2c3d4", " #00000000"])


@st.composite
def _line(draw):
    end = draw(st.sampled_from(["", "\r", " "]))
    kind = draw(st.sampled_from(["entry", "entry", "comment", "blank"]))
    if kind == "blank":
        return draw(_space) + end
    comment = f"#{draw(_comment)}" if kind == "comment" or draw(st.booleans()) else ""
    if kind == "comment":
        return draw(_space) + comment + end
    outcome = draw(st.sampled_from(sorted(LISTABLE)))
    return f"{draw(_space)}{draw(_pattern)} {draw(_space)}{outcome}{draw(_answers)} {comment}{end}"


@st.composite
def _outcome(draw):
    outcome = draw(st.sampled_from(["passed", "passed", "flaky", "unsupported", *FAILING]))
    return outcome + (draw(_answers) if outcome in FINGERPRINTED else "")


_lines = st.lists(_line(), max_size=10).map("\n".join)
_texts = st.tuples(st.sampled_from(["", "\ufeff"]), _lines).map("".join)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(_texts, st.dictionaries(st.sampled_from([*IDS, *REPHRASED_SUFFIX[:3]]), _outcome()))
def test_an_update_makes_the_gate_pass_and_the_next_one_has_nothing_to_do(text, outcomes) -> None:
    content, today = text.encode(), today_of(outcomes)
    try:
        before = parsed(content)
    except KnownFailuresError:
        assume(False)
    found = updated(content, "list", today, DAY)
    after = parsed(found.content)
    assert reasons_to_fail(after, today) == []
    if not reasons_to_fail(before, today):
        assert found.content == content
    assert updated(found.content, "list", today, "2027-01-01").content == found.content
    assert found.kept + len(found.corrected) + len(found.removed) == len(before.entries)
    assert len(after.entries) == found.kept + len(found.corrected) + len(found.added)
    left = [line for line in _comments(found.content) if line not in HEADINGS.values()]
    assert left == _comments(content)
    whole = parsed(new_list(today, DAY).encode())
    assert reasons_to_fail(whole, today) == []
    assert {one.pattern for one in whole.entries} == today.failing


def _comments(content):
    """The lines without an entry that say something."""
    lines = (line.rstrip("\r") for line in content.decode("utf-8-sig").split("\n"))
    return [line for line in lines if line.strip() and not line.partition("#")[0].strip()]
