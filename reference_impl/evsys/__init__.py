"""The metrics of EvSys, as an executable specification.

"002, Use a built-in" is a part of the document `002_evsys-metrics` by its heading, as nothing in it
is numbered; "erratum E29" is an entry of ERRATA.md. A benchmark rolls each of its tasks out a number
of times and scores every sample; a metric makes one number of all of that. Follow one through:

- `metrics`: what a metric is, and the six that are built in;
- `registry`: the name that a metric is found by;
- `plugins`: metrics from other packages;
- `benchmark`: the metrics that a benchmark names, computed.

`operations` answers the runner protocol's requests.

The document shows parts of EvSys; the rest is what the source of its package does. What rests on
which is listed in vectors/README.md.
"""

from .benchmark import DEFAULT_METRICS, evaluate, score
from .metrics import BUILT_INS, PASS_THRESHOLD, Metric, TaskRewards
from .plugins import EntryPoint, load_plugins
from .registry import Registry

__all__ = [
    "BUILT_INS",
    "DEFAULT_METRICS",
    "PASS_THRESHOLD",
    "EntryPoint",
    "Metric",
    "Registry",
    "TaskRewards",
    "evaluate",
    "load_plugins",
    "score",
]
