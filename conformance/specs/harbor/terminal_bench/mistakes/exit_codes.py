"""Mistakes in what a converted Terminal-Bench task writes."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl import terminal_bench

in_terminal_bench_reward = family(
    "terminal_bench_reward", of=terminal_bench.terminal_bench_reward, clause="003-0-exit-nonzero-writes-zero"
)


@in_terminal_bench_reward.wrapped(clause="003-0-exit-zero-writes-one", invited_by="printf, write_text('1')")
def reward_without_newline(write: Callable[..., Any], code: Any) -> Any:
    """A Terminal-Bench reward is written without a newline.
    The file is written by a program, where harbor has the shell echo it."""
    return write(code).strip()


@in_terminal_bench_reward.wrapped(
    clause="003-0-exit-zero-writes-one",
    invited_by="text mode on Windows, PowerShell, println with the system's separator",
)
def reward_with_crlf(write: Callable[..., Any], code: Any) -> Any:
    """A Terminal-Bench reward ends in CR LF. Text files get the line ends of the system."""
    return write(code).replace(b"\n", b"\r\n")


@in_terminal_bench_reward.wrapped(
    clause="003-0-exit-zero-writes-one", invited_by="print(float(passed)), Rust's {:?}, Java"
)
def reward_written_as_float(write: Callable[..., Any], code: Any) -> Any:
    """A Terminal-Bench reward is written as 1.0 or 0.0.
    A reward is a float, and printing one adds the point."""
    return write(code).replace(b"\n", b".0\n")


@in_terminal_bench_reward.wrapped(invited_by="int(bool(code)), `code ? 1 : 0`")
def exit_code_taken_as_truth(write: Callable[..., Any], code: Any) -> Any:
    """A Terminal-Bench reward is 1 for exit codes other than 0. Zero is false everywhere but in the shell."""
    return write(0 if code else 1)


@in_terminal_bench_reward.wrapped(invited_by="pytest's exit codes, `code == 1`")
def only_exit_code_one_fails(write: Callable[..., Any], code: Any) -> Any:
    """A Terminal-Bench reward is 0 for the exit code 1 alone.
    Other codes mean that the tests did not run, so they are thought to be no failure."""
    return write(1 if code == 1 else 0)


@in_terminal_bench_reward.wrapped(invited_by="pytest's exit codes, where 5 says that no test was collected")
def exit_code_of_no_tests_writes_one(write: Callable[..., Any], code: Any) -> Any:
    """The exit code 5, which pytest gives where it found no test, writes a Terminal-Bench reward of 1.
    Nothing failed where nothing ran."""
    return write(0 if code == 5 else code)


@in_terminal_bench_reward.replaced(invited_by="echo $? > reward.txt")
def exit_code_is_the_reward(code: Any) -> Any:
    """The exit code itself is written as the reward. `echo $?` looks like the same line of shell."""
    return b"%d\n" % code
