"""The metrics of EvSys, as an executable specification.

"002, Use a built-in" is a heading of the document `002_evsys-metrics`, which has no numbers;
"erratum E29" is an entry of ERRATA.md. A benchmark rolls out each of its tasks a number of times and
scores every sample; a metric reduces all of these scores to one number. The modules:

- `metrics`: the contract of a metric, and the six built-in ones;
- `registry`: the names of metrics;
- `plugins`: metrics from other packages;
- `benchmark`: computes the metrics that a benchmark names.

`operations` answers the runner protocol's requests.

The document shows parts of EvSys; the rest follows the source of its package. vectors/README.md
lists which rule follows which.
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
