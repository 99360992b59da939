"""Random error texts for the matcher of reason codes: messages, names and codes in many spellings."""

from conformance.drawing.source import Source
from conformance.drawing.texts import mutated

__all__ = ["KNOWN_CODES", "SEPARATORS", "reason"]

_KNOWN = """
harbor_agent_timeout_error harbor_broker_connection_failed harbor_cancelled_error harbor_nonzero_exit
harbor_environment_start_timeout_error harbor_result_invalid harbor_result_malformed harbor_result_missing
harbor_result_partial harbor_reward_empty harbor_reward_missing harbor_reward_parse_error
harbor_submission_code_failed harbor_trial_failed harbor_trial_result_malformed harbor_trial_result_missing
harbor_verifier_timeout_error terminal_bench_broker_ref_missing terminal_bench_job_dir_missing
terminal_bench_lease_expired
"""
KNOWN_CODES: tuple[str, ...] = tuple(_KNOWN.split())
"""The codes that the consumer knows."""
_ALIASES = """
agent_timeout_error cancelled_error canceled_error environment_start_timeout_error submission_code_failure
verifier_timeout_error connection_refused connection_reset broker_connection reward_missing reward_empty
reward_parse reward_malformed submission_code submission_runtime reward_file_empty_error
reward_file_not_found_error
"""
_CODES = (*KNOWN_CODES, *_ALIASES.split())
SEPARATORS = ("_", "-", " ", "\t", "\n", "\xa0")
"""Separators between the words of a code."""
_PLAIN = """
reward missing empty parse malformed submission code runtime broker connection refused reset error errors
timeout agent verifier environment start cancelled canceled failed harbor result nonzero exit lease expired
terminal bench timed_out ReWaRd Agent Timeout Error AgentTimeoutError CancelledError CanceledError
EnvironmentStartTimeoutError VerifierTimeoutError submission_code_failure harbor_reward_empty
harbor_result_missing ValidationError JSONDecodeError
"""
_ODD = "İ ı ſ ß Σ ΟΔΟΣ \u0345 ﬁ \u212a Å Ⅷ ² ٣ \U00011f51 \U00010570 \U0002ebf0 \U00010d50 é e\u0301 \u200b"
_WORDS = (*_PLAIN.split(), "connection refused", *_ODD.split(" "))
_JOINTS = (" ", "_", "-", "", "\n", "\xa0", "/", ": ", "\x1c", ".")
_SPELT = ("_", "-", " ", "", "\t", "_", "  ")


def _word(source: Source) -> str:
    return source.pick(_WORDS)


def _sentence(source: Source) -> str:
    """A few words that the matcher knows, joined by random separators."""
    joint = source.pick(_JOINTS)
    words = source.times(5, _word)
    upper = source.below(20)
    if upper == 19:
        return joint.join(words).upper()
    return joint.join(word.upper() if index == upper else word for index, word in enumerate(words))


def _spelled_code(source: Source) -> str:
    """A known code, alias or phrase, in one of the spellings that people use."""
    code = source.pick(_CODES)
    odd = source.below(25)
    if odd < 5:
        before = ("Error: ", "harbor_", "x", "\u2003", "")[odd]
        code = before + code + source.pick(("", ".", " at /a/b", "s"))
    elif odd < 10:
        code = code.title()
    return code.replace("_", source.pick(_SPELT))


def reason(source: Source) -> str:
    """A message, the name of an exception or a code."""
    kind = source.below(10)
    if kind == 0:
        return source.pick(KNOWN_CODES)
    return mutated(source, _sentence(source) if kind < 7 else _spelled_code(source), 25)
