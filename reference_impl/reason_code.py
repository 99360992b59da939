"""Maps free text to a reason code (003 §1.4).

The consumer of harbor's results gets reasons as codes, exception names or messages, and normalises them:
first by exact name, then by alias, then by words that the text contains. A text that matches nothing is
passed on with only its spelling normalised.

The matcher is not reliable for harbor's own errors (erratum E2): the message of RewardFileNotFoundError
does not say "missing", and messages contain paths, which may match anything.
"""

from .cpython312.unicode15 import is_alphanumeric, lower

__all__ = ["FINAL_CODES", "KNOWN_CODES", "RETRYABLE_CODES", "reason_code"]

# Codes after which the consumer runs the trial again, 003 §1.4.
RETRYABLE_CODES = frozenset(
    {
        "harbor_broker_connection_failed",
        "harbor_cancelled_error",
        "harbor_environment_start_timeout_error",
        "terminal_bench_broker_ref_missing",
        "terminal_bench_job_dir_missing",
        "terminal_bench_lease_expired",
    }
)
# Codes that are kept, 003 §1.4.
FINAL_CODES = frozenset(
    {
        "harbor_agent_timeout_error",
        "harbor_nonzero_exit",
        "harbor_result_invalid",
        "harbor_result_malformed",
        "harbor_result_missing",
        "harbor_result_partial",
        "harbor_reward_empty",
        "harbor_reward_missing",
        "harbor_reward_parse_error",
        "harbor_submission_code_failed",
        "harbor_trial_failed",
        "harbor_trial_result_malformed",
        "harbor_trial_result_missing",
        "harbor_verifier_timeout_error",
    }
)
KNOWN_CODES = RETRYABLE_CODES | FINAL_CODES

# Names that may be the whole text, and their codes, 003 §1.4.
_ALIASES = {
    "agent_timeout_error": "harbor_agent_timeout_error",
    "agenttimeouterror": "harbor_agent_timeout_error",
    "cancelled_error": "harbor_cancelled_error",
    "cancellederror": "harbor_cancelled_error",
    "environment_start_timeout_error": "harbor_environment_start_timeout_error",
    "environmentstarttimeouterror": "harbor_environment_start_timeout_error",
    "submission_code_failure": "harbor_submission_code_failed",
    "verifier_timeout_error": "harbor_verifier_timeout_error",
    "verifiertimeouterror": "harbor_verifier_timeout_error",
}

# Searched in this order, in the text reduced to letters and digits.
_EXCEPTION_NAMES = [
    ("cancellederror", "harbor_cancelled_error"),
    ("cancelederror", "harbor_cancelled_error"),
    ("environmentstarttimeouterror", "harbor_environment_start_timeout_error"),
    ("agenttimeouterror", "harbor_agent_timeout_error"),
    ("verifiertimeouterror", "harbor_verifier_timeout_error"),
]

# Searched in this order, in the lower-case text: it must contain all words of an entry.
_WORDS = [
    (("broker", "connection"), "harbor_broker_connection_failed"),
    (("connection refused",), "harbor_broker_connection_failed"),
    (("connection reset",), "harbor_broker_connection_failed"),
    (("reward", "missing"), "harbor_reward_missing"),
    (("reward", "empty"), "harbor_reward_empty"),
    (("reward", "parse"), "harbor_reward_parse_error"),
    (("reward", "malformed"), "harbor_reward_parse_error"),
    (("submission", "code"), "harbor_submission_code_failed"),
    (("submission", "runtime"), "harbor_submission_code_failed"),
]


def reason_code(text: str | None) -> str | None:
    """The code for a reason given as text; None for no text or a blank one (003 §1.4).

    Letter case, and the choice between hyphen, underscore and white space, do not matter.
    """
    lowered = lower((text or "").strip())
    if not lowered:
        return None

    # Two more spellings: "Cancelled-Error: x" is `cancelled_error:_x` and `cancellederrorx`.
    underscored = "_".join(lowered.replace("-", "_").split())
    compact = "".join(filter(is_alphanumeric, lowered))

    # The whole text is a code, or an alias of one.
    for name in (lowered, underscored):
        if name in KNOWN_CODES:
            return name
    for name in (compact, underscored):
        if name in _ALIASES:
            return _ALIASES[name]

    # Or it contains the name of an exception, or the words of an entry; the first match counts.
    for exception_name, code in _EXCEPTION_NAMES:
        if exception_name in compact:
            return code
    for words, code in _WORDS:
        if all(word in lowered for word in words):
            return code

    # Or it matches nothing.
    return underscored
