"""The findings of many jobs by rule: what a runner, or a later harbor, does in another way."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from conformance.check.findings import Finding
from conformance.wire.text import printable

__all__ = ["rule_lines"]

_TASKS = 6


def rule_lines(findings: Iterable[Finding], statements: Mapping[str, str]) -> list[str]:
    """Each clause with its statement, how often it is broken and the dataset's tasks that show it."""
    counts: dict[str, int] = defaultdict(int)
    tasks: dict[str, dict[str, None]] = defaultdict(dict)
    for finding in findings:
        if finding.clause is not None:
            counts[finding.clause] += 1
            if finding.task is not None:
                tasks[finding.clause][finding.task] = None
    if not counts:
        return []
    width = max(len(str(count)) for count in counts.values())
    lines = ["rules broken, with the number of findings:"]
    for clause, count in sorted(counts.items()):
        shown = list(tasks[clause])
        more = f" and {len(shown) - _TASKS} more" if len(shown) > _TASKS else ""
        names = f" ({', '.join(map(printable, shown[:_TASKS]))}{more})" if shown else ""
        lines.append(f"    {count:{width}} {clause}: {statements.get(clause, '')}{names}")
    return lines
