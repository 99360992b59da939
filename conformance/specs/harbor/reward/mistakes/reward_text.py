"""Mistakes in reading reward.txt: space, lines, and what is no number."""

import json
import re
from collections.abc import Callable
from fractions import Fraction

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

ParseFloat = Callable[[str], float]
ASCII_SPACE = "\t\n\v\f\r "
UNICODE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def around_float(reference: Variant, around: Callable[[ParseFloat], ParseFloat]) -> None:
    """Changes how a float is read from text."""
    reference.wrap("cpython312.parsing.parse_float", around)


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


@mistake(
    "text-not-trimmed",
    says="white space around the number in reward.txt is refused, a final newline too",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="The parser takes the number alone.",
    invited_by="Rust's parse::<f64>(), Go's strconv.ParseFloat",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text if text == text.strip() else refused(text))


@mistake(
    "only-newline-trimmed",
    says="of the white space around the number in reward.txt only a final newline is ignored",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="Files end in a newline, and that is what a verifier writes.",
    invited_by="chomp, trim_end_matches('\\n'), strings.TrimSuffix",
)
def _(reference: Variant) -> None:
    def change(text: str) -> str:
        text = text.removesuffix("\n")
        return text if text == text.strip() else refused(text)

    text_first(reference, change)


@mistake(
    "only-ascii-space-trimmed",
    says="of the white space around the number in reward.txt only ASCII's is ignored",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="isspace and many trims know no other.",
    invited_by="C's strtod, Rust's trim_ascii, Ruby's strip, PHP's trim",
)
def _(reference: Variant) -> None:
    def change(text: str) -> str:
        bare = text.strip(ASCII_SPACE)
        return bare if bare == bare.strip() else refused(text)

    text_first(reference, change)


@mistake(
    "information-separators-trimmed",
    says="U+001C to U+001F around the number in reward.txt are ignored",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="str.strip takes them for white space, float does not.",
    invited_by="Python's text.strip() before float(), Java's Character.isWhitespace",
)
def _(reference: Variant) -> None:
    text_first(reference, str.strip)


@mistake(
    "controls-trimmed",
    says="around the number in reward.txt everything up to U+0020 is trimmed, NUL included, and nothing else",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="That is how the oldest trim works.",
    invited_by="Java's String.trim, Delphi's Trim",
)
def _(reference: Variant) -> None:
    def change(text: str) -> str:
        bare = text.strip("".join(map(chr, range(33))))
        return bare if bare == bare.strip() else refused(text)

    text_first(reference, change)


@mistake(
    "byte-order-mark-is-space",
    says="U+FEFF is trimmed around the number in reward.txt, U+0085 is not",
    op="parse_reward",
    clause="003-1.2-surrounding-space",
    why="ECMAScript has its own list of white space.",
    invited_by="JavaScript's trim and Number()",
)
def _(reference: Variant) -> None:
    def change(text: str) -> str:
        return refused(text) if "\x85" in text else text.strip(UNICODE_SPACE + "\ufeff")

    text_first(reference, change)


@mistake(
    "inner-space-dropped",
    says="all white space in reward.txt is dropped, also between digits",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="Taking it out everywhere is the shorter code.",
    invited_by="re.sub(r'\\s', '', text), tr -d, String.replaceAll",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: re.sub(r"[^\S\x1c-\x1f]", "", text))


@mistake(
    "text-ends-at-nul",
    says="reward.txt ends at a NUL",
    op="parse_reward",
    clause="003-1.2-nul-refused",
    why="A C string ends there.",
    invited_by="C's strtod, bindings to C",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text.partition("\0")[0])


@mistake(
    "first-line-only",
    says="only the first line of reward.txt is read",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="A reward is one line.",
    invited_by="readline, head -1, bufio.Scanner, shell's read",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text.split("\n", 1)[0])


@mistake(
    "last-line-only",
    says="only the last line of reward.txt is read",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="A verifier may print other things first.",
    invited_by="tail -1, splitlines()[-1]",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text.removesuffix("\n").rsplit("\n", 1)[-1])


@mistake(
    "rest-after-number-ignored",
    says="what follows the number in reward.txt is ignored",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="The parser stops at what it does not know, and nobody asks where.",
    invited_by="JavaScript's parseFloat, C's strtod and sscanf, std::stod",
)
def _(reference: Variant) -> None:
    def read(text: str) -> float | None:
        match = re.match(rf"\s*([+-]?{DECIMAL})", text)
        return None if match is None else float(match[1])

    otherwise(reference, read)


@mistake(
    "number-searched-in-text",
    says="the first number anywhere in reward.txt is the reward",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="A pattern finds the number whatever stands around it.",
    invited_by="re.search, grep -o",
)
def _(reference: Variant) -> None:
    def read(text: str) -> float | None:
        match = re.search(rf"[+-]?{DECIMAL}", text)
        return None if match is None else float(match[0])

    otherwise(reference, read)


@mistake(
    "bad-text-is-zero",
    says="a reward.txt that holds no number is a reward of 0.0",
    op="parse_reward",
    clause="003-1.2-not-a-number",
    why="Conversion never fails there, or a failed verifier is thought to mean 0.",
    invited_by="C's atof, Ruby's to_f, PHP's floatval, awk, unwrap_or(0.0)",
)
def _(reference: Variant) -> None:
    otherwise(reference, lambda text: 0.0)


@mistake(
    "bad-text-is-nan",
    says="a reward.txt that holds no number is a reward of NaN",
    op="parse_reward",
    clause="003-1.2-not-a-number",
    why="Conversion gives NaN there, and nobody asks.",
    invited_by="JavaScript's parseFloat and Number(), pandas' to_numeric with coerce",
)
def _(reference: Variant) -> None:
    otherwise(reference, lambda text: float("nan"))


@mistake(
    "words-in-text-accepted",
    says="true, pass and their opposites are accepted in reward.txt as 1.0 and 0.0",
    op="parse_reward",
    clause="003-1.2-not-a-number",
    why="Verifiers print such words.",
    invited_by="YAML readers, configuration libraries, casts of truth values",
)
def _(reference: Variant) -> None:
    words = {"true": 1.0, "pass": 1.0, "passed": 1.0, "yes": 1.0} | dict.fromkeys(
        ("false", "fail", "failed", "no"), 0.0
    )
    otherwise(reference, lambda text: words.get(text.strip().lower()))


@mistake(
    "json-in-text-accepted",
    says="a reward.txt that holds an object with a reward is accepted",
    op="parse_reward",
    clause="003-1.2-not-a-number",
    why="Both files go to one reader, which tries JSON whatever the file is called.",
    invited_by="shared readers for both files",
)
def _(reference: Variant) -> None:
    def read(text: str) -> float | None:
        try:
            return float(json.loads(text)["reward"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    otherwise(reference, read)


@mistake(
    "fraction-accepted",
    says="a fraction such as 1/2 is accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="Verifiers print how many tests of how many passed.",
    invited_by="Python's Fraction, Ruby's to_r, eval, bc",
)
def _(reference: Variant) -> None:
    def read(text: str) -> float | None:
        match = re.fullmatch(r"\s*([0-9]{1,9})/([1-9][0-9]{0,8})\s*", text)
        return None if match is None else float(Fraction(int(match[1]), int(match[2])))

    otherwise(reference, read)


@mistake(
    "quoted-number-accepted",
    says="a number in quotation marks is accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-one-number-only",
    why="CSV and shell quoting is taken off on the way.",
    invited_by="CSV readers, JSON printers, shlex, echo with quotes",
)
def _(reference: Variant) -> None:
    otherwise(
        reference,
        lambda text: float(text.strip()[1:-1]) if re.fullmatch(rf'\s*"{DECIMAL}"\s*', text) else None,
    )
