"""Mistakes in reading reward.txt: space, lines, and what is no number."""

import json
import re
from collections.abc import Callable
from fractions import Fraction

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import parsing

mistakes = family("parse_reward", clause="003-1.2-surrounding-space")

ParseFloat = Callable[[str], float]
ASCII_SPACE = "\t\n\v\f\r "
UNICODE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def around_float(reference: Variant, around: Callable[[ParseFloat], ParseFloat]) -> None:
    """Changes how a float is read from text."""
    reference.wrap(parsing.parse_float, around)


def text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before a float is read from it."""
    around_float(reference, lambda parse: lambda text: parse(change(text)))


def refused(text: str) -> str:
    """Refuses the text.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"no number: {text[:20]!r}")


def otherwise(reference: Variant, read: Callable[[str], float | None]) -> None:
    """Has ``read`` try what would be refused; it gives None to refuse it too."""

    def around(parse: ParseFloat) -> ParseFloat:
        def trying(text: str) -> float:
            try:
                return parse(text)
            except ValueError:
                number = read(text)
                if number is None:
                    raise
                return number

        return trying

    around_float(reference, around)


text_first_family = way("parse_reward", clause="003-1.2-surrounding-space")(text_first)


@text_first_family.made(invited_by="Rust's parse::<f64>(), Go's strconv.ParseFloat")
def text_not_trimmed(text: str) -> str:
    """White space around the number in reward.txt is refused, a final newline too.
    The parser takes the number alone."""
    return text if text == text.strip() else refused(text)


@text_first_family.made(invited_by="chomp, trim_end_matches('\\n'), strings.TrimSuffix")
def only_newline_trimmed(text: str) -> str:
    """Of the white space around the number in reward.txt only a final newline is ignored.
    Files end in a newline, and that is what a verifier writes."""
    text = text.removesuffix("\n")
    return text if text == text.strip() else refused(text)


@text_first_family.made(invited_by="C's strtod, Rust's trim_ascii, Ruby's strip, PHP's trim")
def only_ascii_space_trimmed(text: str) -> str:
    """Of the white space around the number in reward.txt only ASCII's is ignored.
    isspace and many trims know no other."""
    bare = text.strip(ASCII_SPACE)
    return bare if bare == bare.strip() else refused(text)


@mistakes.changed(invited_by="Python's text.strip() before float(), Java's Character.isWhitespace")
def information_separators_trimmed(reference: Variant) -> None:
    """U+001C to U+001F around the number in reward.txt are ignored.
    str.strip takes them for white space, float does not."""
    text_first(reference, str.strip)


@text_first_family.made(invited_by="Java's String.trim, Delphi's Trim")
def controls_trimmed(text: str) -> str:
    """Around the number in reward.txt everything up to U+0020 is trimmed, NUL included, and nothing else.
    That is how the oldest trim works."""
    bare = text.strip("".join(map(chr, range(33))))
    return bare if bare == bare.strip() else refused(text)


@text_first_family.made(invited_by="JavaScript's trim and Number()")
def byte_order_mark_is_space(text: str) -> str:
    """U+FEFF is trimmed around the number in reward.txt, U+0085 is not.
    ECMAScript has its own list of white space."""
    return refused(text) if "\x85" in text else text.strip(UNICODE_SPACE + "\ufeff")


@text_first_family.made(
    clause="003-1.2-one-number-only", invited_by="re.sub(r'\\s', '', text), tr -d, String.replaceAll"
)
def inner_space_dropped(text: str) -> str:
    """All white space in reward.txt is dropped, also between digits.
    Taking it out everywhere is the shorter code."""
    return re.sub(r"[^\S\x1c-\x1f]", "", text)


@text_first_family.made(clause="003-1.2-nul-refused", invited_by="C's strtod, bindings to C")
def text_ends_at_nul(text: str) -> str:
    """reward.txt ends at a NUL. A C string ends there."""
    return text.partition("\0")[0]


@text_first_family.made(
    clause="003-1.2-one-number-only", invited_by="readline, head -1, bufio.Scanner, shell's read"
)
def first_line_only(text: str) -> str:
    """Only the first line of reward.txt is read. A reward is one line."""
    return text.split("\n", 1)[0]


@text_first_family.made(clause="003-1.2-one-number-only", invited_by="tail -1, splitlines()[-1]")
def last_line_only(text: str) -> str:
    """Only the last line of reward.txt is read. A verifier may print other things first."""
    return text.removesuffix("\n").rsplit("\n", 1)[-1]


otherwise_family = way("parse_reward", clause="003-1.2-not-a-number")(otherwise)


@otherwise_family.made(
    clause="003-1.2-one-number-only", invited_by="JavaScript's parseFloat, C's strtod and sscanf, std::stod"
)
def rest_after_number_ignored(text: str) -> float | None:
    """What follows the number in reward.txt is ignored.
    The parser stops at what it does not know, and nobody asks where."""
    match = re.match(rf"\s*([+-]?{DECIMAL})", text)
    return None if match is None else float(match[1])


@otherwise_family.made(clause="003-1.2-one-number-only", invited_by="re.search, grep -o")
def number_searched_in_text(text: str) -> float | None:
    """The first number anywhere in reward.txt is the reward.
    A pattern finds the number whatever stands around it."""
    match = re.search(rf"[+-]?{DECIMAL}", text)
    return None if match is None else float(match[0])


@otherwise_family.made(invited_by="C's atof, Ruby's to_f, PHP's floatval, awk, unwrap_or(0.0)")
def bad_text_is_zero(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of 0.0.
    Conversion never fails there, or a failed verifier is thought to mean 0."""
    return 0.0


@otherwise_family.made(invited_by="JavaScript's parseFloat and Number(), pandas' to_numeric with coerce")
def bad_text_is_nan(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of NaN. Conversion gives NaN there, and nobody asks."""
    return float("nan")


@mistakes.changed(
    clause="003-1.2-not-a-number", invited_by="YAML readers, configuration libraries, casts of truth values"
)
def words_in_text_accepted(reference: Variant) -> None:
    """True, pass and their opposites are accepted in reward.txt as 1.0 and 0.0.
    Verifiers print such words."""
    words = {"true": 1.0, "pass": 1.0, "passed": 1.0, "yes": 1.0} | dict.fromkeys(
        ("false", "fail", "failed", "no"), 0.0
    )
    otherwise(reference, lambda text: words.get(text.strip().lower()))


@otherwise_family.made(invited_by="shared readers for both files")
def json_in_text_accepted(text: str) -> float | None:
    """A reward.txt that holds an object with a reward is accepted.
    Both files go to one reader, which tries JSON whatever the file is called."""
    try:
        return float(json.loads(text)["reward"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


@otherwise_family.made(clause="003-1.2-float-grammar", invited_by="Python's Fraction, Ruby's to_r, eval, bc")
def fraction_accepted(text: str) -> float | None:
    """A fraction such as 1/2 is accepted in reward.txt. Verifiers print how many tests of how many passed."""
    match = re.fullmatch(r"\s*([0-9]{1,9})/([1-9][0-9]{0,8})\s*", text)
    return None if match is None else float(Fraction(int(match[1]), int(match[2])))


@otherwise_family.made(
    clause="003-1.2-one-number-only", invited_by="CSV readers, JSON printers, shlex, echo with quotes"
)
def quoted_number_accepted(text: str) -> float | None:
    """A number in quotation marks is accepted in reward.txt.
    CSV and shell quoting is taken off on the way."""
    return float(text.strip()[1:-1]) if re.fullmatch(rf'\s*"{DECIMAL}"\s*', text) else None
