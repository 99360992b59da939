"""What a reader should know of a submission before its number is quoted, and the same of many at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.wire.text import printable, shortened

__all__ = ["ABOUT", "Remark", "remark_lines"]

ABOUT = {
    "unscored": "no trial has a score",
    "hangs": "the score hangs on what unscored trials count",
    "odd": "jobs that do not state harbor's mean of their trials",
    "missing": "trials that were planned and are missing",
    "beyond": "more trials than planned",
    "double": "trials in more than one job",
    "number": "rewards left out as no finite number",
    "claim": "metadata that states another number than harbor's mean",
    "metadata": "metadata that the trials contradict",
    "unfinished": "unfinished jobs, whose records are counted",
    "unplanned": "jobs that do not say how many trials were planned",
    "names": "tasks under two names, each taken for one",
    "cut": "not all is rolled up",
}
"""What a remark may be about, the most striking first."""
MOST = 5
"""Submissions that are named of each."""
LONGEST = 160
"""Characters of a line, names aside."""
_LONGEST_TOLD = 120


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence about a submission."""

    about: str
    """One of `ABOUT`."""
    text: str
    """The sentence, as it is said of one submission."""
    told: str
    """The same in a few words, after what it is about and the submission's name."""
    weight: float = 0.0
    """How striking it is beside others about the same."""


def remark_lines(found: Sequence[tuple[str, Remark]], every: bool) -> Iterator[str]:
    """A line for each thing that remarks are about, with the submissions that it holds for.

    Each remark comes with its submission's name. The most striking are told in a few words; with `every`
    all of them, in whole sentences on lines of their own.
    """
    for about, what in ABOUT.items():
        of = [(name, one) for name, one in found if one.about == about]
        of.sort(key=lambda item: -item[1].weight)  # of equal ones the order remains, by name
        told = [(printable(name), shortened(one.told, _LONGEST_TOLD)) for name, one in of]
        if every and of:
            yield f"{what}:"
            yield from (f"    {printable(name)}: {printable(one.text)}" for name, one in of)
        elif told:
            shown = told[:1]
            for name, text in told[1:MOST]:
                if len(what) + sum(len(text) + 3 for _, text in [*shown, (name, text)]) > LONGEST:
                    break
                shown.append((name, text))
            rest = [f"… and {len(told) - len(shown):,} more"] if told[len(shown) :] else []
            yield f"{what}: {'; '.join([*(f'{name} {text}'.rstrip() for name, text in shown), *rest])}"
