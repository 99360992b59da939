import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.reason_code import FINAL_CODES, KNOWN_CODES, RETRYABLE_CODES, reason_code


@pytest.mark.parametrize("code", sorted(KNOWN_CODES))
def test_a_known_code_is_found_however_it_is_spelt(code: str) -> None:
    assert reason_code(code) == code
    assert reason_code(f" {code.upper()}\n") == code
    assert reason_code(code.replace("_", "-")) == code
    assert reason_code(code.replace("_", "\u2003 ")) == code


def test_a_code_is_retryable_or_final() -> None:
    assert not RETRYABLE_CODES & FINAL_CODES
    assert (len(RETRYABLE_CODES), len(FINAL_CODES)) == (6, 14)


@pytest.mark.parametrize("text", [None, "", " ", "\t\u2003\x1c"])
def test_nothing_said(text: str | None) -> None:
    assert reason_code(text) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("AgentTimeoutError", "harbor_agent_timeout_error"),
        ("agent-timeout error", "harbor_agent_timeout_error"),
        ("asyncio.CancelledError()", "harbor_cancelled_error"),
        ("CanceledError: reward missing", "harbor_cancelled_error"),
        ("EnvironmentStartTimeoutError: 600 s", "harbor_environment_start_timeout_error"),
        ("[Verifier] Timeout Error!", "harbor_verifier_timeout_error"),
        ("AgentTimeoutError, CancelledError", "harbor_cancelled_error"),
        ("submission code failure", "harbor_submission_code_failed"),
        ("Submission raised at runtime", "harbor_submission_code_failed"),
        ("broker: no connection", "harbor_broker_connection_failed"),
        ("Connection refused", "harbor_broker_connection_failed"),
        ("connection reset by peer", "harbor_broker_connection_failed"),
        ("connection-refused", "connection_refused"),
        ("missing reward", "harbor_reward_missing"),
        ("Reward file is empty at /logs/verifier/reward.txt", "harbor_reward_empty"),
        ("Reward file is empty at /missing/reward.txt", "harbor_reward_missing"),
        ("Failed to parse rewards from text file reward.txt", "harbor_reward_parse_error"),
        ("malformed reward", "harbor_reward_parse_error"),
        # E2: neither the message of RewardFileNotFoundError nor this bare class name matches
        ("No reward file found at a or b", "no_reward_file_found_at_a_or_b"),
        ("VerifierOutputParseError", "verifieroutputparseerror"),
        ("Some-Other  Thing", "some_other_thing"),
        ("-", "_"),
    ],
)
def test_texts(text: str, code: str) -> None:
    assert reason_code(text) == code


@given(st.text())
def test_the_answer_is_stable_under_case_of_ascii_and_outer_space(text: str) -> None:
    assert reason_code(f"\n {text}\t") == reason_code(text)


@given(st.text(alphabet="abcREWARDmissing -_\u03a3\u0130"))
def test_never_blank_and_never_white_space(text: str) -> None:
    code = reason_code(text)
    assert code is None or (code and code.split() == [code])
