"""Mistakes in the spellings of a reason that the rules look at: trimmed, underscored, searched."""

import re
import unicodedata
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

IS_ALPHANUMERIC = "reason_code.is_alphanumeric"
REASON_CODE = "reason_code.reason_code"
Spelling = Callable[[str], str]


def _underscored(lowered: str) -> str:
    return "_".join(lowered.replace("-", "_").split())


def _spelled(
    reference: Variant,
    *,
    trim: Spelling = str.strip,
    searched: Spelling | None = None,
    underscored: Spelling = _underscored,
    looked_up: Spelling | None = None,
) -> None:
    """Replaces single spellings in the matcher; its rules stay.

    ``searched`` changes the lower-cased text in which words are looked for, ``looked_up`` is a further
    spelling under which known codes are looked up.
    """
    rules = reference.module("reason_code")

    def reason_code(text: str | None) -> str | None:
        lowered = rules.lower(trim(text or ""))
        if not lowered:
            return None
        spelling = underscored(lowered)
        compact = "".join(filter(rules.is_alphanumeric, lowered))
        for name in (lowered, spelling, *([looked_up(lowered)] if looked_up else [])):
            if name in rules.KNOWN_CODES:
                return str(name)
        aliases = (rules._ALIASES[name] for name in (compact, spelling) if name in rules._ALIASES)
        names = (code for name, code in rules._EXCEPTION_NAMES if name in compact)
        where = searched(lowered) if searched else lowered
        words = (code for parts, code in rules._WORDS if all(part in where for part in parts))
        found: str = next(aliases, None) or next(names, None) or next(words, None) or spelling or lowered
        return found

    reference.replace(REASON_CODE, reason_code)


@mistake(
    "blank-reason-kept",
    says="a reason that is blank or empty gives an empty code, not none",
    op="reason_code",
    clause="003-1.4-blank-is-none",
    why="Only null is taken for no reason.",
    invited_by="is None, ??, Option",
)
def _(reference: Variant) -> None:
    reference.wrap(
        REASON_CODE,
        lambda original: lambda text: original(text) or (None if text is None else ""),
    )


@mistake(
    "null-reason-spelled-none",
    says="a reason that is null gives the code none",
    op="reason_code",
    clause="003-1.4-blank-is-none",
    why="Everything is made a string first.",
    invited_by="str(reason), String(reason), fmt.Sprint",
)
def _(reference: Variant) -> None:
    reference.wrap(REASON_CODE, lambda original: lambda text: original("None" if text is None else text))


@mistake(
    "null-words-as-none",
    says="the words null and none count as no reason",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="Tables and shells spell missing values so.",
    invited_by="YAML, pandas, jq -r, shell variables",
)
def _(reference: Variant) -> None:
    reference.wrap(
        REASON_CODE,
        lambda original: (
            lambda text: None if (text or "").strip().lower() in ("null", "none") else original(text)
        ),
    )


@mistake(
    "reason-trimmed-by-javascript",
    says="the reason is trimmed as JavaScript does: U+FEFF goes, U+0085 and U+001C to U+001F stay",
    op="reason_code",
    clause="003-1.4-strip-white-space",
    why="It is what trim() takes for white space.",
    invited_by="JavaScript, TypeScript",
)
def _(reference: Variant) -> None:
    _spelled(reference, trim=lambda text: text.strip(_WHITE_SPACE.replace("\x85", "") + "\ufeff"))


@mistake(
    "reason-trimmed-by-unicode",
    says="the reason is trimmed of Unicode's white space, which leaves U+001C to U+001F",
    op="reason_code",
    clause="003-1.4-strip-white-space",
    why="Python has four more than the standard.",
    invited_by="Rust's trim, Go's TrimSpace, Swift, C++ with ICU",
)
def _(reference: Variant) -> None:
    _spelled(reference, trim=lambda text: text.strip(_WHITE_SPACE))


@mistake(
    "reason-trimmed-by-ascii",
    says="only ASCII white space is trimmed",
    op="reason_code",
    clause="003-1.4-strip-white-space",
    why="It is what the language's C library takes for white space.",
    invited_by="C's isspace, Rust's trim_ascii, PHP's trim, shell's read",
)
def _(reference: Variant) -> None:
    _spelled(reference, trim=lambda text: text.strip(" \t\n\v\f\r"))


@mistake(
    "reason-trimmed-by-java",
    says="everything up to U+0020 is trimmed, and nothing else",
    op="reason_code",
    clause="003-1.4-strip-white-space",
    why="It is what String.trim() does.",
    invited_by="Java",
)
def _(reference: Variant) -> None:
    _spelled(reference, trim=lambda text: text.strip("".join(map(chr, range(33)))))


@mistake(
    "reason-spaces-replaced-one-by-one",
    says="each space becomes an underscore, other white space stays",
    op="reason_code",
    clause="003-1.4-underscored",
    why="replace(' ', '_') is shorter than splitting and joining.",
    invited_by="str.replace, tr ' -' '__', replaceAll",
)
def _(reference: Variant) -> None:
    _spelled(reference, underscored=lambda lowered: lowered.replace("-", "_").replace(" ", "_"))


@mistake(
    "reason-separators-collapsed",
    says="a run of spaces, hyphens and underscores becomes one underscore",
    op="reason_code",
    clause="003-1.4-underscored",
    why="One pattern for all separators: [\\s_-]+.",
    invited_by="regular expressions, slug functions",
)
def _(reference: Variant) -> None:
    _spelled(reference, underscored=lambda lowered: re.sub(r"[\s_-]+", "_", lowered))


@mistake(
    "reason-slugged",
    says="whatever is no letter or digit becomes an underscore, and those at the ends are cut",
    op="reason_code",
    clause="003-1.4-underscored",
    why="A code should look like one.",
    invited_by="slugify, parameterize, inflection libraries",
)
def _(reference: Variant) -> None:
    is_alphanumeric = reference.get("reason_code.is_alphanumeric")

    def slug(lowered: str) -> str:
        """Letters and digits as the reference knows them, whatever this Python's Unicode is."""
        kept = "".join(letter if is_alphanumeric(letter) else "_" for letter in lowered)
        return re.sub("_+", "_", kept).strip("_")

    _spelled(reference, underscored=slug)


@mistake(
    "reason-hyphens-kept",
    says="hyphens do not become underscores",
    op="reason_code",
    clause="003-1.4-underscored",
    why="Only spaces are thought of.",
    invited_by="'_'.join(text.split())",
)
def _(reference: Variant) -> None:
    _spelled(reference, underscored=lambda lowered: "_".join(lowered.split()))


@mistake(
    "reason-dashes-replaced-too",
    says="dashes of all kinds become underscores, not the hyphen alone",
    op="reason_code",
    clause="003-1.4-underscored",
    why="Editors turn hyphens into dashes.",
    invited_by="\\p{Pd}, slug functions",
)
def _(reference: Variant) -> None:
    _spelled(
        reference,
        underscored=lambda lowered: _underscored(
            "".join("-" if unicodedata.category(letter) == "Pd" else letter for letter in lowered)
        ),
    )


@mistake(
    "reason-camel-case-split",
    says="CamelCase is turned into words before the text is lower-cased",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="Class names are to become codes.",
    invited_by="underscore() of inflection libraries, serde's rename_all, Jackson's SNAKE_CASE",
)
def _(reference: Variant) -> None:
    def around(original: Callable[[str | None], str | None]) -> Callable[[str | None], str | None]:
        return lambda text: original(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text or ""))

    reference.wrap(REASON_CODE, around)


@mistake(
    "words-searched-in-compact",
    says="words are looked for among the letters and digits alone, across spaces and hyphens",
    op="reason_code",
    clause="003-1.4-reward-and-missing",
    why="One spelling is used for all rules.",
    invited_by="a normalised text made first",
)
def _(reference: Variant) -> None:
    alphanumeric = reference.get(IS_ALPHANUMERIC)
    _spelled(reference, searched=lambda lowered: "".join(filter(alphanumeric, lowered)))


@mistake(
    "white-space-collapsed-for-words",
    says="runs of white space are one space where words are looked for",
    op="reason_code",
    clause="003-1.4-connection-refused-or-reset",
    why="Messages are wrapped and indented.",
    invited_by="' '.join(text.split()), \\s+ in patterns",
)
def _(reference: Variant) -> None:
    _spelled(reference, searched=lambda lowered: " ".join(lowered.split()))


@mistake(
    "known-codes-looked-up-compact",
    says="known codes are recognised without their underscores",
    op="reason_code",
    clause="003-1.4-known-code-underscored",
    why="The aliases are.",
    invited_by="one table for codes and aliases",
)
def _(reference: Variant) -> None:
    by_compact = {code.replace("_", ""): code for code in reference.get("reason_code.KNOWN_CODES")}
    _spelled(
        reference, looked_up=lambda lowered: by_compact.get("".join(filter(str.isalnum, lowered)), lowered)
    )


_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
