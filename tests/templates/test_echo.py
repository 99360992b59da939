"""The echo test: each template's protocol file is held to the whole protocol, through real pipes."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from echoing import messages, numbers, texts
from echoing.lines import REFUSED_VALUES

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
        messages.replies_come_in_order,
        messages.the_end_of_input_ends_it,
        messages.a_line_may_come_in_pieces,
        numbers.floats_are_spelled_as_pythons_repr,
        numbers.floats_are_read_to_the_nearest_double,
        numbers.ints_of_any_size_come_back,
        numbers.numbers_are_told_apart,
        numbers.numbers_that_are_not_finite,
        numbers.ints_beyond_the_doubles_overflow,
        numbers.what_is_no_number_is_an_error,
        numbers.rewards_are_read,
        texts.every_value_comes_back,
        texts.all_of_unicode_comes_back,
        texts.escapes_are_read,
        texts.text_is_counted_and_marked,
        texts.file_content_is_bytes,
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
MODES = [pytest.param(False, id="native"), pytest.param(True, id="strings")]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("strings", MODES)
@pytest.mark.parametrize("slug", [language.slug for language in LANGUAGES])
def test_the_protocol_file(slug: str, strings: bool, check: str, builder: Any, echo_of: Any) -> None:
    """What the check's docstring says, of this language, with numbers as JSON has them and as strings."""
    built = builder.built(slug, "echo")
    CHECKS[check](echo_of(built.command, built.folder, strings=strings, oneshot=built.language.oneshot))


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("strings", MODES)
def test_a_right_runner_passes(strings: bool, check: str, echo_of: Any, tmp_path: Path) -> None:
    CHECKS[check](echo_of([sys.executable, str(DOUBLE), "none"], tmp_path, strings=strings))


FAULTS = {
    "no-reasons": "errors_have_their_reason_codes",
}
