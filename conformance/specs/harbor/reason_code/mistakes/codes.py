"""Mistakes in turning reasons into codes: exception names, known codes, texts that no rule fits."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import unicode15
from reference_impl.reason_code import reason_code

mistakes = family("reason_code", clause="003-1.4-agent-timeout-in-compact")
in_reason_code = family("reason_code", of=reason_code, clause="003-1.4-known-code-lowered")

REASON_CODE = reason_code
NAMES = (reason_code, "_EXCEPTION_NAMES")
ALIASES = (reason_code, "_ALIASES")
KNOWN = (reason_code, "KNOWN_CODES")
Code = Callable[[str | None], str | None]


@way("reason_code", clause="003-1.4-fallthrough-underscored")
def unmatched(reference: Variant, change: Callable[[str, str], str | None]) -> None:
    """Has ``change(text, code)`` decide about texts that no rule matches."""

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            known = reference.get(KNOWN)
            found = original(text)
            return found if text is None or found is None or found in known else change(text, found)

        return code

    reference.wrap(REASON_CODE, around)


@mistakes.changed(invited_by="dicts, switch statements, enums")
def exception_names_only_whole(reference: Variant) -> None:
    """Names of exceptions are found only where they are the whole text. A look-up in a table of names."""
    reference.replace(NAMES, [])


@mistakes.changed(clause="003-1.4-cancelled-in-compact", invited_by="a shortened table")
def american_cancelled_unknown(reference: Variant) -> None:
    """CanceledError with one l is not known. The table has one spelling."""
    reference.replace(NAMES, [name for name in reference.get(NAMES) if name[0] != "cancelederror"])


@mistakes.changed(clause="003-1.4-cancelled-in-compact", invited_by='"cancel" in text')
def cancelled_alone_is_enough(reference: Variant) -> None:
    """The word cancelled gives harbor_cancelled_error without the word error. It is what the text says."""
    reference.replace(NAMES, [("cancelled", "harbor_cancelled_error"), *reference.get(NAMES)])


@mistakes.changed(invited_by='"timeout" in text')
def every_time_out_is_the_agents(reference: Variant) -> None:
    """Every TimeoutError that has no rule of its own gives harbor_agent_timeout_error.
    The agent takes longest."""
    reference.replace(NAMES, [*reference.get(NAMES), ("timeouterror", "harbor_agent_timeout_error")])


@mistakes.changed(clause="003-1.4-class-names", invited_by="the document's table of errors")
def document_table_believed(reference: Variant) -> None:
    """Texts that name harbor's three reward exceptions give the codes of the document's table.
    The table says that the matcher does so."""
    reference.replace(
        NAMES,
        [
            *reference.get(NAMES),
            ("rewardfilenotfounderror", "harbor_reward_missing"),
            ("norewardfilefound", "harbor_reward_missing"),
            ("rewardfileemptyerror", "harbor_reward_empty"),
            ("verifieroutputparseerror", "harbor_reward_parse_error"),
        ],
    )


@in_reason_code.wrapped(invited_by="`any(code in text for code in CODES)`, grep -o")
def known_codes_searched(reference: Variant, original: Code, text: str | None) -> str | None:
    """A known code anywhere in the text is found. Logs hold the code among other words."""
    lowered = reference.get((reason_code, unicode15.lower))(text or "")
    return next((known for known in sorted(reference.get(KNOWN)) if known in lowered), original(text))


@unmatched.made(invited_by="enums, dict.get")
def unknown_reason_dropped(text: str, code: str) -> str | None:
    """A text that no rule matches has no code. Only known codes are codes."""
    return None


@unmatched.made(invited_by="enums with a default, catch-all branches")
def unknown_reason_generalised(text: str, code: str) -> str | None:
    """A text that no rule matches gives harbor_trial_failed.
    Only known codes are codes, and this is the most general."""
    return "harbor_trial_failed"


@unmatched.made(invited_by="`CODES.get(text, text)`")
def unknown_reason_as_it_is(text: str, code: str) -> str | None:
    """A text that no rule matches is given back as it is. Nothing is known about it, so it is left alone."""
    return text


@unmatched.made(invited_by="returning the wrong variable")
def unknown_reason_lower_cased(reference: Variant, text: str, code: str) -> Any:
    """A text that no rule matches is given back in lower case, with its spaces and hyphens.
    The lower-cased text is what was matched last."""
    return reference.get((reason_code, unicode15.lower))(text.strip())
