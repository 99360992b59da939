"""The to-do list: a few lines that together account for every failure.

Known mistakes come first, for their names say most; then deviations learned from the answers (``choosing``);
what is left is put together by rule (``wording``).
"""

from collections.abc import Sequence

from conformance.diagnosis.account import Diagnosis, Explanation
from conformance.diagnosis.choosing import Choice, joined
from conformance.diagnosis.learning import Learned
from conformance.diagnosis.predictions import Predictions
from conformance.diagnosis.search import Named
from conformance.diagnosis.wording import Wording

__all__ = ["to_do"]

_MOST = 10
"""The most lines."""


def to_do(predictions: Predictions, named: Named, learned: Sequence[Learned]) -> Diagnosis:
    """Chooses the lines and words them."""
    choice, wording = Choice(predictions, named, learned), Wording(predictions)
    silent = [
        index for index, item in enumerate(predictions.evidence) if not item.passed and item.actual is None
    ]
    most = _MOST - len(choice.deviations) - bool(choice.left) - bool(silent)
    lines = [wording.line(item) for item in (*joined(choice.mistakes, most), *choice.deviations)]
    lines.sort(key=lambda line: (-len(line.keys), -line.alone, line.says))
    lines += wording.clusters(choice.left, _MOST - len(lines) - bool(silent))
    if silent:
        lines.append(wording.silent(silent))
    explanations = [
        Explanation(item.groups[0], wording.keys(item.covers), item.certain)
        for item in sorted(choice.mistakes, key=lambda item: -len(item.covers))
    ]
    return Diagnosis(
        tuple(lines),
        tuple(explanations),
        wording.keys(choice.left),
        wording.keys(silent),
        len(predictions.wrong) + len(silent),
    )
