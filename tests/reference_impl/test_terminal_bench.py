import pytest

from reference_impl.reward import parse_reward
from reference_impl.terminal_bench import terminal_bench_reward


@pytest.mark.parametrize(("exit_code", "content"), [(0, b"1\n"), (1, b"0\n"), (2, b"0\n"), (137, b"0\n")])
def test_only_exit_code_0_passes(exit_code: int, content: bytes) -> None:
    assert terminal_bench_reward(exit_code) == content


def test_the_reward_can_be_read() -> None:
    assert parse_reward({"reward.txt": terminal_bench_reward(0)}) == {"reward": 1.0}
