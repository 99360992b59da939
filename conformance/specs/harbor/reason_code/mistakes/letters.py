"""Mistakes in the letters of a reason: lower case, normal forms, which ones the compact spelling keeps."""

import unicodedata

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

LOWER = "reason_code.lower"
IS_ALPHANUMERIC = "reason_code.is_alphanumeric"


@mistake(
    "reason-case-kept",
    says="the text is not put in lower case",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="Codes are in lower case anyway.",
    invited_by="plain look-ups",
)
def _(reference: Variant) -> None:
    reference.replace_use(LOWER, lambda text: text)


@mistake(
    "reason-lower-cased-in-ascii",
    says="only A to Z are put in lower case",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="Codes and names of exceptions are ASCII.",
    invited_by="tr A-Z a-z, to_ascii_lowercase, C's tolower, PHP 8's strtolower",
)
def _(reference: Variant) -> None:
    reference.replace_use(LOWER, lambda text: "".join(c.lower() if c.isascii() else c for c in text))


@mistake(
    "reason-lower-cased-by-letter",
    says="each character is put in lower case by itself: no final sigma, U+0130 becomes i",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="The language maps one character to one.",
    invited_by="Go's strings.ToLower, C#'s ToLowerInvariant, C's towlower",
)
def _(reference: Variant) -> None:
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: "".join(lower(letter)[:1] for letter in text))


@mistake(
    "reason-case-folded",
    says="the text is case-folded: ß becomes ss, long s becomes s",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="It is the proper way to compare without regard to case.",
    invited_by="str.casefold, ICU's foldCase, (?i) patterns",
)
def _(reference: Variant) -> None:
    lower = reference.get(LOWER)  # first, so that letters newer than this Python have their lower case
    reference.replace_use(LOWER, lambda text: lower(text).casefold())


@mistake(
    "reason-in-nfc",
    says="the text is normalised to composed characters (NFC)",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="Equal-looking texts should be equal.",
    invited_by="Swift, databases, file systems",
)
def _(reference: Variant) -> None:
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: unicodedata.normalize("NFC", lower(text)))


@mistake(
    "reason-in-nfkc",
    says="the text is normalised by compatibility (NFKC): full-width letters become ASCII",
    op="reason_code",
    clause="003-1.4-full-lower-case",
    why="It is the normal form for identifiers.",
    invited_by="slug functions, PRECIS, Python's own identifiers",
)
def _(reference: Variant) -> None:
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: unicodedata.normalize("NFKC", lower(text)))


@mistake(
    "compact-in-ascii",
    says="the compact spelling keeps a to z and 0 to 9 alone",
    op="reason_code",
    clause="003-1.4-compact-alphanumerics",
    why="[^a-z0-9] is the usual pattern.",
    invited_by="regular expressions, tr -cd a-z0-9",
)
def _(reference: Variant) -> None:
    reference.replace_use(IS_ALPHANUMERIC, lambda letter: letter.isascii() and letter.isalnum())


@mistake(
    "compact-keeps-underscores",
    says="the compact spelling keeps underscores",
    op="reason_code",
    clause="003-1.4-compact-alphanumerics",
    why="\\w has them.",
    invited_by="re.sub(r'\\W', '', text)",
)
def _(reference: Variant) -> None:
    alphanumeric = reference.get(IS_ALPHANUMERIC)
    reference.replace_use(IS_ALPHANUMERIC, lambda letter: letter == "_" or alphanumeric(letter))


@mistake(
    "compact-keeps-letters-only",
    says="the compact spelling drops digits",
    op="reason_code",
    clause="003-1.4-compact-alphanumerics",
    why="Names of exceptions have none.",
    invited_by="isalpha, [^a-z]",
)
def _(reference: Variant) -> None:
    reference.replace_use(IS_ALPHANUMERIC, str.isalpha)


@mistake(
    "compact-by-letters-and-decimals",
    says="the compact spelling drops numbers that are no decimal digits: ½, ①, Ⅷ",
    op="reason_code",
    clause="003-1.4-compact-alphanumerics",
    why="A character is a letter or a digit.",
    invited_by="Java's isLetterOrDigit, Go's IsLetter and IsDigit, .NET's IsLetterOrDigit",
)
def _(reference: Variant) -> None:
    is_alphanumeric = reference.get(IS_ALPHANUMERIC)
    reference.replace_use(
        IS_ALPHANUMERIC,
        lambda letter: is_alphanumeric(letter) and unicodedata.category(letter) not in ("No", "Nl"),
    )
