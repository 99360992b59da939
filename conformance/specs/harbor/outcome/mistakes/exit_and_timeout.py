"""Mistakes in judging how a process ended, before its outcome line counts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

READ = "outcome.read_outcome"


@mistake(
    "exit-code-before-time-out",
    says="a run that timed out and has a nonzero exit code is failed, not timed_out",
    op="read_outcome",
    clause="003-5-read-timed-out-first",
    why="A killed process has an exit code, and that is looked at first.",
    invited_by="shell's $?, CompletedProcess.check_returncode",
)
def _(reference: Variant) -> None:
    reference.wrap(
        READ, lambda read: lambda stdout, code, timed_out: read(stdout, code, timed_out and code == 0)
    )


@mistake(
    "line-before-time-out",
    says="a run that timed out is judged by its line if it printed one",
    op="read_outcome",
    clause="003-5-read-timed-out-first",
    why="The result was there before time ran out.",
    invited_by="a wish to lose no result",
)
def _(reference: Variant) -> None:
    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def judged(stdout: str, code: int, timed_out: bool) -> Any:
            found = reference.get("outcome._find_payload")(stdout)
            return read(stdout, 0 if timed_out else code, timed_out and isinstance(found, str))

        return judged

    reference.wrap(READ, around)


@mistake(
    "exit-code-ignored",
    says="the exit code does not count where there is a line",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="The line says how it went.",
    invited_by="shell pipes without pipefail, `|| true`",
)
def _(reference: Variant) -> None:
    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def judged(stdout: str, code: int, timed_out: bool) -> Any:
            found = reference.get("outcome._find_payload")(stdout)
            return read(stdout, code if isinstance(found, str) else 0, timed_out)

        return judged

    reference.wrap(READ, around)


@mistake(
    "negative-exit-code-ignored",
    says="only exit codes above 0 count as failures",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="Exit codes are 0 to 255.",
    invited_by="`returncode > 0`; Python gives a signal as a negative one",
)
def _(reference: Variant) -> None:
    reference.wrap(READ, lambda read: lambda stdout, code, timed_out: read(stdout, max(code, 0), timed_out))


@mistake(
    "exit-code-of-eight-bits",
    says="of the exit code only the low eight bits count",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="It is what a Unix process can give.",
    invited_by="exit() in C and shell, WEXITSTATUS",
)
def _(reference: Variant) -> None:
    reference.wrap(READ, lambda read: lambda stdout, code, timed_out: read(stdout, code & 255, timed_out))


@mistake(
    "exit-code-of-32-bits",
    says="of the exit code only the low 32 bits count",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="An int has as many.",
    invited_by="C, Java, C#, Rust's i32, JavaScript's | 0",
)
def _(reference: Variant) -> None:
    reference.wrap(
        READ, lambda read: lambda stdout, code, timed_out: read(stdout, code & 0xFFFFFFFF, timed_out)
    )


@mistake(
    "nonzero-exit-hides-the-reason",
    says="after a nonzero exit code the reason is always harbor_nonzero_exit",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="The process failed, so its output is not read.",
    invited_by="early returns, check=True",
)
def _(reference: Variant) -> None:
    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def judged(stdout: str, code: int, timed_out: bool) -> Any:
            outcome = read(stdout, code, timed_out)
            failed = code != 0 and not timed_out
            return replace(outcome, reason_code="harbor_nonzero_exit") if failed else outcome

        return judged

    reference.wrap(READ, around)


@mistake(
    "parse-reason-before-exit-code",
    says="after a nonzero exit code a line that is missing or malformed gives its own reason",
    op="read_outcome",
    clause="003-5-read-nonzero-exit",
    why="The line is judged first.",
    invited_by="parsing in one function and judging in another",
)
def _(reference: Variant) -> None:
    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def judged(stdout: str, code: int, timed_out: bool) -> Any:
            found = reference.get("outcome._find_payload")(stdout)
            return read(stdout, 0 if isinstance(found, str) else code, timed_out)

        return judged

    reference.wrap(READ, around)


@mistake(
    "escaping-errors-caught",
    says="ints of more than 4300 digits and deep nesting are malformed, not errors",
    op="read_outcome",
    clause="003-5-read-huge-int-escapes",
    why="Every error of the parser is caught.",
    invited_by="except (ValueError, RecursionError), except Exception, other languages' parsers",
)
def _(reference: Variant) -> None:
    def around(find: Callable[[str], Any]) -> Callable[[str], Any]:
        def found(stdout: str) -> Any:
            try:
                return find(stdout)
            except (ValueError, RecursionError):
                return "harbor_result_malformed"

        return found

    reference.wrap("outcome._find_payload", around)
