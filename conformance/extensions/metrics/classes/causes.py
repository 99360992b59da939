"""One cause is one finding: the first case that shows it is reported, and what follows from it is dropped."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from conformance.extensions.metrics.classes.worker import UNREACHABLE
from conformance.extensions.metrics.findings import LEVELS, Rule

__all__ = ["Problem", "Problems", "left_out", "rules_in"]


class Problem(NamedTuple):
    """A broken rule, and what happened."""

    rule: str
    sentence: str
    cause: str = ""
    """Identifies what was raised: the type and the line, or `UNREACHABLE`; empty if nothing was."""


Problems = dict[str, list[Problem]]
"""By case."""
_FEW = 3


def rules_in(problems: Iterable[Problem]) -> set[str]:
    """The rules that are broken."""
    return {problem.rule for problem in problems}


def left_out(
    found: Problems,
    causes: Mapping[str, str],
    rules: Mapping[str, Rule],
    follows: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """Removes from ``found`` what follows from another finding; returns why, for each case left empty.

    ``causes`` are those of the first outcomes that can be compared; without one (empty) it was a value.
    """
    broken = set().union(*map(rules_in, found.values()))
    derived = {rule for first in broken for rule in follows.get(first, ())}
    reasons = {}
    for case, problems in found.items():
        found[case] = [problem for problem in problems if problem.rule not in derived]
        if problems and not found[case]:
            reasons[case] = "it follows from another finding"
    every = set(causes.values())
    everywhere = len(causes) > _FEW and len(every) == 1 and "" not in every
    first: dict[str, tuple[str, Problem]] = {}
    for level in LEVELS:
        for case in causes:
            for problem in found[case]:
                if problem.cause and rules[problem.rule].level == level:
                    first.setdefault(problem.cause, (case, problem))
    if everywhere:
        mark = f" (in all {len(causes)} cases)"
        first = {
            cause: (case, problem._replace(sentence=problem.sentence.rstrip(".") + mark))
            for cause, (case, problem) in first.items()
        }
    if everywhere and UNREACHABLE in first:
        found |= {case: [] for case in causes}
        found["class"].append(first[UNREACHABLE][1])
        return dict.fromkeys(causes, "it needs what is not at hand here")
    for case in causes:
        kept = [one for one in found[case] if not one.cause or first[one.cause][0] == case]
        if found[case] and not kept:
            reasons[case] = f"the same cause as in the case {first[found[case][0].cause][0]}"
        found[case] = [first[one.cause][1] if one.cause else one for one in kept]
    return reasons
