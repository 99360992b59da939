"""Mistakes in the letters of a reason: lower case, normal forms, which ones the compact spelling keeps."""

import unicodedata

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import unicode15
from reference_impl.reason_code import reason_code

mistakes = family("reason_code", clause="003-1.4-full-lower-case")

LOWER = (reason_code, unicode15.lower)
IS_ALPHANUMERIC = (reason_code, unicode15.is_alphanumeric)


@mistakes.changed(invited_by="plain look-ups")
def reason_case_kept(reference: Variant) -> None:
    """The text is not put in lower case. Codes are in lower case anyway."""
    reference.replace_use(LOWER, lambda text: text)


@mistakes.changed(invited_by="tr A-Z a-z, to_ascii_lowercase, C's tolower, PHP 8's strtolower")
def reason_lower_cased_in_ascii(reference: Variant) -> None:
    """Only A to Z are put in lower case. Codes and names of exceptions are ASCII."""
    reference.replace_use(LOWER, lambda text: "".join(c.lower() if c.isascii() else c for c in text))


@mistakes.changed(invited_by="Go's strings.ToLower, C#'s ToLowerInvariant, C's towlower")
def reason_lower_cased_by_letter(reference: Variant) -> None:
    """Each character is put in lower case by itself: no final sigma, U+0130 becomes i.
    The language maps one character to one."""
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: "".join(lower(letter)[:1] for letter in text))


@mistakes.changed(invited_by="str.casefold, ICU's foldCase, (?i) patterns")
def reason_case_folded(reference: Variant) -> None:
    """The text is case-folded: ß becomes ss, long s becomes s.
    It is the proper way to compare without regard to case."""
    lower = reference.get(LOWER)  # first, so that letters newer than this Python have their lower case
    reference.replace_use(LOWER, lambda text: lower(text).casefold())


@mistakes.changed(invited_by="Swift, databases, file systems")
def reason_in_nfc(reference: Variant) -> None:
    """The text is normalised to composed characters (NFC). Equal-looking texts should be equal."""
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: unicodedata.normalize("NFC", lower(text)))


@mistakes.changed(invited_by="slug functions, PRECIS, Python's own identifiers")
def reason_in_nfkc(reference: Variant) -> None:
    """The text is normalised by compatibility (NFKC): full-width letters become ASCII.
    It is the normal form for identifiers."""
    lower = reference.get(LOWER)
    reference.replace_use(LOWER, lambda text: unicodedata.normalize("NFKC", lower(text)))


@mistakes.changed(clause="003-1.4-compact-alphanumerics", invited_by="regular expressions, tr -cd a-z0-9")
def compact_in_ascii(reference: Variant) -> None:
    """The compact spelling keeps a to z and 0 to 9 alone. [^a-z0-9] is the usual pattern."""
    reference.replace_use(IS_ALPHANUMERIC, lambda letter: letter.isascii() and letter.isalnum())


@mistakes.changed(clause="003-1.4-compact-alphanumerics", invited_by="re.sub(r'\\W', '', text)")
def compact_keeps_underscores(reference: Variant) -> None:
    r"""The compact spelling keeps underscores. \w has them."""
    alphanumeric = reference.get(IS_ALPHANUMERIC)
    reference.replace_use(IS_ALPHANUMERIC, lambda letter: letter == "_" or alphanumeric(letter))


@mistakes.changed(clause="003-1.4-compact-alphanumerics", invited_by="isalpha, [^a-z]")
def compact_keeps_letters_only(reference: Variant) -> None:
    """The compact spelling drops digits. Names of exceptions have none."""
    reference.replace_use(IS_ALPHANUMERIC, str.isalpha)


@mistakes.changed(
    clause="003-1.4-compact-alphanumerics",
    invited_by="Java's isLetterOrDigit, Go's IsLetter and IsDigit, .NET's IsLetterOrDigit",
)
def compact_by_letters_and_decimals(reference: Variant) -> None:
    """The compact spelling drops numbers that are no decimal digits: ½, ①, Ⅷ.
    A character is a letter or a digit."""
    is_alphanumeric = reference.get(IS_ALPHANUMERIC)
    reference.replace_use(
        IS_ALPHANUMERIC,
        lambda letter: is_alphanumeric(letter) and unicodedata.category(letter) not in ("No", "Nl"),
    )
