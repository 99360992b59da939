"""Mistakes in turning reasons into codes: exception names, known codes, texts that no rule fits."""

from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

REASON_CODE = "reason_code.reason_code"
NAMES = "reason_code._EXCEPTION_NAMES"
ALIASES = "reason_code._ALIASES"
KNOWN = "reason_code.KNOWN_CODES"
Code = Callable[[str | None], str | None]


def _unmatched(reference: Variant, change: Callable[[str, str], str | None]) -> None:
    """Has ``change(text, code)`` decide about texts that no rule matches."""

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            known = reference.get(KNOWN)
            found = original(text)
            return found if text is None or found is None or found in known else change(text, found)

        return code

    reference.wrap(REASON_CODE, around)


@mistake(
    "exception-names-only-whole",
    says="names of exceptions are found only where they are the whole text",
    op="reason_code",
    clause="003-1.4-agent-timeout-in-compact",
    why="A look-up in a table of names.",
    invited_by="dicts, switch statements, enums",
)
def _(reference: Variant) -> None:
    reference.replace(NAMES, [])


@mistake(
    "american-cancelled-unknown",
    says="CanceledError with one l is not known",
    op="reason_code",
    clause="003-1.4-cancelled-in-compact",
    why="The table has one spelling.",
    invited_by="a shortened table",
)
def _(reference: Variant) -> None:
    reference.replace(NAMES, [name for name in reference.get(NAMES) if name[0] != "cancelederror"])


@mistake(
    "cancelled-alone-is-enough",
    says="the word cancelled gives harbor_cancelled_error without the word error",
    op="reason_code",
    clause="003-1.4-cancelled-in-compact",
    why="It is what the text says.",
    invited_by='"cancel" in text',
)
def _(reference: Variant) -> None:
    reference.replace(NAMES, [("cancelled", "harbor_cancelled_error"), *reference.get(NAMES)])


@mistake(
    "every-time-out-is-the-agents",
    says="every TimeoutError that has no rule of its own gives harbor_agent_timeout_error",
    op="reason_code",
    clause="003-1.4-agent-timeout-in-compact",
    why="The agent takes longest.",
    invited_by='"timeout" in text',
)
def _(reference: Variant) -> None:
    reference.replace(NAMES, [*reference.get(NAMES), ("timeouterror", "harbor_agent_timeout_error")])


@mistake(
    "document-table-believed",
    says="texts that name harbor's three reward exceptions give the codes of the document's table",
    op="reason_code",
    clause="003-1.4-class-names",
    why="The table says that the matcher does so.",
    invited_by="the document's table of errors",
)
def _(reference: Variant) -> None:
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


@mistake(
    "known-codes-searched",
    says="a known code anywhere in the text is found",
    op="reason_code",
    clause="003-1.4-known-code-lowered",
    why="Logs hold the code among other words.",
    invited_by="`any(code in text for code in CODES)`, grep -o",
)
def _(reference: Variant) -> None:
    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            lowered = reference.get("reason_code.lower")(text or "")
            return next((known for known in sorted(reference.get(KNOWN)) if known in lowered), original(text))

        return code

    reference.wrap(REASON_CODE, around)


@mistake(
    "unknown-reason-dropped",
    says="a text that no rule matches has no code",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="Only known codes are codes.",
    invited_by="enums, dict.get",
)
def _(reference: Variant) -> None:
    _unmatched(reference, lambda text, code: None)


@mistake(
    "unknown-reason-generalised",
    says="a text that no rule matches gives harbor_trial_failed",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="Only known codes are codes, and this is the most general.",
    invited_by="enums with a default, catch-all branches",
)
def _(reference: Variant) -> None:
    _unmatched(reference, lambda text, code: "harbor_trial_failed")


@mistake(
    "unknown-reason-as-it-is",
    says="a text that no rule matches is given back as it is",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="Nothing is known about it, so it is left alone.",
    invited_by="`CODES.get(text, text)`",
)
def _(reference: Variant) -> None:
    _unmatched(reference, lambda text, code: text)


@mistake(
    "unknown-reason-lower-cased",
    says="a text that no rule matches is given back in lower case, with its spaces and hyphens",
    op="reason_code",
    clause="003-1.4-fallthrough-underscored",
    why="The lower-cased text is what was matched last.",
    invited_by="returning the wrong variable",
)
def _(reference: Variant) -> None:
    _unmatched(reference, lambda text, code: reference.get("reason_code.lower")(text.strip()))
