"""Which known mistakes explain what a runner got wrong.

Each mistake of the catalogue (``conformance.mistakes``) foretells an answer to every input. A mistake is
named only where what it foretells is what the runner did, on all evidence of an operation: where the runner
failed, the mistake gives the same answer or the right one, never a third; where the runner passed, the
mistake passes too. Several mistakes of one runner act on each other, so they are held to this together, as
one runner that makes them all. Each operation is judged by itself: a runner may add up wrongly in one place.

Of the sets that hold, the smallest that explains most is named; mistakes that the evidence cannot tell apart
are alternatives. Where failures of an operation stay unexplained, a coincidence is not taken for a mistake:
it needs several failures there that are its own, with answers that the runner does not also give where
no mistake calls for them.

``evidence`` is what is judged, ``scratch`` a reference that makes mistakes by turns, ``predictions`` what
mistakes foretell, ``search`` finds the sets of one operation, ``choice`` settles on one over all operations,
``account`` is the result, ``observation`` what can be said where nothing is known.
"""

from conformance.diagnosis.account import Diagnosis, Explanation
from conformance.diagnosis.choice import diagnose
from conformance.diagnosis.evidence import Evidence

__all__ = ["Diagnosis", "Evidence", "Explanation", "diagnose"]
