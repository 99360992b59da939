"""The way from the evidence of a run to its to-do list."""

from collections.abc import Callable, Mapping, Sequence

from conformance.diagnosis.account import Diagnosis
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.learning import learn
from conformance.diagnosis.predictions import Predictions
from conformance.diagnosis.search import search
from conformance.diagnosis.todo import to_do
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes

__all__ = ["diagnose"]

_ASKING_SECONDS = 2.0
"""The time for questions whose answers are not known beforehand."""


def diagnose(
    evidence: Sequence[Evidence],
    level: Level,
    progress: Callable[[str], None] = lambda _: None,
    mistakes: Mapping[str, Mistake] | None = None,
    seconds: float = _ASKING_SECONDS,
) -> Diagnosis:
    """Finds what is behind the failures among the evidence, judged at ``level``.

    Args:
        evidence: the answers, right and wrong.
        level: at which they were judged.
        progress: hears sentences about what is going on.
        mistakes: stands in for the catalogue.
        seconds: the time for inputs that are no vectors of the spec; those of vectors take none.
    """
    specs = {item.op.spec for item in evidence}
    known = (
        {name: one for spec in sorted(specs) for name, one in all_mistakes(spec).items()}
        if mistakes is None
        else {name: one for name, one in mistakes.items() if one.spec in specs}
    )
    progress("looking for the known mistakes behind wrong answers")
    predictions = Predictions(evidence, level, known, seconds)
    named = search(predictions)
    progress("learning from the answers what no known mistake explains")
    return to_do(predictions, named, learn(predictions))
