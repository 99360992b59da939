"""The same function over many inputs: in this process, in local ones, or on a scheduler's machines.

- ``spreading``: results in the order of the inputs, whatever the order in which they end.
- ``local``: processes of this machine; ``lifetime``: they end with whoever started them.
- ``scheduler``: the workers of a Dask scheduler.
"""

from conformance.workers.lifetime import processors
from conformance.workers.scheduler import SchedulerError
from conformance.workers.spreading import spread

__all__ = ["SchedulerError", "processors", "spread"]
