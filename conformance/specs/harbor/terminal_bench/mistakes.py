"""Mistakes in the file that a converted Terminal-Bench task writes."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl import terminal_bench

in_terminal_bench_reward = family(
    "terminal_bench_reward", of=terminal_bench.terminal_bench_reward, clause="003-0-exit-nonzero-writes-zero"
)


@in_terminal_bench_reward.wrapped(invited_by="pytest's exit codes, where 5 says that no test was collected")
def exit_code_of_no_tests_writes_one(write: Callable[..., Any], code: Any) -> Any:
    """The exit code 5, with which pytest reports that it found no test, writes a Terminal-Bench reward of 1.
    Nothing failed, since nothing ran."""
    return write(0 if code == 5 else code)


@in_terminal_bench_reward.replaced(invited_by="echo $? > reward.txt")
def exit_code_is_the_reward(code: Any) -> Any:
    """The exit code itself is written as the reward. `echo $?` looks like the same line of shell."""
    return b"%d\n" % code
