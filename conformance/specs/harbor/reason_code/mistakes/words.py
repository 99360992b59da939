"""Mistakes in turning reasons into codes by the words that they hold, and in the order of the rules."""

from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

REASON_CODE = "reason_code.reason_code"
WORDS = "reason_code._WORDS"
NAMES = "reason_code._EXCEPTION_NAMES"
Code = Callable[[str | None], str | None]
Rules = list[tuple[tuple[str, ...], str]]


def _rules(reference: Variant, change: Callable[[Rules], Rules]) -> None:
    """Has the rules for words in the text pass through ``change``."""
    reference.replace(WORDS, change(reference.get(WORDS)))


@mistake(
    "rule-read-literally",
    says="every text with the word reward gives harbor_reward_parse_error at the latest",
    op="reason_code",
    clause="003-1.4-reward-and-parse-or-malformed",
    why='The rule is printed as `"reward" in x and ("parse" in x or "malformed")`, which is always true.',
    invited_by="the document's own listing, copied",
)
def _(reference: Variant) -> None:
    _rules(
        reference,
        lambda rules: [
            (("reward",), code) if words == ("reward", "parse") else (words, code) for words, code in rules
        ],
    )


@mistake(
    "malformed-alone-is-enough",
    says="the word malformed gives harbor_reward_parse_error without the word reward",
    op="reason_code",
    clause="003-1.4-reward-and-parse-or-malformed",
    why="`reward and parse or malformed` binds the other way.",
    invited_by="operator precedence in every language",
)
def _(reference: Variant) -> None:
    _rules(
        reference, lambda rules: [(w[1:], c) if w == ("reward", "malformed") else (w, c) for w, c in rules]
    )


@mistake(
    "runtime-alone-is-enough",
    says="the word runtime gives harbor_submission_code_failed without the word submission",
    op="reason_code",
    clause="003-1.4-submission-code-or-runtime",
    why="`submission and code or runtime` binds the other way.",
    invited_by="operator precedence in every language",
)
def _(reference: Variant) -> None:
    _rules(
        reference, lambda rules: [(w[1:], c) if w == ("submission", "runtime") else (w, c) for w, c in rules]
    )


@mistake(
    "first-words-only",
    says="of each pair of words only the first is asked for: broker, reward, submission",
    op="reason_code",
    clause="003-1.4-broker-and-connection",
    why="The first word seems to say it all.",
    invited_by="a table with one word for each code",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: [(words[:1], code) for words, code in rules])


@mistake(
    "words-in-sequence",
    says="the words of a rule have to come in its order",
    op="reason_code",
    clause="003-1.4-broker-and-connection",
    why="One pattern holds both: broker.*connection.",
    invited_by="regular expressions, LIKE '%broker%connection%', shell's case",
)
def _(reference: Variant) -> None:
    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            rules: Rules = reference.get(WORDS)
            lowered = reference.get("reason_code.lower")((text or "").strip())
            try:
                reference.replace(WORDS, [rule for rule in rules if _in_sequence(rule[0], lowered)])
                return original(text)
            finally:
                reference.replace(WORDS, rules)

        return code

    reference.wrap(REASON_CODE, around)


@mistake(
    "connection-refused-in-parts",
    says="the words connection and refused, or reset, match apart from each other",
    op="reason_code",
    clause="003-1.4-connection-refused-or-reset",
    why="The other rules look for words apart.",
    invited_by="splitting all phrases of the table at spaces",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: [(tuple(" ".join(words).split()), code) for words, code in rules])


@mistake(
    "connection-refused-unknown",
    says="connection refused and connection reset are not found where broker does not stand beside them",
    op="reason_code",
    clause="003-1.4-connection-refused-or-reset",
    why="The phrase is not in the table, or not in the spelling that is searched.",
    invited_by="a shortened table, searching the underscored spelling",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: [rule for rule in rules if len(rule[0]) > 1])


@mistake(
    "reward-rules-before-broker",
    says="the rules for rewards are tried before those for connections",
    op="reason_code",
    clause="003-1.4-rule-order",
    why="They are the ones that matter most.",
    invited_by="sorting a table of rules",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: sorted(rules, key=lambda rule: rule[0][0] != "reward"))


@mistake(
    "empty-before-missing",
    says="reward and empty are looked for before reward and missing",
    op="reason_code",
    clause="003-1.4-rule-order",
    why="Rules in alphabetical order, or by what comes first in the text.",
    invited_by="sorting a table of rules, maps without order",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: sorted(rules, key=lambda rule: rule[0] == ("reward", "missing")))


@mistake(
    "parse-before-empty",
    says="reward and parse are looked for before reward and empty or missing",
    op="reason_code",
    clause="003-1.4-rule-order",
    why="A parse error is the more exact reason.",
    invited_by="rules from the special to the general",
)
def _(reference: Variant) -> None:
    _rules(reference, lambda rules: sorted(rules, key=lambda rule: rule[0] not in _PARSE))


@mistake(
    "words-before-exception-names",
    says="words in the text are looked for before names of exceptions",
    op="reason_code",
    clause="003-1.4-rule-order",
    why="Messages are more common than class names.",
    invited_by="tables merged in another order",
)
def _(reference: Variant) -> None:
    names = reference.get(NAMES)

    def around(original: Code) -> Code:
        def code(text: str | None) -> str | None:
            reference.replace(NAMES, [])
            found = original(text)
            reference.replace(NAMES, names)
            by_words = {rule[1] for rule in reference.get(WORDS)}
            return found if found in by_words else original(text)

        return code

    reference.wrap(REASON_CODE, around)


@mistake(
    "last-exception-name-wins",
    says="of several names of exceptions the last of the table is found",
    op="reason_code",
    clause="003-1.4-rule-order",
    why="What was found is overwritten by what comes after.",
    invited_by="a loop without break, maps without order",
)
def _(reference: Variant) -> None:
    reference.replace(NAMES, reference.get(NAMES)[::-1])


def _in_sequence(words: tuple[str, ...], text: str) -> bool:
    position = 0
    for word in words:
        position = text.find(word, position)
        if position < 0:
            return False
    return True


_PARSE = (("reward", "parse"), ("reward", "malformed"))
