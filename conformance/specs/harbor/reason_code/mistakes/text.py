"""Mistakes in the spellings of a reason that the rules look at, and in its letters."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import unicode15
from reference_impl.reason_code import reason_code

in_reason_code = family("reason_code", of=reason_code, clause="003-1.4-fallthrough-underscored")
mistakes = family("reason_code")
in_lower = family("reason_code", of=(reason_code, unicode15.lower), clause="003-1.4-full-lower-case")
in_is_alphanumeric = family(
    "reason_code", of=(reason_code, unicode15.is_alphanumeric), clause="003-1.4-compact-alphanumerics"
)
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
    rules = reference.module_of(reason_code)

    def code(text: str | None) -> str | None:
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

    reference.replace(reason_code, code)


searched_by = way("reason_code", clause="003-1.4-connection-refused-or-reset")(
    lambda reference, it: _spelled(reference, searched=it)
)
underscored_by = way("reason_code", clause="003-1.4-underscored")(
    lambda reference, it: _spelled(reference, underscored=it)
)
trimmed = way("reason_code", clause="003-1.4-strip-white-space")(
    lambda reference, it: _spelled(reference, trim=it)
)


@in_reason_code.wrapped(clause="003-1.4-blank-is-none", invited_by="is None, ??, Option")
def blank_reason_kept(original: Callable[..., Any], text: Any) -> Any:
    """A reason that is blank or empty gives an empty code, not none. Only null is taken for no reason."""
    return original(text) or (None if text is None else "")


@in_reason_code.wrapped(clause="003-1.4-blank-is-none", invited_by="str(reason), String(reason), fmt.Sprint")
def null_reason_spelled_none(original: Callable[..., Any], text: Any) -> Any:
    """A reason that is null gives the code none. Everything is made a string first."""
    return original("None" if text is None else text)


@in_reason_code.wrapped(invited_by="YAML, pandas, jq -r, shell variables")
def null_words_as_none(original: Callable[..., Any], text: Any) -> Any:
    """The words null and none count as no reason. Tables and shells spell missing values so."""
    return None if (text or "").strip().lower() in ("null", "none") else original(text)


@trimmed.made(invited_by="JavaScript, TypeScript")
def reason_trimmed_by_javascript(text: str) -> str:
    """The reason is trimmed as JavaScript does: U+FEFF goes, U+0085 and U+001C to U+001F stay.
    It is what trim() takes for white space."""
    return text.strip(_WHITE_SPACE.replace("\x85", "") + "\ufeff")


@trimmed.made(invited_by="Rust's trim, Go's TrimSpace, Swift, C++ with ICU")
def reason_trimmed_by_unicode(text: str) -> str:
    """The reason is trimmed of Unicode's white space, which leaves U+001C to U+001F.
    Python has four more than the standard."""
    return text.strip(_WHITE_SPACE)


@trimmed.made(invited_by="C's isspace, Rust's trim_ascii, PHP's trim, shell's read")
def reason_trimmed_by_ascii(text: str) -> str:
    """Only ASCII white space is trimmed. It is what the language's C library takes for white space."""
    return text.strip(" \t\n\v\f\r")


@trimmed.made(invited_by="Java")
def reason_trimmed_by_java(text: str) -> str:
    """Everything up to U+0020 is trimmed, and nothing else. It is what String.trim() does."""
    return text.strip("".join(map(chr, range(33))))


@underscored_by.made(invited_by="str.replace, tr ' -' '__', replaceAll")
def reason_spaces_replaced_one_by_one(lowered: str) -> str:
    """Each space becomes an underscore, other white space stays.
    replace(' ', '_') is shorter than splitting and joining."""
    return lowered.replace("-", "_").replace(" ", "_")


@underscored_by.made(invited_by="regular expressions, slug functions")
def reason_separators_collapsed(lowered: str) -> str:
    r"""A run of spaces, hyphens and underscores becomes one underscore.
    One pattern for all separators: [\s_-]+."""
    return re.sub(r"[\s_-]+", "_", lowered)


@mistakes.changed(clause="003-1.4-underscored", invited_by="slugify, parameterize, inflection libraries")
def reason_slugged(reference: Variant) -> None:
    """Whatever is no letter or digit becomes an underscore, and those at the ends are cut.
    A code should look like one."""
    is_alphanumeric = reference.get((reason_code, unicode15.is_alphanumeric))

    def slug(lowered: str) -> str:
        """Letters and digits as the reference knows them, whatever this Python's Unicode is."""
        kept = "".join(letter if is_alphanumeric(letter) else "_" for letter in lowered)
        return re.sub("_+", "_", kept).strip("_")

    _spelled(reference, underscored=slug)


@underscored_by.made(invited_by="'_'.join(text.split())")
def reason_hyphens_kept(lowered: str) -> str:
    """Hyphens do not become underscores. Only spaces are thought of."""
    return "_".join(lowered.split())


@underscored_by.made(invited_by="\\p{Pd}, slug functions")
def reason_dashes_replaced_too(lowered: str) -> str:
    """Dashes of all kinds become underscores, not the hyphen alone. Editors turn hyphens into dashes."""
    return _underscored(
        "".join("-" if unicodedata.category(letter) == "Pd" else letter for letter in lowered)
    )


@in_reason_code.wrapped(
    invited_by="underscore() of inflection libraries, serde's rename_all, Jackson's SNAKE_CASE"
)
def reason_camel_case_split(original: Callable[[str | None], str | None], text: str | None) -> str | None:
    """CamelCase is turned into words before the text is lower-cased. Class names are to become codes."""
    return original(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text or ""))


@mistakes.changed(clause="003-1.4-reward-and-missing", invited_by="a normalised text made first")
def words_searched_in_compact(reference: Variant) -> None:
    """Words are looked for among the letters and digits alone, across spaces and hyphens.
    One spelling is used for all rules."""
    alphanumeric = reference.get((reason_code, unicode15.is_alphanumeric))
    _spelled(reference, searched=lambda lowered: "".join(filter(alphanumeric, lowered)))


@searched_by.made(invited_by="' '.join(text.split()), \\s+ in patterns")
def white_space_collapsed_for_words(lowered: str) -> str:
    """Runs of white space are one space where words are looked for. Messages are wrapped and indented."""
    return " ".join(lowered.split())


@mistakes.changed(clause="003-1.4-known-code-underscored", invited_by="one table for codes and aliases")
def known_codes_looked_up_compact(reference: Variant) -> None:
    """Known codes are recognised without their underscores. The aliases are."""
    by_compact = {code.replace("_", ""): code for code in reference.get((reason_code, "KNOWN_CODES"))}
    _spelled(
        reference, looked_up=lambda lowered: by_compact.get("".join(filter(str.isalnum, lowered)), lowered)
    )


_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


@in_lower.used(invited_by="plain look-ups")
def reason_case_kept(_: Callable[..., Any], text: Any) -> Any:
    """The text is not put in lower case. Codes are in lower case anyway."""
    return text


@in_lower.used(invited_by="tr A-Z a-z, to_ascii_lowercase, C's tolower, PHP 8's strtolower")
def reason_lower_cased_in_ascii(_: Callable[..., Any], text: Any) -> Any:
    """Only A to Z are put in lower case. Codes and names of exceptions are ASCII."""
    return "".join(c.lower() if c.isascii() else c for c in text)


@in_lower.used(invited_by="Go's strings.ToLower, C#'s ToLowerInvariant, C's towlower")
def reason_lower_cased_by_letter(lower: Callable[..., Any], text: Any) -> Any:
    """Each character is put in lower case by itself: no final sigma, U+0130 becomes i.
    The language maps one character to one."""
    return "".join(lower(letter)[:1] for letter in text)


@in_lower.used(invited_by="str.casefold, ICU's foldCase, (?i) patterns")
def reason_case_folded(lower: Callable[..., Any], text: Any) -> Any:
    """The text is case-folded: ß becomes ss, long s becomes s.
    It is the proper way to compare without regard to case."""
    return lower(text).casefold()


@in_lower.used(invited_by="Swift, databases, file systems")
def reason_in_nfc(lower: Callable[..., Any], text: Any) -> Any:
    """The text is normalised to composed characters (NFC). Equal-looking texts should be equal."""
    return unicodedata.normalize("NFC", lower(text))


@in_lower.used(invited_by="slug functions, PRECIS, Python's own identifiers")
def reason_in_nfkc(lower: Callable[..., Any], text: Any) -> Any:
    """The text is normalised by compatibility (NFKC): full-width letters become ASCII.
    It is the normal form for identifiers."""
    return unicodedata.normalize("NFKC", lower(text))


@in_is_alphanumeric.used(invited_by="regular expressions, tr -cd a-z0-9")
def compact_in_ascii(_: Callable[..., Any], letter: Any) -> Any:
    """The compact spelling keeps a to z and 0 to 9 alone. [^a-z0-9] is the usual pattern."""
    return letter.isascii() and letter.isalnum()


@in_is_alphanumeric.used(invited_by="re.sub(r'\\W', '', text)")
def compact_keeps_underscores(alphanumeric: Callable[..., Any], letter: Any) -> Any:
    r"""The compact spelling keeps underscores. \w has them."""
    return letter == "_" or alphanumeric(letter)


@in_is_alphanumeric.used(invited_by="isalpha, [^a-z]")
def compact_keeps_letters_only(_: Callable[..., Any], letter: Any) -> Any:
    """The compact spelling drops digits. Names of exceptions have none."""
    return str.isalpha(letter)


@in_is_alphanumeric.used(
    invited_by="Java's isLetterOrDigit, Go's IsLetter and IsDigit, .NET's IsLetterOrDigit"
)
def compact_by_letters_and_decimals(is_alphanumeric: Callable[..., Any], letter: Any) -> Any:
    """The compact spelling drops numbers that are no decimal digits: ½, ①, Ⅷ.
    A character is a letter or a digit."""
    return is_alphanumeric(letter) and unicodedata.category(letter) not in ("No", "Nl")
