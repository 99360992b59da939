"""The reward that a converted Terminal-Bench task writes (003 §0).

harbor appends a few lines of shell to the task's test script. They write the reward by the script's exit
code, so a Terminal-Bench reward is always 0 or 1.
"""

__all__ = ["terminal_bench_reward"]


def terminal_bench_reward(exit_code: int) -> bytes:
    """The content of `reward.txt`: 1 if the tests exited with 0, else 0, and a newline (003 §0).

    `exit_code` is the test script's, 0 to 255.
    """
    return b"1\n" if exit_code == 0 else b"0\n"
