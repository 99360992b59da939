"""The metrics of harness-evals 0.25.5, as an executable specification.

"004 §8" is a part of the document `004_harness-evals-metric-contract`, which has no numbers itself:
§1 is the contract of a metric, §2 dimensions, §3 categories, §4 the templates (4.1 deterministic,
4.2 operational, 4.3 reliability, 4.4 LLM judge, 4.5 embedding), §5 registering, §6 tests, §7 lint,
§8 the rules at its end. "erratum E40" is an entry of ERRATA.md, where the executed package
disagrees with the document or decides what the document leaves open. The modules for one metric:

- `dimension`: the five kinds of metric;
- `metric`: the settings that a metric keeps;
- `score`: the result of a metric;
- `reliability`: a metric over several runs;
- `operational`: the built-in metrics that read fields of the case;
- `templates`: the document's own examples;
- `evaluate`: runs all metrics of a case, one after the other.

And for the scores:

- `summary`: quality, and safety separate from it;
- `json_lines`: the file that they are written to.

`described` builds metrics from their descriptions in requests, `operations` answers the requests.
"""

from .dimension import Dimension
from .evaluate import AnyScore, Metric, assert_test, evaluate
from .json_lines import Record, json_lines
from .metric import Base, Settings, construct
from .operational import Case, Message, measure_operational
from .reliability import measure_reliability
from .score import Score, clamp
from .summary import Summary, summarise

__all__ = [
    "AnyScore",
    "Base",
    "Case",
    "Dimension",
    "Message",
    "Metric",
    "Record",
    "Score",
    "Settings",
    "Summary",
    "assert_test",
    "clamp",
    "construct",
    "evaluate",
    "json_lines",
    "measure_operational",
    "measure_reliability",
    "summarise",
]
