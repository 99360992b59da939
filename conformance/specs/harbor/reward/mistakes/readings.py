"""What readers of the document alone understood of reward files: which counts, and what is a number there."""

import math
import re
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.other_numbers import Rewards
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.text import otherwise, refused, refusing, text_first
from reference_impl import errors, reward
from reference_impl.cpython312 import parsing, unicode15
from reference_impl.verifier_result import validate_rewards

__all__: list[str] = []

JSON, TEXT = reward.REWARD_JSON, reward.REWARD_TEXT
DIGIT_LIMIT = 4300
Files = Any
Parse = Callable[[Files], Any]
mistakes = family("parse_reward", clause="003-1.1-json-wins")
in_parse_reward = family("parse_reward", of=reward.parse_reward, clause="003-1.1-json-wins")
in_reward_text = family("parse_reward", of=reward._parse_reward_text, clause="003-1.2-utf8-decoding")
in_validate = family("parse_reward", of=validate_rewards, clause="003-1.3-top-level-kinds")


def text_alone(files: Files) -> Files:
    """The files without reward.json."""
    return {name: content for name, content in files.items() if name != JSON}


@in_parse_reward.wrapped(invited_by="`rewards is None` as the test for a missing file")
def null_json_tries_text(parse: Parse, files: Files) -> Any:
    """reward.txt is read where reward.json holds null.
    No rewards in one file seem to leave the question to the other."""
    rewards = parse(files)
    return parse(text_alone(files)) if rewards is None and TEXT in files else rewards


@in_parse_reward.wrapped(invited_by="`if not rewards`, len(rewards) == 0")
def empty_object_tries_text(parse: Parse, files: Files) -> Any:
    """reward.txt is read where reward.json holds an empty object. An empty object says nothing."""
    rewards = parse(files)
    return parse(text_alone(files)) if rewards == {} and TEXT in files else rewards


@in_parse_reward.wrapped(invited_by="precedence by key, layered configuration")
def text_fills_in_reward(parse: Parse, files: Files) -> Any:
    """The number of reward.txt is put behind the keys of reward.json where these have no `reward`.
    The JSON file wins, so the other still counts where they do not collide."""
    rewards = parse(files)
    if rewards is None or JSON not in files or TEXT not in files or reward.REWARD_KEY in rewards:
        return rewards
    return {**rewards, **parse(text_alone(files))}


@in_parse_reward.wrapped(invited_by="a fixed key `reward` in both files")
def json_without_reward_tries_text(parse: Parse, files: Files) -> Any:
    """reward.txt is read where reward.json has no key `reward`.
    The file of numbers by name looks like details beside the reward itself."""
    rewards = parse(files)
    has_none = rewards is not None and reward.REWARD_KEY not in rewards
    return parse(text_alone(files)) if has_none and TEXT in files else rewards


@in_parse_reward.wrapped(clause="003-1.3-zero-bytes-is-empty", invited_by="tests of all files at once")
def empty_json_beside_text_is_malformed(reference: Variant, parse: Parse, files: Files) -> Any:
    """An empty reward.json is RewardFileEmptyError alone, and VerifierOutputParseError beside a reward.txt.
    With the other file there, the reward is not what is empty."""
    if files.get(JSON) == b"" and TEXT in files:
        raise reference.its(errors.VerifierOutputParseError)(JSON, "JSON")
    return parse(files)


@in_parse_reward.wrapped(
    clause="003-1.2-zero-bytes-is-empty", invited_by="an existence test that asks the size"
)
def empty_text_is_no_file(reference: Variant, parse: Parse, files: Files) -> Any:
    """An empty reward.txt is RewardFileNotFoundError, while an empty reward.json is RewardFileEmptyError.
    The file that is looked for last is there only if it says something."""
    if files.get(TEXT) == b"" and JSON not in files:
        raise reference.its(errors.RewardFileNotFoundError)
    return parse(files)


@text_first.made(clause="003-1.2-one-number-only", invited_by="read_line in a loop, lines().find, awk NF")
def first_line_with_text(text: str) -> str:
    """Of reward.txt the first line that is not blank is read.
    Blank lines are skipped, and one number is due."""
    return next((line for line in text.split("\n") if line.strip()), text)


@text_first.made(invited_by="ECMAScript's list of white space without its byte order mark")
def next_line_not_trimmed(text: str) -> str:
    """U+0085 around the number in reward.txt is refused, all other white space ignored.
    Several lists of white space lack it."""
    return refused(text) if "\x85" in text else text


@refusing.made(
    clause="003-1.2-correct-rounding", invited_by="one limit for all texts of numbers, sys.int_info"
)
def text_digits_limited(text: str, _: float) -> bool:
    """A number of more than 4300 digits in reward.txt is refused.
    The limit of ints is taken for all numbers."""
    return sum(character.isdigit() for character in text) > DIGIT_LIMIT


def exponent_of(text: str) -> str:
    """The digits of the exponent, without sign and underscores."""
    _, _, exponent = text.strip().lower().partition("e")
    return exponent.lstrip("+-").replace("_", "")


@refusing.made(clause="003-1.2-overflow-is-infinity", invited_by="i64 or int for the exponent, strtol")
def exponent_limited_to_64_bits(text: str, number: float) -> bool:
    """An exponent beyond 64 bits in reward.txt is refused. The exponent is read as an int of its own."""
    return "n" not in text.lower() and int(exponent_of(text) or "0") >= 2**63


@mistakes.changed(clause="003-1.2-correct-rounding", invited_by="mantissa * 10 ** exponent in doubles")
def zero_with_huge_exponent_is_nan(reference: Variant) -> None:
    """A zero with an exponent above 308 in reward.txt is NaN.
    Mantissa times power of ten is zero times infinity."""

    def around(parse: Callable[[str], float]) -> Callable[[str], float]:
        def reading(text: str) -> float:
            number = parse(text)
            exponent = text.lower().partition("e")[2]
            huge = (
                "n" not in text.lower()
                and not exponent.startswith("-")
                and int(exponent_of(text) or "0") > 308
            )
            return math.nan if number == 0 and huge else number

        return reading

    reference.wrap(parsing.parse_float, around)


@text_first.made(clause="003-1.2-unicode-digits", invited_by="ICU's spoof checks, one zero for the number")
def scripts_of_digits_not_mixed(text: str) -> str:
    """Digits of two scripts in one number of reward.txt are refused. A number is written in one script."""
    zeros = {ord(c) - d for c in text if (d := unicode15.decimal_digit(c)) is not None}
    return text if len(zeros) < 2 else refused(text)


@text_first.made(clause="003-1.2-unicode-digits", invited_by="a separate reader of the exponent")
def exponent_in_ascii_only(text: str) -> str:
    """The exponent in reward.txt is refused if its digits are not ASCII's.
    The digits of other scripts are thought of for the number itself."""
    exponent = text.lower().partition("e")[2]
    other = any(unicode15.decimal_digit(c) is not None and not c.isascii() for c in exponent)
    return refused(text) if other else text


@refusing.made(clause="003-1.2-underscores", invited_by="thousands separators")
def underscores_in_whole_part_only(text: str, _: float) -> bool:
    """Underscores are refused in the fraction and the exponent of reward.txt. They part thousands."""
    return "_" in re.split(r"[.eE]", text, maxsplit=1)[-1] and bool(re.search(r"[.eE]", text))


@refusing.made(clause="003-1.2-underscores", invited_by="thousands separators")
def underscores_part_thousands(text: str, _: float) -> bool:
    """Underscores in reward.txt are refused unless three digits follow each. They part thousands."""
    return bool(re.search(r"_(?!\d{3}(?!\d))", text))


@otherwise.made(clause="003-1.2-non-finite-words", invited_by="toUpperCase() == 'INF', equalsIgnoreCase")
def words_matched_in_capitals(text: str) -> float | None:
    """The words of reward.txt are compared in capitals, so that a dotless i passes for an i.
    Any case is taken to mean that both are put in capitals."""
    word = text.strip().upper()
    return float(word) if word.lstrip("+-") in ("INF", "INFINITY", "NAN") else None


@otherwise.made(clause="003-1.2-non-finite-words", invited_by="C's strtod, Zig, Fortran")
def nan_with_payload_accepted(text: str) -> float | None:
    """A nan with characters in parentheses behind it is accepted in reward.txt. C's strtod reads it."""
    return math.nan if re.fullmatch(r"\s*[+-]?nan\([0-9a-z_]*\)\s*", text, re.I | re.A) else None


@otherwise.made(clause="003-1.2-float-grammar", invited_by="Perl 6, ICU's NumberFormat, Swift formatters")
def unicode_minus_accepted(text: str) -> float | None:
    """The minus sign U+2212 is accepted in reward.txt. Where digits of any script count, signs seem to."""
    return float(text.replace("\u2212", "-")) if re.fullmatch(r"\s*\u2212[0-9]+\.?[0-9]*\s*", text) else None


@in_reward_text.wrapped(invited_by="bytes as characters, ISO-8859-1 readers")
def text_as_latin_1(read: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """reward.txt is read as Latin-1, and reward.json as UTF-8. Only JSON says how it is encoded."""
    return read(content.decode("latin-1").encode())


@in_reward_text.wrapped(invited_by="errors='ignore' for a file of digits")
def text_bytes_dropped(read: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """Bytes of reward.txt that are not UTF-8 are dropped, and those of reward.json refused.
    A number is all that is looked for."""
    kept = content.decode("utf-8", "ignore")
    return read(kept.encode() if kept or not content else b" ")


@mistakes.changed(
    clause="003-1.3-integer-digit-limit", invited_by="one limit for all numbers, parse_float with a check"
)
def json_float_digits_limited(reference: Variant) -> None:
    """A float of more than 4300 digits in reward.json is refused.
    The limit of ints is taken for all numbers."""
    parse_error = reference.its(errors.VerifierOutputParseError)

    def around(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def reading(content: bytes) -> Any:
            value = read(content)
            for number in re.findall(rb"[-+.0-9eE]{4301,}", content):
                if re.search(rb"[.eE]", number) and len(re.sub(rb"[^0-9]", b"", number)) > DIGIT_LIMIT:
                    raise parse_error(JSON, "JSON")
            return value

        return reading

    reference.wrap(reward._parse_reward_json, around)


@mistakes.changed(clause="003-1.3-integer-digit-limit", invited_by="len(token) > 4300")
def json_digit_limit_counts_sign(reference: Variant) -> None:
    """The minus sign counts among the 4300 digits of an int in reward.json. The token's length is tested."""

    def around(read: Callable[[str], int]) -> Callable[[str], int]:
        return lambda digits: read(digits) if len(digits) <= DIGIT_LIMIT else int(refused(digits))

    reference.wrap(parsing._parse_json_int, around)


@in_validate.wrapped(
    clause="003-1.3-numeric-string-becomes-float", invited_by="one limit for all texts of numbers"
)
def string_digits_limited(reference: Variant, validate: Callable[[Any], Any], value: Any) -> Any:
    """A string of more than 4300 characters is refused as a reward.
    The limit of ints is taken for every number in a text."""
    if isinstance(value, dict):
        for key, given in value.items():
            if isinstance(given, str) and len(given) > DIGIT_LIMIT:
                raise reference.its(errors.ValidationError)(f"rewards[{key!a}]", given)
    return validate(value)


@in_validate.wrapped(invited_by="a list of metrics, JSON Lines of one line, jq -s")
def list_of_one_object_accepted(validate: Callable[[Any], Any], value: Any) -> Any:
    """A reward.json that holds a list of one object is accepted as that object.
    Metrics are written as a list elsewhere."""
    is_one = isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)
    return validate(value[0] if is_one else value)


@in_validate.wrapped(
    clause="003-1.3-null-and-containers-refused", invited_by="the rule that None counts as 0"
)
def null_value_is_int_zero(validate: Callable[[Any], Any], value: Any) -> Any:
    """A null as a reward is the int 0. A trial without rewards counts as 0, so a null seems to as well."""
    if not isinstance(value, dict):
        return validate(value)
    return validate({key: 0 if given is None else given for key, given in value.items()})


@in_parse_reward.wrapped(
    clause="003-1.3-other-string-refused", invited_by="one code for all that is malformed in a reward"
)
def validation_error_has_a_code(reference: Variant, parse: Parse, files: Files) -> Any:
    """A ValidationError has the reason code harbor_reward_parse_error. It is a malformed reward file, too."""
    try:
        return parse(files)
    except reference.its(errors.ValidationError) as error:
        setattr(error, "reason_code", "harbor_reward_parse_error")  # noqa: B010 - it has no such member
        raise


@mistakes.changed(
    clause="003-1.2-whitespace-is-not-empty", invited_by="a class by the parser, a code by the text"
)
def blank_text_has_the_code_of_empty(reference: Variant) -> None:
    """A blank reward.txt is VerifierOutputParseError with the reason code harbor_reward_empty.
    The parser names the class, and there is nothing in the file."""

    def around(read: Callable[[bytes], Rewards]) -> Callable[[bytes], Rewards]:
        def reading(content: bytes) -> Rewards:
            try:
                return read(content)
            except reference.its(errors.VerifierOutputParseError) as error:
                if not content.strip():
                    error.reason_code = "harbor_reward_empty"  # type: ignore[misc]
                raise

        return reading

    reference.wrap(reward._parse_reward_text, around)
