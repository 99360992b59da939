"""What a fuzz run counts, held to itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.publishing.reading import PublishingError

__all__ = ["Numbers", "numbers_of"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """The inputs by what became of them."""

    agreed: int
    disagreed: int
    unsupported: int
    incomparable: int
    unexplained: int
    """Disagreements that no cause accounts for."""

    @property
    def compared(self) -> int:
        """Inputs on which runner and reference were compared."""
        return self.agreed + self.disagreed


def numbers_of(document: Mapping[str, Any]) -> Numbers:
    """The numbers of a fuzz report.

    Raises:
        PublishingError: they contradict each other.
    """
    told = document["ops"].values()
    agreed, disagreed, unsupported = (
        sum(one[name] for one in told) for name in ("agreed", "disagreed", "unsupported")
    )
    caused = sum(cause["count"] for cause in document["causes"])
    stray = sorted({cause["op"] for cause in document["causes"]} - document["ops"].keys())
    jobs = document.get("jobs")
    if (agreed + disagreed, disagreed) != (document["compared"], document["disagreed"]):
        raise _contradiction("its counts are not those of its ops")
    if caused > disagreed:
        raise _contradiction(f"its causes have {caused:,} disagreements, and there are {disagreed:,}")
    if stray:
        raise _contradiction(f"a cause is of op {stray[0]}, which was not asked")
    if jobs is not None and sum(job["compared"] for job in jobs) != document["compared"]:
        raise _contradiction("its counts are not those of its jobs")
    return Numbers(agreed, disagreed, unsupported, document["incomparable"], disagreed - caused)


def _contradiction(fault: str) -> PublishingError:
    return PublishingError(f"the fuzz report contradicts itself: {fault}")
