"""Counts in words."""

from collections.abc import Mapping

from conformance.judging.verdict import Outcome

__all__ = ["counted", "counts_sentence"]

_DID = {
    Outcome.MISMATCH: "gave a wrong answer",
    Outcome.WRONG_ERROR: "ended in a wrong error",
    Outcome.CRASH: "crashed",
    Outcome.TIMEOUT: "timed out",
    Outcome.PROTOCOL_ERROR: "broke the protocol",
    Outcome.UNSUPPORTED: "unsupported",
    Outcome.NOT_RUN: "not run",
    Outcome.EXPECTED_FAILURE: "failed as expected",
    Outcome.UNEXPECTED_PASS: "passed unexpectedly",
    Outcome.FLAKY: "gave answers that differ",
    Outcome.NOT_COUNTED: "not counted yet",
}


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
        count = counts.get(outcome.value, 0)
        if count:
            passive = outcome in (Outcome.UNSUPPORTED, Outcome.NOT_RUN, Outcome.NOT_COUNTED)
            verb = ("was " if count == 1 else "were ") if passive else ""
            noun = "" if parts else " vector" if count == 1 else " vectors"
            parts.append(f"{count}{noun} {verb}{did}")
    return ", ".join(parts)
