"""The reward semantics of harbor 0.25.0: the differences from harbor 0.13.1.

Everything that no module here mentions is unchanged. A rule here builds on the rule of 0.13.1 that it
changes; "since 0.23.0" names the first release with the rule. The modules in the order of one trial:

- `reward`: only finite numbers are rewards, and only files that this verification wrote count;
- `step_names`: the valid names of a task's steps;
- `plan`: at least one attempt;
- `metric_resolution`: metrics for a source that no dataset has;
- `pipeline`: the whole way with these rules.

`operations` answers the runner protocol's requests: the whole table, changed rules and unchanged ones.
"""

from .metric_resolution import resolve_with_sources
from .pipeline import as_before
from .plan import plan_attempts
from .reward import parse_finite_reward
from .step_names import validate_step_names

__all__ = [
    "as_before",
    "parse_finite_reward",
    "plan_attempts",
    "resolve_with_sources",
    "validate_step_names",
]
