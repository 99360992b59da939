"""What the kit says where it can't confine a metric."""

from conformance.confinement.bubblewrap import confined, why_unconfined
from conformance.extensions.metrics.sandbox.calls import call_filter

__all__ = ["NOT_PROMISED", "missing"]

NOT_PROMISED = (
    "the metric can read and change your files, reach the network and your other processes; "
    "what it writes and the memory of all its processes are not bounded"
)
"""Where nothing confines it."""


def missing() -> list[str]:
    """What is not promised here, a sentence each."""
    if not confined():
        return [f"nothing confines the metric, as {why_unconfined()}: {NOT_PROMISED}"]
    if call_filter() is None:
        return ["this machine's system calls are not filtered: the metric can change your user's keys"]
    return []
