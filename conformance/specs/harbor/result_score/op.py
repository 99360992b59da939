"""The score alone, from the same file as in `outcome`."""

import json
import re
from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS", "no_count_decides"]


_HUGE = re.compile(r"e\+?0*(?:29|30)[0-9]|[0-9_]{280}", re.IGNORECASE)
"""A number that leaves the double range when it is multiplied by a count."""


def no_count_decides(input_: Any, unchanged: Any = None) -> bool:
    """Whether no count makes the file malformed (PROTOCOL.md); a file that is not JSON has no count."""
    content = input_["result.json"]
    if content is None or "base64" in content or input_ == unchanged:
        return True
    try:
        result = json.loads(content["text"])
    except (ValueError, RecursionError):
        return True
    stats = result.get("stats", {}) if isinstance(result, dict) else None
    if not isinstance(stats, dict):
        return True
    try:
        counts = stats.get("n_completed_trials"), stats.get("n_errored_trials"), result.get("n_total_trials")
        total = abs([int(count or 0) for count in counts][-1])
    except (TypeError, ValueError, OverflowError):
        return False
    return total <= 1 or (total < 2**53 and _HUGE.search(content["text"]) is None)


OPS = (
    define(
        "result_score",
        "result-score",
        fallback_clause="003-6-exact-answers",
        weight=2,
        source="document-003-5",
        shows=("outcome",),
        changing=Changing(sensible=no_count_decides),
        ok_numbers="score",
    ),
)
