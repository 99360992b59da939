"""The text for a failing vector: everything needed to understand and repeat it."""

import difflib
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.diagnosis.observation import common_difference
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.words import counted
from conformance.suite.vectors import Vector
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported
from conformance.wire.pointers import shown as shown_path
from conformance.wire.text import compact, first_and_last, printable, shortened

__all__ = ["answer_text", "difference_lines", "failure_text", "with_likely"]

_MOST = 2000
"""The most characters shown of an input or an answer."""
_MOST_DIFFERENCES = 12
_LIKELY, _HINT = "likely:   ", "hint:     "
_AFTER_LIKELY = ("stderr:   ", "runner:   ")


def failure_text(
    verdict: Verdict,
    *,
    command: str,
    repeat: str,
    before: str = "",
    clauses: Mapping[str, str],
    stderr: str = "",
    likely: str | None = None,
) -> str:
    """The text for one verdict.

    ``command`` is the runner, ``repeat`` the command line that repeats the failure; ``before`` describes
    earlier requests, if they may matter; ``clauses`` maps clause ids to their statements; ``stderr`` is the
    runner's error output; ``likely`` is the known mistake that explains it, if the whole run's evidence
    supports one.
    """
    vector = verdict.vector
    if verdict.outcome is Outcome.NOT_RUN:
        return f"{verdict.outcome}: {vector.id}\nwhy:      {verdict.sentence}"
    lines = [
        f"{verdict.outcome}: {vector.id}",
        f"rule:     {printable(vector.rule)}",
        f"clause:   {printable(vector.clause)}: {clauses.get(vector.clause, '')}".rstrip(": "),
        f"op:       {vector.op.name}",
        f"input:    {compact(vector.input, _MOST)}",
        f"expected: {_expected(vector)}",
        f"actual:   {answer_text(verdict.answer)}",
        f"why:      {verdict.sentence}",
    ]
    further = verdict.differences[1:]  # the sentence has the first
    lines += [
        f"          at {shortened(shown_path(item.path), 200)}: {shortened(item.what, 500)}"
        for item in further[:_MOST_DIFFERENCES]
    ]
    if len(further) > _MOST_DIFFERENCES:
        lines.append(f"          and {counted(len(further) - _MOST_DIFFERENCES, 'more difference')}")
    lines += _diff(verdict)
    if verdict.outcome in (Outcome.MISMATCH, Outcome.WRONG_ERROR):
        if vector.catches:
            lines.append(f"catches:  {printable(vector.catches)}")
        difference = common_difference(verdict.differences)
        if likely:
            lines.append(f"{_LIKELY}{likely}")
        elif difference:
            lines.append(f"{_HINT}the answer differs only in {difference}")
    if stderr.strip():
        lines.append("stderr:   " + "\n          ".join(_without_repeats(first_and_last(stderr))))
    if before:
        lines.append(f"before:   {before}")
    return "\n".join([*lines, f"runner:   {command}", f"repeat:   {repeat}"])


def _without_repeats(lines: list[str]) -> Iterator[str]:
    """The lines; equal lines that follow each other become one, with their number."""
    for line, equal in itertools.groupby(lines):
        count = len(list(equal))
        yield line if count == 1 else f"{line} ({count} times)"


def with_likely(text: str, likely: str) -> str:
    """The text of a failure, with the known mistake that explains it, which is found only later."""
    lines = [line for line in text.split("\n") if not line.startswith(_HINT)]
    for index, line in enumerate(lines):
        if line.startswith(_AFTER_LIKELY):
            return "\n".join([*lines[:index], f"{_LIKELY}{likely}", *lines[index:]])
    return text


def _expected(vector: Vector) -> str:
    assert vector.expected is not None
    if "error" in vector.expected:
        return answer_text(Refused(**vector.expected["error"]))
    return compact(vector.expected["ok"], _MOST)


def answer_text(answer: Answer | None, most: int = _MOST, *, message: bool = True) -> str:
    """An answer on one line: its value, cut to ``most`` characters, its error, or why there is none."""
    match answer:
        case Ok(value):
            return compact(value, most)
        case Refused(error_type, reason_code, why):
            code = f" ({shortened(reason_code, 200)})" if reason_code else ""
            text = f": {shortened(why, 300)}" if why and message else ""
            return f"error {shortened(error_type, 200)}{code}{text}"
        case Unsupported(reason):
            return f"unsupported: {printable(reason)}"
        case Failed(outcome, sentence):
            return f"{outcome}: {printable(sentence)}"
    return "no answer"


def _diff(verdict: Verdict) -> list[str]:
    """A line diff of the answers, if they are long enough for one to help."""
    expected = verdict.vector.expected
    if not verdict.kept or not isinstance(verdict.answer, Ok) or expected is None or "ok" not in expected:
        return []
    diff = difference_lines(expected["ok"], verdict.answer.value)
    return ["diff:", *(f"  {line}" for line in diff)] if diff else []


def difference_lines(expected: Any, actual: Any) -> list[str]:
    """A line diff of two values; empty if they are too short or too long."""
    left, right = _pretty(expected), _pretty(actual)
    if max(len(left), len(right)) < 4 or max(len(left), len(right)) > 400:
        return []
    diff = difflib.unified_diff(left, right, "expected", "actual", lineterm="", n=2)
    return [shortened(line, 200) for line in diff]


def _pretty(value: Any) -> list[str]:
    """The lines of a value, without trailing commas, which the last member would lack.

    A text of several lines, such as a file's, is shown as its lines.
    """
    try:
        text = json.dumps(value, indent=1, ensure_ascii=False, default=repr)
    except RecursionError:
        return []
    lines = []
    for line in text.split("\n"):
        line = line.removesuffix(",")
        member, is_text, content = line.partition('": "')
        if is_text and "\\n" in content:
            lines += [f'{member}":', *json.loads(f'"{content}').split("\n")]
        else:
            lines.append(line)
    return lines
