"""Mistakes in what a converted Terminal-Bench task writes."""

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant


@mistake(
    "reward-without-newline",
    says="a Terminal-Bench reward is written without a newline",
    op="terminal_bench_reward",
    clause="003-0-exit-zero-writes-one",
    why="The file is written by a program, where harbor has the shell echo it.",
    invited_by="printf, write_text('1')",
)
def _(reference: Variant) -> None:
    reference.wrap("terminal_bench.terminal_bench_reward", lambda write: lambda code: write(code).strip())


@mistake(
    "reward-with-crlf",
    says="a Terminal-Bench reward ends in CR LF",
    op="terminal_bench_reward",
    clause="003-0-exit-zero-writes-one",
    why="Text files get the line ends of the system.",
    invited_by="text mode on Windows, PowerShell, println with the system's separator",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "terminal_bench.terminal_bench_reward",
        lambda write: lambda code: write(code).replace(b"\n", b"\r\n"),
    )


@mistake(
    "reward-written-as-float",
    says="a Terminal-Bench reward is written as 1.0 or 0.0",
    op="terminal_bench_reward",
    clause="003-0-exit-zero-writes-one",
    why="A reward is a float, and printing one adds the point.",
    invited_by="print(float(passed)), Rust's {:?}, Java",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "terminal_bench.terminal_bench_reward",
        lambda write: lambda code: write(code).replace(b"\n", b".0\n"),
    )


@mistake(
    "exit-code-taken-as-truth",
    says="a Terminal-Bench reward is 1 for exit codes other than 0",
    op="terminal_bench_reward",
    clause="003-0-exit-nonzero-writes-zero",
    why="Zero is false everywhere but in the shell.",
    invited_by="int(bool(code)), `code ? 1 : 0`",
)
def _(reference: Variant) -> None:
    reference.wrap("terminal_bench.terminal_bench_reward", lambda write: lambda code: write(0 if code else 1))


@mistake(
    "only-exit-code-one-fails",
    says="a Terminal-Bench reward is 0 for the exit code 1 alone",
    op="terminal_bench_reward",
    clause="003-0-exit-nonzero-writes-zero",
    why="Other codes mean that the tests did not run, so they are thought to be no failure.",
    invited_by="pytest's exit codes, `code == 1`",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "terminal_bench.terminal_bench_reward", lambda write: lambda code: write(1 if code == 1 else 0)
    )


@mistake(
    "exit-code-is-the-reward",
    says="the exit code itself is written as the reward",
    op="terminal_bench_reward",
    clause="003-0-exit-nonzero-writes-zero",
    why="`echo $?` looks like the same line of shell.",
    invited_by="echo $? > reward.txt",
)
def _(reference: Variant) -> None:
    reference.replace("terminal_bench.terminal_bench_reward", lambda code: b"%d\n" % code)
