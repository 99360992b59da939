"""Findings of one cause: the first is told, and what follows from it is left out."""

from collections.abc import Collection, Mapping
from typing import Any

from conformance.metric.findings import LEVELS, Rule

__all__ = ["UNREACHABLE", "Problem", "cause_of", "left_out"]

Problem = tuple[str, str]
"""A rule's name and one sentence."""
UNREACHABLE = "unreachable"
"""The cause, and the rule, of all that fails because a judge, a service or a package is not at hand."""
_FEW = 3


def cause_of(raised: Mapping[str, Any]) -> str:
    """What tells the causes of exceptions apart: the type and the line, or that nothing could be reached."""
    if raised["unreachable"]:
        return UNREACHABLE
    own = [place for place in raised["at"] if not place.rpartition(":")[0].endswith("core/score.py")]
    return f"{raised['type']} {own[-1] if own else ''}"


def left_out(
    found: Mapping[str, list[Problem]],
    causes: Mapping[str, str | None],
    rules: Mapping[str, Rule],
    follows: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """Takes out of ``found`` what follows from something told; the cases of which nothing is left."""
    broken = {rule for problems in found.values() for rule, _ in problems}
    derived = {rule for first in broken for rule in follows.get(first, ())}
    reasons = {}
    for case, problems in found.items():
        kept = [problem for problem in problems if problem[0] not in derived]
        if problems and not kept:
            reasons[case] = "it follows from another finding"
        problems[:] = kept
    return {**reasons, **_same_cause(found, causes, rules)}


def _same_cause(
    found: Mapping[str, list[Problem]], causes: Mapping[str, str | None], rules: Mapping[str, Rule]
) -> dict[str, str]:
    levels = list(LEVELS)
    first: dict[str, tuple[str, str]] = {}
    """By cause: the case that shows it, and the rule."""
    for level in levels:
        for case, cause in causes.items():
            for rule, _ in found[case]:
                if cause and rules[rule].level == level:
                    first.setdefault(cause, (case, rule))
    known = [cause for cause in causes.values() if cause is not None]
    everywhere = len(known) > _FEW and len(set(known)) == 1 and bool(known[0])
    reasons = {}
    if everywhere and known[0] == UNREACHABLE and "class" in found:
        case, rule = first[UNREACHABLE]
        found["class"] += [
            (name, f"{sentence} (in all {len(known)} cases)")
            for name, sentence in found[case]
            if name == rule
        ]
        for case in causes:
            found[case].clear()
            reasons[case] = "it needs what is not at hand here"
        return reasons
    for case, cause in causes.items():
        if not cause or cause not in first:
            continue
        shown, rule = first[cause]
        if case == shown:
            if everywhere:
                found[case][:] = [
                    (name, f"{sentence.rstrip('.')} (in all {len(known)} cases)")
                    if name == rule
                    else (name, sentence)
                    for name, sentence in found[case]
                ]
        elif everywhere or cause == UNREACHABLE or rule not in {name for name, _ in found[case]}:
            kept = [problem for problem in found[case] if " raised " not in problem[1]]
            if found[case] and not kept:
                reasons[case] = f"the same cause as in the case {shown}"
            found[case][:] = kept
    return reasons
