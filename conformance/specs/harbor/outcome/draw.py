"""Random inputs for the consumer: a job's result.json, and the output of the program that summarised it."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.drawing.reasons import reason
from conformance.drawing.source import Draw, Source
from conformance.drawing.texts import json_text, json_value, mutated
from conformance.specs.harbor.results import result_file, some_number, some_tenth

__all__ = ["INPUTS", "NOISE", "PREFIX", "payload", "stdout"]

PREFIX = "BASE_BENCHMARK_RESULT="
"""The prefix of an outcome line."""
_ENDS = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "")
_STATUS = ("completed", "completed", "failed", "error", None, 1, "Completed")
_SCORES: tuple[Any, ...] = (1.0, 0.0, 0.5, 1, 0, -0.0, True, "1", None, 2, -1, 1.0000000000000002, 5e-324)
_NO_PAYLOADS = ("", "null", "[]", "{", "1", '{"score": 1,}', "{} {}", " {}")
NOISE = (
    "",
    "Done.",
    "base_benchmark_result={}",
    f" {PREFIX}{{}}",
    "BASE_BENCHMARK_RESULT",
    "{}",
    "é\ufeff",
    "\x00",
)
"""Lines that are not outcome lines."""


def _score(source: Source) -> Any:
    kind = source.below(6)
    return some_tenth(source) if kind < 4 else source.pick(_SCORES) if kind == 4 else some_number(source)


def _code(source: Source) -> Any:
    kind = source.below(4)
    return None if kind == 0 else reason(source) if kind < 3 else ("", 7, " ", [])[source.below(4)]


def payload(source: Source) -> dict[str, Any]:
    """The text after the prefix of an outcome line, right or wrong."""
    odd = source.below(30)
    members: dict[str, Any] = {
        "reason_code": _code(source),
        "score": _score(source),
        "status": source.pick(_STATUS),
        "total": 1,
    }
    if odd >= 26:
        del members[sorted(members)[odd - 26]]
    elif odd >= 20:  # a reason that contradicts the score, or agrees with it
        members |= {"resolved": source.below(4), "total": source.below(4)}
    return members


def _line(source: Source) -> str:
    odd = source.below(20)
    if odd >= 17:
        return reason(source)
    if odd == 16:
        return PREFIX + (
            source.pick(_NO_PAYLOADS) if source.below(3) else json_text(source, json_value(source))
        )
    before = (" ", "\x1b[32m", "")[source.below(3)] if odd == 15 else ""
    if odd < 8:
        return before + PREFIX + json.dumps(payload(source), ensure_ascii=odd % 2 == 0)
    return before + PREFIX + mutated(source, json_text(source, payload(source)), 35)


def stdout(source: Source) -> str:
    """Standard output: lines, some of them outcome lines, with line ends of every kind."""
    ends = _ENDS if source.chance(40) else ("\n",)
    lines = source.items(lambda source: _line(source) + source.pick(ends), (3,))
    return "".join(lines) + (_line(source) if source.chance(30) else "")


def _read_outcome(source: Source) -> Any:
    timed_out = source.chance(12)
    # A stopped program is often killed before it prints its line.
    silent = timed_out and source.below(3) == 2
    return {
        "stdout": source.pick(("", "Done.\n")) if silent else stdout(source),
        "returncode": (0, 0, 0, 0, 1, -9, 137, 124)[source.below(8)],
        "timed_out": timed_out,
    }


INPUTS: Mapping[str, Draw[Any]] = {"outcome": result_file, "read_outcome": _read_outcome}
"""An input for every op of the section."""
