"""The echo test: each template's protocol file is held to the whole protocol, through real pipes."""

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from echoing import messages, numbers, talking, texts
from echoing.asking import Asked
from echoing.lines import REFUSED_VALUES
from echoing.talking import Runner

from conformance.templates.languages import LANGUAGES

DOUBLE = Path(messages.__file__).with_name("double.py")
CHECKS: dict[str, Callable[[Any], None]] = {
    check.__name__: check
    for check in (
        messages.hello_says_who_answers,
        messages.another_protocol_is_refused,
        messages.the_spec_that_hello_named_is_known,
        messages.errors_have_their_reason_codes,
        messages.what_is_not_offered_is_unsupported,
        messages.what_is_unexpected_is_an_error,
        messages.what_the_author_prints_breaks_nothing,
        messages.members_come_in_any_order,
        messages.ids_come_back,
        messages.bad_lines_are_told_of,
        messages.bad_requests_are_told_of,
        messages.bad_inputs_are_errors,
        messages.replies_come_before_the_next_request,
        messages.replies_are_not_held_back,
        messages.replies_come_in_order,
        messages.the_end_of_input_ends_it,
        messages.a_line_may_come_in_pieces,
        numbers.floats_are_spelled_to_the_byte,
        numbers.floats_are_read_to_the_nearest_double,
        numbers.ints_of_any_size_come_back,
        numbers.numbers_are_told_apart,
        numbers.numbers_that_are_not_finite,
        numbers.ints_beyond_the_doubles_overflow,
        numbers.spelled_numbers_are_numbers,
        numbers.what_is_no_number_is_an_error,
        numbers.rewards_are_read,
        texts.every_value_comes_back,
        texts.all_of_unicode_comes_back,
        texts.escapes_are_read,
        texts.text_is_counted_and_marked,
        texts.file_content_is_bytes,
        texts.halves_of_pairs_are_escapes,
        texts.objects_keep_their_order,
        texts.what_is_put_twice_keeps_its_place,
        texts.depth_is_bounded,
        texts.a_line_of_eight_mebibytes_is_read,
    )
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
CASES = [
    pytest.param(strings, check, id=f"{'strings' if strings else 'native'}-{check}")
    for strings in (False, True)
    for check in CHECKS
    if not (strings and check in ONCE) and check not in OF_SOME
]


@pytest.mark.parametrize(("strings", "check"), CASES)
@pytest.mark.parametrize("slug", [language.slug for language in LANGUAGES])
def test_the_protocol_file(slug: str, strings: bool, check: str, builder: Any, echo_of: Any) -> None:
    """What the check's docstring says, of this language, with numbers as JSON has them and as strings."""
    built = builder.built(slug, "echo")
    CHECKS[check](echo_of(built.command, built.folder, strings=strings, oneshot=built.language.oneshot))


@pytest.mark.parametrize(("check", "slug"), [(check, slug) for check in OF_SOME for slug in OF_SOME[check]])
def test_what_is_for_some_languages(check: str, slug: str, builder: Any, echo_of: Any) -> None:
    built = builder.built(slug, "echo")
    CHECKS[check](echo_of(built.command, built.folder, strings=False, oneshot=False))


@pytest.mark.parametrize(("strings", "check"), [*CASES, *((False, check) for check in OF_SOME)])
def test_a_right_runner_passes(strings: bool, check: str, echo_of: Any, tmp_path: Path) -> None:
    CHECKS[check](echo_of([sys.executable, "-I", str(DOUBLE), "none"], tmp_path, strings=strings))


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


def test_a_runner_of_one_request_may_read_to_the_end(tmp_path: Path) -> None:
    """Its input is closed before its reply is awaited, whichever awk the machine has."""
    reads_all = "import sys; print(sys.stdin.read().upper(), end='')"
    runner = Runner([sys.executable, "-c", reads_all], tmp_path, strings=False, oneshot=True)
    assert runner.ask(b"one") == b"ONE\n"
    assert runner.ask_all([b"two", b"three"]) == [b"TWO\n", b"THREE\n"]


def test_every_fault_is_tried() -> None:
    assert set(re.findall(r'FAULT [!=]= "([a-z0-9-]+)"', DOUBLE.read_text("utf-8"))) == set(FAULTS)
