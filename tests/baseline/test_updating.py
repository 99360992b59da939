"""Lists brought up to date: what holds stays, to the byte, however it is written."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.baseline.today import Today, complaints
from conformance.baseline.updating import updated
from conformance.judging.known_failures import LISTABLE, KnownFailures, KnownFailuresError

DAY = "2026-11-23"
IDS = tuple(f"s/{section}/{slug}" for section in "ab" for slug in ("x-1", "x-2", "y-1", "y-2"))
AGAIN = tuple(f"{one}/asked-again" for one in IDS)
FAILING = sorted(LISTABLE - {"unsupported"})


def today_of(outcomes: dict[str, str], demanded: tuple[str, ...] = ()) -> Today:
    failing = {one for one, outcome in outcomes.items() if outcome in FAILING}
    return Today(ids=(*IDS, *AGAIN), outcomes=outcomes, failing=frozenset(failing | set(demanded)))


def run(text: str, outcomes: dict[str, str], **how: bool) -> tuple[str, str]:
    found = updated(text.encode(), "list", today_of({**dict.fromkeys(IDS, "passed"), **outcomes}), DAY, **how)
    return found.content.decode(), found.sentence


@pytest.mark.parametrize(
    ("text", "outcomes", "expected", "sentence"),
    [
        pytest.param(
            "s/a/x-1 mismatch # mine\n",
            {"s/a/x-1": "mismatch"},
            None,
            "1 kept, 0 corrected, 0 removed, 0 added",
            id="holds",
        ),
        pytest.param(
            "# head\n\ns/a/x-1 mismatch # mine\n# foot\n",
            {},
            "# head\n\n# foot\n",
            "0 kept, 0 corrected, 1 removed, 0 added",
            id="passes",
        ),
        pytest.param("s/a/gone mismatch", {}, "", "0 kept, 0 corrected, 1 removed, 0 added", id="no vector"),
        pytest.param(
            "s/a/x-* crash\r\n#\r\n", {}, "#\r\n", "0 kept, 0 corrected, 1 removed, 0 added", id="stale"
        ),
        pytest.param(
            "*/z-* crash\n", {}, "", "0 kept, 0 corrected, 1 removed, 0 added", id="matches nothing"
        ),
        pytest.param(
            "\ts/a/x-1   mismatch\t#  since 2025-01-01: mine  \n",
            {"s/a/x-1": "crash"},
            f"\ts/a/x-1   crash\t#  since 2025-01-01: mine (was mismatch until {DAY})  \n",
            "0 kept, 1 corrected, 0 removed, 0 added",
            id="another outcome",
        ),
        pytest.param(
            "s/a/x-1 mismatch\r\n",
            {"s/a/x-1": "unsupported"},
            f"s/a/x-1 unsupported  # was mismatch until {DAY}\r\n",
            "0 kept, 1 corrected, 0 removed, 0 added",
            id="unsupported now",
        ),
        pytest.param(
            "s/a/x-1 unsupported # no\n",
            {"s/a/x-1": "unsupported"},
            None,
            "1 kept, 0 corrected, 0 removed, 0 added",
            id="unsupported holds",
        ),
        pytest.param(
            "s/a/x-1 crash # mine (was timeout until 2026-01-01)\n",
            {"s/a/x-1": "mismatch"},
            f"s/a/x-1 mismatch # mine (was crash until {DAY})\n",
            "0 kept, 1 corrected, 0 removed, 0 added",
            id="another outcome again",
        ),
        pytest.param(
            "s/*/x-1 crash # both\n",
            {"s/a/x-1": "mismatch", "s/b/x-1": "mismatch"},
            f"s/*/x-1 mismatch # both (was crash until {DAY})\n",
            "0 kept, 1 corrected, 0 removed, 0 added",
            id="a pattern's outcome",
        ),
        pytest.param(
            "\ufeff# head\r\ns/a/x-1 crash",
            {"s/a/x-1": "crash", "s/b/y-1": "mismatch"},
            f"\ufeff# head\r\ns/a/x-1 crash\r\n\r\n# New on {DAY}\r\ns/b/y-1 mismatch  # since {DAY}\r\n",
            "1 kept, 0 corrected, 0 removed, 1 added",
            id="new, and no line feed at the end",
        ),
        pytest.param(
            f"s/a/x-1 crash\n\n# New on {DAY}\ns/b/y-1 mismatch  # since {DAY}\n",
            {"s/a/x-1": "crash", "s/b/y-1": "mismatch", "s/b/y-2": "mismatch"},
            f"s/a/x-1 crash\n\n# New on {DAY}\ns/b/y-1 mismatch  # since {DAY}\n"
            f"s/b/y-2 mismatch  # since {DAY}\n",
            "2 kept, 0 corrected, 0 removed, 1 added",
            id="new on the same day",
        ),
        pytest.param(
            "",
            {"s/a/x-1": "crash"},
            f"# New on {DAY}\ns/a/x-1 crash  # since {DAY}\n",
            "0 kept, 0 corrected, 0 removed, 1 added",
            id="empty",
        ),
        pytest.param(
            "s/a/x-1/asked-again mismatch\ns/b/x-1 crash\n",
            {},
            "s/a/x-1/asked-again mismatch\n",
            "1 kept, 0 corrected, 1 removed, 0 added",
            id="what was not asked stays",
        ),
        pytest.param(
            "s/a/* mismatch\ns/a/x-1 crash\n",
            {"s/a/x-1": "passed"},
            "",
            "0 kept, 0 corrected, 2 removed, 0 added",
            id="a pattern that is stale once an id is gone",
        ),
    ],
)
def test_an_update(text: str, outcomes: dict[str, str], expected: str | None, sentence: str) -> None:
    assert run(text, outcomes) == (text if expected is None else expected, sentence)


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
def _line(draw: st.DrawFn) -> str:
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
def test_an_update_makes_the_gate_pass_and_the_next_one_has_nothing_to_do(
    text: str, outcomes: dict[str, str], patterns: bool
) -> None:
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


def _comments(content: bytes) -> list[bytes]:
    """The lines without an entry that say something."""
    lines = (line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r") for line in content.split(b"\n"))
    return [line for line in lines if line.strip() and not line.partition(b"#")[0].strip()]
