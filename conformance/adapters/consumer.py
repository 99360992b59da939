"""The consumer's half of the oracle: how agent-challenge reads harbor's result.

The consumer cannot be installed, so these answers come from two other sources. The reason matcher and the
reader of the outcome line are decision tables: rows of a condition and a result; the first condition that
holds decides. The outcome line comes from the document itself: started with ``--document PATH``, this runner
executes the program printed in section 5 of that text.

It needs the standard library and the kit's helper for runners, ``shim.py``. It answers only on CPython 3.12,
because ``str.lower``, ``str.isalnum``, the digits that ``int`` and ``float`` accept, and ``sum`` differ
between versions.
"""

from __future__ import annotations

import argparse
import builtins
import io
import json
import platform
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any, NamedTuple

RUNNER = "consumer-table"
VERSION = "0.1.0"
PYTHON = (3, 12)
PREFIX = "BASE_BENCHMARK_RESULT="

RETRYABLE = frozenset(
    {
        "harbor_broker_connection_failed",
        "harbor_cancelled_error",
        "harbor_environment_start_timeout_error",
        "terminal_bench_broker_ref_missing",
        "terminal_bench_job_dir_missing",
        "terminal_bench_lease_expired",
    }
)
FINAL = frozenset(
    {
        "harbor_agent_timeout_error",
        "harbor_nonzero_exit",
        "harbor_result_invalid",
        "harbor_result_malformed",
        "harbor_result_missing",
        "harbor_result_partial",
        "harbor_reward_empty",
        "harbor_reward_missing",
        "harbor_reward_parse_error",
        "harbor_submission_code_failed",
        "harbor_trial_failed",
        "harbor_trial_result_malformed",
        "harbor_trial_result_missing",
        "harbor_verifier_timeout_error",
    }
)
KNOWN = RETRYABLE | FINAL

ALIASES = {
    "agent_timeout_error": "harbor_agent_timeout_error",
    "agenttimeouterror": "harbor_agent_timeout_error",
    "cancelled_error": "harbor_cancelled_error",
    "cancellederror": "harbor_cancelled_error",
    "environment_start_timeout_error": "harbor_environment_start_timeout_error",
    "environmentstarttimeouterror": "harbor_environment_start_timeout_error",
    "submission_code_failure": "harbor_submission_code_failed",
    "verifier_timeout_error": "harbor_verifier_timeout_error",
    "verifiertimeouterror": "harbor_verifier_timeout_error",
}


# --- reason_code -------------------------------------------------------------------------------


class Text(NamedTuple):
    """The three spellings of a reason that the rows search."""

    lowered: str
    compact: str
    underscored: str


def spellings(text: str | None) -> Text:
    """The trimmed, lower-case text; its alphanumeric characters; and its words joined with underscores."""
    lowered = (text or "").strip().lower()
    return Text(
        lowered=lowered,
        compact="".join(filter(str.isalnum, lowered)),
        underscored="_".join(lowered.replace("-", "_").split()),
    )


class ReasonRow(NamedTuple):
    """``where`` is the spelling to search; ``all_of`` and ``any_of`` are substrings of it."""

    where: str
    all_of: tuple[str, ...]
    any_of: tuple[str, ...]
    code: str


# Tried in this order if the text is not blank, not a known code and not an alias.
SUBSTRINGS = (
    ReasonRow("compact", (), ("cancellederror", "cancelederror"), "harbor_cancelled_error"),
    ReasonRow("compact", ("environmentstarttimeouterror",), (), "harbor_environment_start_timeout_error"),
    ReasonRow("compact", ("agenttimeouterror",), (), "harbor_agent_timeout_error"),
    ReasonRow("compact", ("verifiertimeouterror",), (), "harbor_verifier_timeout_error"),
    ReasonRow("lowered", ("broker", "connection"), (), "harbor_broker_connection_failed"),
    ReasonRow("lowered", (), ("connection refused", "connection reset"), "harbor_broker_connection_failed"),
    ReasonRow("lowered", ("reward", "missing"), (), "harbor_reward_missing"),
    ReasonRow("lowered", ("reward", "empty"), (), "harbor_reward_empty"),
    ReasonRow("lowered", ("reward",), ("parse", "malformed"), "harbor_reward_parse_error"),
    ReasonRow("lowered", ("submission",), ("code", "runtime"), "harbor_submission_code_failed"),
)


def by_substring(text: Text) -> str | None:
    """The code of the first substring row that matches."""
    for where, all_of, any_of, code in SUBSTRINGS:
        spelling = getattr(text, where)
        matches = not any_of or any(part in spelling for part in any_of)
        if matches and all(part in spelling for part in all_of):
            return code
    return None


# (condition, result): the first condition that is true decides.
REASON_TABLE: tuple[tuple[Callable[[Text], bool], Callable[[Text], str | None]], ...] = (
    (lambda t: t.lowered == "", lambda t: None),
    (lambda t: t.lowered in KNOWN, lambda t: t.lowered),
    (lambda t: t.underscored in KNOWN, lambda t: t.underscored),
    (lambda t: t.compact in ALIASES, lambda t: ALIASES[t.compact]),
    (lambda t: t.underscored in ALIASES, lambda t: ALIASES[t.underscored]),
    (lambda t: by_substring(t) is not None, by_substring),
    (lambda t: t.underscored != "", lambda t: t.underscored),
    (lambda t: True, lambda t: t.lowered),
)


def reason_code(text: str | None) -> str | None:
    """The code that the consumer assigns to a text."""
    spelled = spellings(text)
    return next(result(spelled) for condition, result in REASON_TABLE if condition(spelled))


# --- read_outcome ------------------------------------------------------------------------------


class Run(NamedTuple):
    """A run as the consumer sees it, with its payload already parsed."""

    timed_out: bool
    returncode: int
    payload: dict[str, Any]
    parse_reason: str | None

    @property
    def reason(self) -> str | None:
        """The payload's reason, normalised; None unless it is a string."""
        text = self.payload.get("reason_code")
        return reason_code(text) if isinstance(text, str) else None

    @property
    def score_is_number(self) -> bool:
        """Whether it is an int or a float; a bool is not."""
        score = self.payload["score"]
        return isinstance(score, (int, float)) and not isinstance(score, bool)

    @property
    def score(self) -> float:
        """The score as a double; raises OverflowError for an int above the double range."""
        return float(self.payload["score"])


Outcome = tuple[str, float, str | None]

# (condition, result): the first condition that is true decides.
OUTCOME_TABLE: tuple[tuple[Callable[[Run], bool], Callable[[Run], Outcome]], ...] = (
    (lambda r: r.timed_out, lambda r: ("timed_out", 0.0, "timed_out")),
    (lambda r: r.returncode != 0, lambda r: ("failed", 0.0, r.reason or "harbor_nonzero_exit")),
    (lambda r: r.parse_reason is not None, lambda r: ("failed", 0.0, r.parse_reason)),
    (
        lambda r: not isinstance(r.payload.get("status"), str) or "score" not in r.payload,
        lambda r: ("failed", 0.0, "harbor_result_partial"),
    ),
    (
        lambda r: r.payload["status"] not in ("completed", "failed") or not r.score_is_number,
        lambda r: ("failed", 0.0, "harbor_result_invalid"),
    ),
    (
        lambda r: not 0.0 <= r.score <= 1.0,  # NaN is out of range too
        lambda r: ("failed", 0.0, "harbor_result_invalid"),
    ),
    (
        lambda r: r.payload["status"] == "failed" and r.score > 0.0,
        lambda r: ("failed", 0.0, "harbor_result_invalid"),
    ),
    (lambda r: r.payload["status"] == "failed", lambda r: ("failed", 0.0, r.reason)),
    (lambda r: True, lambda r: ("completed", r.score, r.reason)),
)


def read_payload(stdout: str) -> tuple[dict[str, Any], str | None]:
    """The last outcome line's payload, or the reason code if there is none.

    Two JSON errors propagate: an integer of more than 4300 digits (ValueError) and nesting beyond the
    parser's depth (RecursionError).
    """
    for line in reversed(stdout.splitlines()):
        if line.startswith(PREFIX):
            try:
                payload = json.loads(line.removeprefix(PREFIX))
            except json.JSONDecodeError:
                return {}, "harbor_result_malformed"
            if isinstance(payload, dict):
                return payload, None
            return {}, "harbor_result_malformed"
    return {}, "harbor_result_missing"


def read_outcome(stdout: str, returncode: int, timed_out: bool) -> Outcome:
    """The status, score and reason of a run. Exceptions from reading the payload or the score propagate."""
    run = Run(timed_out, returncode, *read_payload(stdout))
    return next(result(run) for condition, result in OUTCOME_TABLE if condition(run))


# --- outcome: the document's own program -------------------------------------------------------


class DocumentError(ValueError):
    """The document does not contain the outcome program where it should be."""


def extract_outcome_program(text: str) -> str:
    """The program in section 5: from ``summary = `` to the first blank line or fence.

    Raises:
        DocumentError: no section 5, no such block in it, or a block that is not a program.
    """
    _, *sections = re.split(r"^(?:#+ )?5\. ", text, flags=re.MULTILINE)
    if not sections:
        raise DocumentError("the document has no section 5")
    section = re.split(r"^(?:#+ )?6\. ", sections[-1], maxsplit=1, flags=re.MULTILINE)[0]
    block = re.search(r"^summary\s*=.*(?:\n(?!```).*\S.*)*\n?", section, re.MULTILINE)
    if block is None:
        raise DocumentError("section 5 of the document has no line that begins with 'summary ='")
    program = block[0].rstrip("\n") + "\n"
    try:
        compile(program, "<section 5>", "exec")
    except SyntaxError as error:
        raise DocumentError(f"the block of section 5 is not a program: {error}") from error
    for name in ("result_path", "harbor_result_missing", "harbor_result_malformed"):
        if name not in program:
            raise DocumentError(f"the block of section 5 does not mention {name}")
    return program


class ResultPath:
    """The program's ``result_path``: a file in memory that decodes UTF-8 as pathlib does."""

    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def exists(self) -> bool:
        """Whether there is a file."""
        return self.content is not None

    def read_text(self) -> str:
        """Decode strictly as UTF-8; every kind of line end becomes LF."""
        return io.TextIOWrapper(io.BytesIO(self.content or b""), encoding="utf-8").read()


def summary(program: CodeType, content: bytes | None) -> dict[str, Any]:
    """The program's summary of a result file, before printing."""
    namespace: dict[str, Any] = {"__builtins__": builtins, "json": json, "result_path": ResultPath(content)}
    exec(program, namespace)  # noqa: S102  the document itself is the authority
    result: dict[str, Any] = namespace["summary"]
    return result


def outcome_line(program: CodeType, content: bytes | None) -> str:
    """The program's outcome line for a result file (item 6)."""
    return PREFIX + json.dumps(summary(program, content), sort_keys=True)


def result_score(program: CodeType, content: bytes | None) -> float | None:
    """The score in the program's summary; None if the summary has a reason."""
    result = summary(program, content)
    score: float = result["score"]
    return score if result["reason_code"] is None else None


# --- the runner --------------------------------------------------------------------------------


Operation = Callable[..., dict[str, Any]]


def operations(shim: Any, program: CodeType | None) -> dict[str, Operation | None]:
    """The offered operations; ``outcome`` and ``result_score`` only if there is a program."""

    def reason(text: str | None) -> dict[str, Any]:
        return {"reason_code": reason_code(text)}

    def outcome_read(stdout: str, returncode: Any, timed_out: bool) -> dict[str, Any]:
        status, score, code = read_outcome(stdout, int(returncode), timed_out)
        return {"status": status, "score": score, "reason_code": code}

    def of_file(member: str, read: Callable[[CodeType, bytes | None], Any]) -> Operation | None:
        if program is None:
            return None

        def answer(**request: Any) -> dict[str, Any]:
            content = request["result.json"]
            return {member: read(program, None if content is None else shim.to_bytes(content))}

        return answer

    return {
        "outcome": of_file("line", outcome_line),
        "read_outcome": outcome_read,
        "reason_code": reason,
        "result_score": of_file("score", result_score),
    }


def main(argv: list[str] | None = None) -> int:
    """Answers until stdin closes; returns 2 if it cannot start."""
    if sys.version_info[:2] != PYTHON or platform.python_implementation() != "CPython":
        print(
            f"{RUNNER} answers on CPython 3.12 only, "
            f"and this is {platform.python_implementation()} {platform.python_version()}.",
            file=sys.stderr,
        )
        return 2
    parser = argparse.ArgumentParser(prog="consumer.py", description="The consumer as a runner.")
    parser.add_argument("--document", metavar="PATH", help="document 003, for outcome, result_score")
    options = parser.parse_args(argv)
    program = None
    if options.document is not None:
        try:
            with open(options.document, encoding="utf-8") as file:
                text = file.read()
            program = compile(extract_outcome_program(text), "<section 5>", "exec")
        except (OSError, ValueError) as error:
            print(f"{RUNNER}: {options.document}: {error}", file=sys.stderr)
            return 2
    shim = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "shim.py")))
    shim.serve(operations(shim, program), name=RUNNER, version=VERSION)
    return 0


if __name__ == "__main__":
    sys.exit(main())
