import math

import pytest

from reference_impl.errors import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    ValidationError,
    VerifierOutputParseError,
)
from reference_impl.reward import parse_reward

# The document's table, §1.2.
ACCEPTED_TEXTS = [
    ("1", 1.0),
    ("0", 0.0),
    ("1.0", 1.0),
    ("1\n", 1.0),
    ("1 \n", 1.0),
    ("0.5", 0.5),
    ("1e0", 1.0),
    ("-1", -1.0),
    ("inf", math.inf),
]
REFUSED_TEXTS = [
    " ",
    "\n",
    "pass",
    "True",
    "1,0",
    "0x10",
    "1__0",
    "_1",
    "1e",
    "1 2",
    "1\0",
    "\ufeff1",
    "\x1c1",
]
REFUSED_JSON = ["[1,]", "01", "+1", ".5", "1.", '"\n"', "{} {}", '\ufeff{"reward": 1}', " ", "9" * 4301]


@pytest.mark.parametrize(("text", "value"), ACCEPTED_TEXTS)
def test_text_is_one_float(text: str, value: float) -> None:
    rewards = parse_reward({"reward.txt": text.encode()})
    assert rewards == {"reward": value}
    assert isinstance(rewards["reward"], float)


def test_text_nan() -> None:
    rewards = parse_reward({"reward.txt": b"nan"})
    assert rewards is not None
    assert math.isnan(rewards["reward"])


@pytest.mark.parametrize("text", REFUSED_TEXTS)
def test_text_is_not_a_float(text: str) -> None:
    with pytest.raises(VerifierOutputParseError, match=r"text file reward\.txt") as caught:
        parse_reward({"reward.txt": text.encode()})
    assert caught.value.reason_code == "harbor_reward_parse_error"


@pytest.mark.parametrize("text", REFUSED_JSON)
def test_json_is_malformed(text: str) -> None:
    with pytest.raises(VerifierOutputParseError, match=r"JSON file reward\.json"):
        parse_reward({"reward.json": text.encode()})


@pytest.mark.parametrize("name", ["reward.txt", "reward.json"])
def test_bytes_are_not_utf8(name: str) -> None:
    with pytest.raises(VerifierOutputParseError):
        parse_reward({name: b"1\xff"})


@pytest.mark.parametrize("name", ["reward.txt", "reward.json"])
def test_no_bytes(name: str) -> None:
    with pytest.raises(RewardFileEmptyError, match=name) as caught:
        parse_reward({name: b""})
    assert caught.value.reason_code == "harbor_reward_empty"


def test_no_file() -> None:
    with pytest.raises(RewardFileNotFoundError) as caught:
        parse_reward({"rewards.txt": b"1"})
    assert caught.value.reason_code == "harbor_reward_missing"


def test_json_comes_before_text() -> None:
    assert parse_reward({"reward.txt": b"0", "reward.json": b'{"a": 1}'}) == {"a": 1}


def test_a_broken_json_file_is_not_made_good_by_the_text_file() -> None:
    with pytest.raises(RewardFileEmptyError):
        parse_reward({"reward.txt": b"1", "reward.json": b""})


def test_json_null_means_no_rewards_and_an_empty_object_does_not() -> None:
    assert parse_reward({"reward.json": b"null"}) is None
    assert parse_reward({"reward.json": b"{}"}) == {}


def test_json_that_is_no_rewards_is_not_a_parse_error() -> None:
    with pytest.raises(ValidationError):
        parse_reward({"reward.json": b'{"reward": null}'})


def test_json_too_deep_escapes() -> None:
    with pytest.raises(RecursionError):
        parse_reward({"reward.json": b"[" * 100_000})
