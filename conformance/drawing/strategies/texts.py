"""Texts of errors, as the matcher of reason codes gets them."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = ["KNOWN_CODES", "SEPARATORS", "reasons"]

_CODES = """
harbor_agent_timeout_error harbor_broker_connection_failed harbor_cancelled_error harbor_nonzero_exit
harbor_environment_start_timeout_error harbor_result_invalid harbor_result_malformed harbor_result_missing
harbor_result_partial harbor_reward_empty harbor_reward_missing harbor_reward_parse_error
harbor_submission_code_failed harbor_trial_failed harbor_trial_result_malformed harbor_trial_result_missing
harbor_verifier_timeout_error terminal_bench_broker_ref_missing terminal_bench_job_dir_missing
terminal_bench_lease_expired
"""
KNOWN_CODES: tuple[str, ...] = tuple(_CODES.split())
"""The codes that the consumer knows."""
SEPARATORS = ("_", "-", " ", "\t", "\n", "\xa0")
"""What may stand between the words of a code."""
_PLAIN = """
reward missing empty parse malformed submission code runtime broker connection refused reset error timeout
agent verifier environment start cancelled failed harbor result nonzero exit timed_out ReWaRd
AgentTimeoutError CancelledError CanceledError EnvironmentStartTimeoutError VerifierTimeoutError
submission_code_failure
"""
_ODD = "İ ı ſ ß Σ ΟΔΟΣ \u0345 ﬁ \u212a Å Ⅷ ² ٣ \U00011f51 \U00010570 é e\u0301 \u200b"
_WORDS = (*_PLAIN.split(), "connection refused", *_ODD.split(" "))
_JOINTS = (" ", "_", "-", "", "\n", "\xa0", "/", ": ", "\x1c", ".")

_said = st.builds(
    lambda joint, words: joint.join(words),
    st.sampled_from(_JOINTS),
    st.lists(st.sampled_from(_WORDS), max_size=5),
)
reasons: SearchStrategy[str] = st.one_of(
    _said, _said.map(str.upper), st.sampled_from(KNOWN_CODES), _said.map(str)
)
"""Messages, exception names and codes, tidy or not."""
