"""The lines of a list: an id for each failure, or the fewest patterns and ids that cover them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from conformance.baseline.candidates import Candidate, Candidates
from conformance.baseline.covering import fewest
from conformance.baseline.today import BaselineError, Today, complaints
from conformance.judging.known_failures import Entry, KnownFailures
from conformance.report.records import AGAIN
from conformance.wire.text import printable

__all__ = ["HEAD", "Covering", "by_ids", "by_patterns", "reason_text", "seed_line", "whole_list"]

HEAD = """\
# Known failures of this runner: <vector id or pattern> <outcome>  # reason
# Written by harbor-conformance baseline. Strict: a listed vector that passes fails the run.
# So does a runner that offers less than the '# offers:' lines record.
"""
_LONGEST = 160
"""Characters of a reason, behind its date."""
_NUMBER = re.compile(r'"id": ?[0-9]+')
"""The number of a request in a reply that is quoted: the next run has another."""


@dataclass(frozen=True, slots=True)
class Covering:
    """Lines that cover failures, and how few they are."""

    lines: tuple[str, ...]
    failures: int
    patterns: int
    """How many of the lines are patterns."""
    proven: bool
    """Whether no fewer lines of the kind that was looked at would do."""
    at_least: int
    """As many lines of that kind are needed."""
    tried: int = 0
    """How many patterns were looked at."""
    cut: bool = False
    """Whether there were too many to be looked at."""

    @property
    def sentence(self) -> str:
        """How few they are, for people."""
        lines, patterns = _counted(len(self.lines), "line"), _counted(self.patterns, "pattern")
        said = f"{_counted(self.failures, 'failure')} in {lines}, {patterns} among them"
        if not self.failures:
            return said
        if not self.proven:
            return f"{said}: at least {self.at_least:,} are needed (the search for fewer was ended)"
        if self.cut:
            return f"{said}: the fewest of {self.tried:,} patterns tried, and there are more"
        return f"{said}: the fewest, of {self.tried:,} patterns tried" if self.tried else said


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def reason_text(text: str) -> str:
    """A reason that fits behind a line's ``#``, whatever a runner wrote: no line ends, nothing unseen."""
    told = printable(" ".join(_NUMBER.sub('"id": …', text[: 2 * _LONGEST]).split())).replace("#", "number ")
    return told if len(told) <= _LONGEST else told[: _LONGEST - 1].rstrip() + "…"


def seed_line(seed: int | None) -> str:
    """The comment that makes later runs ask the same vectors again, in the same other words."""
    return "" if seed is None else f"# again-seed: {seed} (which vectors are asked again in other words)\n"


def _line(pattern: str, outcome: str, day: str, reason: str) -> str:
    told = reason_text(reason)
    return f"{pattern} {outcome}  # since {day}" + (f": {told}" if told else "")


def by_ids(today: Today, failing: Iterable[str], day: str) -> list[str]:
    """A line for each of these failures."""
    return [
        _line(one, today.outcomes[one], day, today.details.get(one, today.causes.get(one, "")))
        for one in sorted(failing)
    ]


def by_patterns(today: Today, failing: Collection[str], day: str) -> Covering:
    """The fewest lines for these failures.

    A pattern matches failures of its outcome alone: whatever else it matched, it would hide the day when that
    fails too. What it may match beside them is failures of the same outcome that a list has already, and the
    same vectors asked again.
    """
    by_outcome: dict[str, list[str]] = {}
    for one in sorted(failing):
        by_outcome.setdefault(today.outcomes[one], []).append(one)
    lines: list[str] = []
    proven, patterns, at_least, tried, cut = True, 0, 0, 0, False
    for outcome, members in sorted(by_outcome.items()):
        found = Candidates(members, sorted({*today.ids, *today.reserved}), _forbidden(today, outcome))
        cover = fewest([one.covers for one in found.every], (1 << len(members)) - 1)
        chosen = _telling(found.every, cover.chosen, [today.causes.get(one) for one in members])
        for taken in chosen:
            names = [name for place, name in enumerate(members) if taken.covers >> place & 1]
            if taken.is_pattern:
                lines.append(_line(found.text(taken), outcome, day, _reason(today, names)))
            else:
                lines += by_ids(today, names, day)
            patterns += taken.is_pattern
        proven, at_least = proven and cover.proven, at_least + cover.at_least
        tried, cut = tried + found.tried, cut or found.cut
    covering = Covering(tuple(sorted(lines)), len(failing), patterns, proven, at_least, tried, cut)
    if _hides(covering.lines, today):
        raise BaselineError("a pattern matches what does not fail: an error of the kit")
    return covering


def _forbidden(today: Today, outcome: str) -> list[str]:
    """What no pattern of this outcome may match."""

    def fails_so(one: str) -> bool:
        return one in today.failing and today.outcomes[one] == outcome

    return [
        one
        for one in {*today.ids, *today.reserved}
        if not fails_so(one)
        and not (one.endswith(AGAIN) and one not in today.outcomes and fails_so(one.removesuffix(AGAIN)))
    ]


def _hides(lines: Iterable[str], today: Today) -> bool:
    """Whether a list of these lines expects anything of what does not fail so; judged as a run judges."""
    known = KnownFailures.parse("\n".join(lines), "the list")
    for outcome in {entry.outcome for entry in known.entries}:
        patterns = KnownFailures.of(
            Entry(entry.pattern, entry.outcome, "", entry.line)
            for entry in known.entries
            if entry.is_pattern and entry.outcome == outcome
        )
        if any(patterns.expecting(one, outcome) for one in _forbidden(today, outcome)):
            return True
    return False


def _telling(
    every: Sequence[Candidate], chosen: Sequence[int], causes: Sequence[str | None]
) -> list[Candidate]:
    """As many, of which each says more: of one cause where that can be, and as much of the ids as can be.

    Each is exchanged for the best that covers what no other of them covers.
    """
    taken = [every[index] for index in chosen]

    def rank(one: Candidate) -> tuple[int, bool, int, tuple[str, ...]]:
        several = {cause for place, cause in enumerate(causes) if one.covers >> place & 1}
        return len(several), one.is_pattern, -one.literal, one.texts

    for place in range(len(taken)):
        others = 0
        for other, one in enumerate(taken):
            if other != place:
                others |= one.covers
        due = taken[place].covers & ~others
        taken[place] = min((one for one in every if due & ~one.covers == 0), key=rank)
    return taken


def _reason(today: Today, names: Sequence[str]) -> str:
    """How many failures a pattern stands for, and what is the likely mistake of most of them."""
    count = _counted(len(names), "failure")
    causes = Counter(today.causes[one] for one in names if one in today.causes)
    if not causes:
        return count
    cause, times = min(causes.items(), key=lambda item: (-item[1], item[0]))
    return f"{count}: {cause}" if times == len(names) else f"{times} of {count}: {cause}"


def whole_list(today: Today, day: str, *, patterns: bool) -> tuple[str, Covering]:
    """A new list of all that fails today, under which the same run would not fail.

    Raises:
        BaselineError: no list can make it pass.
    """
    if patterns:
        covering = by_patterns(today, today.failing, day)
    else:
        lines = by_ids(today, today.failing, day)
        covering = Covering(tuple(lines), len(lines), 0, True, len(lines))
    offers = [one.text for one in today.offers.values() if one is not None]
    head = HEAD + seed_line(today.again_seed)
    text = head + "".join(line + "\n" for line in (*offers, *covering.lines))
    found = complaints(KnownFailures.parse(text, "the list"), today)
    if found:
        raise BaselineError(f"no list makes this run pass: {printable(found[0])}")
    return text, covering
