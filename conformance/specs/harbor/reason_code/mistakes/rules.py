"""Mistakes in turning reasons into codes: the codes, the words, and the order of the rules."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
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
    """Has ``change(text, code)`` decide about texts that no rule matches."""

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            known = reference.get(KNOWN)
            found = original(text)
            return found if text is None or found is None or found in known else change(text, found)

        return code

    reference.wrap(reason_code, around)


@mistakes.changed(clause="003-1.4-agent-timeout-in-compact", invited_by="dicts, switch statements, enums")
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


@mistakes.changed(clause="003-1.4-agent-timeout-in-compact", invited_by='"timeout" in text')
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


@in_reason_code.wrapped(
    clause="003-1.4-known-code-lowered", invited_by="`any(code in text for code in CODES)`, grep -o"
)
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


WORDS = (reason_code, "_WORDS")
Rules = list[tuple[tuple[str, ...], str]]


@way("reason_code", clause="003-1.4-connection-refused-or-reset")
def changed_rules(reference: Variant, change: Callable[[Rules], Rules]) -> None:
    """Has the rules for words in the text pass through ``change``."""
    reference.replace(WORDS, change(reference.get(WORDS)))


@changed_rules.made(
    clause="003-1.4-reward-and-parse-or-malformed", invited_by="the document's own listing, copied"
)
def rule_read_literally(rules: Rules) -> Rules:
    """Every text with the word reward gives harbor_reward_parse_error at the latest.
    The rule is printed as `"reward" in x and ("parse" in x or "malformed")`, which is always true."""
    return [(("reward",), code) if words == ("reward", "parse") else (words, code) for words, code in rules]


@changed_rules.made(
    clause="003-1.4-reward-and-parse-or-malformed", invited_by="operator precedence in every language"
)
def malformed_alone_is_enough(rules: Rules) -> Rules:
    """The word malformed gives harbor_reward_parse_error without the word reward.
    `reward and parse or malformed` binds the other way."""
    return [(w[1:], c) if w == ("reward", "malformed") else (w, c) for w, c in rules]


@changed_rules.made(
    clause="003-1.4-submission-code-or-runtime", invited_by="operator precedence in every language"
)
def runtime_alone_is_enough(rules: Rules) -> Rules:
    """The word runtime gives harbor_submission_code_failed without the word submission.
    `submission and code or runtime` binds the other way."""
    return [(w[1:], c) if w == ("submission", "runtime") else (w, c) for w, c in rules]


@changed_rules.made(clause="003-1.4-broker-and-connection", invited_by="a table with one word for each code")
def first_words_only(rules: Rules) -> Rules:
    """Of each pair of words only the first is asked for: broker, reward, submission.
    The first word seems to say it all."""
    return [(words[:1], code) for words, code in rules]


@in_reason_code.wrapped(
    clause="003-1.4-broker-and-connection",
    invited_by="regular expressions, LIKE '%broker%connection%', shell's case",
)
def words_in_sequence(reference: Variant, original: Code, text: str | None) -> str | None:
    """The words of a rule have to come in its order. One pattern holds both: broker.*connection."""
    rules: Rules = reference.get(WORDS)
    lowered = reference.get((reason_code, unicode15.lower))((text or "").strip())
    try:
        reference.replace(WORDS, [rule for rule in rules if _in_sequence(rule[0], lowered)])
        return original(text)
    finally:
        reference.replace(WORDS, rules)


@changed_rules.made(invited_by="splitting all phrases of the table at spaces")
def connection_refused_in_parts(rules: Rules) -> Rules:
    """The words connection and refused, or reset, match apart from each other.
    The other rules look for words apart."""
    return [(tuple(" ".join(words).split()), code) for words, code in rules]


@changed_rules.made(invited_by="a shortened table, searching the underscored spelling")
def connection_refused_unknown(rules: Rules) -> Rules:
    """Connection refused and connection reset are not found where broker does not stand beside them.
    The phrase is not in the table, or not in the spelling that is searched."""
    return [rule for rule in rules if len(rule[0]) > 1]


@changed_rules.made(clause="003-1.4-rule-order", invited_by="sorting a table of rules")
def reward_rules_before_broker(rules: Rules) -> Rules:
    """The rules for rewards are tried before those for connections. They are the ones that matter most."""
    return sorted(rules, key=lambda rule: rule[0][0] != "reward")


@changed_rules.made(clause="003-1.4-rule-order", invited_by="sorting a table of rules, maps without order")
def empty_before_missing(rules: Rules) -> Rules:
    """Reward and empty are looked for before reward and missing.
    Rules in alphabetical order, or by what comes first in the text."""
    return sorted(rules, key=lambda rule: rule[0] == ("reward", "missing"))


@changed_rules.made(clause="003-1.4-rule-order", invited_by="rules from the special to the general")
def parse_before_empty(rules: Rules) -> Rules:
    """Reward and parse are looked for before reward and empty or missing.
    A parse error is the more exact reason."""
    return sorted(rules, key=lambda rule: rule[0] not in _PARSE)


@in_reason_code.wrapped(clause="003-1.4-rule-order", invited_by="tables merged in another order")
def words_before_exception_names(reference: Variant, original: Code, text: str | None) -> str | None:
    """Words in the text are looked for before names of exceptions.
    Messages are more common than class names."""
    names = reference.its(NAMES)
    reference.replace(NAMES, [])
    found = original(text)
    reference.replace(NAMES, names)
    by_words = {rule[1] for rule in reference.get(WORDS)}
    return found if found in by_words else original(text)


@mistakes.changed(clause="003-1.4-rule-order", invited_by="a loop without break, maps without order")
def last_exception_name_wins(reference: Variant) -> None:
    """Of several names of exceptions the last of the table is found.
    What was found is overwritten by what comes after."""
    reference.replace(NAMES, reference.get(NAMES)[::-1])


def _in_sequence(words: tuple[str, ...], text: str) -> bool:
    position = 0
    for word in words:
        position = text.find(word, position)
        if position < 0:
            return False
    return True


_PARSE = (("reward", "parse"), ("reward", "malformed"))
