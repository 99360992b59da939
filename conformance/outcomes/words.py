"""Counts in words."""

from collections.abc import Mapping

__all__ = ["counted", "counts_sentence"]

_DID = {
    "mismatch": "gave a wrong answer",
    "wrong-error": "ended in a wrong error",
    "crash": "crashed",
    "timeout": "timed out",
    "protocol-error": "broke the protocol",
    "unsupported": "unsupported",
    "not-run": "not run",
    "expected-failure": "failed as expected",
    "unexpected-pass": "passed unexpectedly",
    "flaky": "gave answers that differ",
    "not-counted": "not counted yet",
}
"""By outcome, in its spelling: a command that only counts does not load how answers are judged."""


def counted(count: int, noun: str) -> str:
    """A count with its noun: `1 stale entry`, `2 unexpected passes`, `1,200 vectors`."""
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith("s") else "s"
    is_ies = noun.endswith("y") and noun[-2] not in "aeiou"
    return f"{count:,} {noun[:-1]}ies" if is_ies else f"{count:,} {noun}{ending}"


def counts_sentence(counts: Mapping[str, int]) -> str:
    """What vectors did instead of passing, as a sentence."""
    parts: list[str] = []
    for outcome, did in _DID.items():
        count = counts.get(outcome, 0)
        if count:
            passive = outcome in ("unsupported", "not-run", "not-counted")
            verb = ("was " if count == 1 else "were ") if passive else ""
            noun = "" if parts else " vector" if count == 1 else " vectors"
            parts.append(f"{count}{noun} {verb}{did}")
    return ", ".join(parts)
