"""What readers of the document alone understood of the matcher: the order of rules, and what they look at."""

import re
from collections.abc import Callable
from typing import NamedTuple

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reason_code.mistakes.rules import unmatched
from reference_impl.cpython312 import unicode15
from reference_impl.reason_code import reason_code

in_reason_code = family("reason_code", of=reason_code)
NAMES = (reason_code, "_EXCEPTION_NAMES")
WORDS = (reason_code, "_WORDS")
KNOWN = (reason_code, "KNOWN_CODES")
REWARD = ("harbor_reward_missing", "harbor_reward_empty", "harbor_reward_parse_error")
SUBMISSION = ("harbor_submission_code_failed",)
BROKER = ("harbor_broker_connection_failed",)
CANCELLED = ("harbor_cancelled_error",)
ENVIRONMENT = ("harbor_environment_start_timeout_error",)
AGENT = ("harbor_agent_timeout_error",)
VERIFIER = ("harbor_verifier_timeout_error",)
Code = Callable[[str | None], str | None]


class Rule(NamedTuple):
    """Words that a spelling of the text has to hold, and the code that they give."""

    compact: bool
    words: tuple[str, ...]
    code: str


Rules = list[Rule]
Test = Callable[[Rule, str, str], bool]


def holds(rule: Rule, lowered: str, compact: str) -> bool:
    """Whether a rule matches a text, given in two spellings, as the matcher has it."""
    return all(word in (compact if rule.compact else lowered) for word in rule.words)


def by_rules(reference: Variant, arrange: Callable[[Rules], Rules] = list, test: Test = holds) -> None:
    """Has the rules behind codes and aliases tried in another order, or by another test."""
    names = [Rule(True, (name,), code) for name, code in reference.get(NAMES)]
    rules = arrange([*names, *(Rule(False, words, code) for words, code in reference.get(WORDS))])
    reference.replace(NAMES, [])
    reference.replace(WORDS, [])

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            found = original(text)
            if text is None or found is None or found in reference.get(KNOWN):
                return found
            lowered = reference.get((reason_code, unicode15.lower))(text.strip())
            compact = "".join(filter(reference.get((reason_code, unicode15.is_alphanumeric)), lowered))
            return next((rule.code for rule in rules if test(rule, lowered, compact)), found)

        return code

    reference.wrap(reason_code, around)


tested = way("reason_code", invited_by="regular expressions, word searches")(
    lambda reference, it: by_rules(reference, test=it)
)


@family("reason_code", clause="003-1.4-rule-order").each(
    Case(
        "reward-rules-before-timeouts",
        "the rules for rewards are tried before those for time-outs",
        "The document's list of rules begins with the rewards.",
        "the document's own listing, copied",
        REWARD,
        ENVIRONMENT,
    ),
    Case(
        "reward-rules-before-all-names",
        "the rules for rewards are tried before all others, that for cancelled ones included",
        "The document's list of rules begins with the rewards.",
        "the document's own listing, copied",
        REWARD,
        CANCELLED,
    ),
    Case(
        "submission-before-reward",
        "the rules for submissions are tried before those for rewards",
        "A submission that fails leaves no reward, so it is the cause.",
        "thinking in causes",
        SUBMISSION,
        REWARD,
    ),
    Case(
        "submission-before-timeouts",
        "the rules for submissions are tried before those for time-outs",
        "It is the submission's code that took too long.",
        "thinking in causes",
        SUBMISSION,
        ENVIRONMENT,
    ),
    Case(
        "submission-before-broker",
        "the rules for submissions are tried before those for connections",
        "A submission may lose its own connection.",
        "thinking in causes",
        SUBMISSION,
        BROKER,
    ),
    Case(
        "broker-before-timeouts",
        "the rules for connections are tried before those for time-outs",
        "A broker that is away is why something took too long.",
        "thinking in causes",
        BROKER,
        ENVIRONMENT,
    ),
    Case(
        "cancelled-after-timeouts",
        "CancelledError is looked for behind the time-outs",
        "What was cancelled was cancelled because of its time-out.",
        "asyncio, where a time-out cancels",
        (*ENVIRONMENT, *AGENT, *VERIFIER),
        CANCELLED,
    ),
    Case(
        "agent-before-environment",
        "AgentTimeoutError is looked for before EnvironmentStartTimeoutError",
        "The table is put in alphabetical order.",
        "sorted tables, BTreeMap",
        AGENT,
        ENVIRONMENT,
    ),
    Case(
        "verifier-before-agent",
        "VerifierTimeoutError is looked for before AgentTimeoutError",
        "The verifier comes last and so decides.",
        "thinking in phases",
        VERIFIER,
        AGENT,
    ),
)
def moved(reference: Variant, codes: tuple[str, ...], before: tuple[str, ...]) -> None:
    """Has the rules for ``codes`` tried before the first of those for ``before``."""

    def arrange(rules: Rules) -> Rules:
        first = next(n for n, rule in enumerate(rules) if rule.code in before)
        others = [rule for rule in rules[first:] if rule.code not in codes]
        return [*rules[:first], *(rule for rule in rules[first:] if rule.code in codes), *others]

    by_rules(reference, arrange)


@family("reason_code").each(
    Case(
        "parse-between-missing-and-empty",
        "reward and parse are looked for before reward and empty, though behind reward and missing",
        "An empty text is one that cannot be parsed.",
        "float('') is a ValueError",
        clause="003-1.4-rule-order",
    )
)
def parse_before_empty_alone(reference: Variant) -> None:
    """Has the rule for empty rewards behind those for parse errors."""

    def arrange(rules: Rules) -> Rules:
        last = max(n for n, rule in enumerate(rules) if rule.code == REWARD[2])
        empty = [rule for rule in rules if rule.code == REWARD[1]]
        return [rule for rule in rules[: last + 1] if rule not in empty] + empty + rules[last + 1 :]

    by_rules(reference, arrange)


@tested.made(clause="003-1.4-reward-and-missing")
def reward_as_whole_word(rule: Rule, lowered: str, compact: str) -> bool:
    """The words of the rules for rewards count only where they stand as whole words.
    A word search has boundaries on both sides."""
    if rule.code not in REWARD:
        return holds(rule, lowered, compact)
    return all(re.search(rf"\b{word}\b", lowered) for word in rule.words)


@tested.made(clause="003-1.4-reward-and-empty")
def reward_before_the_other_word(rule: Rule, lowered: str, compact: str) -> bool:
    """The word reward has to stand before missing, empty, parse or malformed, other rules have no order.
    A pattern such as reward.*missing."""
    if rule.code not in REWARD:
        return holds(rule, lowered, compact)
    return re.search(".*".join(rule.words), lowered, re.DOTALL) is not None


@tested.made(clause="003-1.4-reward-and-missing")
def words_on_one_line(rule: Rule, lowered: str, compact: str) -> bool:
    """The words of a rule have to stand on one line of the text. Patterns end at a line end, as grep does."""
    if rule.compact:
        return holds(rule, lowered, compact)
    return any(holds(rule, line, compact) for line in lowered.splitlines())


@tested.made(clause="003-1.4-reward-and-parse-or-malformed", invited_by="one spelling for all rules")
def reward_words_in_compact(rule: Rule, lowered: str, compact: str) -> bool:
    """The words of the rules for rewards are looked for among letters and digits alone.
    The rules before them look there."""
    return holds(rule._replace(compact=rule.compact or rule.code in REWARD), lowered, compact)


@tested.made(clause="003-1.4-connection-refused-or-reset", invited_by="one spelling for all rules")
def connection_refused_underscored(rule: Rule, lowered: str, compact: str) -> bool:
    """A connection that is refused or reset is found in the underscored spelling, whatever stands between.
    The underscored spelling is at hand."""
    if len(rule.words) == 1 and rule.code in BROKER:
        return rule.words[0].replace(" ", "_") in "_".join(lowered.replace("-", "_").split())
    return holds(rule, lowered, compact)


@tested.made(clause="003-1.4-agent-timeout-in-compact")
def time_outs_by_words(rule: Rule, lowered: str, compact: str) -> bool:
    """A time-out is found by its words in any places: agent, timeout and error.
    The rules for rewards work by words."""
    if rule.code not in (*AGENT, *VERIFIER):
        return holds(rule, lowered, compact)
    return all(word in compact for word in (rule.words[0].removesuffix("timeouterror"), "timeout", "error"))


@tested.made(clause="003-1.4-verifier-timeout-in-compact", invited_by="shortened names in logs")
def time_outs_without_error(rule: Rule, lowered: str, compact: str) -> bool:
    """The name of a time-out counts without the word error behind it: AgentTimeout. Names get shortened."""
    if rule.code not in (*ENVIRONMENT, *AGENT, *VERIFIER):
        return holds(rule, lowered, compact)
    return rule.words[0].removesuffix("error") in compact


@tested.made(clause="003-1.4-broker-and-connection", invited_by="substrings chosen short: connect, connected")
def broker_and_connect(rule: Rule, lowered: str, compact: str) -> bool:
    """The words broker and connect give harbor_broker_connection_failed.
    It failed to connect to its broker."""
    if "broker" in rule.words:
        return "broker" in lowered and "connect" in lowered
    return holds(rule, lowered, compact)


@in_reason_code.wrapped(clause="003-1.4-fallthrough-underscored", invited_by="messages with tracebacks")
def first_line_of_reason(original: Code, text: str | None) -> str | None:
    """Only the first line of a text counts. The rest is a traceback."""
    return original((text or "").strip().partition("\n")[0])


@in_reason_code.wrapped(clause="003-1.4-fallthrough-underscored", invited_by="Python's tracebacks")
def last_line_of_reason(original: Code, text: str | None) -> str | None:
    """Only the last line of a text counts. The last line of a traceback names the exception."""
    return original((text or "").strip().rpartition("\n")[2])


@in_reason_code.wrapped(clause="003-1.4-rule-order", invited_by="'ClassName: message'")
def name_before_colon_first(reference: Variant, original: Code, text: str | None) -> str | None:
    """What stands before the first colon is matched first, and the whole text only where that gives no code.
    Exceptions print their class name and a colon."""
    name, colon, _ = (text or "").partition(":")
    code = original(name) if colon else None
    return code if code in reference.get(KNOWN) else original(text)


@in_reason_code.wrapped(clause="003-1.4-rule-order", invited_by="'ClassName: message'")
def message_behind_colon_only(original: Code, text: str | None) -> str | None:
    """What stands before the first colon and space is not matched. The message says more than the class."""
    return original((text or "").partition(": ")[2] or text)


@in_reason_code.wrapped(
    clause="003-1.4-known-code-underscored", invited_by="the aliases, which are such names"
)
def known_codes_without_prefix(reference: Variant, original: Code, text: str | None) -> str | None:
    """A known code without its harbor_ in front is the code. So it is with the aliases."""
    found = original(text)
    return f"harbor_{found}" if f"harbor_{found}" in reference.get(KNOWN) else found


@in_reason_code.wrapped(clause="003-1.4-alias-compact", invited_by="type(e).__module__, qualified names")
def last_part_of_dotted_name(original: Code, text: str | None) -> str | None:
    """Of a dotted name without white space only the last part counts.
    Names of classes are printed in full."""
    stripped = (text or "").strip()
    return original(stripped if len(stripped.split()) > 1 else stripped.rpartition(".")[2] or text)


@in_reason_code.wrapped(clause="003-1.4-alias-underscored", invited_by="one table for both spellings")
def submission_alias_in_compact(reference: Variant, original: Code, text: str | None) -> str | None:
    """The compact spelling submissioncodefailure is an alias, as with the other four.
    The other aliases have two spellings each."""
    lowered = reference.get((reason_code, unicode15.lower))((text or "").strip())
    compact = "".join(filter(reference.get((reason_code, unicode15.is_alphanumeric)), lowered))
    return SUBMISSION[0] if compact == "submissioncodefailure" else original(text)


@unmatched.made(invited_by="slugs, strip('_')")
def fallthrough_underscores_trimmed(text: str, code: str) -> str | None:
    """A text that no rule matches loses the underscores at its ends. Slugs have none there."""
    return code.strip("_") or code


@unmatched.made(invited_by="slugs, re.sub('[^a-z0-9]', '_')")
def fallthrough_in_ascii(text: str, code: str) -> str | None:
    """In a text that no rule matches whatever is no ASCII letter or digit becomes an underscore, one each.
    A code is a name."""
    return re.sub("[^a-z0-9]", "_", code)


@unmatched.made(invited_by="columns of a database, VARCHAR(100)")
def fallthrough_cut(text: str, code: str) -> str | None:
    """A text that no rule matches is cut after 100 characters. Codes are kept in columns of a fixed width."""
    return code[:100]


@unmatched.made(invited_by="the names of the known codes")
def fallthrough_prefixed(text: str, code: str) -> str | None:
    """A text that no rule matches gets harbor_ in front. Most codes begin so."""
    return code if code.startswith(("harbor_", "terminal_bench_")) else f"harbor_{code}"


@tested.made(clause="003-1.4-submission-code-or-runtime")
def submission_as_whole_word(rule: Rule, lowered: str, compact: str) -> bool:
    """The words of the rules for submissions count only where they stand as whole words.
    A word search has boundaries on both sides."""
    if rule.code not in SUBMISSION:
        return holds(rule, lowered, compact)
    return all(re.search(rf"\b{word}\b", lowered) for word in rule.words)


@tested.made(clause="003-1.4-broker-and-connection")
def broker_as_whole_word(rule: Rule, lowered: str, compact: str) -> bool:
    """The words broker and connection count only where they stand as whole words.
    A word search has boundaries on both sides."""
    if "broker" not in rule.words:
        return holds(rule, lowered, compact)
    return all(re.search(rf"\b{word}\b", lowered) for word in rule.words)


@tested.made(clause="003-1.4-connection-refused-or-reset", invited_by="Python's and Java's class names")
def connection_classes_known(rule: Rule, lowered: str, compact: str) -> bool:
    """ConnectionRefusedError and ConnectionResetError give harbor_broker_connection_failed.
    They are the names of the exceptions that say so."""
    if len(rule.words) == 1 and rule.code in BROKER:
        return holds(rule, lowered, compact) or f"{rule.words[0].replace(' ', '')}error" in lowered
    return holds(rule, lowered, compact)


@tested.made(clause="003-1.4-agent-timeout-in-compact", invited_by="harbor's names of time-outs")
def agent_setup_time_out_is_the_agents(rule: Rule, lowered: str, compact: str) -> bool:
    """AgentSetupTimeoutError gives harbor_agent_timeout_error. It is a time-out of the agent."""
    return holds(rule, lowered, compact) or (rule.code in AGENT and "agentsetuptimeouterror" in compact)


@tested.made(clause="003-1.4-environment-start-in-compact", invited_by="names that were renamed")
def environment_time_out_without_start(rule: Rule, lowered: str, compact: str) -> bool:
    """EnvironmentTimeoutError gives harbor_environment_start_timeout_error.
    Environments time out at their start."""
    return holds(rule, lowered, compact) or (
        rule.code in ENVIRONMENT and "environmenttimeouterror" in compact
    )


@unmatched.made(clause="003-1.4-fallthrough-underscored", invited_by="harbor's names, and the list of codes")
def nonzero_exit_by_name(text: str, code: str) -> str | None:
    """NonZeroAgentExitCodeError gives harbor_nonzero_exit. The code is called after it."""
    return "harbor_nonzero_exit" if "nonzeroagentexitcodeerror" in code.replace("_", "") else code


@unmatched.made(clause="003-1.4-fallthrough-underscored", invited_by="harbor's names, and the list of codes")
def errors_of_values_are_malformed(text: str, code: str) -> str | None:
    """ValidationError and JSONDecodeError give harbor_result_malformed. That is what they say of a result."""
    names = ("validationerror", "jsondecodeerror")
    return "harbor_result_malformed" if any(name in code.replace("_", "") for name in names) else code


@unmatched.made(clause="003-1.4-fallthrough-underscored", invited_by="'ClassName: message'")
def fallthrough_up_to_the_colon(text: str, code: str) -> str | None:
    """Of a text that no rule matches only what stands before its first colon is given.
    That is the name of the exception."""
    return code.partition(":")[0].rstrip("_") or code


@in_reason_code.wrapped(
    clause="003-1.4-paths-change-the-match", invited_by="messages that are cleaned of paths"
)
def paths_taken_out(original: Code, text: str | None) -> str | None:
    """What holds a slash is not looked at. A path says nothing about the reason."""
    return original(re.sub(r"\S*/\S*", "", text or "").strip() or text)


@in_reason_code.wrapped(clause="003-1.4-rule-order", invited_by="chains of causes in messages")
def last_reason_of_a_chain(original: Code, text: str | None) -> str | None:
    """Of a chain of reasons, parted by a semicolon, the last is the reason. It is the cause."""
    return original((text or "").rpartition(";")[2] or text)
