"""The echo test: each template's protocol file is held to the whole protocol, through real pipes."""

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.templates.languages import LANGUAGES
from tests.templates.echoing import messages, numbers, talking, texts
from tests.templates.echoing.asking import Asked
from tests.templates.echoing.building import languages
from tests.templates.echoing.lines import REFUSED_VALUES
from tests.templates.echoing.talking import Runner

DOUBLE = Path(messages.__file__).with_name("double.py")
CHECKS: dict[str, Callable[[Any], None]] = {
    name: check
    for module in (messages, numbers, texts)
    for name, check in vars(module).items()
    if inspect.isfunction(check)
    and check.__module__ == module.__name__
    and list(inspect.signature(check).parameters) == ["asked"]
}
CHECKS |= {
    f"bad_{category}_are_told_of": functools.partial(messages.bad_values_are_told_of, category=category)
    for category in REFUSED_VALUES
}
ONCE = {"a_line_of_eight_mebibytes_is_read"}
"""What takes long, and does not depend on how numbers come."""
HOLD_HALVES = ["python", "typescript", "java", "csharp"]
"""Whose strings can hold half a surrogate pair; the others answer `unsupported`, as PROTOCOL.md has it."""
OF_SOME = {
    "halves_of_pairs_are_escapes": HOLD_HALVES,
    "replies_are_not_held_back": [language.slug for language in LANGUAGES if not language.oneshot],
}
"""Checks that are not for every language: they ask for operations that only its echo runner has."""
LISTENING = {"what_is_unexpected_is_an_error", "what_the_author_prints_breaks_nothing"}
"""Checks that hear what their process says on standard error, and so have one of their own."""


def failures(slug: str, command: list[str], folder: Path, *, strings: bool, oneshot: bool) -> dict[str, str]:
    """The checks that a runner fails; all but a few ask the same process."""
    found, runner = {}, None
    for name, check in CHECKS.items():
        if slug not in OF_SOME.get(name, [slug]) or (strings and (name in ONCE or name in OF_SOME)):
            continue
        if runner is None or name in LISTENING:
            if runner is not None:
                runner.close()
            runner = Runner(command, folder, strings=strings, oneshot=oneshot)
        try:
            check(Asked(runner))
        except AssertionError as error:
            found[name] = str(error)
            with contextlib.suppress(AssertionError):
                runner.close()
            runner = None
    if runner is not None:
        runner.close()
    return found


NUMBERS = pytest.mark.parametrize("strings", [False, True], ids=["native", "strings"])


@NUMBERS
@languages(always=("python", "cpp"))
def test_the_protocol_file(slug: str, strings: bool, builder: Any) -> None:
    """What the checks' docstrings say, of this language, with numbers as JSON has them and as strings."""
    built = builder.built(slug, "echo")
    oneshot = built.language.oneshot
    assert failures(slug, built.command, built.folder, strings=strings, oneshot=oneshot) == {}


@pytest.mark.slow
@NUMBERS
def test_a_right_runner_passes(strings: bool, tmp_path: Path) -> None:
    command = [sys.executable, "-I", str(DOUBLE), "none"]
    assert failures("python", command, tmp_path, strings=strings, oneshot=False) == {}


def test_there_are_as_many_checks_as_ever() -> None:
    assert len(CHECKS) == 43


FAULTS = {
    "any-spelling": "what_is_no_number_is_an_error",
    "any-protocol": "another_protocol_is_refused",
    "bad-lines-end-it": "bad_lines_are_told_of",
    "bad-lines-ignored": "bad_lines_are_told_of",
    "bare-nan": "bad_constants_are_told_of",
    "beyond-is-infinite": "bad_constants_are_told_of",
    "bom-taken": "bad_lines_are_told_of",
    "controls-bare": "every_value_comes_back",
    "crlf-lost": "file_content_is_bytes",
    "depth-unbounded": "depth_is_bounded",
    "duplicates-taken": "bad_duplicates_are_told_of",
    "empty-lines": "hello_says_who_answers",
    "exponent-short": "floats_are_spelled_to_the_byte",
    "first-spec-stays": "the_spec_that_hello_named_is_known",
    "halves-lost": "halves_of_pairs_are_escapes",
    "held-back": "replies_are_not_held_back",
    "id-guessed": "bad_lines_are_told_of",
    "ints-are-doubles": "ints_of_any_size_come_back",
    "ints-first": "objects_keep_their_order",
    "keys-sorted": "objects_keep_their_order",
    "last-line-dropped": "the_end_of_input_ends_it",
    "latin-taken": "bad_utf8_are_told_of",
    "message-lost": "errors_have_their_reason_codes",
    "minus-zero-lost": "floats_are_spelled_to_the_byte",
    "minus-zero-made": "numbers_that_are_not_finite",
    "no-plus": "floats_are_spelled_to_the_byte",
    "no-reasons": "errors_have_their_reason_codes",
    "numbers-unsaid": "hello_says_who_answers",
    "one-bit-off": "floats_are_read_to_the_nearest_double",
    "one-is-one": "floats_are_spelled_to_the_byte",
    "overflow-is-infinite": "ints_beyond_the_doubles_overflow",
    "planes-lost": "all_of_unicode_comes_back",
    "prints": "what_the_author_prints_breaks_nothing",
    "proto-lost": "every_value_comes_back",
    "put-moves": "what_is_put_twice_keeps_its_place",
    "seventeen-digits": "floats_are_spelled_to_the_byte",
    "spelled-refused": "spelled_numbers_are_numbers",
    "splits-at-returns": "members_come_in_any_order",
    "splits-at-separators": "every_value_comes_back",
    "stub-offered": "hello_says_who_answers",
    "surrogates-taken": "bad_surrogates_are_told_of",
    "text-always": "file_content_is_bytes",
    "unexpected-ends-it": "what_is_unexpected_is_an_error",
    "unflushed": "replies_come_before_the_next_request",
    "units-counted": "text_is_counted_and_marked",
}
"""What a broken runner does, and a check that it fails."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_runner_fails(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check can fail: of a runner with one fault, the one that is about it does."""
    monkeypatch.setattr(talking, "PATIENCE", 2.0)
    strings = fault == "numbers-unsaid"
    runner = Runner([sys.executable, "-I", str(DOUBLE), fault], tmp_path, strings=strings, oneshot=False)

    def checked() -> None:
        try:
            CHECKS[FAULTS[fault]](Asked(runner))
        finally:
            runner.close()

    with pytest.raises(AssertionError):
        checked()


@pytest.mark.slow
def test_a_runner_of_one_request_may_read_to_the_end(tmp_path: Path) -> None:
    """Its input is closed before its reply is awaited, whichever awk the machine has."""
    reads_all = "import sys; print(sys.stdin.read().upper(), end='')"
    runner = Runner([sys.executable, "-c", reads_all], tmp_path, strings=False, oneshot=True)
    assert runner.ask(b"one") == b"ONE\n"
    assert runner.ask_all([b"two", b"three"]) == [b"TWO\n", b"THREE\n"]


def test_every_fault_is_tried() -> None:
    assert set(re.findall(r'FAULT [!=]= "([a-z0-9-]+)"', DOUBLE.read_text("utf-8"))) == set(FAULTS)
