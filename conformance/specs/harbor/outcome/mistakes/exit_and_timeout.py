"""Mistakes in judging how a process ended, before its outcome line counts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import outcome as outcome_rules

in_read_outcome = family("read_outcome", of=outcome_rules.read_outcome, clause="003-5-read-nonzero-exit")
in_find_payload = family("read_outcome", of=outcome_rules._find_payload, clause="003-5-read-huge-int-escapes")

READ = outcome_rules.read_outcome


@in_read_outcome.wrapped(
    clause="003-5-read-timed-out-first", invited_by="shell's $?, CompletedProcess.check_returncode"
)
def exit_code_before_time_out(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """A run that timed out and has a nonzero exit code is failed, not timed_out.
    A killed process has an exit code, and that is looked at first."""
    return read(stdout, code, timed_out and code == 0)


@in_read_outcome.wrapped(clause="003-5-read-timed-out-first", invited_by="a wish to lose no result")
def line_before_time_out(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """A run that timed out is judged by its line if it printed one.
    The result was there before time ran out."""
    found = reference.get(outcome_rules._find_payload)(stdout)
    return read(stdout, 0 if timed_out else code, timed_out and isinstance(found, str))


@in_read_outcome.wrapped(invited_by="shell pipes without pipefail, `|| true`")
def exit_code_ignored(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """The exit code does not count where there is a line. The line says how it went."""
    found = reference.get(outcome_rules._find_payload)(stdout)
    return read(stdout, code if isinstance(found, str) else 0, timed_out)


@in_read_outcome.wrapped(invited_by="`returncode > 0`; Python gives a signal as a negative one")
def negative_exit_code_ignored(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Only exit codes above 0 count as failures. Exit codes are 0 to 255."""
    return read(stdout, max(code, 0), timed_out)


@in_read_outcome.wrapped(invited_by="exit() in C and shell, WEXITSTATUS")
def exit_code_of_eight_bits(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Of the exit code only the low eight bits count. It is what a Unix process can give."""
    return read(stdout, code & 255, timed_out)


@in_read_outcome.wrapped(invited_by="C, Java, C#, Rust's i32, JavaScript's | 0")
def exit_code_of_32_bits(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Of the exit code only the low 32 bits count. An int has as many."""
    return read(stdout, code & 0xFFFFFFFF, timed_out)


@in_read_outcome.wrapped(invited_by="early returns, check=True")
def nonzero_exit_hides_the_reason(read: Callable[..., Any], stdout: str, code: int, timed_out: bool) -> Any:
    """After a nonzero exit code the reason is always harbor_nonzero_exit.
    The process failed, so its output is not read."""
    outcome = read(stdout, code, timed_out)
    failed = code != 0 and not timed_out
    return replace(outcome, reason_code="harbor_nonzero_exit") if failed else outcome


@in_read_outcome.wrapped(invited_by="parsing in one function and judging in another")
def parse_reason_before_exit_code(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """After a nonzero exit code a line that is missing or malformed gives its own reason.
    The line is judged first."""
    found = reference.get(outcome_rules._find_payload)(stdout)
    return read(stdout, 0 if isinstance(found, str) else code, timed_out)


@in_find_payload.wrapped(
    invited_by="except (ValueError, RecursionError), except Exception, other languages' parsers"
)
def escaping_errors_caught(find: Callable[[str], Any], stdout: str) -> Any:
    """Ints of more than 4300 digits and deep nesting are malformed, not errors.
    Every error of the parser is caught."""
    try:
        return find(stdout)
    except (ValueError, RecursionError):
        return "harbor_result_malformed"
