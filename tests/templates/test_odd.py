"""What an author does by mistake, or a library of his: answers that are none, own exceptions, a locale."""

import random
import re
import subprocess

import pytest

from conformance.templates.languages import LANGUAGES, named
from tests.templates.echoing.building import authors_file, lacking, languages, marks
from tests.templates.echoing.numbers import DOUBLES, random_doubles
from tests.templates.echoing.reading import Float, Int, due

TRACE = 2_200
"""The most characters that one exception may write: 2,000 of its trace, and a line of its own."""


def those_with(operation):
    """Languages whose odd runner offers the operation."""
    found = []
    for language in LANGUAGES:
        path = authors_file(language, "odd")
        if path.exists() and re.search(rf"\b{operation}\b", path.read_text("utf-8")):
            found.append(language.slug)
    return found


@pytest.fixture
def odd(builder, echo_of):
    """``odd(slug)``: the language's odd runner, to be asked."""

    def start(slug):
        built = builder.built(slug, "odd")
        return echo_of(built.command, built.folder, strings=False, oneshot=built.language.oneshot)

    return start


@languages(those_with("half_text"))
def test_text_that_is_no_utf8_is_unsupported(slug, odd) -> None:
    """As PROTOCOL.md has it of half a surrogate pair, which these languages cannot hold."""
    for op in ("half_text", "half_key"):
        kind, why = odd(slug).ask(op)
        assert (kind, "UTF-8" in why) == ("unsupported", True), f"{op}: {kind} {why}"


@languages(those_with("object_itself"))
def test_an_answer_that_holds_itself_is_an_error(slug, odd) -> None:
    """And it says so briefly."""
    asked = odd(slug)
    for op in ("object_itself", "list_itself"):
        kind, error = asked.ask(op)
        assert (kind, "holds itself" in error["message"]) == ("error", True), op
    asked.runner.close()  # standard error may lag behind the replies
    assert len(asked.runner.said) < 2 * TRACE


@languages(those_with("nested"))
def test_an_answer_of_500_levels_is_the_deepest(slug, odd) -> None:
    runner = odd(slug).runner
    for levels in (1, 2, 500):
        reply = runner.ask(b'{"id":1,"op":"nested","input":{"levels":%d}}' % levels)
        assert reply == b'{"id":1,"ok":%s{}%s}\n' % (b'{"a":' * (levels - 1), b"}" * (levels - 1))
    assert odd(slug).error("nested", {"levels": 501}) == "ValueError"


@languages(those_with("int"))
def test_an_int_is_spelled_as_in_json(slug, odd) -> None:
    """Whatever else its text is, the reply is JSON: an error."""
    for text in ("5", "0", "-12", "9" * 400, "-0"):
        assert odd(slug).ok("int", {"digits": text})["int"] == Int("0" if text == "-0" else text)
    wrong = ("+5", "", "-", "1.0", "007", "-01", "00", "1e3", "--1", " 1", "1 ", "1\n", "0x1", "NaN", "١")
    for text in wrong:
        odd(slug).error("int", {"digits": text})


@languages(those_with("own"))
def test_an_exception_has_its_simple_name(slug, odd) -> None:
    """That of a class within another too; one without a name says where it is."""
    assert odd(slug).error("own") == "MyError"
    if slug == "java":
        assert odd(slug).error("nameless") == "Runner$1"


@marks("java")
def test_a_stack_that_overflowed_says_so_briefly(odd) -> None:
    asked = odd("java")
    assert asked.error("endless") == "StackOverflowError"
    assert "StackOverflowError" in asked.runner.hear()
    assert len(asked.runner.said) < TRACE


@pytest.fixture(scope="session")
def german(tmp_path_factory):
    """Words that start a program where 1.5 is written 1,5."""
    folder = tmp_path_factory.mktemp("locales")
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        cpp = named("cpp")
        assert cpp is not None
        lacking(cpp, "localedef makes no German locale here (on Debian: apt-get install locales)")
    return ["env", f"LOCPATH={folder}", "LC_ALL=de_DE.UTF-8"]


@marks("cpp")
def test_numbers_do_not_follow_the_locale(german, builder, echo_of) -> None:
    """A library may set it: floats are read and spelled as ever, to the last bit."""
    built = builder.built("cpp", "odd")
    asked = echo_of([*german, *built.command], built.folder, strings=False)
    assert asked.ok("point")["point"] == ",", "the locale is not that"
    drawn = random.Random(11)
    short = [drawn.randrange(-(10**6), 10**6) / 10 ** drawn.randrange(7) for _ in range(1_000)]
    values = [*DOUBLES, *random_doubles(4_000, 11), *short]
    texts = [repr(value) for value in values]
    replies = asked.oks([("number", {"value": value}) for value in [*values, *texts]])
    for text, reply in zip([*texts, *texts], replies, strict=True):
        assert (reply["value"], reply["double"], reply["spelled"]) == (Float(text), Float(text), text)


@pytest.fixture
def answers(builder, echo_of):
    """The runner whose operations take nothing and answer with a value each."""
    built = builder.built("go", "answers")
    return echo_of(built.command, built.folder, strings=False)


WRITTEN = {"pairs": [["task", "agent"], [], []], "ints": [-8, -16, -32, -64, -1, [1], [2]]}
WRITTEN |= {"uints": [8, 16, 32, 2**64 - 1, 1], "large": [2**64, None], "texts": ["passed"], "bools": [True]}
WRITTEN |= {"floats": [0.5, 0.1, [1.0], [0.0, -1e16]], "pointers": [0.1, None]}
WRITTEN["objects"] = [{"b": 1, "a": None}, None]


@marks("go")
def test_what_can_be_written(answers) -> None:
    """As deep as a request: with the reply and what it has as `ok`, 500 levels."""
    found = dict(zip(WRITTEN, answers.oks([(op, None) for op in WRITTEN]), strict=True))
    assert found == {op: due({"value": value}) for op, value in WRITTEN.items()}
    raw = answers.runner.ask(answers.request("deep"))
    assert b'"ok":{"value":' + b"[" * 498 + b"]" * 498 + b"}" in raw


REFUSED = {
    **dict.fromkeys(("itself", "list", "pointer"), "holds itself"),
    "bottomless": "nested deeper than 500 levels",
    "map": "make an Object of it",
    "bytes": "Content(it)",
    "struct": "cannot have a struct",
    "func": "cannot have a func",
}


@marks("go")
def test_what_cannot_be_written(answers) -> None:
    """As bad input is: an error that says what to do.

    Go's strings are UTF-8, which has no half of a surrogate pair: that is no mistake of the author's.
    """
    for op, advice in REFUSED.items():
        kind, error = answers.ask(op)
        assert (kind, error["type"], error["reason_code"]) == ("error", "TypeError", None), op
        assert advice in error["message"]
        assert answers.ok("bools") == due({"value": [True]})
    why = r'a string of the answer is no UTF-8: "a\xed\xa0\x90"'
    assert [answers.ask(op) for op in ("half", "half_key")] == [("unsupported", why)] * 2
