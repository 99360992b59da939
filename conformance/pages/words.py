"""Texts and limits that several kinds of pages share."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.pages.model import Tone
from conformance.wire.text import cut, encodable

__all__ = ["SIGNALS", "TONES", "answer_text", "asked_text", "enumerated", "one_line", "tone_of", "value_text"]

SIGNALS = {129: "SIGHUP", 130: "SIGINT", 143: "SIGTERM"}
"""The exit codes of commands that were ended by a signal, and so have no verdict."""
_LONGEST = 4_000
TONES = {
    "passed": Tone.GOOD,
    "expected-failure": Tone.KNOWN,
    "unsupported": Tone.WARN,
    "not-run": Tone.QUIET,
    "not-counted": Tone.QUIET,
}
"""The tones of outcomes; all others are failures."""


def tone_of(outcome: str) -> Tone:
    """Return the tone of an outcome."""
    return TONES.get(outcome, Tone.BAD)


def one_line(text: str, most: int = 500) -> str:
    """Return an untrusted text on one line, truncated if it is long; every format escapes it."""
    return cut(" ".join(text.split()), most)


def enumerated(names: Iterable[str], most: int = 8) -> str:
    """Join the first names, with the number of further ones."""
    all_names = list(names)
    text = ", ".join(all_names[:most])
    return f"{text} and {len(all_names) - most:,} more" if len(all_names) > most else text


def value_text(value: Any) -> str:
    """Return a value as JSON, on one line if it is short."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        if 100 < len(text) <= _LONGEST:
            text = json.dumps(value, ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return "(nested too deeply, or too large, to be shown)"
    return encodable(cut(text, _LONGEST))


def asked_text(question: Mapping[str, Any] | None) -> str:
    """Return the request's input as text; empty if unknown."""
    if question is None:
        return ""
    return value_text(question["input"]) if "input" in question else _beginning(question)


def answer_text(answer: Mapping[str, Any] | None, absent: str = "") -> str:
    """Return an answer as text: the value as JSON, or the error's name."""
    if answer is None:
        return absent
    if "error" in answer:
        error = answer["error"]
        reason = f" ({error['reason_code']})" if error["reason_code"] else ""
        message = f": {error['message']}" if error.get("message") else ""
        return encodable(cut(f"error {error['type']}{reason}{message}", _LONGEST))
    return value_text(answer["ok"]) if "ok" in answer else _beginning(answer)


def _beginning(answer: Mapping[str, Any]) -> str:
    if answer["beginning"] is None:
        return "(nested too deeply, or too large, to be shown)"
    return f"{answer['beginning'][:_LONGEST]}… (cut, {answer['characters']:,} characters in all)"
