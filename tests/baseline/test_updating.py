"""Lists brought up to date: what holds stays, to the byte, however it is written."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.baseline.today import Today, complaints
from conformance.baseline.updating import updated
from conformance.judging.known_failures import LISTABLE, KnownFailures, KnownFailuresError

DAY = "2026-11-23"
IDS = tuple(f"s/{section}/{slug}" for section in "ab" for slug in ("x-1", "x-2", "y-1", "y-2"))
AGAIN = tuple(f"{one}/asked-again" for one in IDS)
UPDATES = json.loads(Path(__file__).with_name("updates.json").read_text("utf-8"))
FAILING = sorted(LISTABLE - {"unsupported"})


def today_of(outcomes, demanded=()):
    failing = {one for one, outcome in outcomes.items() if outcome in FAILING}
    return Today(ids=(*IDS, *AGAIN), outcomes=outcomes, failing=frozenset(failing | set(demanded)))


def run(text, outcomes, **how):
    found = updated(text.encode(), "list", today_of({**dict.fromkeys(IDS, "passed"), **outcomes}), DAY, **how)
    return found.content.decode(), found.sentence


@pytest.mark.parametrize(
    ("text", "outcomes", "expected", "counts"), [one[1:] for one in UPDATES], ids=[one[0] for one in UPDATES]
)
def test_an_update(text, outcomes, expected, counts) -> None:
    """The counts are what is kept, corrected, removed and added."""
    said = "{} kept, {} corrected, {} removed, {} added".format(*counts.split(", "))
    assert run(text, outcomes) == (text if expected is None else expected, said)


def test_new_failures_are_covered_by_patterns_if_asked() -> None:
    outcomes = dict.fromkeys(IDS[:3], "crash")
    text, _ = run(f"{IDS[0]} crash\n", outcomes, patterns=True)
    assert text.startswith(f"{IDS[0]} crash\n\n# New on {DAY}\ns/a/")
    assert text.count(" crash") <= 3
    text, _ = run("", dict.fromkeys(IDS[:2], "crash"), patterns=True)
    assert text == f"# New on {DAY}\ns/a/x-* crash  # since {DAY}: 2 failures\n"


def test_a_bad_list_is_a_sentence() -> None:
    with pytest.raises(KnownFailuresError, match="line 2: write '<id or pattern> <outcome>"):
        run("# fine\nnot fine at all\n", {})


_space = st.sampled_from(["", " ", "\t", "  "])
_comment = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)
_pattern = st.sampled_from(
    [*IDS, *AGAIN[:2], "s/a/*", "*", "s/*/x-1", "*-2", "s/?/y-[12]", "s/gone/1", "*gone*"]
)


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
    return f"{draw(_space)}{draw(_pattern)} {draw(_space)}{outcome}{draw(_space)}{comment}{end}"


_texts = st.tuples(st.sampled_from(["", "\ufeff"]), st.lists(_line(), max_size=10)).map(
    lambda two: two[0] + "\n".join(two[1])
)
_outcomes = st.dictionaries(
    st.sampled_from([*IDS, *AGAIN[:3]]), st.sampled_from(["passed", "passed", "unsupported", *FAILING])
)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(_texts, _outcomes, st.booleans())
def test_an_update_makes_the_gate_pass_and_the_next_one_has_nothing_to_do(text, outcomes, patterns) -> None:
    content, today = text.encode(), today_of(outcomes)
    try:
        before = KnownFailures.parse(content.decode("utf-8-sig"), "list")
    except KnownFailuresError:
        assume(False)
    found = updated(content, "list", today, DAY, patterns=patterns)
    after = KnownFailures.parse(found.content.decode("utf-8-sig"), "list")
    assert complaints(after, today) == []
    if not complaints(before, today):
        assert found.content == content
    assert updated(found.content, "list", today, "2027-01-01", patterns=patterns).content == found.content
    assert found.kept + len(found.corrected) + len(found.removed) == len(before.entries)
    assert len(after.entries) == found.kept + len(found.corrected) + len(found.added)
    left = _comments(found.content)
    assert left[: len(_comments(content))] == _comments(content)
    assert all(line.startswith((b"# New on ", b"# again-seed: ")) for line in left[len(_comments(content)) :])


def _comments(content):
    """The lines without an entry that say something."""
    lines = (line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r") for line in content.split(b"\n"))
    return [line for line in lines if line.strip() and not line.partition(b"#")[0].strip()]
