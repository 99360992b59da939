"""Asks failures again: a runner that then answers differently is flaky.

After a wrong answer, the same process is asked three more times. After a failed exchange, a new process is
asked, which does not count as a restart. Only a few exchanges are repeated, since each may take the whole
reply time-out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.judging.verdict import Outcome, Verdict

__all__ = ["BROKEN", "MOST", "TIMES", "Allowance", "settled"]

MOST = 50
"""The most failures of a run that are asked again."""
TIMES = 3
"""How often a failure is asked again; a time-out only once."""
_MOST_BROKEN = 5
"""The most failed exchanges that are asked again."""
_MOST_LATE = 2
"""The most time-outs that are asked again."""
BROKEN = frozenset({Outcome.CRASH, Outcome.TIMEOUT, Outcome.PROTOCOL_ERROR})
"""The outcomes of a failed exchange."""
_ANSWERED = frozenset({Outcome.MISMATCH, Outcome.WRONG_ERROR})


@dataclass(slots=True)
class Allowance:
    """How many failures may still be asked again."""

    failures: int = MOST
    broken: int = _MOST_BROKEN
    late: int = _MOST_LATE

    def times(self, verdict: Verdict) -> int:
        """Return how often to ask this failure again, and reduce the budget."""
        late, broken = verdict.outcome is Outcome.TIMEOUT, verdict.outcome in BROKEN
        if not (broken or verdict.outcome in _ANSWERED) or not verdict.failed:
            return 0
        if not self.failures or (broken and not self.broken) or (late and not self.late):
            return 0
        self.failures, self.broken, self.late = self.failures - 1, self.broken - broken, self.late - late
        return 1 if late else TIMES


def settled(first: Verdict, again: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a vector that was asked again: flaky if an answer differs from the first."""
    answers = Counter(_answer(first, verdict) for verdict in again if verdict.outcome is not Outcome.NOT_RUN)
    if not answers.keys() - {_AS_BEFORE}:
        return first
    counted = sorted(answers.items())
    later = ", ".join(f"{answer} {_TIMES.get(count, f'{count} times')}" for answer, count in counted)
    sentence = f"{first.outcome} at first, and asked again {later}: {first.sentence}"
    return replace(first, outcome=Outcome.FLAKY, actual=first.outcome, sentence=sentence, each={})


_AS_BEFORE = "as before"
_TIMES = {1: "once", 2: "twice"}


def _answer(first: Verdict, again: Verdict) -> str:
    """Describe an answer, compared with the first one."""
    broken = again.outcome in BROKEN and first.outcome in BROKEN  # how a process dies may vary
    if broken or (again.outcome is first.outcome and again.fingerprint == first.fingerprint):
        return _AS_BEFORE
    return f"another {again.outcome}" if again.outcome is first.outcome else str(again.outcome)
