"""What readers of the document alone understood of a converted Terminal-Bench task's exit code."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl import terminal_bench

__all__: list[str] = []

in_terminal_bench_reward = family(
    "terminal_bench_reward", of=terminal_bench.terminal_bench_reward, clause="003-0-exit-nonzero-writes-zero"
)


@in_terminal_bench_reward.wrapped(invited_by="pytest's exit codes, where 5 says that no test was collected")
def exit_code_of_no_tests_writes_one(write: Callable[..., Any], code: Any) -> Any:
    """The exit code 5, which pytest gives where it found no test, writes a Terminal-Bench reward of 1.
    Nothing failed where nothing ran."""
    return write(0 if code == 5 else code)


@in_terminal_bench_reward.wrapped(invited_by="signed bytes, `code <= 0`, subprocess.returncode")
def exit_code_as_signed_byte(write: Callable[..., Any], code: Any) -> Any:
    """Exit codes from 128 on, by which a shell reports signals, write a Terminal-Bench reward of 1.
    As signed bytes they are negative, and `code <= 0` is success."""
    return write(0 if code >= 128 else code)
