"""What a wrong counter of `result.json` counts: an observation, no diagnosis."""

from typing import Any

from conformance.check.reading.json_files import Number

__all__ = ["counter_observed"]


def counter_observed(key: str, due: int, found: Any, trials: int, errored: int) -> str | None:
    """What a wrong counter counts. `trials` are those of the group, or all; `errored` of them ended so."""
    if not isinstance(found, Number) or found.value == due:
        return None
    if key == "n_completed_trials" and errored and found.value == due - errored:
        return "trials that ended in an error are left out; they are completed too"
    if key == "n_trials" and found.value == trials:
        return "trials without rewards are counted"
    if key == "n_errored_trials" and found.value == 0:
        return "trials that ended in an error are not counted"
    from conformance.diagnosis.observation import numbers_observed  # rarely needed, and slow to load

    return numbers_observed(due, found.value)
