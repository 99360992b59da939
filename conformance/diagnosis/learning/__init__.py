"""Deviations that no catalogue knows, learned from the answers.

Each is a template whose parameters are read off the failures and which is then held to all evidence, passes
too: "every error is answered with …", "gives ints as floats", "sorts keys", "leaves out …". Where a template
does not hold everywhere, words are looked for that say where it does (``features``).

``held`` counts what speaks for a template and against it, ``seen`` is what it is held to, ``conditions``
finds the words; the templates stand in ``answers``, ``changes`` and ``members``.
"""

from collections.abc import Iterator

from conformance.diagnosis.learning.answers import as_parsed, whole_answers
from conformance.diagnosis.learning.changes import (
    changed_keys,
    changed_orders,
    changed_values,
    constants,
    last_bits,
    renamed_keys,
)
from conformance.diagnosis.learning.held import LEAST, Learned
from conformance.diagnosis.learning.members import members
from conformance.diagnosis.learning.seen import Seen
from conformance.diagnosis.predictions import Predictions

__all__ = ["Learned", "learn"]


def learn(predictions: Predictions) -> list[Learned]:
    """All deviations that the evidence bears out, those of most failures first; they may overlap.

    Of those that say the same of the same failures the more general come first, as ``_every`` has them.
    """
    found = [one for one in _every(Seen(predictions)) if len(one.covers) >= LEAST]
    return sorted(found, key=lambda one: (-len(one.covers), len(one.against)))


def _every(seen: Seen) -> Iterator[Learned]:
    yield from whole_answers(seen)
    yield from as_parsed(seen)
    yield from changed_values(seen)
    yield from changed_orders(seen)
    yield from changed_keys(seen)
    yield from renamed_keys(seen)
    yield from constants(seen)
    yield from members(seen)
    yield from last_bits(seen)
