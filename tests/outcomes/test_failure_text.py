"""What a person reads when a vector fails."""

import re
import shlex

import pytest

from conformance.judging.comparison import Level
from conformance.judging.verdict import judge
from conformance.outcomes.failure_text import difference_lines, failure_text, with_likely
from conformance.run.options import RunOptions, repeat_vector
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed, Ok, Refused, Reply, Unsupported
from conformance.wire.text import first_and_last

NASTY = "\x1b[31mred\x07 \x9b2J \u202e \ud800 \x7f\r\n\u2028"
FORBIDDEN = set("\x1b\x07\x9b\u202e\ud800\x7f\r\u2028")
CLAUSES = {"003-3.3-made-for-a-test": "What the clause demands."}


def text_of(vector, answer, stderr="", level=Level.BYTES):
    options = RunOptions(command="./runner --fast 'a b'", level=level, oneshot=True)
    verdict = judge(vector, Reply(vector.id, answer, 0.1), level)
    about = {"command": options.command, "repeat": repeat_vector(options, vector), "clauses": CLAUSES}
    return failure_text(verdict, stderr=stderr, **about).replace(str(vector.file), "FILE")


@pytest.fixture
def mean(vectors):
    rewards = [{"a": 1.0, "b": 0.5}, None]
    given = {"metric": "mean", "rewards": rewards}
    [vector] = vectors.load(vectors.entry("two-keys", "aggregate", given, {"a": 0.5, "b": 0.25}))
    return vector


@pytest.fixture
def empty(vectors):
    given = {"files": {"reward.txt": {"text": "\x00\x1b[2J"}}}
    [vector] = vectors.load(vectors.entry("empty", "parse_reward", given, error="RewardFileEmptyError"))
    return vector


ANSWERS = {
    "mismatch": Ok({"a": 0.5, "b": 0.5}),
    "mismatch-in-several-places": Ok({"b": 0.5, "c": None}),
    "mismatch-of-kind": Ok({"a": 0.5, "b": 1}),
    "mismatch-of-order": Ok({"b": 0.25, "a": 0.5}),
    "another-shape": Ok("0.5"),
    "wrong-error": Refused("KeyError", None, "'a'"),
    "crash": Failed("crash", "the runner exited with code 3 instead of replying"),
    "timeout": Failed("timeout", "no reply within 10 s; --runner-timeout raises that limit"),
    "protocol-error": Failed("protocol-error", "the runner's reply can't be used: it is not JSON: 'x'"),
    "not-run": Failed("not-run", "not run: the runner was started again 5 times in a row"),
    "unsupported": Unsupported("no time"),
}
NO_ERRORS = {
    "accepted": Ok({"rewards": {"reward": 0.0}}),
    "another-type": Refused("ValueError", None, "bad\x1b text"),
    "another-reason-code": Refused("RewardFileEmptyError", "empty", ""),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_where_a_value_is_due(mean, name, snapshot) -> None:
    assert text_of(mean, ANSWERS[name], "Traceback\n  boom\n" if name == "crash" else "") == snapshot


@pytest.mark.parametrize("name", NO_ERRORS)
def test_where_an_error_is_due(empty, name, snapshot) -> None:
    assert text_of(empty, NO_ERRORS[name]) == snapshot


@pytest.mark.parametrize("answer", [Ok({NASTY: [NASTY], "a": NASTY}), Failed("protocol-error", NASTY)])
def test_control_characters_are_escaped(mean, answer) -> None:
    text = text_of(mean, answer, NASTY)
    assert not FORBIDDEN & set(text)
    assert "\\x1b[31mred\\x07" in text.replace("\\u001b", "\\x1b").replace("\\u0007", "\\x07")
    verdict = judge(mean, Reply(mean.id, answer, 0.1), Level.BYTES)
    assert not FORBIDDEN & set(verdict.sentence)  # pytest shows the sentence of a skip


def test_both_ends_of_stderr_are_shown(mean) -> None:
    """Few lines whole, repeated ones as one; of more, those are counted that are left out already."""
    text = text_of(mean, ANSWERS["crash"], "\n".join(f"line {number}" for number in range(100)))
    assert "stderr:   line 0\n          line 1\n" in text
    assert "          line 5\n          ... 88 lines ...\n          line 94\n" in text
    assert "          line 99\nrunner:" in text
    lines = [f"line {number}" for number in range(13)]
    assert first_and_last("\n".join(lines)) == lines
    assert first_and_last("\n".join([*lines, "line 13"]))[6] == "... 2 lines ..."
    lines = [*["head"] * 10, "... 70 lines ...", *["tail"] * 10]
    assert first_and_last("\n".join(lines)) == ["head"] * 6 + ["... 78 lines ..."] + ["tail"] * 6
    text = text_of(mean, ANSWERS["crash"], "one\ntwo\ntwo\ntwo\none\n")
    assert "stderr:   one\n          two (3 times)\n          one\nrunner:" in text


def test_the_difference_of_files_is_shown_by_line() -> None:
    """A member of a file far behind its beginning differs; a final newline is a line too."""
    members = [f'"m{number}": {number}' for number in range(9)]
    expected, actual = ("\n".join(["{", *lines, "}"]) for lines in (members, [*members[:8], '"m8": 8.0']))
    shown = difference_lines({"f": {"text": expected}}, {"f": {"text": f"{actual}\n"}})
    assert [line for line in shown[2:] if line[0] in "+-"] == ['-"m8": 8', '+"m8": 8.0', "+"]


def test_an_error_in_the_midst_of_a_log_is_shown_from_its_beginning() -> None:
    rust = "thread 'main' panicked at src/main.rs:7:5:"
    for begins in (rust, "Traceback (most recent call last):", "panic: no", "TypeError: x"):
        log = [f"request {number}" for number in range(20)]
        shown = first_and_last("\n".join([*log, begins, *["frame"] * 30]))
        assert shown == ["... 20 lines ...", begins, *["frame"] * 5, "... 19 lines ...", *["frame"] * 6]


def test_the_command_that_repeats_it_is_whole(mean) -> None:
    options = RunOptions(command="./r 'a b'", level=Level.EXACT, oneshot=True)
    assert shlex.split(repeat_vector(options, mean)) == [
        *("harbor-conformance", "run", "--runner", "./r 'a b'", "--spec", "harbor-0.13.1"),
        *("--level", "exact", "--vectors", str(mean.file), "--oneshot", mean.id),
    ]


def test_differences_name_their_place_by_a_pointer_and_the_root_by_its_name(vectors) -> None:
    rewards = {key: index / 2 for index, key in enumerate(("a/b", "~1", "", "~", "plain", "/"))}
    given = {"metric": "mean", "rewards": [rewards]}
    [vector] = vectors.load(vectors.entry("keys", "aggregate", given, rewards))
    text = text_of(vector, Ok(dict.fromkeys(rewards, 9.0)))
    assert "why:      at /a~1b: expected 0.0, got 9.0" in text
    places = re.findall(r"^          at /(.*): expected .*, got 9\.0$", text, re.MULTILINE)
    assert [place.replace("~1", "/").replace("~0", "~") for place in places] == list(rewards)[1:]
    text = text_of(vector, Ok(dict(reversed(rewards.items()))))
    assert "why:      at the root: the keys' order is ['/', 'plain'" in text


def test_what_explains_it_can_be_added_later() -> None:
    vector = next(one for one in load_spec("harbor-0.13.1") if one.id.endswith("/reward/json-true"))
    verdict = judge(vector, Reply(vector.id, Refused("ValueError", None), 0.0), Level.BYTES)
    given = {"command": "r", "repeat": "again", "clauses": {}, "stderr": "words"}
    text, cause = failure_text(verdict, **given), "booleans are refused"
    assert f"catches:  {vector.catches}" in text.splitlines()
    explained = with_likely(text, cause)
    last = [f"likely:   {cause}", "stderr:   words", "runner:   r", "repeat:   again"]
    assert explained.splitlines()[-4:] == last
    assert failure_text(verdict, **given, likely=cause) == explained
