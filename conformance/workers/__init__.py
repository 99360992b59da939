"""Maps a function over many inputs: in this process, in local processes, or on a scheduler's machines.

- ``spreading``: results in the order of the inputs.
- ``local``: local processes; ``lifetime``: makes them end with their parent.
- ``scheduler``: the workers of a Dask scheduler.
"""

from conformance.workers.lifetime import processors
from conformance.workers.scheduler import SchedulerError
from conformance.workers.spreading import spread

__all__ = ["SchedulerError", "processors", "spread"]
