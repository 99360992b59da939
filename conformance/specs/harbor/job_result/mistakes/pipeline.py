"""Mistakes between reward files and a job's result: the effects of failing trials and steps."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import reward, verifier_result
from reference_impl.pipeline import _read, read_trial

in_read = family("pipeline", of=_read, clause="003-3.3-exception-stats")
in_read_trial = family("pipeline", of=read_trial)


@in_read.wrapped(invited_by="error chains: __cause__, Rust's source(), Java's getCause, Go's errors.Unwrap")
def library_exception_recorded(read: Callable[..., Any], files: Any) -> Any:
    """The JSON library's own exception is recorded for a reward file that cannot be parsed.
    The cause is recorded instead of the exception that wraps it."""
    result, error = read(files)
    return result, "JSONDecodeError" if error == "VerifierOutputParseError" else error


@in_read.wrapped(clause="003-3.3-n-errors", invited_by="except Exception: reward = 0.0; unwrap_or(0.0)")
def unreadable_reward_is_zero(reference: Variant, read: Callable[..., Any], files: Any) -> Any:
    """A trial whose reward file cannot be read has a reward of 0.0 and no error.
    Any error counts as a failure."""
    result, error = read(files)
    return (reference.its(verifier_result.VerifierResult)({"reward": 0.0}), None) if error else (result, None)


@in_read.wrapped(clause="003-3.3-n-errors", invited_by="Optional results, Result::ok, contextlib.suppress")
def unreadable_reward_not_an_error(read: Callable[..., Any], files: Any) -> Any:
    """A trial whose reward file cannot be read is unverified, without an error.
    The verifier is at fault, and the agent's run succeeded."""
    return (read(files)[0], None)


@in_read.replaced(invited_by="the ? operator, throwing out of a loop, set -e")
def unreadable_reward_ends_the_job(reference: Variant, files: Any) -> Any:
    """A reward file that cannot be read ends the whole job. The exception is not caught for each trial."""
    result_type = reference.its(verifier_result.VerifierResult)
    parse_reward = reference.its(reward.parse_reward)
    return (None if files is None else result_type(parse_reward(files)), None)


@in_read_trial.wrapped(clause="003-3.3-verifier-after-agent", invited_by="early returns, the ? operator")
def no_reading_after_an_exception(read_trial: Callable[..., Any], trial: Any) -> Any:
    """The reward files of a trial that ended in an exception are not read.
    There seems to be nothing left to do for it."""
    return read_trial(trial if trial.exception is None else replace(trial, files=None))
