"""Mistakes in reason codes: the rules, their order, and the preparation of the text."""

import re
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import unicode15
from reference_impl.reason_code import reason_code

mistakes = family("reason_code")
in_reason_code = family("reason_code", of=reason_code)
NAMES = (reason_code, "_EXCEPTION_NAMES")
KNOWN = (reason_code, "KNOWN_CODES")
Code = Callable[[str | None], str | None]


@way("reason_code", clause="003-1.4-fallthrough-underscored")
def unmatched(reference: Variant, change: Callable[[str, str], str | None]) -> None:
    """Decides about texts that no rule matches with ``change(text, code)``."""

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            known = reference.get(KNOWN)
            found = original(text)
            return found if text is None or found is None or found in known else change(text, found)

        return code

    reference.wrap(reason_code, around)


@mistakes.changed(clause="003-1.4-agent-timeout-in-compact", invited_by='"timeout" in text')
def every_time_out_is_the_agents(reference: Variant) -> None:
    """Every TimeoutError that has no rule of its own gives harbor_agent_timeout_error.
    The agent takes longest."""
    reference.replace(NAMES, [*reference.get(NAMES), ("timeouterror", "harbor_agent_timeout_error")])


@unmatched.made(invited_by="enums, dict.get")
def unknown_reason_dropped(text: str, code: str) -> str | None:
    """A text that no rule matches has no code. Only known codes are valid."""
    return None


@unmatched.made(invited_by="enums with a default, catch-all branches")
def unknown_reason_generalised(text: str, code: str) -> str | None:
    """A text that no rule matches gives harbor_trial_failed.
    Only known codes are valid, and this is the most general one."""
    return "harbor_trial_failed"


@unmatched.made(invited_by="`CODES.get(text, text)`")
def unknown_reason_as_it_is(text: str, code: str) -> str | None:
    """A text that no rule matches is given back as it is.
    Nothing is known about it, so it stays unchanged."""
    return text


WORDS = (reason_code, "_WORDS")
Rules = list[tuple[tuple[str, ...], str]]


@in_reason_code.wrapped(
    clause="003-1.4-broker-and-connection",
    invited_by="regular expressions, LIKE '%broker%connection%', shell's case",
)
def words_in_sequence(reference: Variant, original: Code, text: str | None) -> str | None:
    """The words of a rule must appear in its order. One pattern contains both: broker.*connection."""
    rules: Rules = reference.get(WORDS)
    lowered = reference.get((reason_code, unicode15.lower))((text or "").strip())
    try:
        reference.replace(WORDS, [rule for rule in rules if _in_sequence(rule[0], lowered)])
        return original(text)
    finally:
        reference.replace(WORDS, rules)


def _in_sequence(words: tuple[str, ...], text: str) -> bool:
    position = 0
    for word in words:
        position = text.find(word, position)
        if position < 0:
            return False
    return True


in_unknown_code = family("reason_code", of=reason_code, clause="003-1.4-fallthrough-underscored")
in_lower = family("reason_code", of=(reason_code, unicode15.lower), clause="003-1.4-full-lower-case")
Spelling = Callable[[str], str]


def _underscored(lowered: str) -> str:
    return "_".join(lowered.replace("-", "_").split())


def _spelled(reference: Variant, *, trim: Spelling = str.strip, underscored: Spelling = _underscored) -> None:
    """Replaces single spellings in the matcher; its rules stay the same."""
    rules = reference.module_of(reason_code)

    def code(text: str | None) -> str | None:
        lowered = rules.lower(trim(text or ""))
        if not lowered:
            return None
        spelling = underscored(lowered)
        compact = "".join(filter(rules.is_alphanumeric, lowered))
        for name in (lowered, spelling):
            if name in rules.KNOWN_CODES:
                return str(name)
        aliases = (rules._ALIASES[name] for name in (compact, spelling) if name in rules._ALIASES)
        names = (code for name, code in rules._EXCEPTION_NAMES if name in compact)
        words = (code for parts, code in rules._WORDS if all(part in lowered for part in parts))
        found: str = next(aliases, None) or next(names, None) or next(words, None) or spelling or lowered
        return found

    reference.replace(reason_code, code)


underscored_by = way("reason_code", clause="003-1.4-underscored")(
    lambda reference, it: _spelled(reference, underscored=it)
)
trimmed = way("reason_code", clause="003-1.4-strip-white-space")(
    lambda reference, it: _spelled(reference, trim=it)
)


@trimmed.made(invited_by="C's isspace, Rust's trim_ascii, PHP's trim, shell's read")
def reason_trimmed_by_ascii(text: str) -> str:
    """Only ASCII white space is trimmed. The C library of the language knows no other."""
    return text.strip(" \t\n\v\f\r")


@mistakes.changed(clause="003-1.4-underscored", invited_by="slugify, parameterize, inflection libraries")
def reason_slugged(reference: Variant) -> None:
    """All characters but letters and digits become underscores, and underscores at the ends are cut.
    A code should look like an identifier."""
    is_alphanumeric = reference.get((reason_code, unicode15.is_alphanumeric))

    def slug(lowered: str) -> str:
        """Letters and digits as the reference classifies them, whatever this Python's Unicode version is."""
        kept = "".join(letter if is_alphanumeric(letter) else "_" for letter in lowered)
        return re.sub("_+", "_", kept).strip("_")

    _spelled(reference, underscored=slug)


@underscored_by.made(invited_by="'_'.join(text.split())")
def reason_hyphens_kept(lowered: str) -> str:
    """Hyphens do not become underscores. The author only thinks of spaces."""
    return "_".join(lowered.split())


@in_unknown_code.wrapped(
    invited_by="underscore() of inflection libraries, serde's rename_all, Jackson's SNAKE_CASE"
)
def reason_camel_case_split(original: Callable[[str | None], str | None], text: str | None) -> str | None:
    """CamelCase is turned into words before the text is lower-cased. Class names should become codes."""
    return original(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text or ""))


@in_lower.used(invited_by="plain look-ups")
def reason_case_kept(_: Callable[..., Any], text: Any) -> Any:
    """The text is not lower-cased. Codes are already in lower case."""
    return text


@in_lower.used(invited_by="tr A-Z a-z, to_ascii_lowercase, C's tolower, PHP 8's strtolower")
def reason_lower_cased_in_ascii(_: Callable[..., Any], text: Any) -> Any:
    """Only A to Z are lower-cased. Codes and names of exceptions are ASCII."""
    return "".join(c.lower() if c.isascii() else c for c in text)


in_is_alphanumeric = family(
    "reason_code", of=(reason_code, unicode15.is_alphanumeric), clause="003-1.4-compact-alphanumerics"
)


_UNICODE_SPACE = (
    "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


@mistakes.each(
    Case(
        "reason-space-of-javascript",
        "white space around and in the text is JavaScript's: U+FEFF, but not U+0085 or U+001C to U+001F",
        "Languages have white space of their own.",
        "JavaScript's trim() and \\s",
        "\ufeff",
        clause="003-1.4-strip-white-space",
    ),
    Case(
        "reason-space-of-unicode",
        "U+001C to U+001F are not white space, around and in the text",
        "Only Python adds these four to Unicode's white space.",
        "Rust's trim, Go's TrimSpace and Fields, .NET's Trim",
        "\x85",
        clause="003-1.4-strip-white-space",
    ),
)
def _spaced(reference: Variant, further: str) -> None:
    space = _UNICODE_SPACE + further

    def underscored(lowered: str) -> str:
        words = re.split(f"[{space}]", lowered.replace("-", "_"))
        return "_".join(filter(None, words))

    _spelled(reference, trim=lambda text: text.strip(space), underscored=underscored)


@in_reason_code.wrapped(clause="003-1.4-underscored", invited_by=r"a regular expression such as [\s-]+")
def hyphens_taken_together(original: Code, text: str | None) -> str | None:
    """Several hyphens, and the white space around one, become one underscore. One pattern finds both."""
    return original(re.sub(r"[\s-]*-[\s-]*", "-", text.strip()) if text else text)


@mistakes.changed(
    clause="003-1.4-reward-and-parse-or-malformed", invited_by="document 003 as Python (erratum E12)"
)
def rule_read_literally(reference: Variant) -> None:
    """A text with reward in it that has no other code gives harbor_reward_parse_error.
    The document's `or "malformed"` is always true."""
    rules: Rules = reference.get(WORDS)
    words = [(("reward",) if parts == ("reward", "parse") else parts, code) for parts, code in rules]
    reference.replace(WORDS, words)


@in_reason_code.wrapped(
    clause="003-1.4-rule-order", invited_by="document 003, which only prints the rules about rewards"
)
def reward_words_first(reference: Variant, original: Code, text: str | None) -> str | None:
    """The rules about reward are tried before those about exceptions and connections.
    They are the only ones in the document."""
    lowered = reference.get((reason_code, unicode15.lower))((text or "").strip())
    rules: Rules = reference.get(WORDS)
    first = (code for words, code in rules if words[0] == "reward" and all(word in lowered for word in words))
    return next(first, None) or original(text)
