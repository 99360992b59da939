"""The audit of one job as a piece of work: what goes in and what comes out can be sent to another process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.check.audit import CouldNotTryError, audit
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked
from conformance.check.submissions.discovery import JobPlace
from conformance.judging.comparison import Level

if TYPE_CHECKING:
    from conformance.dataset.manifest import Manifest

__all__ = ["Terms", "checked"]


@dataclass(frozen=True, slots=True)
class Terms:
    """How jobs are audited; the same for each."""

    level: Level
    limits: Limits = field(default_factory=Limits)
    logs: Sequence[str] = ()
    results_only: bool = False
    """Whether reward files are left aside even where they are there."""
    rows: bool = False
    """Whether the trials are wanted one by one."""
    helpers: int = 0
    """Processes that help with a large job."""
    manifest: "Manifest | None" = None


def checked(place: JobPlace, terms: Terms, tick: Callable[[], None] = lambda: None) -> Checked:
    """Audits one job; whatever its trouble is, it is told in what comes back."""
    try:
        made = audit(
            *(place.path, terms.level, terms.limits, terms.logs, tick, terms.manifest, terms.helpers),
            results_only=terms.results_only,
            rows=terms.rows,
        )
    except CouldNotTryError as error:
        return Checked(place.name, error.audit, str(error), place.submission)
    return Checked(place.name, made, None, place.submission)
